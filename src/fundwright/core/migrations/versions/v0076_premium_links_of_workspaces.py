"""Let workspaces own premium links, and their uses name the workspace that received the plan.

A link goes to the personal workspace of the administrator who created it, which has the id of the account. If there is no account with that
address any more, it goes to that of the administrator who has been there longest, so that people who were given it can use it. A use
belongs to the personal workspace of the account that registered.
"""

import sqlalchemy as sa
from alembic import op

revision = "0076"
down_revision = "0075"

_OWN = "(owner_id = (SELECT acting_workspace()) OR (SELECT is_installation()))"


def upgrade() -> None:
    op.drop_constraint("fk_premium_link_use_owner_id_account", "premium_link_use")
    op.create_foreign_key(
        "fk_premium_link_use_owner_id_workspace", "premium_link_use", "workspace", ["owner_id"], ["id"], ondelete="SET NULL"
    )
    op.drop_constraint("fk_premium_link_use_link_id_premium_link", "premium_link_use")
    op.alter_column("premium_link_use", "link_id", nullable=True)
    op.create_foreign_key(
        "fk_premium_link_use_link_id_premium_link", "premium_link_use", "premium_link", ["link_id"], ["id"], ondelete="SET NULL"
    )
    for column in ("workspace_name", "plan", "given_by"):
        op.add_column("premium_link_use", sa.Column(column, sa.String(), nullable=True))
    op.add_column("premium_link_use", sa.Column("until", sa.DateTime(timezone=True), nullable=True))
    op.create_foreign_key("fk_premium_link_use_plan_plan", "premium_link_use", "plan", ["plan"], ["code"])
    op.execute(
        """
        UPDATE premium_link_use SET plan = link.plan, given_by = link.created_by, until = at + make_interval(days => link.days),
          workspace_name = coalesce((SELECT display_name FROM account WHERE account.id = premium_link_use.owner_id), email)
        FROM premium_link AS link WHERE link.id = link_id
        """
    )
    for column in ("workspace_name", "plan", "given_by", "until"):
        op.alter_column("premium_link_use", column, nullable=False)
    op.create_unique_constraint("uq_premium_link_use_link_id_owner_id", "premium_link_use", ["link_id", "owner_id"])
    op.add_column("premium_link", sa.Column("owner_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        "fk_premium_link_owner_id_workspace", "premium_link", "workspace", ["owner_id"], ["id"], ondelete="CASCADE"
    )
    op.execute(
        """
        UPDATE premium_link SET owner_id = coalesce(
          (SELECT id FROM account WHERE email = created_by),
          (SELECT id FROM account WHERE role = 'admin' ORDER BY created_at, id LIMIT 1))
        """
    )
    op.alter_column("premium_link", "owner_id", nullable=False)
    op.create_index("ix_premium_link_owner_id", "premium_link", ["owner_id"])
    for table in ("premium_link", "premium_link_use"):
        op.execute(f"CREATE POLICY workspace ON {table} USING {_OWN} WITH CHECK {_OWN}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
