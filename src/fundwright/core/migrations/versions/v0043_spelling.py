"""Store the spelling of words, so that searches can correct misspelled ones."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.create_table(
        "opportunity_spelling",
        sa.Column("word", sa.String(), primary_key=True),
        sa.Column("notices", sa.Integer(), nullable=False),
    )
    op.execute("""
        INSERT INTO opportunity_spelling (word, notices)
        SELECT word, ndoc FROM ts_stat('
            SELECT to_tsvector(''simple'', title || '' '' || left(description, 400))
            FROM opportunity JOIN opportunity_text ON opportunity_id = id
        ')
        WHERE ndoc > 2 AND word ~ '^[a-z]{5,40}$'
    """)
