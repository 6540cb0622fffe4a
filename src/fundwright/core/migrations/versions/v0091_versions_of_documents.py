"""Keep which documents are new versions of earlier ones."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0091"
down_revision = "0090"


def upgrade() -> None:
    op.add_column("document", sa.Column("sketch", postgresql.ARRAY(sa.Integer()), nullable=True))
    for name in ("resembles", "replaced_by"):
        op.add_column("document", sa.Column(name, sa.Uuid(), sa.ForeignKey("document.id", ondelete="SET NULL"), nullable=True))
        op.create_index(f"ix_document_{name}", "document", [name])
