"""Watch notices. All members of a workspace see who watches, but change only what they watch themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0075"
down_revision = "0074"

_IN_WORKSPACE = "(owner_id = (SELECT acting_workspace()) OR (SELECT is_installation()))"
_OWN = "(owner_id = (SELECT acting_workspace()) AND account_id = (SELECT acting_account()) OR (SELECT is_installation()))"


def upgrade() -> None:
    op.create_table(
        "opportunity_watch",
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("opportunity_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("told_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reminded_on", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id", "account_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_opportunity_watch_owner_id_membership",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["opportunity_id"], ["opportunity.id"], name="fk_opportunity_watch_opportunity_id_opportunity", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("owner_id", "account_id", "opportunity_id", name="pk_opportunity_watch"),
    )
    for column in ("opportunity_id", "told_until", "reminded_on"):
        op.create_index(f"ix_opportunity_watch_{column}", "opportunity_watch", [column])
    op.create_index("ix_opportunity_version_seen_at", "opportunity_version", ["seen_at"])
    op.execute(f"CREATE POLICY workspace ON opportunity_watch USING {_OWN} WITH CHECK {_OWN}")
    op.execute(f"CREATE POLICY colleagues ON opportunity_watch FOR SELECT USING {_IN_WORKSPACE}")
    op.execute("ALTER TABLE opportunity_watch ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
