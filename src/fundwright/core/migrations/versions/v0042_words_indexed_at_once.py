"""Index the words of a chunk when it is added: while words wait to be indexed, every search reads all chunks."""

from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.execute("ALTER INDEX ix_chunk_search SET (fastupdate = off)")
    op.execute("SELECT gin_clean_pending_list('ix_chunk_search')")
