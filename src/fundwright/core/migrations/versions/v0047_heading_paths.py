"""Store the headings above passages and citations one by one instead of joined."""

from alembic import op

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    op.execute(
        "UPDATE chunk SET places = (SELECT jsonb_agg(jsonb_set(place, '{1}', to_jsonb(string_to_array(place ->> 1, ' › '))) ORDER BY number)"
        " FROM jsonb_array_elements(places) WITH ORDINALITY AS each (place, number)) WHERE places <> '[]'"
    )
    op.execute("ALTER TABLE chunk ALTER COLUMN heading TYPE text[] USING string_to_array(heading, ' › ')")
    op.execute("ALTER TABLE citation ALTER COLUMN heading TYPE text[] USING string_to_array(coalesce(heading, ''), ' › ')")
    op.execute("ALTER TABLE citation ALTER COLUMN heading SET NOT NULL")
    op.execute(
        "UPDATE draft_section SET possible_matches = (SELECT jsonb_agg(CASE WHEN match #> '{source,passage_id}' IS NULL THEN match"
        " ELSE jsonb_set(match, '{source,heading}', to_jsonb(string_to_array(coalesce(match #>> '{source,heading}', ''), ' › '))) END"
        " ORDER BY number) FROM jsonb_array_elements(possible_matches) WITH ORDINALITY AS each (match, number))"
        " WHERE possible_matches <> '[]'"
    )
