"""Index when notices other than award notices close: of those that have closed, most are award notices."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    op.create_index(
        "ix_opportunity_kind_closes_at", "opportunity", ["kind", "closes_at"], postgresql_where=sa.text("type <> 'Award Notice'")
    )
