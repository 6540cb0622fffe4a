"""Give jobs a version, and a lease that tells the process that runs them from those that did."""

import sqlalchemy as sa
from alembic import op

revision = "0082"
down_revision = "0081"


def upgrade() -> None:
    # The defaults stay: the previous release adds jobs without these columns.
    op.add_column("job", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("job", sa.Column("lease", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("job", sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True))
