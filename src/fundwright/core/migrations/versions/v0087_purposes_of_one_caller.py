"""Give each caller a purpose of its own, and let imports empty the pending lists of full-text indexes before PostgreSQL 17."""

from alembic import op

revision = "0087"
down_revision = "0086"


def upgrade() -> None:
    op.execute("INSERT INTO installation_purpose VALUES ('comments on what is deleted'), ('matches of saved searches')")
    op.execute(
        """
        CREATE FUNCTION empty_pending_lists(of_table text) RETURNS bigint LANGUAGE sql SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp
        RETURN (
          SELECT sum(gin_clean_pending_list(pg_index.indexrelid))
          FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid JOIN pg_am ON pg_am.oid = pg_class.relam
          WHERE pg_index.indrelid = format('public.%I', of_table)::regclass AND pg_am.amname = 'gin')
        """
    )
    op.execute("REVOKE EXECUTE ON FUNCTION empty_pending_lists FROM PUBLIC")
