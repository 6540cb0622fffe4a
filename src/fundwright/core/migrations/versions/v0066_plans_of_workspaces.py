"""Let workspaces own plans and invoices: those of an account become those of its personal workspace, which has the same id."""

import sqlalchemy as sa
from alembic import op

revision = "0066"
down_revision = "0065"

_OWN = "(owner_id = (SELECT acting_workspace()) OR (SELECT is_installation()))"


def upgrade() -> None:
    for table, ondelete in (("subscription", "CASCADE"), ("quota_use", "CASCADE"), ("payment", "SET NULL")):
        op.drop_constraint(f"fk_{table}_owner_id_account", table)
        op.create_foreign_key(f"fk_{table}_owner_id_workspace", table, "workspace", ["owner_id"], ["id"], ondelete=ondelete)
    op.add_column("payment", sa.Column("workspace_name", sa.String(), nullable=True))
    op.execute(
        "UPDATE payment SET workspace_name = coalesce((SELECT display_name FROM account WHERE account.id = payment.owner_id), email)"
    )
    op.alter_column("payment", "workspace_name", nullable=False)
    op.add_column("plan", sa.Column("workspaces", sa.Integer(), nullable=True))
    op.execute("UPDATE plan SET workspaces = CASE code WHEN 'free' THEN 10 WHEN 'pro' THEN 25 END")
    for table in ("subscription", "quota_use", "payment"):
        op.execute(f"CREATE POLICY workspace ON {table} USING {_OWN} WITH CHECK {_OWN}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
