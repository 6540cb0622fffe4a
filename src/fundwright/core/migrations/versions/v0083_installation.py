"""Record which data folder belongs to the database."""

import sqlalchemy as sa
from alembic import op

revision = "0083"
down_revision = "0082"


def upgrade() -> None:
    op.create_table(
        "installation",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("files", sa.String(), nullable=False),
        sa.Column("keys", sa.String(), nullable=False),
        sa.CheckConstraint("id = 1", name="ck_installation_only"),
        sa.PrimaryKeyConstraint("id", name="pk_installation"),
    )
