"""Let a subject belong to several categories, and store the words of opportunities for the classifier."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    op.drop_constraint("uq_label_owner_id_subject_id", "label")
    op.create_unique_constraint("uq_label_owner_id_subject_id_category_id", "label", ["owner_id", "subject_id", "category_id"])
    # A rejection meant that none of the categories fits.
    op.execute("""
        INSERT INTO label (id, owner_id, subject_id, category_id, confidence, state, source, decided_at)
        SELECT gen_random_uuid(), l.owner_id, l.subject_id, c.id, 1, 'rejected', 'person', l.decided_at
        FROM label l JOIN category c ON c.owner_id = l.owner_id AND c.id IS DISTINCT FROM l.category_id
        WHERE l.state = 'rejected'
    """)
    op.execute("DELETE FROM label WHERE category_id IS NULL")
    op.alter_column("label", "category_id", nullable=False)
    op.drop_column("label", "vector")
    op.drop_column("label", "vector_model_id")
    op.create_table(
        "opportunity_terms",
        sa.Column("opportunity_id", sa.Uuid(), sa.ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
    )
    # The words are hashes, which compression does not shrink.
    op.execute("ALTER TABLE opportunity_terms ALTER COLUMN terms SET STORAGE EXTERNAL")
