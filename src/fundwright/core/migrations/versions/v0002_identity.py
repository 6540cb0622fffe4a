"""Tables of identity. The audit trail is append-only by trigger."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0002"
down_revision = "0001"


def _when(name: str, *, nullable: bool = False, index: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, index=index)


def _text(name: str, *, nullable: bool = False, unique: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.String(), nullable=nullable, unique=unique)


def _owner(*, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=nullable, index=True)


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _text("email", unique=True),
        _text("display_name"),
        _text("first_name"),
        _text("last_name"),
        _text("password_hash"),
        _text("role"),
        _text("language"),
        *(
            _text(name, nullable=True)
            for name in ("photo_url", "phone_number", "country", "address", "state", "city", "zip_code", "about")
        ),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("has_narrow_sidebar", sa.Boolean(), nullable=False),
        _when("created_at"),
        _when("last_signed_in_at", nullable=True),
        _when("disabled_at", nullable=True),
        sa.CheckConstraint("email = lower(email)", name="email_is_lower_case"),
    )
    op.create_table(
        "account_session",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _owner(),
        sa.Column("remember", sa.Boolean(), nullable=False),
        _text("user_agent"),
        _text("address"),
        _when("created_at"),
        _when("last_used_at"),
        _when("expires_at"),
        _when("ended_at", nullable=True),
    )
    op.create_table(
        "one_time_secret",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _text("purpose"),
        _text("digest", unique=True),
        _owner(nullable=True),
        sa.Column("remember", sa.Boolean(), nullable=False),
        _when("created_at"),
        _when("expires_at"),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _owner(),
        _text("name"),
        _text("scope"),
        _text("prefix"),
        _text("digest", unique=True),
        _when("created_at"),
        _when("expires_at"),
        _when("last_used_at", nullable=True),
        _when("revoked_at", nullable=True),
    )
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _when("at", index=True),
        sa.Column("actor_id", sa.Uuid(), index=True),
        _text("actor_email", nullable=True),
        _text("action"),
        _text("subject"),
        _text("address"),
        sa.Column("details", JSONB(), nullable=False),
    )
    op.execute(
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER audit_entry_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
        """
    )
    op.create_table(
        "sign_in_throttle",
        sa.Column("subject", sa.String(), primary_key=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        _when("window_ends_at"),
        _when("banned_until", nullable=True),
        _when("forget_at", index=True),
    )
