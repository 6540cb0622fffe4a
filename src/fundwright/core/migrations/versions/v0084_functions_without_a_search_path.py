"""Name the schema of what policies look up: `pg_dump` and other tools have an empty search path."""

from alembic import op

revision = "0084"
down_revision = "0083"


def upgrade() -> None:
    op.execute(
        """
        CREATE OR REPLACE FUNCTION hidden_items() RETURNS SETOF uuid LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 AS $$
        DECLARE
          hidden uuid[] := ARRAY(
            SELECT subject_id FROM public.restriction WHERE owner_id = public.acting_workspace() AND NOT EXISTS (
              SELECT FROM public.restriction_member AS member
              WHERE member.subject_id = restriction.subject_id AND account_id = public.acting_account()));
        BEGIN
          IF hidden <> '{}' THEN
            RETURN QUERY SELECT unnest(hidden);
            RETURN QUERY SELECT item_id FROM public.contained_item WHERE container_id = ANY (hidden);
          END IF;
        END $$
        """
    )
    op.execute(
        """
        CREATE OR REPLACE FUNCTION is_in_trash(item_id uuid) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
        BEGIN
          RETURN EXISTS (SELECT FROM public.trash_item WHERE id = item_id);
        END $$
        """
    )
    op.execute(
        """
        CREATE OR REPLACE FUNCTION acting_share_takes(owner uuid, kind text, subject uuid) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE
          before text := coalesce(current_setting('app.is_installation', true), '');
          takes boolean;
        BEGIN
          PERFORM set_config('app.is_installation', 'on', true);
          SELECT EXISTS (
            SELECT FROM public.share_link WHERE id = public.acting_share() AND owner_id = owner AND allows_comments
            AND ended_at IS NULL AND created_by IS NOT NULL AND expires_at > now()
            AND CASE WHEN draft_id IS NULL THEN kind = 'opportunity' ELSE kind = 'draft' AND subject = draft_id END) INTO takes;
          PERFORM set_config('app.is_installation', before, true);
          RETURN takes;
        END $$
        """
    )
