"""Two-step verification, passkeys, and until when a session counts as recently authenticated."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def _id() -> "sa.Column[object]":
    return sa.Column("id", sa.Uuid(), primary_key=True)


def _owner(*, unique: bool = False) -> "sa.Column[object]":
    account = sa.ForeignKey("account.id", ondelete="CASCADE")
    return sa.Column("owner_id", sa.Uuid(), account, nullable=False, unique=unique or None, index=not unique or None)


def _when(name: str, *, nullable: bool = True) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.add_column("account_session", _when("proved_until"))
    op.execute("UPDATE account_session SET proved_until = created_at")
    op.alter_column("account_session", "proved_until", nullable=False)
    op.create_table(
        "second_factor",
        _id(),
        _owner(unique=True),
        _when("created_at", nullable=False),
        _when("confirmed_at"),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
    )
    op.create_table("recovery_code", _id(), _owner(), sa.Column("digest", sa.String(), nullable=False, unique=True))
    op.create_table(
        "passkey",
        _id(),
        _owner(),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(), nullable=False, unique=True),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        _when("created_at", nullable=False),
        _when("last_used_at"),
    )
