"""Keep which passages are no statements of their documents: boxes that are not checked, and speaker notes."""

import sqlalchemy as sa
from alembic import op

revision = "0092"
down_revision = "0091"


def upgrade() -> None:
    op.add_column("chunk", sa.Column("aside", sa.String(), nullable=True))
    op.create_index("ix_chunk_aside", "chunk", ["owner_id"], postgresql_where=sa.text("aside IS NOT NULL"))
