"""Let documents, drafts, and categories be in the trash, where they have no owner."""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"


def upgrade() -> None:
    op.create_table(
        "trash_item",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("trashed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_trash_item_owner_id_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_trash_item"),
    )
    op.create_index("ix_trash_item_owner_id", "trash_item", ["owner_id"])
    op.create_index("ix_trash_item_trashed_at", "trash_item", ["trashed_at"])
    for table in ("document", "draft", "category"):
        op.alter_column(table, "owner_id", nullable=True)
        op.add_column(table, sa.Column("trash_id", sa.Uuid(), nullable=True))
        op.create_foreign_key(f"fk_{table}_trash_id_trash_item", table, "trash_item", ["trash_id"], ["id"], ondelete="CASCADE")
        op.create_index(f"ix_{table}_trash_id", table, ["trash_id"])
        op.create_check_constraint(op.f(f"ck_{table}_owned_or_trashed"), table, "num_nonnulls(owner_id, trash_id) = 1")
    op.alter_column("label", "owner_id", nullable=True)
