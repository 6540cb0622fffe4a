"""Find notices by the state of their place of performance, and distinguish “Maine” from “main,” which has the same stem.

No other name of a state or territory has the stem of a common word. The indexes find the notices to read again, and the job that
starts with the server weighs their words again; until then, searches weigh them.
"""

from alembic import op

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    op.execute(r"""
        CREATE FUNCTION keep_names(words text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN regexp_replace(words, '\mMaine\M', 'Mainestate', 'gi')
    """)
    op.execute(r"""
        CREATE FUNCTION state_of(place text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CAST('{
            "AK": "Alaska", "AL": "Alabama", "AR": "Arkansas", "AS": "American Samoa", "AZ": "Arizona", "CA": "California",
            "CO": "Colorado", "CT": "Connecticut", "DC": "District of Columbia DC", "DE": "Delaware", "FL": "Florida",
            "GA": "Georgia", "GU": "Guam", "HI": "Hawaii", "IA": "Iowa", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana",
            "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "MA": "Massachusetts", "MD": "Maryland", "ME": "Maine",
            "MI": "Michigan", "MN": "Minnesota", "MO": "Missouri", "MP": "Northern Mariana Islands", "MS": "Mississippi",
            "MT": "Montana", "NC": "North Carolina", "ND": "North Dakota", "NE": "Nebraska", "NH": "New Hampshire",
            "NJ": "New Jersey", "NM": "New Mexico", "NV": "Nevada", "NY": "New York", "OH": "Ohio", "OK": "Oklahoma",
            "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico", "RI": "Rhode Island", "SC": "South Carolina",
            "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VA": "Virginia", "VI": "Virgin Islands",
            "VT": "Vermont", "WA": "Washington", "WI": "Wisconsin", "WV": "West Virginia", "WY": "Wyoming"
        }' AS jsonb) ->> substring(place FROM '(?:^|, )([A-Z]{2})(?:, [0-9-]+)?(?:, USA)?$')
    """)
    op.execute(r"""
        CREATE TEMPORARY TABLE renamed ON COMMIT DROP AS
        SELECT id FROM opportunity JOIN opportunity_text ON opportunity_id = id
        WHERE state_of(place) IS NOT NULL OR (
            search @@ 'main'
            AND concat_ws(' ', title, number, agency, sub_agency, office, left(description, 100000)) ~* '\mMaine\M'
        )
    """)
    op.execute("""
        UPDATE opportunity o SET title_search = t.title, search = s.everything
        FROM renamed r JOIN opportunity i USING (id) JOIN opportunity_text x ON x.opportunity_id = i.id
        CROSS JOIN LATERAL (SELECT to_tsvector('english', keep_names(i.title)) AS title) t
        CROSS JOIN LATERAL (
            SELECT setweight(t.title, 'A')
                || setweight(to_tsvector('english', keep_names(concat_ws(' ', i.number, i.agency, i.sub_agency, i.office))), 'B')
                || setweight(to_tsvector('english', keep_names(left(x.description, 100000))), 'D')
                || setweight(to_tsvector('english', concat_ws(' ', i.naics, i.psc, i.set_aside_code, i.set_aside)), 'C')
                || setweight(to_tsvector('english', keep_names(coalesce(state_of(i.place), ''))), 'C') AS everything
        ) s
        WHERE o.id = r.id
    """)
    op.execute("DELETE FROM opportunity_words USING renamed WHERE opportunity_id = id")
    op.execute(r"""
        UPDATE chunk SET search = to_tsvector('english', keep_names(array_to_string(heading, ' › ') || E'\n' || text))
        WHERE search @@ 'main' AND array_to_string(heading, ' › ') || E'\n' || text ~* '\mMaine\M'
    """)
