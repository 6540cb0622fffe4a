"""Jobs hold ids only: the copy of whoever started them, with the rights they had then, is removed."""

from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.execute("UPDATE job SET payload = payload - 'actor' WHERE payload ? 'actor'")
