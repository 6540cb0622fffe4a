"""Give accounts with the role viewer or reviewer the role user: an account is a viewer or reviewer of a workspace."""

from alembic import op

revision = "0065"
down_revision = "0064"


def upgrade() -> None:
    op.execute(
        "INSERT INTO audit_entry (id, at, action, subject, address, details)"
        " SELECT gen_random_uuid(), now(), 'account.role_changed', email, 'upgrade',"
        " jsonb_build_object('role', 'user', 'previous_role', role) FROM account WHERE role IN ('viewer', 'reviewer')"
    )
    # As with every change of a role: the tokens of the sessions name the role.
    op.execute(
        "UPDATE account_session SET ended_at = now()"
        " WHERE ended_at IS NULL AND owner_id IN (SELECT id FROM account WHERE role IN ('viewer', 'reviewer'))"
    )
    op.execute("DELETE FROM known_device WHERE owner_id IN (SELECT id FROM account WHERE role IN ('viewer', 'reviewer'))")
    op.execute("UPDATE account SET role = 'user' WHERE role IN ('viewer', 'reviewer')")
    op.execute("UPDATE invitation SET role = 'user' WHERE role IN ('viewer', 'reviewer')")
