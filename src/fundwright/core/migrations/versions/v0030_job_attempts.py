"""How many processes have begun a job since its last checkpoint."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("job", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
