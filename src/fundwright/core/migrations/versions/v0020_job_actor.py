"""Remove the copied actor, with its permissions at the time, from the payloads of jobs."""

from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.execute("UPDATE job SET payload = payload - 'actor' WHERE payload ? 'actor'")
