"""Tables of generation."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "draft",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("opportunity_id", sa.Uuid(), nullable=False),
        sa.Column("opportunity_title", sa.String(), nullable=False),
        sa.Column("opportunity_number", sa.String(), nullable=False),
        sa.Column("template", sa.String(), nullable=False),
        sa.Column("template_title", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("writer_id", sa.String(), nullable=False),
        sa.Column("writer_label", sa.String(), nullable=False),
        sa.Column("job_id", sa.Uuid()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_draft"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_draft_owner_id_account", ondelete="CASCADE"),
        sa.UniqueConstraint("slug", name="uq_draft_slug"),
    )
    op.create_index("ix_draft_owner_id", "draft", ["owner_id"])
    op.create_index("ix_draft_opportunity_id", "draft", ["opportunity_id"])
    op.create_index("ix_draft_job_id", "draft", ["job_id"])
    op.create_table(
        "draft_section",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("draft_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("heading", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("open_questions", JSONB(), nullable=False),
        sa.Column("dropped_citations", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_draft_section"),
        sa.ForeignKeyConstraint(["draft_id"], ["draft.id"], name="fk_draft_section_draft_id_draft", ondelete="CASCADE"),
        sa.UniqueConstraint("draft_id", "ordinal", name="uq_draft_section_draft_id_ordinal"),
    )
    op.create_table(
        "citation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("draft_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first_section", sa.Integer(), nullable=False),
        sa.Column("passage_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("document_title", sa.String(), nullable=False),
        sa.Column("heading", sa.String()),
        sa.Column("page", sa.Integer()),
        sa.Column("text", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_citation"),
        sa.ForeignKeyConstraint(["draft_id"], ["draft.id"], name="fk_citation_draft_id_draft", ondelete="CASCADE"),
        sa.UniqueConstraint("draft_id", "number", name="uq_citation_draft_id_number"),
    )
