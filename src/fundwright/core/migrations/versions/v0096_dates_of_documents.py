"""Documents have a date, and a person can let drafts use one that they would leave out."""

import sqlalchemy as sa
from alembic import op

revision = "0096"
down_revision = "0094"


def upgrade() -> None:
    op.add_column("document", sa.Column("dated", sa.Date(), nullable=True))
    for name in ("is_date_chosen", "is_always_used"):
        op.add_column("document", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
