"""The outbox."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "mail",
        sa.Column("id", sa.Uuid(), primary_key=True),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("recipient", "subject", "language", "text", "html", "state", "error")
        ),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("sent_at", sa.DateTime(timezone=True)),
    )
