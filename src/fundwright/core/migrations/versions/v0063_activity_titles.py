"""Give activity the current titles of its subjects. Entries about new titles keep theirs."""

from alembic import op

revision = "0063"
down_revision = "0062"

_RETITLED = """
UPDATE activity SET subject_title = {table}.{title} FROM {table}
WHERE subject_kind = '{table}' AND {table}.id = subject_id AND subject_title <> {table}.{title}
"""
_TITLES = (("document", "title"), ("draft", "title"), ("category", "name"), ("workspace", "name"))


def upgrade() -> None:
    op.execute("SELECT set_config('app.is_installation', 'on', true)")  # the rows of all workspaces
    op.execute("UPDATE activity SET details = details || jsonb_build_object('after', subject_title) WHERE kind LIKE '%.renamed'")
    for table, title in _TITLES:
        op.execute(_RETITLED.format(table=table, title=title))
