"""Record who added documents and drafts: so far, the account of the personal workspace."""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"


def upgrade() -> None:
    for table in ("document", "draft"):
        op.add_column(table, sa.Column("created_by", sa.Uuid(), nullable=True))
        op.create_foreign_key(f"fk_{table}_created_by_account", table, "account", ["created_by"], ["id"], ondelete="SET NULL")
        op.create_index(f"ix_{table}_created_by", table, ["created_by"])
    op.execute(
        "UPDATE document SET created_by = account.id FROM account WHERE account.id = document.owner_id AND NOT document.is_sample"
    )
    op.execute("UPDATE draft SET created_by = account.id FROM account WHERE account.id = draft.owner_id")
