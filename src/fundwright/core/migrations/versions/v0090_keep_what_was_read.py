"""Keep the structure of documents and the report on their reading, and train documents again so that each has them, in a job of an owner of its
workspace."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0090"
down_revision = "0089"


def upgrade() -> None:
    op.add_column("document", sa.Column("structure", sa.LargeBinary(), nullable=True))
    op.add_column("document", sa.Column("structure_key", sa.String(), nullable=True))
    op.add_column("document", sa.Column("report", postgresql.JSONB(), nullable=True))
    op.add_column("document", sa.Column("page_labels", postgresql.ARRAY(sa.Text()), nullable=True))
    op.execute("ALTER TABLE document ALTER COLUMN structure SET STORAGE EXTERNAL")  # it is compressed
    op.execute(
        "SELECT enter_installation('kinds of documents')"
    )  # row-level security hides the rows of workspaces from their owner, too
    op.execute("UPDATE job SET version = 3 WHERE kind = 'train' AND state = 'queued'")  # the previous release would not keep it
    # As `core.messages.to_stored` writes it. A run that waits, of the migration before this, does the same.
    op.execute(
        r"""
        WITH trained AS (
          SELECT document.owner_id, jsonb_agg(document.id ORDER BY document.created_at, document.id) AS ids, count(*) AS count
          FROM document WHERE document.owner_id IS NOT NULL AND document.state = 'trained' GROUP BY document.owner_id
        ), run AS (
          SELECT gen_random_uuid() AS id, gen_random_uuid() AS job_id, trained.*, owner.account_id FROM trained CROSS JOIN LATERAL (
            SELECT membership.account_id FROM membership JOIN account ON account.id = membership.account_id
            WHERE membership.workspace_id = trained.owner_id AND membership.role = 'owner' AND account.disabled_at IS NULL
            ORDER BY membership.joined_at LIMIT 1) AS owner
          WHERE NOT EXISTS (
            SELECT FROM training_run JOIN job ON job.id = training_run.job_id
            WHERE training_run.owner_id = trained.owner_id AND job.state = 'queued' AND training_run.document_ids @> trained.ids)
        ), added AS (
          INSERT INTO training_run (id, owner_id, job_id, document_ids, documents, chunks, failed, created_at)
          SELECT id, owner_id, job_id, ids, 0, 0, '[]', now() FROM run
        )
        INSERT INTO job (id, kind, title, language, owner_id, account_id, state, done, message, payload, checkpoint, cancel_requested, version, created_at)
        SELECT job_id, 'train',
          'Train ' || count || CASE count WHEN 1 THEN ' document' ELSE ' documents' END || chr(31)
            || jsonb_build_object('text', 'Train {n} document', 'values', '{}'::jsonb, 'plural', 'Train {n} documents', 'n', count),
          'en', owner_id, account_id, 'queued', 0, '', jsonb_build_object('run_id', id), '{}', false, 3, now()
        FROM run
        """
    )
