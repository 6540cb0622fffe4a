"""Sections store possible matches for their open questions."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.add_column("draft_section", sa.Column("possible_matches", JSONB(), nullable=False, server_default="[]"))
