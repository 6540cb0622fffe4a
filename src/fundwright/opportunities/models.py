"""Tables of opportunities. All accounts share them; import runs belong to the accounts that started them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from uuid import UUID, uuid4

from pgvector import HalfVector, SparseVector
from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import Computed, ForeignKey, ForeignKeyConstraint, Index, Numeric, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.core.jobs import StoredMessage
from fundwright.core.json_values import JsonObject
from fundwright.language.retrieval import WORD_DIMENSION


class Opportunity(Base):
    """The current version of a notice, as read by lists, filters, and counts. The row stays narrow."""

    __tablename__ = "opportunity"
    __table_args__ = (
        UniqueConstraint("source", "external_id"),
        Index("ix_opportunity_search", "search", postgresql_using="gin"),
        Index("ix_opportunity_title_search", "title_search", postgresql_using="gin"),
        Index("ix_opportunity_kind_is_sample_posted_at", "kind", "is_sample", text("posted_at DESC"), "id"),
        Index("ix_opportunity_kind_is_sample_due_at", "kind", "is_sample", "due_at", "id"),
        Index("ix_opportunity_kind_is_sample_title_key", "kind", "is_sample", "title_key", "id"),
        Index("ix_opportunity_kind_is_sample_agency", "kind", "is_sample", "agency", "id"),
        Index("ix_opportunity_kind_sub_agency", "kind", "sub_agency"),
        Index("ix_opportunity_kind_closes_at_status", "kind", "closes_at", "status"),
        Index("ix_opportunity_kind_closes_at", "kind", "closes_at", postgresql_where=text("type <> 'Award Notice'")),
        Index("ix_opportunity_naics", "naics", postgresql_ops={"naics": "text_pattern_ops"}),
        Index("ix_opportunity_first_seen_at", "first_seen_at"),
        Index("ix_opportunity_number_key", "number_key", postgresql_ops={"number_key": "text_pattern_ops"}),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    source: Mapped[str]
    kind: Mapped[str]
    external_id: Mapped[str]
    number: Mapped[str]
    title: Mapped[str]
    agency: Mapped[str]
    sub_agency: Mapped[str]
    office: Mapped[str]
    type: Mapped[str]
    status: Mapped[str]
    naics: Mapped[str]
    psc: Mapped[str]
    set_aside_code: Mapped[str]
    set_aside: Mapped[str]
    activity_codes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    assistance_listings: Mapped[list[str]] = mapped_column(ARRAY(Text))
    posted_at: Mapped[datetime]
    due_at: Mapped[datetime | None]
    due_note: Mapped[str]
    archive_at: Mapped[datetime | None]
    closes_at: Mapped[datetime | None]
    place: Mapped[str]
    award_amount: Mapped[Decimal | None] = mapped_column(Numeric(18, 2))
    award_ceiling: Mapped[Decimal | None] = mapped_column(Numeric(18, 2))
    award_floor: Mapped[Decimal | None] = mapped_column(Numeric(18, 2))
    total_funding: Mapped[Decimal | None] = mapped_column(Numeric(18, 2))
    expected_awards: Mapped[int | None]
    content_hash: Mapped[str]
    version: Mapped[int]
    is_sample: Mapped[bool]
    uploaded_by: Mapped[UUID | None]
    """The account that may replace this notice with another upload, or None if it belongs to the installation. Not a foreign key:
    ids of deleted accounts are never reused, and clearing it would rewrite every notice of the account."""
    first_seen_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    title_search: Mapped[str] = mapped_column(TSVECTOR)
    search: Mapped[str] = mapped_column(TSVECTOR)
    number_key: Mapped[str] = mapped_column(Computed("regexp_replace(upper(number), '[^A-Z0-9]', '', 'g')", persisted=True))
    title_key: Mapped[str] = mapped_column(
        Computed(r"lower(regexp_replace(title, '^([A-Z]?\d[A-Z0-9]{0,2}|\d{4}|[A-Z]) ?--\s*(?=\S)', ''))", persisted=True)
    )
    """The title as `display_title` shows it, for sorting."""


class OpportunityFacet(Base):
    """The number of opportunities for each filter value, updated with every change, so that opening a list does not count all of
    them. The facets `sample` and `own` have the single value `all`."""

    __tablename__ = "opportunity_facet"

    kind: Mapped[str] = mapped_column(primary_key=True)
    facet: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(primary_key=True)
    label: Mapped[str]
    number: Mapped[int]


class OpportunitySighting(Base):
    """When a notice was last in a file. A separate table, so that seeing a notice again writes only a few bytes."""

    __tablename__ = "opportunity_sighting"

    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True)
    import_run_id: Mapped[UUID]
    seen_at: Mapped[datetime]


class OpportunityText(Base):
    """The fields that only the detail view reads."""

    __tablename__ = "opportunity_text"

    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True)
    description: Mapped[str]
    eligibility: Mapped[str]
    contacts: Mapped[list[dict[str, str]]] = mapped_column(JSONB)
    url: Mapped[str]
    raw: Mapped[JsonObject]


class OpportunityVersion(Base):
    """A version of a notice. `raw` and `description` are stored here once a later version has replaced them; until then, they are
    stored only with the opportunity."""

    __tablename__ = "opportunity_version"
    __table_args__ = (UniqueConstraint("opportunity_id", "number"), Index("ix_opportunity_version_seen_at", "seen_at"))

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"))
    number: Mapped[int]
    content_hash: Mapped[str]
    seen_at: Mapped[datetime]
    import_run_id: Mapped[UUID]
    raw: Mapped[JsonObject | None]
    description: Mapped[str | None]


class OpportunityVector(Base):
    """The embedding of an opportunity by a model. Models with different dimensions can coexist."""

    __tablename__ = "opportunity_vector"

    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True)
    model_id: Mapped[str] = mapped_column(primary_key=True)
    vector: Mapped[HalfVector] = mapped_column(HALFVEC())
    created_at: Mapped[datetime] = mapped_column(default=now)


class OpportunityWords(Base):
    """The weights of an opportunity's words. The embedding job computes them, so that imports stay fast."""

    __tablename__ = "opportunity_words"

    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True)
    words: Mapped[SparseVector] = mapped_column(SPARSEVEC(WORD_DIMENSION))


class OpportunityWord(Base):
    """The number of opportunities with a word, as of the last embedding job. Place -1 counts all opportunities. Rare words are left
    out."""

    __tablename__ = "opportunity_word"

    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    notices: Mapped[int]


class OpportunitySpelling(Base):
    """The number of titles and beginnings of descriptions with a word, as of the last embedding job. Words in only one or two may
    be misspelled and are left out."""

    __tablename__ = "opportunity_spelling"

    word: Mapped[str] = mapped_column(primary_key=True)
    notices: Mapped[int]


class OpportunityTerms(Base):
    """The words of an opportunity as the classifier reads them (`fundwright.categories.terms`)."""

    __tablename__ = "opportunity_terms"

    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True)
    terms: Mapped[bytes]


class ImportRun(Base):
    __tablename__ = "import_run"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    job_id: Mapped[UUID | None]
    source: Mapped[str]
    filename: Mapped[str]
    is_sample: Mapped[bool] = mapped_column(default=False)
    new: Mapped[int] = mapped_column(default=0)
    changed: Mapped[int] = mapped_column(default=0)
    unchanged: Mapped[int] = mapped_column(default=0)
    rejected: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(default=now)


class ImportRejection(Base):
    __tablename__ = "import_rejection"
    __table_args__ = (Index("ix_import_rejection_import_run_id_line", "import_run_id", "line"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    import_run_id: Mapped[UUID] = mapped_column(ForeignKey("import_run.id", ondelete="CASCADE"))
    line: Mapped[int]
    column: Mapped[str]
    reason: Mapped[str] = mapped_column(StoredMessage)


class OpportunityWatch(Base):
    """A member of a workspace watches a notice, and with it all notices of its kind that have its number. Row-level security lets members
    of the workspace read it, and only this member change it. It is deleted with the membership and with the notice."""

    __tablename__ = "opportunity_watch"
    __table_args__ = (
        ForeignKeyConstraint(
            ["owner_id", "account_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_opportunity_watch_owner_id_membership",
            ondelete="CASCADE",
        ),
        Index("ix_opportunity_watch_told_until", "told_until"),
        Index("ix_opportunity_watch_reminded_on", "reminded_on"),
    )

    owner_id: Mapped[UUID] = mapped_column(primary_key=True)
    account_id: Mapped[UUID] = mapped_column(primary_key=True)
    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True, index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    told_until: Mapped[datetime]
    """When the newest version was seen of which the member knows."""
    reminded_on: Mapped[date]
    """The last day, in Washington, for which the member has been reminded of due dates."""
