"""Let members of a workspace comment on drafts, opportunities, and documents."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0061"
down_revision = "0060"

_HIDDEN = """
SELECT subject_id FROM restriction WHERE owner_id = (SELECT acting_workspace()) AND NOT EXISTS (
  SELECT FROM restriction_member AS member WHERE member.subject_id = restriction.subject_id AND account_id = (SELECT acting_account()))
"""
"""The items of the workspace that the account may not see."""


def upgrade() -> None:
    op.create_table(
        "comment",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("subject_kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("thread_id", sa.Uuid(), nullable=True),
        sa.Column("part_id", sa.Uuid(), nullable=True),
        sa.Column("part", sa.String(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=True),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("mentions", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolved_by", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_comment_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["thread_id"], ["comment.id"], name="fk_comment_thread_id_comment", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["author_id"], ["account.id"], name="fk_comment_author_id_account", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["resolved_by"], ["account.id"], name="fk_comment_resolved_by_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_comment"),
    )
    op.create_index("ix_comment_owner_id_subject_id", "comment", ["owner_id", "subject_id"])
    for column in ("subject_id", "thread_id", "author_id", "resolved_by"):
        op.create_index(f"ix_comment_{column}", "comment", [column])
    own = f"(owner_id = (SELECT acting_workspace()) AND subject_id NOT IN ({_HIDDEN}) OR (SELECT is_installation()))"
    op.execute(f"CREATE POLICY workspace ON comment USING {own} WITH CHECK {own}")
    op.execute("ALTER TABLE comment ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
