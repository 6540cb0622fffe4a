"""Record when a category was last changed, so that an edit that began before that is refused."""

from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.execute("ALTER TABLE category ADD COLUMN changed_at timestamptz")
    op.execute("UPDATE category SET changed_at = created_at")
    op.execute("ALTER TABLE category ALTER COLUMN changed_at SET NOT NULL")
