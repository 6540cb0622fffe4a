"""Let workspaces pursue opportunities in a pipeline."""

import sqlalchemy as sa
from alembic import op

revision = "0074"
down_revision = "0073"

_ROWS = {
    "pursuit": "owner_id = (SELECT acting_workspace()) OR owner_id IS NULL AND is_in_trash(trash_id)",
    "pursuit_move": "EXISTS (SELECT FROM pursuit WHERE pursuit.id = pursuit_id)",
}


def upgrade() -> None:
    op.create_table(
        "pursuit",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("trash_id", sa.Uuid(), nullable=True),
        sa.Column("opportunity_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("number", sa.String(), nullable=False),
        sa.Column("agency", sa.String(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("stage_since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("has_lead", sa.Boolean(), nullable=False),
        sa.Column("lead_id", sa.Uuid(), nullable=True),
        sa.Column("probability", sa.Integer(), nullable=True),
        sa.Column("value", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("added_by", sa.Uuid(), nullable=True),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.CheckConstraint("num_nonnulls(owner_id, trash_id) = 1", name="ck_pursuit_owned_or_trashed"),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_pursuit_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["trash_id"], ["trash_item.id"], name="fk_pursuit_trash_id_trash_item", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["lead_id"], ["account.id"], name="fk_pursuit_lead_id_account", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["added_by"], ["account.id"], name="fk_pursuit_added_by_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_pursuit"),
        sa.UniqueConstraint("owner_id", "opportunity_id", name="uq_pursuit_owner_id_opportunity_id"),
    )
    for column in ("trash_id", "opportunity_id", "lead_id", "added_by"):
        op.create_index(f"ix_pursuit_{column}", "pursuit", [column])
    op.create_index("ix_pursuit_owner_id_stage", "pursuit", ["owner_id", "stage"])
    op.create_table(
        "pursuit_move",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("pursuit_id", sa.Uuid(), nullable=False),
        sa.Column("from_stage", sa.String(), nullable=True),
        sa.Column("to_stage", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("moved_by", sa.Uuid(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["pursuit_id"], ["pursuit.id"], name="fk_pursuit_move_pursuit_id_pursuit", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["moved_by"], ["account.id"], name="fk_pursuit_move_moved_by_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_pursuit_move"),
    )
    op.create_index("ix_pursuit_move_moved_by", "pursuit_move", ["moved_by"])
    op.create_index("ix_pursuit_move_pursuit_id_at", "pursuit_move", ["pursuit_id", "at"])
    for table, condition in _ROWS.items():
        rows = f"({condition} OR (SELECT is_installation()))"
        op.execute(f"CREATE POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
