"""Let PostgreSQL hide the rows of other workspaces, also from queries that forget to."""

from alembic import op

revision = "0055"
down_revision = "0054"

_OWN = "owner_id = (SELECT acting_workspace())"
_TRASHED = f"{_OWN} OR owner_id IS NULL AND EXISTS (SELECT FROM trash_item WHERE trash_item.id = trash_id)"
_ROWS = {
    "trash_item": _OWN,
    "document": _TRASHED,
    "chunk": _OWN,
    "chunk_word": _OWN,
    "chunk_vector": _OWN,
    "training_run": _OWN,
    "category": _TRASHED,
    "label": f"{_OWN} OR owner_id IS NULL AND EXISTS (SELECT FROM trash_item WHERE trash_item.id = category_id)",
    "draft": _TRASHED,
    "draft_section": "EXISTS (SELECT FROM draft WHERE draft.id = draft_id)",
    "draft_version": "EXISTS (SELECT FROM draft_section WHERE draft_section.id = section_id)",
    "citation": "EXISTS (SELECT FROM draft WHERE draft.id = draft_id)",
}
"""The condition for rows that belong to the workspace. Policies of the tables that it names apply to it, too."""


def upgrade() -> None:
    op.execute(
        "CREATE FUNCTION acting_workspace() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE "
        "RETURN nullif(current_setting('app.workspace_id', true), '')::uuid"
    )
    op.execute(
        "CREATE FUNCTION is_installation() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE "
        "RETURN coalesce(current_setting('app.is_installation', true) = 'on', false)"
    )
    for table, condition in _ROWS.items():
        rows = f"({condition} OR (SELECT is_installation()))"
        op.execute(f"CREATE POLICY workspace ON {table} USING {rows} WITH CHECK {rows}")
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
