"""Documents have a kind; drafts name the company and the documents they are written from."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    op.add_column("document", sa.Column("kind", sa.String(), nullable=False, server_default="about_us"))
    op.add_column("document", sa.Column("is_kind_chosen", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("draft", sa.Column("company", sa.String(), nullable=False, server_default=""))
    op.add_column("draft", sa.Column("document_ids", JSONB(), nullable=False, server_default="[]"))
