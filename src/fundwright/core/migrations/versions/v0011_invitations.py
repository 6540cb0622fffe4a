"""Invitations, and whether an account has confirmed its address. Existing accounts count as confirmed, because they were
created by people who knew the address."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def _when(name: str, *, nullable: bool = True) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.add_column("account", _when("verified_at"))
    op.execute("UPDATE account SET verified_at = created_at")
    op.create_table(
        "invitation",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False, unique=True),
        sa.Column("invited_by", sa.Uuid(), sa.ForeignKey("account.id", ondelete="SET NULL")),
        _when("created_at", nullable=False),
        _when("expires_at", nullable=False),
        _when("used_at"),
        _when("revoked_at"),
    )
