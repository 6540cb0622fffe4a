"""Weigh the words of notices for BM25, count in how many notices each word occurs, and find codes, and numbers in any
format."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import SPARSEVEC

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.execute("""
        UPDATE opportunity
        SET search = search || setweight(to_tsvector('english', concat_ws(' ', naics, psc, set_aside_code, set_aside)), 'C')
        WHERE concat(naics, psc, set_aside_code, set_aside) <> ''
    """)
    key = sa.Computed("regexp_replace(upper(number), '[^A-Z0-9]', '', 'g')", persisted=True)
    op.add_column("opportunity", sa.Column("number_key", sa.String(), key, nullable=False))
    op.create_index("ix_opportunity_number_key", "opportunity", ["number_key"], postgresql_ops={"number_key": "text_pattern_ops"})
    op.create_table(
        "opportunity_words",
        sa.Column("opportunity_id", sa.Uuid(), sa.ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("words", SPARSEVEC(2**24), nullable=False),
    )
    op.execute("ALTER TABLE opportunity_words ALTER COLUMN words SET STORAGE MAIN")
    op.create_table(
        "opportunity_word",
        sa.Column("place", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("notices", sa.Integer(), nullable=False),
    )
