"""Save searches. Row-level security hides restricted ones, and shows what a member has seen of a search to this member alone."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0068"
down_revision = "0067"

_OWN = "owner_id = (SELECT acting_workspace())"
_ROWS = {
    "saved_search": f"{_OWN} AND id NOT IN (SELECT hidden_items()) OR owner_id IS NULL AND is_in_trash(trash_id)",
    "saved_search_reader": f"{_OWN} AND account_id = (SELECT acting_account()) AND search_id NOT IN (SELECT hidden_items())",
}


def upgrade() -> None:
    op.create_table(
        "saved_search",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("trash_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("query", JSONB(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("num_nonnulls(owner_id, trash_id) = 1", name="ck_saved_search_owned_or_trashed"),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_saved_search_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["trash_id"], ["trash_item.id"], name="fk_saved_search_trash_id_trash_item", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name="fk_saved_search_created_by_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_saved_search"),
    )
    for column in ("owner_id", "trash_id", "created_by"):
        op.create_index(f"ix_saved_search_{column}", "saved_search", [column])
    op.create_table(
        "saved_search_reader",
        sa.Column("search_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("seen_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_followed", sa.Boolean(), nullable=False),
        sa.Column("told_until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["search_id"], ["saved_search.id"], name="fk_saved_search_reader_search_id_saved_search", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["owner_id", "account_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_saved_search_reader_owner_id_membership",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("search_id", "account_id", name="pk_saved_search_reader"),
    )
    op.create_index("ix_saved_search_reader_owner_id_account_id", "saved_search_reader", ["owner_id", "account_id"])
    op.create_index(
        "ix_saved_search_reader_told_until", "saved_search_reader", ["told_until"], postgresql_where=sa.text("is_followed")
    )
    for table, condition in _ROWS.items():
        rows = f"({condition} OR (SELECT is_installation()))"
        op.execute(f"CREATE POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
