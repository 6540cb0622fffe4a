"""Let workspaces own tasks and notes. Row-level security hides tasks of restricted drafts."""

import sqlalchemy as sa
from alembic import op

revision = "0079"
down_revision = "0078"

_OWN = "owner_id = (SELECT acting_workspace())"
_TRASHED = "owner_id IS NULL AND is_in_trash(trash_id)"
_ROWS = {
    "task": f"{_OWN} AND id NOT IN (SELECT hidden_items()) OR {_TRASHED}",
    "note": f"{_OWN} OR {_TRASHED}",
}


def upgrade() -> None:
    op.create_table(
        "task",
        *_owned("task"),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("details", sa.String(), nullable=False),
        sa.Column("assignee_id", sa.Uuid(), nullable=True),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done_by", sa.Uuid(), nullable=True),
        sa.Column("opportunity_id", sa.Uuid(), nullable=True),
        sa.Column("draft_id", sa.Uuid(), nullable=True),
        *_made("task"),
        sa.Column("told_due", sa.Boolean(), nullable=False),
        sa.Column("told_overdue", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id", "assignee_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_task_owner_id_membership",
            ondelete="SET NULL (assignee_id)",
        ),
        sa.ForeignKeyConstraint(["done_by"], ["account.id"], name="fk_task_done_by_account", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["opportunity_id"], ["opportunity.id"], name="fk_task_opportunity_id_opportunity", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["draft_id"], ["draft.id"], name="fk_task_draft_id_draft", ondelete="CASCADE"),
    )
    for column in ("owner_id", "trash_id", "done_by", "opportunity_id", "draft_id", "created_by"):
        op.create_index(f"ix_task_{column}", "task", [column])
    op.create_index("ix_task_owner_id_assignee_id", "task", ["owner_id", "assignee_id"])
    op.create_index("ix_task_due_on", "task", ["due_on"], postgresql_where=sa.text("done_at IS NULL AND assignee_id IS NOT NULL"))
    op.create_table(
        "note",
        *_owned("note"),
        sa.Column("opportunity_id", sa.Uuid(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("is_pinned", sa.Boolean(), nullable=False),
        *_made("note"),
        sa.Column("changed_by", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["opportunity_id"], ["opportunity.id"], name="fk_note_opportunity_id_opportunity", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["changed_by"], ["account.id"], name="fk_note_changed_by_account", ondelete="SET NULL"),
    )
    for column in ("trash_id", "opportunity_id", "created_by", "changed_by"):
        op.create_index(f"ix_note_{column}", "note", [column])
    op.create_index("ix_note_owner_id_opportunity_id", "note", ["owner_id", "opportunity_id"])
    for table, condition in _ROWS.items():
        rows = f"({condition} OR (SELECT is_installation()))"
        op.execute(f"CREATE POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")


def _owned(table: str) -> tuple[sa.schema.SchemaItem, ...]:
    return (
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("trash_id", sa.Uuid(), nullable=True),
        sa.CheckConstraint("num_nonnulls(owner_id, trash_id) = 1", name=f"ck_{table}_owned_or_trashed"),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name=f"fk_{table}_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["trash_id"], ["trash_item.id"], name=f"fk_{table}_trash_id_trash_item", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
    )


def _made(table: str) -> tuple[sa.schema.SchemaItem, ...]:
    return (
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=f"fk_{table}_created_by_account", ondelete="SET NULL"),
    )
