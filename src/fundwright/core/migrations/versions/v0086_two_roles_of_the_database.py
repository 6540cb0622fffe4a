"""Let the application serve as a role that does not own the tables, and enter the scope of the installation by a function alone."""

import sqlalchemy as sa
from alembic import op

revision = "0086"
down_revision = "0085"

_PURPOSES = (
    "account deletion",
    "checks of drafts",
    "citations",
    "collections",
    "data folder",
    "deletion forever",
    "documents",
    "expired support access",
    "expired trash",
    "former members",
    "invitations",
    "kinds of documents",
    "notification emails",
    "notifications",
    "old activity",
    "old notifications",
    "payments",
    "personal data",
    "plans",
    "premium links",
    "saved searches",
    "share links",
    "subscribers",
    "tasks that are due",
    "unsubscribe links",
    "unused files",
    "watched notices",
    "welcome",
    "words of documents",
)


def upgrade() -> None:
    op.create_table(
        "installation_secret",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("id = 1", name="ck_installation_secret_only"),
        sa.PrimaryKeyConstraint("id", name="pk_installation_secret"),
    )
    op.execute("INSERT INTO installation_secret VALUES (1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))")
    purpose = op.create_table(
        "installation_purpose",
        sa.Column("name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_installation_purpose"),
    )
    op.bulk_insert(purpose, [{"name": name} for name in _PURPOSES])
    _add_scope()
    _add_upkeep()


def _add_scope() -> None:
    """The setting `app.is_installation` holds a purpose, after a proof that `enter_installation` wrote it in this transaction. For roles that
    may read the secret, which are the owner and those that it trusts, "on" is enough: migrations and the previous release set that."""
    op.execute(
        """
        CREATE FUNCTION installation_proof(purpose text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
        BEGIN
          RETURN (
            SELECT encode(sha256(timestamptz_send(transaction_timestamp()) || convert_to(purpose, 'UTF8') || secret), 'hex')
            FROM public.installation_secret);
        END $$
        """
    )
    op.execute(
        """
        CREATE FUNCTION enter_installation(purpose text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          IF NOT EXISTS (SELECT FROM public.installation_purpose WHERE name = purpose) THEN
            RAISE insufficient_privilege USING MESSAGE = format('Nothing across workspaces has the purpose "%s"', purpose),
              HINT = 'A migration adds purposes to the table installation_purpose.';
          END IF;
          RETURN set_config('app.is_installation', public.installation_proof(purpose) || purpose, true);
        END $$
        """
    )
    op.execute(
        """
        CREATE FUNCTION has_entered_installation() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          entered text := current_setting('app.is_installation');
        BEGIN
          RETURN left(entered, 64) = public.installation_proof(substr(entered, 65));
        END $$
        """
    )
    op.execute("REVOKE EXECUTE ON FUNCTION enter_installation FROM PUBLIC")
    op.execute(
        """
        CREATE OR REPLACE FUNCTION is_installation() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
        RETURN CASE coalesce(current_setting('app.is_installation', true), '')
          WHEN '' THEN false
          WHEN 'on' THEN has_table_privilege('installation_secret'::regclass, 'SELECT')
          ELSE has_entered_installation()
        END
        """
    )
    # It looks at one link as the installation, which callers may not.
    op.execute("ALTER FUNCTION acting_share_takes SECURITY DEFINER SET search_path = pg_catalog, pg_temp")


def _add_upkeep() -> None:
    """What only the owner of a table may do. The functions put nothing into statements but names and quoted values."""
    op.execute(
        """
        CREATE FUNCTION refresh_statistics(VARIADIC tables text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          name text;
        BEGIN
          FOREACH name IN ARRAY tables LOOP
            EXECUTE format('ANALYZE public.%I', name);
          END LOOP;
        END $$
        """
    )
    vectors = op.get_bind().scalar(
        sa.text(
            "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'"
        )
    )
    op.execute(
        f"""
        CREATE FUNCTION create_vector_index(of_table text, index_name text, dimension integer, of_column text, of_value text)
        RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, {vectors}, pg_temp AS $$
        BEGIN
          EXECUTE format(
            'CREATE INDEX IF NOT EXISTS %I ON public.%I USING hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE %I = %L',
            index_name, of_table, dimension, of_column, of_value);
        END $$
        """
    )
    for function in ("refresh_statistics", "create_vector_index"):
        op.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
