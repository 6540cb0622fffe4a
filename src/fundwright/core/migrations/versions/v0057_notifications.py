"""Tell accounts what happened. Row-level security shows notifications to their recipients alone."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0057"
down_revision = "0056"


def upgrade() -> None:
    op.create_table(
        "notification",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("has_actor", sa.Boolean(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("details", JSONB(), nullable=False),
        sa.Column("event", sa.String(), nullable=True),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("emailed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_notification_account_id_account", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["actor_id"], ["account.id"], name="fk_notification_actor_id_account", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["workspace_id", "account_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_notification_membership",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_notification"),
        sa.UniqueConstraint("account_id", "event", name="uq_notification_account_id_event"),
    )
    op.create_index("ix_notification_account_id_created_at", "notification", ["account_id", "created_at"])
    op.create_index("ix_notification_workspace_id_account_id", "notification", ["workspace_id", "account_id"])
    op.create_index("ix_notification_actor_id", "notification", ["actor_id"])
    op.create_index("ix_notification_created_at", "notification", ["created_at"])
    for name, rows in (
        ("unread", "is_listed AND read_at IS NULL"),
        ("waiting", "email <> 'off' AND emailed_at IS NULL AND read_at IS NULL"),
    ):
        op.create_index(f"ix_notification_{name}", "notification", ["account_id"], postgresql_where=sa.text(rows))
    op.create_table(
        "notification_choice",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name="fk_notification_choice_account_id_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "kind", name="pk_notification_choice"),
    )
    op.execute(
        "CREATE FUNCTION acting_account() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE "
        "RETURN nullif(current_setting('app.account_id', true), '')::uuid"
    )
    rows = "(account_id = (SELECT acting_account()) OR (SELECT is_installation()))"
    for table in ("notification", "notification_choice"):
        op.execute(f"CREATE POLICY account ON {table} USING {rows} WITH CHECK {rows}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
