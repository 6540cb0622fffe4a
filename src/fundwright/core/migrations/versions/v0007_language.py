"""The language of an account: empty until one is chosen."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.alter_column("account", "language", nullable=True)
    # Nothing let anybody choose before: what stands there was only the default.
    op.execute("UPDATE account SET language = NULL")
