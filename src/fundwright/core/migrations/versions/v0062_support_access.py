"""Let administrators view a workspace for a time that its owners choose."""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"


def upgrade() -> None:
    op.add_column("workspace", sa.Column("support_until", sa.DateTime(timezone=True), nullable=True))
