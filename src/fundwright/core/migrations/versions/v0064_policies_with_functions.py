"""Look up restricted and trashed items in functions, whose plans PostgreSQL keeps instead of making them for each statement."""

from alembic import op

revision = "0064"
down_revision = "0063"

_OWN = "owner_id = (SELECT acting_workspace())"
_HIDDEN = "SELECT hidden_items()"
_ROWS = {
    "activity": f"{_OWN} AND subject_id NOT IN ({_HIDDEN})",
    "comment": f"{_OWN} AND subject_id NOT IN ({_HIDDEN})",
    "share_link": f"{_OWN} AND (draft_id IS NULL OR draft_id NOT IN ({_HIDDEN}))",
    "trash_item": f"{_OWN} AND id NOT IN ({_HIDDEN})",
    "document": f"{_OWN} AND id NOT IN ({_HIDDEN}) OR owner_id IS NULL AND is_in_trash(trash_id)",
    "draft": f"{_OWN} AND id NOT IN ({_HIDDEN}) OR owner_id IS NULL AND is_in_trash(trash_id)",
    "category": f"{_OWN} OR owner_id IS NULL AND is_in_trash(trash_id)",
    "label": f"{_OWN} OR owner_id IS NULL AND is_in_trash(category_id)",
    "chunk": f"{_OWN} AND document_id NOT IN ({_HIDDEN})",
    "chunk_vector": f"{_OWN} AND (NOT EXISTS ({_HIDDEN}) OR EXISTS (SELECT FROM chunk WHERE chunk.id = chunk_id))",
}
"""The condition for rows that the account sees in the workspace. Policies of the tables that it names apply to it, too."""


def upgrade() -> None:
    # The functions are not SECURITY DEFINER: they see what the policies of `restriction` and `trash_item` show.
    op.execute(
        """
        CREATE FUNCTION hidden_items() RETURNS SETOF uuid LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 AS $$
        BEGIN
          RETURN QUERY SELECT subject_id FROM restriction WHERE owner_id = acting_workspace() AND NOT EXISTS (
            SELECT FROM restriction_member AS member
            WHERE member.subject_id = restriction.subject_id AND account_id = acting_account());
        END $$
        """
    )
    op.execute(
        """
        CREATE FUNCTION is_in_trash(item_id uuid) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
        BEGIN
          RETURN EXISTS (SELECT FROM trash_item WHERE id = item_id);
        END $$
        """
    )
    for table, condition in _ROWS.items():
        rows = f"({condition} OR (SELECT is_installation()))"
        op.execute(f"ALTER POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
    op.execute(
        "ALTER POLICY workspace ON citation USING (EXISTS (SELECT FROM draft WHERE draft.id = draft_id) "
        f"AND document_id NOT IN ({_HIDDEN}) OR (SELECT is_installation()))"
    )
