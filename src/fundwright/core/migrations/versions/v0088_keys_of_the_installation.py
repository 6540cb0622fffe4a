"""Record a digest of each key of the data folder."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0088"
down_revision = "0087"


def upgrade() -> None:
    op.add_column("installation", sa.Column("key_digests", JSONB, nullable=False, server_default="{}"))
