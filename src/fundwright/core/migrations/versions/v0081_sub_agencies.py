"""Find the notices of a sub-agency."""

from alembic import op

revision = "0081"
down_revision = "0080"


def upgrade() -> None:
    op.create_index("ix_opportunity_kind_sub_agency", "opportunity", ["kind", "sub_agency"])
