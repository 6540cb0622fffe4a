"""Restrict documents and drafts to chosen members of their workspace."""

import sqlalchemy as sa
from alembic import op

revision = "0060"
down_revision = "0059"

_OWN = "owner_id = (SELECT acting_workspace())"
_HIDDEN = """
SELECT subject_id FROM restriction WHERE owner_id = (SELECT acting_workspace()) AND NOT EXISTS (
  SELECT FROM restriction_member AS member WHERE member.subject_id = restriction.subject_id AND account_id = (SELECT acting_account()))
"""
"""The items of the workspace that the account may not see."""
_IN_TRASH = "owner_id IS NULL AND EXISTS (SELECT FROM trash_item WHERE trash_item.id = trash_id)"
_ROWS = {
    "restriction": _OWN,
    "restriction_member": _OWN,
    "activity": f"{_OWN} AND subject_id NOT IN ({_HIDDEN})",
    "share_link": f"{_OWN} AND (draft_id IS NULL OR draft_id NOT IN ({_HIDDEN}))",
    "trash_item": f"{_OWN} AND id NOT IN ({_HIDDEN})",
    "document": f"{_OWN} AND id NOT IN ({_HIDDEN}) OR {_IN_TRASH}",
    "draft": f"{_OWN} AND id NOT IN ({_HIDDEN}) OR {_IN_TRASH}",
    "chunk": f"{_OWN} AND document_id NOT IN ({_HIDDEN})",
    "chunk_vector": f"{_OWN} AND (NOT EXISTS ({_HIDDEN}) OR EXISTS (SELECT FROM chunk WHERE chunk.id = chunk_id))",
}
"""The condition for rows that the account sees in the workspace. Policies of the tables that it names apply to it, too."""
_CITED = "EXISTS (SELECT FROM draft WHERE draft.id = draft_id)"


def upgrade() -> None:
    op.create_table(
        "restriction",
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("restricted_by", sa.Uuid(), nullable=True),
        sa.Column("restricted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_restriction_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["restricted_by"], ["account.id"], name="fk_restriction_restricted_by_account", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("subject_id", name="pk_restriction"),
    )
    for column in ("owner_id", "restricted_by"):
        op.create_index(f"ix_restriction_{column}", "restriction", [column])
    op.create_table(
        "restriction_member",
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("access", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["subject_id"],
            ["restriction.subject_id"],
            name="fk_restriction_member_subject_id_restriction",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["owner_id", "account_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_restriction_member_owner_id_membership",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("subject_id", "account_id", name="pk_restriction_member"),
    )
    op.create_index("ix_restriction_member_owner_id_account_id", "restriction_member", ["owner_id", "account_id"])
    # Members may add the content of a document that they do not see.
    op.drop_constraint("uq_document_owner_id_sha256", "document")
    op.create_index("ix_document_owner_id_sha256", "document", ["owner_id", "sha256"])
    op.add_column("job", sa.Column("subject_id", sa.Uuid(), nullable=True))
    for table, condition in _ROWS.items():
        rows = f"({condition} OR (SELECT is_installation()))"
        if table.startswith("restriction"):
            op.execute(f"CREATE POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
            op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        else:
            op.execute(f"ALTER POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
    # A document may be restricted while a draft that cites it is being written.
    op.execute(
        f"ALTER POLICY workspace ON citation USING ({_CITED} AND document_id NOT IN ({_HIDDEN}) OR (SELECT is_installation()))"
    )
