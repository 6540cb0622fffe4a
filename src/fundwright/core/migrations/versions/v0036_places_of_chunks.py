"""Where headings and pages change within a passage."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    op.add_column("chunk", sa.Column("places", JSONB(), nullable=False, server_default="[]"))
