"""Share links: a draft or a list of opportunities for people without an account."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0058"
down_revision = "0057"


def upgrade() -> None:
    op.create_table(
        "share_link",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("draft_id", sa.Uuid(), nullable=True),
        sa.Column("query", JSONB(), nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("recipient", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("has_watermark", sa.Boolean(), nullable=False),
        sa.Column("shows_titles", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("opens", sa.Integer(), nullable=False),
        sa.Column("last_opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wrong_passwords", sa.Integer(), nullable=False),
        sa.CheckConstraint("num_nonnulls(draft_id, query) = 1", name=op.f("ck_share_link_subject")),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_share_link_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["draft_id"], ["draft.id"], name="fk_share_link_draft_id_draft", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["owner_id", "created_by"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_share_link_created_by_membership",
            ondelete="SET NULL (created_by)",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_share_link"),
        sa.UniqueConstraint("digest", name="uq_share_link_digest"),
    )
    op.create_index("ix_share_link_owner_id", "share_link", ["owner_id"])
    op.create_index("ix_share_link_draft_id", "share_link", ["draft_id"])
    rows = "(owner_id = (SELECT acting_workspace()) OR (SELECT is_installation()))"
    op.execute(f"CREATE POLICY workspace ON share_link USING {rows} WITH CHECK {rows}")
    op.execute("ALTER TABLE share_link ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
