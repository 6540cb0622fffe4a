"""Keep the link with which the recipient of an email turns off such emails."""

import sqlalchemy as sa
from alembic import op

revision = "0071"
down_revision = "0070"


def upgrade() -> None:
    op.add_column("mail", sa.Column("unsubscribe_link", sa.String(), nullable=False, server_default=""))
    op.alter_column("mail", "unsubscribe_link", server_default=None)
