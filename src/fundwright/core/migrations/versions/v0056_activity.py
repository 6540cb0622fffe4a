"""Record what people do in workspaces."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0056"
down_revision = "0055"


def upgrade() -> None:
    op.create_table(
        "activity",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("subject_title", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("related_ids", sa.ARRAY(sa.Uuid()), nullable=False, server_default="{}"),
        sa.Column("details", JSONB(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["workspace.id"], name="fk_activity_owner_id_workspace", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_activity_account_id_account", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_activity"),
    )
    op.create_index("ix_activity_owner_id_at", "activity", ["owner_id", "at"])
    op.create_index("ix_activity_account_id", "activity", ["account_id"])
    op.create_index("ix_activity_subject_id", "activity", ["subject_id"])
    op.create_index("ix_activity_related_ids", "activity", ["related_ids"], postgresql_using="gin")
    op.create_index("ix_activity_at", "activity", ["at"])
    rows = "(owner_id = (SELECT acting_workspace()) OR (SELECT is_installation()))"
    op.execute(f"CREATE POLICY workspace ON activity USING {rows} WITH CHECK {rows}")
    op.execute("ALTER TABLE activity ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
