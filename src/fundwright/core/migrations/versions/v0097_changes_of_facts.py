"""Facts have the time of their last change, which is also that of a decision that was taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0097"
down_revision = "0096"


def upgrade() -> None:
    changed_at = sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
    op.add_column("organization_fact", changed_at)
    op.execute("UPDATE organization_fact SET changed_at = coalesce(decided_at, created_at)")
