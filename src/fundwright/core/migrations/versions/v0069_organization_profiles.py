"""Keep a profile of the organization that a workspace writes for."""

import sqlalchemy as sa
from alembic import op

revision = "0069"
down_revision = "0068"

_TEXTS = ("name", "uei", "cage_code", "address", "website", "certifications", "contact", "about")
_ROWS = "(owner_id = (SELECT acting_workspace()) OR (SELECT is_installation()))"


def upgrade() -> None:
    op.create_table(
        "organization_profile",
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in _TEXTS),
        sa.Column("naics_codes", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("changed_by", sa.Uuid(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["workspace.id"], name="fk_organization_profile_owner_id_workspace", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name="fk_organization_profile_document_id_document", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["changed_by"], ["account.id"], name="fk_organization_profile_changed_by_account", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("owner_id", name="pk_organization_profile"),
    )
    for column in ("document_id", "changed_by"):
        op.create_index(f"ix_organization_profile_{column}", "organization_profile", [column])
    op.execute(f"CREATE POLICY workspace ON organization_profile USING {_ROWS} WITH CHECK {_ROWS}")
    op.execute("ALTER TABLE organization_profile ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
