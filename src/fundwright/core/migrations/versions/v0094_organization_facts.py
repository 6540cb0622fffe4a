"""Keep facts of organizations that documents state or people add. Row-level security hides those of restricted documents."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0094"
down_revision = "0093"

_ROWS = (
    "(owner_id = (SELECT acting_workspace()) AND (document_id IS NULL OR document_id NOT IN (SELECT hidden_items()))"
    " OR (SELECT is_installation()))"
)


def upgrade() -> None:
    op.create_table(
        "organization_fact",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("values", postgresql.JSONB(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("is_added", sa.Boolean(), nullable=False),
        sa.Column("read_values", postgresql.JSONB(), nullable=True),
        sa.Column("read_status", sa.String(), nullable=True),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("passage_id", sa.Uuid(), nullable=True),
        sa.Column("passage_start", sa.Integer(), nullable=True),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("record", sa.String(), nullable=False),
        sa.Column("heading", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.Uuid(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["workspace.id"], name="fk_organization_fact_owner_id_workspace", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name="fk_organization_fact_document_id_document", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["account.id"], name="fk_organization_fact_created_by_account", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["decided_by"], ["account.id"], name="fk_organization_fact_decided_by_account", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_organization_fact"),
    )
    op.create_index("ix_organization_fact_owner_id_kind_key_state", "organization_fact", ["owner_id", "kind", "key", "state"])
    op.create_index("ix_organization_fact_owner_id_digest", "organization_fact", ["owner_id", "digest"])
    for column in ("document_id", "created_by", "decided_by"):
        op.create_index(f"ix_organization_fact_{column}", "organization_fact", [column])
    op.execute(f"CREATE POLICY workspace ON organization_fact USING {_ROWS} WITH CHECK {_ROWS}")
    op.execute("ALTER TABLE organization_fact ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
