"""Rename the state of canceled jobs, the job that writes requested emails, and the column for re-authentication."""

from alembic import op

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    op.execute("UPDATE job SET state = 'canceled' WHERE state = 'cancelled'")
    op.execute("UPDATE job SET kind = 'email.requested' WHERE kind = 'identity.letter'")
    op.alter_column("account_session", "proved_until", new_column_name="reauthenticated_until")
