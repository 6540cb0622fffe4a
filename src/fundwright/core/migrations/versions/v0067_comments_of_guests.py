"""Let guests with a share link comment on a draft, and see no other comments than those of threads that were started through it."""

import sqlalchemy as sa
from alembic import op

revision = "0067"
down_revision = "0066"


def upgrade() -> None:
    op.add_column("share_link", sa.Column("allows_comments", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.alter_column("share_link", "allows_comments", server_default=None)
    op.create_check_constraint(op.f("ck_share_link_comments"), "share_link", "NOT allows_comments OR draft_id IS NOT NULL")
    op.create_unique_constraint("uq_share_link_id_owner_id_draft_id", "share_link", ["id", "owner_id", "draft_id"])
    op.add_column("comment", sa.Column("share_id", sa.Uuid(), nullable=True))
    op.add_column("comment", sa.Column("is_guest", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.alter_column("comment", "is_guest", server_default=None)
    op.create_check_constraint(op.f("ck_comment_guest"), "comment", "NOT is_guest OR share_id IS NOT NULL AND author_id IS NULL")
    # A guest's comment is about the draft that the link shares, in its workspace.
    op.create_foreign_key(
        "fk_comment_share_id_share_link",
        "comment",
        "share_link",
        ["share_id", "owner_id", "subject_id"],
        ["id", "owner_id", "draft_id"],
        ondelete="CASCADE",
    )
    op.create_index("ix_comment_share_id", "comment", ["share_id"])
    op.execute(
        "CREATE FUNCTION acting_share() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE "
        "RETURN nullif(current_setting('app.share_id', true), '')::uuid"
    )
    own = "share_id = (SELECT acting_share())"
    op.execute(f"CREATE POLICY guest_reads ON comment FOR SELECT USING ({own})")
    op.execute(f"CREATE POLICY guest_writes ON comment FOR INSERT WITH CHECK ({own} AND is_guest)")
