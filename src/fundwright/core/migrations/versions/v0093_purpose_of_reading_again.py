"""Let workers find the documents of all workspaces that an earlier version of reading has read."""

from alembic import op

revision = "0093"
down_revision = "0092"


def upgrade() -> None:
    op.execute("INSERT INTO installation_purpose VALUES ('documents to read again')")
