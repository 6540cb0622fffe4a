"""Let workspaces own collections of documents. Row-level security hides what is in a restricted one."""

import sqlalchemy as sa
from alembic import op

revision = "0072"
down_revision = "0071"

_OWN = "owner_id = (SELECT acting_workspace())"
_ROWS = {
    "collection": f"{_OWN} AND id NOT IN (SELECT hidden_items()) OR owner_id IS NULL AND is_in_trash(trash_id)",
    "contained_item": _OWN,
}


def upgrade() -> None:
    op.create_table(
        "collection",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("trash_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("num_nonnulls(owner_id, trash_id) = 1", name="ck_collection_owned_or_trashed"),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_collection_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["trash_id"], ["trash_item.id"], name="fk_collection_trash_id_trash_item", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name="fk_collection_created_by_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_collection"),
    )
    for column in ("owner_id", "trash_id", "created_by"):
        op.create_index(f"ix_collection_{column}", "collection", [column])
    op.create_table(
        "contained_item",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("container_id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_contained_item_owner_id_workspace", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", name="pk_contained_item"),
    )
    for column in ("container_id", "owner_id"):
        op.create_index(f"ix_contained_item_{column}", "contained_item", [column])
    op.execute(
        """
        CREATE OR REPLACE FUNCTION hidden_items() RETURNS SETOF uuid LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 AS $$
        DECLARE
          hidden uuid[] := ARRAY(
            SELECT subject_id FROM restriction WHERE owner_id = acting_workspace() AND NOT EXISTS (
              SELECT FROM restriction_member AS member
              WHERE member.subject_id = restriction.subject_id AND account_id = acting_account()));
        BEGIN
          IF hidden <> '{}' THEN
            RETURN QUERY SELECT unnest(hidden);
            RETURN QUERY SELECT item_id FROM contained_item WHERE container_id = ANY (hidden);
          END IF;
        END $$
        """
    )
    for table, condition in _ROWS.items():
        rows = f"({condition} OR (SELECT is_installation()))"
        op.execute(f"CREATE POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
