"""The language of an account: empty until one is chosen."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.alter_column("account", "language", nullable=True)
    # Until now, nobody could choose a language: the column contained only the default.
    op.execute("UPDATE account SET language = NULL")
