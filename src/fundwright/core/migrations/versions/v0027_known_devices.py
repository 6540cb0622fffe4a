"""Remember the browsers in which an account has signed in."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "known_device",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), index=True, nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        *(sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in ("signed_in_at", "expires_at")),
        sa.UniqueConstraint("digest", "owner_id"),
    )
