"""The vector extension, the job queue and the job table."""

import sqlalchemy as sa
from alembic import op
from procrastinate.schema import SchemaManager
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.get_bind().exec_driver_sql(SchemaManager.get_schema().replace("%", "%%"))
    op.create_table(
        "job",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), index=True),
        sa.Column("state", sa.String(), nullable=False, index=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer()),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("payload", JSONB(), nullable=False),
        sa.Column("checkpoint", JSONB(), nullable=False),
        sa.Column("result", JSONB()),
        sa.Column("error", sa.String()),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
    )
