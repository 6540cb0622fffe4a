"""Index the columns that distinguish open from closed opportunities, so that counting them reads no rows."""

from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.create_index("ix_opportunity_kind_closes_at_status", "opportunity", ["kind", "closes_at", "status"])
