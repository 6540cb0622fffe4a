"""Sections of drafts can be edited: adds versions of their texts, the text that the writer is writing, and the section of the
template."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0034"
down_revision = "0033"

_SECTION = "draft_section"


def upgrade() -> None:
    op.add_column(_SECTION, sa.Column("template_heading", sa.String()))
    op.add_column(_SECTION, sa.Column("incoming", sa.String(), nullable=False, server_default=""))
    op.add_column(_SECTION, sa.Column("job_id", sa.Uuid()))
    op.add_column(_SECTION, sa.Column("revision", sa.Integer(), nullable=False, server_default="0"))
    op.add_column(_SECTION, sa.Column("saved_by", sa.String(), nullable=False, server_default=""))
    op.add_column(_SECTION, sa.Column("saved_sequence", sa.Integer(), nullable=False, server_default="0"))
    op.add_column(_SECTION, sa.Column("done_questions", JSONB(), nullable=False, server_default="[]"))
    op.execute("UPDATE draft_section SET template_heading = heading")
    op.execute("UPDATE draft_section SET incoming = text, text = '' WHERE state = 'writing'")
    op.drop_constraint("uq_draft_section_draft_id_ordinal", _SECTION)
    op.create_unique_constraint("uq_draft_section_draft_id_ordinal", _SECTION, ["draft_id", "ordinal"], deferrable=True)
    op.create_table(
        "draft_version",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("section_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("heading", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("author_id", sa.Uuid()),
        sa.Column("author_name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_draft_version"),
        sa.ForeignKeyConstraint(
            ["section_id"], ["draft_section.id"], name="fk_draft_version_section_id_draft_section", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["author_id"], ["account.id"], name="fk_draft_version_author_id_account", ondelete="SET NULL"),
        sa.UniqueConstraint("section_id", "number", name="uq_draft_version_section_id_number"),
    )
    op.create_index("ix_draft_version_author_id", "draft_version", ["author_id"])
    op.execute(
        "INSERT INTO draft_version (id, section_id, number, heading, text, origin, author_name, created_at, changed_at)"
        " SELECT gen_random_uuid(), draft_section.id, 1, heading, text, 'writer', '', created_at, created_at"
        " FROM draft_section JOIN draft ON draft.id = draft_id WHERE draft_section.text <> ''"
    )
    op.drop_column("citation", "first_section")
