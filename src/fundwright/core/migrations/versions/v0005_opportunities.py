"""Tables of opportunities."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "opportunity",
        sa.Column("id", sa.Uuid(), primary_key=True),
        _text("source"),
        _text("kind"),
        _text("external_id"),
        _text("number"),
        _text("title"),
        _text("agency"),
        _text("sub_agency"),
        _text("office"),
        _text("type"),
        _text("status"),
        _text("naics"),
        _text("psc"),
        _text("set_aside_code"),
        _text("set_aside"),
        sa.Column("activity_codes", ARRAY(sa.Text()), nullable=False),
        sa.Column("assistance_listings", ARRAY(sa.Text()), nullable=False),
        _moment("posted_at"),
        _moment("due_at", nullable=True),
        _text("due_note"),
        _moment("archive_at", nullable=True),
        _moment("closes_at", nullable=True),
        _text("place"),
        sa.Column("award_amount", sa.Numeric(18, 2)),
        sa.Column("award_ceiling", sa.Numeric(18, 2)),
        sa.Column("award_floor", sa.Numeric(18, 2)),
        sa.Column("total_funding", sa.Numeric(18, 2)),
        sa.Column("expected_awards", sa.Integer()),
        _text("content_hash"),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("is_sample", sa.Boolean(), nullable=False),
        _moment("first_seen_at"),
        _moment("updated_at"),
        sa.Column("title_search", TSVECTOR(), nullable=False),
        sa.Column("search", TSVECTOR(), nullable=False),
        sa.UniqueConstraint("source", "external_id", name="uq_opportunity_source_external_id"),
    )
    op.create_index("ix_opportunity_search", "opportunity", ["search"], postgresql_using="gin")
    op.create_index("ix_opportunity_title_search", "opportunity", ["title_search"], postgresql_using="gin")
    op.create_index("ix_opportunity_kind_posted_at", "opportunity", ["kind", sa.text("posted_at DESC"), "id"])
    op.create_index("ix_opportunity_kind_due_at", "opportunity", ["kind", "due_at", "id"])
    op.create_index("ix_opportunity_kind_title", "opportunity", ["kind", "title", "id"])
    op.create_index("ix_opportunity_kind_agency", "opportunity", ["kind", "agency", "id"])
    # Lists, filters, and counts read many rows of this table, so large search vectors are stored outside of the row.
    op.execute("ALTER TABLE opportunity SET (toast_tuple_target = 128)")
    in_row = ("external_id", "number", "title", "agency", "sub_agency", "office", "type", "place", "set_aside", "title_search")
    for column in (*in_row, "activity_codes", "assistance_listings", "content_hash"):
        op.execute(f"ALTER TABLE opportunity ALTER COLUMN {column} SET STORAGE MAIN")
    op.create_table(
        "opportunity_sighting",
        sa.Column("opportunity_id", sa.Uuid(), sa.ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("import_run_id", sa.Uuid(), nullable=False),
        _moment("seen_at"),
    )
    op.create_table(
        "opportunity_text",
        sa.Column("opportunity_id", sa.Uuid(), sa.ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True),
        _text("description"),
        _text("eligibility"),
        sa.Column("contacts", JSONB(), nullable=False),
        _text("url"),
        sa.Column("raw", JSONB(), nullable=False),
    )
    op.create_table(
        "opportunity_version",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("opportunity_id", sa.Uuid(), sa.ForeignKey("opportunity.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        _text("content_hash"),
        _moment("seen_at"),
        sa.Column("import_run_id", sa.Uuid(), nullable=False),
        sa.Column("raw", JSONB()),
        sa.Column("description", sa.String()),
        sa.UniqueConstraint("opportunity_id", "number", name="uq_opportunity_version_opportunity_id_number"),
    )
    op.create_table(
        "opportunity_vector",
        sa.Column("opportunity_id", sa.Uuid(), sa.ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("model_id", sa.String(), primary_key=True),
        sa.Column("vector", HALFVEC(), nullable=False),
        _moment("created_at"),
    )
    op.create_table(
        "import_run",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("owner_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), index=True),
        sa.Column("job_id", sa.Uuid()),
        _text("source"),
        _text("filename"),
        sa.Column("is_sample", sa.Boolean(), nullable=False),
        sa.Column("new", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("unchanged", sa.Integer(), nullable=False),
        sa.Column("rejected", sa.Integer(), nullable=False),
        _moment("created_at"),
    )
    op.create_table(
        "import_rejection",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("import_run_id", sa.Uuid(), sa.ForeignKey("import_run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        _text("column"),
        _text("reason"),
    )
    op.create_index("ix_import_rejection_import_run_id_line", "import_rejection", ["import_run_id", "line"])


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.String(), nullable=False)


def _moment(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)
