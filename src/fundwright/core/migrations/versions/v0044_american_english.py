"""Name the color of a category and the job that categorizes in American English."""

from alembic import op

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    op.alter_column("category", "colour", new_column_name="color")
    op.execute("UPDATE category SET color = 'gray' WHERE color = 'grey'")
    op.execute("UPDATE job SET kind = 'categorize' WHERE kind = 'categorise'")
