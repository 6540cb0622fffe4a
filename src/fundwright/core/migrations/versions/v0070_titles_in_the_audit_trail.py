"""Take the titles of what workspaces own out of the audit trail, which administrators read: entries name it by its id."""

import sqlalchemy as sa
from alembic import op

revision = "0070"
down_revision = "0069"

_NAMED = (
    "category.deleted",
    "comment.deleted",
    "document.deleted",
    "document.renamed",
    "draft.deleted",
    "draft.exported",
    "draft.section_deleted",
    "search.deleted",
    "share.created",
    "share.opened",
    "share.refused",
    "share.revoked",
    "trash.deleted",
    "trash.restored",
)
"""Actions whose entries had a title, or the id if the item was restricted."""


def upgrade() -> None:
    op.execute("ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_is_append_only")
    named = sa.text(
        "UPDATE audit_entry SET subject = '' WHERE action = ANY(:actions)"
        " AND subject !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'"
    )
    op.get_bind().execute(named, {"actions": list(_NAMED)})
    op.execute("ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_is_append_only")
