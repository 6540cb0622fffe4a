"""Find the notices of a NAICS sector by an index."""

from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.create_index("ix_opportunity_naics", "opportunity", ["naics"], postgresql_ops={"naics": "text_pattern_ops"})
