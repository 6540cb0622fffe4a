"""The number of opportunities for each agency, type, and so on, updated with each change."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "opportunity_facet",
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column("facet", sa.String(), primary_key=True),
        sa.Column("value", sa.String(), primary_key=True),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
    )
    op.execute("""
        INSERT INTO opportunity_facet (kind, facet, value, label, number)
        SELECT o.kind, f.facet, f.value, max(f.label), count(*)
        FROM opportunity o CROSS JOIN LATERAL (
            VALUES ('agency', o.agency, o.agency), ('type', o.type, o.type), ('source', o.source, o.source),
                   ('set_aside', o.set_aside_code, coalesce(nullif(o.set_aside, ''), o.set_aside_code)),
                   (CASE WHEN o.is_sample THEN 'sample' ELSE 'own' END, 'all', '')
            UNION ALL SELECT 'activity_code', code, code FROM unnest(o.activity_codes) code
        ) f (facet, value, label)
        WHERE length(f.value) BETWEEN 1 AND 500
        GROUP BY o.kind, f.facet, f.value
    """)
