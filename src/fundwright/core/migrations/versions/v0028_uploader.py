"""The account that uploaded an opportunity."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.add_column("opportunity", sa.Column("uploaded_by", sa.Uuid()))
