"""Name the jobs of personal data without the former package."""

from alembic import op

revision = "0050"
down_revision = "0049"


def upgrade() -> None:
    op.execute("UPDATE job SET kind = 'personal_data' WHERE kind = 'identity.personal_data'")
    op.execute("UPDATE job SET kind = 'personal_data_expiry' WHERE kind = 'identity.personal_data_expiry'")
