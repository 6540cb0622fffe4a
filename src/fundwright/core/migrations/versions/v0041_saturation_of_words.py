"""Weigh the words of notices with their own saturation parameter, and embed more of their descriptions.

Both are done by the job that starts with the server; until then, searches weigh words themselves and find these notices by words only.
"""

from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    op.execute("""
        CREATE FUNCTION word_weights(search tsvector, usual_length real, saturation double precision) RETURNS sparsevec
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN (
            SELECT CAST('{' || coalesce(string_agg(place + 1 || ':' || weight, ','), '') || '}/16777216' AS sparsevec)
            FROM (
                SELECT word_place(lexeme) AS place,
                       CAST(sum(count * (saturation + 1) / (count + saturation * (.25 + .75 * length / usual_length))) AS real) AS weight
                FROM (
                    SELECT lexeme, cardinality(positions) AS count, sum(cardinality(positions)) OVER () AS length FROM unnest(search)
                ) counted
                GROUP BY place LIMIT 16000
            ) weighed
        )
    """)
    op.execute("""
        CREATE OR REPLACE FUNCTION word_weights(search tsvector, usual_length real) RETURNS sparsevec
        LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN word_weights(search, usual_length, 1.5)
    """)
    op.execute("TRUNCATE opportunity_words")
    op.execute("""
        DELETE FROM opportunity_vector v USING opportunity_text t
        WHERE t.opportunity_id = v.opportunity_id AND length(t.description) > 500
    """)
