"""Weigh the words of passages for BM25, and count in how many passages of an account each word occurs."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import SPARSEVEC

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    # A function body that is parsed here, not at each call, finds its types and functions with any search path.
    op.execute("""
        CREATE FUNCTION word_place(lexeme text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CAST(CAST('x' || left(md5(lexeme), 6) AS bit(24)) AS int)
    """)
    op.execute("""
        CREATE FUNCTION word_weights(search tsvector, usual_length real) RETURNS sparsevec LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN (
            SELECT CAST('{' || coalesce(string_agg(place + 1 || ':' || weight, ','), '') || '}/16777216' AS sparsevec)
            FROM (
                SELECT word_place(lexeme) AS place, CAST(sum(count * 2.5 / (count + 1.5 * (.25 + .75 * length / usual_length))) AS real) AS weight
                FROM (
                    SELECT lexeme, cardinality(positions) AS count, sum(cardinality(positions)) OVER () AS length FROM unnest(search)
                ) counted
                GROUP BY place LIMIT 16000
            ) weighed
        )
    """)
    # Searches read the words of all passages of an account, so texts and search vectors are stored outside of the row.
    op.execute("ALTER TABLE chunk SET (toast_tuple_target = 128)")
    words = sa.Column("words", SPARSEVEC(2**24), sa.Computed("word_weights(search, 110)", persisted=True), nullable=False)
    op.add_column("chunk", words)
    op.execute("ALTER TABLE chunk ALTER COLUMN words SET STORAGE MAIN")
    op.create_table(
        "chunk_word",
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("place", sa.Integer(), primary_key=True),
        sa.Column("chunks", sa.Integer(), nullable=False),
    )
    op.execute("""
        INSERT INTO chunk_word (owner_id, place, chunks)
        SELECT owner_id, word_place(lexeme), count(DISTINCT id) FROM chunk CROSS JOIN LATERAL unnest(search) GROUP BY 1, 2
        UNION ALL SELECT owner_id, -1, count(*) FROM chunk GROUP BY owner_id
    """)
