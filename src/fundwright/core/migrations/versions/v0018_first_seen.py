"""The opportunities that were added since an account's last visit."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_index("ix_opportunity_first_seen_at", "opportunity", ["first_seen_at"])
