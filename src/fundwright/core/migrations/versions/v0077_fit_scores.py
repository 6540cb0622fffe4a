"""Keep the scores that members of a workspace give opportunities."""

import sqlalchemy as sa
from alembic import op

revision = "0077"
down_revision = "0076"

_ROWS = "(owner_id = (SELECT acting_workspace()) OR (SELECT is_installation()))"


def upgrade() -> None:
    op.create_table(
        "fit_score",
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("opportunity_id", sa.Uuid(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("scored_by", sa.Uuid(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("score BETWEEN 0 AND 100", name="ck_fit_score_score_in_range"),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_fit_score_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["opportunity_id"], ["opportunity.id"], name="fk_fit_score_opportunity_id_opportunity", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["scored_by"], ["account.id"], name="fk_fit_score_scored_by_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("owner_id", "opportunity_id", name="pk_fit_score"),
    )
    for column in ("opportunity_id", "scored_by"):
        op.create_index(f"ix_fit_score_{column}", "fit_score", [column])
    op.execute(f"CREATE POLICY workspace ON fit_score USING {_ROWS} WITH CHECK {_ROWS}")
    op.execute("ALTER TABLE fit_score ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
