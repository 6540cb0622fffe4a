"""Remember who has left a workspace, so that old links can say so."""

import sqlalchemy as sa
from alembic import op

revision = "0059"
down_revision = "0058"


def upgrade() -> None:
    op.create_table(
        "former_member",
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name="fk_former_member_workspace_id_workspace", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_former_member_account_id_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("workspace_id", "account_id", name="pk_former_member"),
    )
    op.create_index("ix_former_member_account_id", "former_member", ["account_id"])
