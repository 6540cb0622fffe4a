"""Tables of training."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "document",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("is_sample", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("error", sa.String()),
        sa.Column("text", sa.String()),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.String()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("trained_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_document_owner_id_account", ondelete="CASCADE"),
        sa.UniqueConstraint("owner_id", "sha256", name="uq_document_owner_id_sha256"),
    )
    op.create_index("ix_document_sha256", "document", ["sha256"])
    op.create_table(
        "chunk",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("heading", sa.String(), nullable=False),
        sa.Column("page", sa.Integer()),
        sa.Column("start_offset", sa.Integer(), nullable=False),
        sa.Column("end_offset", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("search", TSVECTOR(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chunk"),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_chunk_document_id_document", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_chunk_owner_id_account", ondelete="CASCADE"),
    )
    op.create_index("ix_chunk_document_id", "chunk", ["document_id"])
    op.create_index("ix_chunk_owner_id", "chunk", ["owner_id"])
    op.create_index("ix_chunk_search", "chunk", ["search"], postgresql_using="gin")
    op.create_table(
        "chunk_vector",
        sa.Column("chunk_id", sa.Uuid(), nullable=False),
        sa.Column("model_id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("vector", HALFVEC(), nullable=False),
        sa.PrimaryKeyConstraint("chunk_id", "model_id", name="pk_chunk_vector"),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunk.id"], name="fk_chunk_vector_chunk_id_chunk", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_chunk_vector_owner_id_account", ondelete="CASCADE"),
    )
    op.create_index("ix_chunk_vector_owner_id_model_id", "chunk_vector", ["owner_id", "model_id"])
    op.create_table(
        "training_run",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid()),
        sa.Column("document_ids", JSONB(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("failed", JSONB(), nullable=False),
        sa.Column("model_id", sa.String()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_training_run"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_training_run_owner_id_account", ondelete="CASCADE"),
        sa.UniqueConstraint("job_id", name="uq_training_run_job_id"),
    )
    op.create_index("ix_training_run_owner_id", "training_run", ["owner_id"])
