"""Saved searches as people see them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, computed_field, model_validator

from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import visible_line
from fundwright.opportunities.schemas import Kind, OpportunityQuery
from fundwright.workspaces.schemas import Access

MOST_CHARACTERS = 100
MOST_NEW = 99
"""The greatest number of new matches that lists show; with more, they show this and a plus sign."""


def _visible(name: str) -> str:
    if not (line := visible_line(name, most=MOST_CHARACTERS)):
        raise ValueError(t("The name has no visible characters. Enter another name."))
    return line


Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHARACTERS), AfterValidator(_visible)
]


class SearchedQuery(OpportunityQuery):
    """What a saved search finds: one kind of opportunities, whether they are samples or not, and whenever they were imported. These
    parameters of a list are ignored, and so is its page."""

    kind: Kind

    @model_validator(mode="before")
    @classmethod
    def _without_page(cls, given: object) -> object:
        left_out = ("page", "page_size", "sample", "added_after")
        return {name: value for name, value in given.items() if name not in left_out} if isinstance(given, dict) else given

    @classmethod
    def of(cls, query: OpportunityQuery) -> Self:
        """What is saved of the query of a list. Raises ValidationError if it names no kind."""
        return cls.model_validate(query.model_dump())


class SavedSearchName(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: Name


class NewSavedSearch(SavedSearchName):
    """The name of a search to save. A repeated request with the same `key`, name, and query saves no second search."""

    key: str = Field(default="", max_length=64)


class SavedSearchForm(NewSavedSearch):
    """A search to save."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: SearchedQuery


class SavedSearchRead(BaseModel):
    """A saved search. `path` is the address of the list that it finds.

    `saved_by` is "" once that account is deleted. `new` counts the matches that were imported since the reader last opened the search, or
    since it was saved, up to 100, without close matches. `access` is what the reader may do with it if it is restricted to chosen members
    of the workspace, or else None.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    query: SearchedQuery
    path: str
    saved_by: str
    created_at: datetime
    changed_at: datetime
    is_followed: bool
    seen_until: datetime
    """When the newest notice that the reader has seen was imported."""
    new: int
    access: Access | None

    @computed_field
    @property
    def kind(self) -> Kind:
        return self.query.kind

    @property
    def is_changeable(self) -> bool:
        """Whether the reader, if allowed to work in the workspace, may change it."""
        return self.access is None or self.access is Access.EDIT


class SavedSearchQuery(PageRequest):
    """Which saved searches of a workspace to list, by name unless `sort` is name, kind, created_at, or changed_at. `text` is part of a
    name, `is_own` are those that the reader saved, and `is_followed` those of whose new matches the reader is told."""

    sorts: ClassVar[tuple[str, ...]] = ("name", "kind", "created_at", "changed_at")

    text: str = Field(default="", max_length=200)
    kind: Kind | None = None
    is_own: bool | None = None
    is_followed: bool | None = None
    is_restricted: bool | None = None
