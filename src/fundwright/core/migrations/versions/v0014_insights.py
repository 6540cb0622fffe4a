"""Page views, and jobs by the day on which they started."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "page_view",
        sa.Column("id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("account_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="SET NULL"), index=True),
        sa.Column("language", sa.String(), nullable=False),
    )
    op.create_index("ix_job_created_at", "job", ["created_at"])
