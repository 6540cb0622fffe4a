"""How long a session may be unused, and which of its tokens is the newest."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("account_session", sa.Column("idle_limit", sa.Interval()))
    op.execute("UPDATE account_session SET idle_limit = CASE WHEN remember THEN interval '72 hours' ELSE interval '4 hours' END")
    op.alter_column("account_session", "idle_limit", nullable=False)
    op.add_column("account_session", sa.Column("generation", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("account_session", sa.Column("superseded_at", sa.DateTime(timezone=True)))
