"""Let workspaces own documents, categories, and drafts. Each account gets a personal one with its own id, which so owns what the account
owned."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"

_OWNED = ("document", "chunk", "chunk_word", "chunk_vector", "training_run", "category", "label", "draft", "trash_item")


def upgrade() -> None:
    op.create_table(
        "workspace",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workspace"),
    )
    op.create_table(
        "membership",
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name="fk_membership_workspace_id_workspace", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_membership_account_id_account", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("workspace_id", "account_id", name="pk_membership"),
    )
    op.create_index("ix_membership_account_id", "membership", ["account_id"])
    op.execute("INSERT INTO workspace (id, name, created_at) SELECT id, '', created_at FROM account")
    op.execute(
        "INSERT INTO membership (workspace_id, account_id, role, joined_at) SELECT id, id, 'owner', created_at FROM account"
    )
    op.create_table(
        "workspace_invitation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("most_uses", sa.Integer(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("invited_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name="fk_workspace_invitation_workspace_id_workspace", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["invited_by"], ["account.id"], name="fk_workspace_invitation_invited_by_account", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_workspace_invitation"),
        sa.UniqueConstraint("digest", name="uq_workspace_invitation_digest"),
    )
    op.create_index("ix_workspace_invitation_workspace_id", "workspace_invitation", ["workspace_id"])
    op.create_index("ix_workspace_invitation_email", "workspace_invitation", ["email"])
    for table in _OWNED:
        op.drop_constraint(f"fk_{table}_owner_id_account", table)
        op.create_foreign_key(f"fk_{table}_owner_id_workspace", table, "workspace", ["owner_id"], ["id"], ondelete="CASCADE")
    op.add_column("account", sa.Column("workspace_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        "fk_account_workspace_id_workspace", "account", "workspace", ["workspace_id"], ["id"], ondelete="SET NULL"
    )
    op.add_column("api_token", sa.Column("workspace_id", sa.Uuid(), nullable=True))
    op.execute("UPDATE api_token SET workspace_id = owner_id")
    op.alter_column("api_token", "workspace_id", nullable=False)
    op.create_foreign_key(
        "fk_api_token_workspace_id_workspace", "api_token", "workspace", ["workspace_id"], ["id"], ondelete="CASCADE"
    )
    op.create_index("ix_api_token_workspace_id", "api_token", ["workspace_id"])
    op.add_column("job", sa.Column("account_id", sa.Uuid(), nullable=True))
    op.execute("UPDATE job SET account_id = owner_id")
    op.create_index("ix_job_account_id", "job", ["account_id"])
