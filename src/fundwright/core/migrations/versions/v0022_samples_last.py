"""Put samples last in the indexes for the lists, as the lists do."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    for name, column in {
        "posted_at": sa.text("posted_at DESC"),
        "due_at": "due_at",
        "title": "title",
        "agency": "agency",
    }.items():
        op.create_index(f"ix_opportunity_kind_is_sample_{name}", "opportunity", ["kind", "is_sample", column, "id"])
        op.drop_index(f"ix_opportunity_kind_{name}")
