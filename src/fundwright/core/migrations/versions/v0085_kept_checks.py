"""Keep the checks of claims with their section."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0085"
down_revision = "0084"


def upgrade() -> None:
    op.add_column("draft_section", sa.Column("checks", JSONB))
