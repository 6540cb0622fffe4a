"""The state that screens save for an account. The width of the sidebar becomes part of it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "saved_state",
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("value", JSONB(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.execute(
        "INSERT INTO saved_state (owner_id, name, value, changed_at) "
        "SELECT id, 'sidebar is narrow', 'true', now() FROM account WHERE has_narrow_sidebar"
    )
    op.drop_column("account", "has_narrow_sidebar")
