"""Posts of the blog, and feedback."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "blog_post",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("slug", sa.String(), nullable=False, unique=True),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("title", "summary", "text", "author")),
        sa.Column("author_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="SET NULL"), index=True),
        sa.Column("published_at", sa.DateTime(timezone=True), index=True),
        *(sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in ("created_at", "changed_at")),
    )
    op.create_table(
        "feedback",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("sender_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("sender", "kind", "text", "page", "state", "note")),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
