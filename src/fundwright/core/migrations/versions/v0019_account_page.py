"""The data of the account page: a photo, a time zone, an address that is not confirmed yet, and copies of personal data."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def _owner() -> "sa.Column[object]":
    return sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True)


def _when(name: str) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def upgrade() -> None:
    op.add_column("account", sa.Column("time_zone", sa.String()))
    op.add_column("one_time_secret", sa.Column("email", sa.String()))
    op.create_table(
        "account_photo",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _owner(),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        _when("created_at"),
    )
    op.create_table(
        "data_copy",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _owner(),
        sa.Column("job_id", sa.Uuid()),
        sa.Column("size_bytes", sa.BigInteger()),
        _when("created_at"),
        _when("expires_at"),
    )
