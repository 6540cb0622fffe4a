"""Propose kinds for documents that were trained before documents had kinds, by a job that a worker finds."""

from alembic import op

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.execute("""
        INSERT INTO job (id, kind, title, language, state, done, message, payload, checkpoint, cancel_requested, created_at)
        SELECT gen_random_uuid(), 'propose_kinds', 'Propose kinds of documents', 'en', 'queued', 0, '', '{}', '{}', false, now()
        WHERE EXISTS (SELECT FROM document WHERE kind = 'about_us' AND NOT is_kind_chosen AND text IS NOT NULL)
    """)
