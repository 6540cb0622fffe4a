"""The language of a job: that of the person who started it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("job", sa.Column("language", sa.String(), server_default="en", nullable=False))
    op.alter_column("job", "language", server_default=None)
