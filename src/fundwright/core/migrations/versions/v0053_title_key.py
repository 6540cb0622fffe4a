"""Sort opportunities by the title that lists show, without product code and regardless of capitals."""

from alembic import op

revision = "0053"
down_revision = "0052"

_KEY = r"lower(regexp_replace(title, '^([A-Z]?\d[A-Z0-9]{0,2}|\d{4}|[A-Z]) ?--\s*(?=\S)', ''))"


def upgrade() -> None:
    op.drop_index("ix_opportunity_kind_is_sample_title", "opportunity")
    op.execute(f"ALTER TABLE opportunity ADD COLUMN title_key varchar NOT NULL GENERATED ALWAYS AS ({_KEY}) STORED")
    op.create_index("ix_opportunity_kind_is_sample_title_key", "opportunity", ["kind", "is_sample", "title_key", "id"])
