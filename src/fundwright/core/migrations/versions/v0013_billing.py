"""Plans, subscriptions, payments and premium links."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    plan = op.create_table(
        "plan",
        sa.Column("code", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("price_cents", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        *(sa.Column(limit, sa.Integer()) for limit in ("documents", "drafts", "imports")),
    )
    columns = ("code", "name", "position", "price_cents", "currency", "documents", "drafts", "imports")
    first = (
        ("free", "Free", 1, 0, "usd", 1_000, 200, 500),
        ("pro", "Pro", 2, 4_900, "usd", 10_000, 2_000, 5_000),
        ("team", "Team", 3, 19_900, "usd", None, None, None),
    )
    op.bulk_insert(plan, [dict(zip(columns, values, strict=True)) for values in first])
    op.create_table(
        "subscription",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("plan", sa.String(), sa.ForeignKey("plan.code"), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True)),
        sa.Column("origin", sa.String(), nullable=False),
    )
    op.create_table(
        "quota_use",
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("quota", sa.String(), primary_key=True),
        sa.Column("month", sa.Date(), primary_key=True),
        sa.Column("used", sa.Integer(), nullable=False),
    )
    op.create_table(
        "payment",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("number", sa.String(), nullable=False, unique=True),
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="SET NULL"), index=True),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("issued", sa.Date(), nullable=False),
        sa.Column("due", sa.Date(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("paid_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("(state = 'paid') = (paid_at IS NOT NULL)", name="paid_has_a_time"),
    )
    op.create_table(
        "premium_link",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("digest", sa.String(), nullable=False, unique=True),
        sa.Column("plan", sa.String(), sa.ForeignKey("plan.code"), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("days", "uses", "used")),
        sa.Column("expires_on", sa.Date(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("used <= uses", name="used_at_most_uses"),
    )
    op.create_table(
        "premium_link_use",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("link_id", sa.Uuid(), sa.ForeignKey("premium_link.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="SET NULL"), index=True),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
