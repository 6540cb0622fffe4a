"""Count the attempts that a ban refuses, instead of recording each of them."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.add_column("sign_in_throttle", sa.Column("refused", sa.Integer(), nullable=False, server_default="0"))
    op.alter_column("sign_in_throttle", "refused", server_default=None)
