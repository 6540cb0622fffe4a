"""The step of `/generate/index` that chooses the documents for a draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import Invalid
from fundwright.core.jobs import jobs_topic
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.reading.kinds import DocumentKind
from fundwright.training import collecting, searching
from fundwright.training import service as training
from fundwright.training.schemas import DocumentQuery, DocumentRead
from fundwright_ui.hooks import Query, use_query
from fundwright_ui.product import SavedState, use_actor, use_connection, use_saved_state
from fundwright_ui.ui import (
    Option,
    button,
    checkbox,
    empty,
    loading,
    problem,
    row,
    select_field,
    stack,
    text_field,
    text_link,
)

_SHOWN_AT_FIRST, _SHOWN_AT_MOST = 5, 100

Searched = list[tuple[UUID, DocumentKind]]
"""Ids and kinds of the trained documents that drafts can use."""


Contents = tuple[str, frozenset[UUID]]
"""The name of a collection, and its trained documents."""
_ALL = "all"


class GroupChoice(BaseModel):
    """The choice for one kind of document: all or none, with exceptions."""

    model_config = ConfigDict(frozen=True)

    is_chosen: bool = True
    but: frozenset[UUID] = frozenset()

    def has(self, document_id: UUID) -> bool:
        return self.is_chosen != (document_id in self.but)


class Sources(BaseModel):
    """The documents of an account that the next draft uses."""

    model_config = ConfigDict(frozen=True)

    groups: dict[DocumentKind, GroupChoice] = Field(default_factory=dict[DocumentKind, GroupChoice])

    def group(self, kind: DocumentKind) -> GroupChoice:
        return self.groups.get(kind, GroupChoice())

    def chosen(self, searched: Searched) -> list[UUID]:
        """The selected documents of ours, and all others: the requirements of notices and policies apply."""
        return [id for id, kind in searched if not kind.is_ours or self.group(kind).has(id)]

    def document_ids(self, searched: Searched) -> tuple[UUID, ...]:
        """The documents to base the draft on, or none if all are selected, so that later ones are used, too. Raises Invalid if none
        of ours is selected."""
        chosen = self.chosen(searched)
        ours = {id for id, kind in searched if kind.is_ours}
        if ours and ours.isdisjoint(chosen):
            raise Invalid(t("Choose at least one of your documents."))
        return () if len(chosen) == len(searched) else tuple(chosen)

    def count(self, searched: Searched) -> tuple[int, int]:
        """The numbers of selected documents of ours and of all of ours."""
        ours = [self.group(kind).has(id) for id, kind in searched if kind.is_ours]
        return sum(ours), len(ours)

    def limited_to(self, searched: Searched, document_ids: frozenset[UUID]) -> Sources:
        """Of ours, only these documents."""
        kinds = {kind for _, kind in searched if kind.is_ours}
        of_kind = {kind: frozenset(id for id, each in searched if each == kind and id in document_ids) for kind in kinds}
        return Sources(groups={**self.groups, **{kind: GroupChoice(is_chosen=False, but=ids) for kind, ids in of_kind.items()}})

    def with_group(self, kind: DocumentKind, *, is_chosen: bool) -> Sources:
        return Sources(groups={**self.groups, kind: GroupChoice(is_chosen=is_chosen)})

    def with_document(self, kind: DocumentKind, document_id: UUID, *, is_chosen: bool) -> Sources:
        group = self.group(kind)
        but = group.but - {document_id} if group.is_chosen == is_chosen else group.but | {document_id}
        return Sources(groups={**self.groups, kind: GroupChoice(is_chosen=group.is_chosen, but=but)})


class Choice(Protocol):
    """The current choice, and the controls to change it."""

    @property
    def value(self) -> Sources: ...

    async def set(self, value: Sources) -> None: ...


def use_sources() -> SavedState[Sources]:
    """The account's choice, which is saved."""
    return use_saved_state("generate: sources", Sources())


def use_searched() -> Query[Searched]:
    actor = use_actor()

    async def read(session: AsyncSession) -> Searched:
        return await searching.list_searched(session, actor)

    return use_query(read, key=[actor.id], topics=[collecting.documents_topic(actor.workspace_id)])


def source_choice(searched: Query[Searched], sources: Choice, text: str, search: Callable[[str], None]) -> VdomDict:
    """The account's documents by kind, ours with checkboxes."""
    train = use_connection().href("/dashboard/train")
    if searched.error:
        return problem(searched.error, on_retry=searched.reload)
    if searched.value is None:
        return loading(t("Loading documents"))
    if not searched.value:
        return empty(
            t("You have no trained documents yet. The draft will list what to add."),
            text_link(t("Add documents"), train),
            icon_name="train",
        )
    kinds = [kind for kind in DocumentKind if any(each == kind for _, each in searched.value)]
    ours, required = [kind for kind in kinds if kind.is_ours], [kind for kind in kinds if kind.is_requirement]
    return stack(
        text_field("sources-search", t("Search your documents"), type="search", value=text, on_change=search, id="sources-search")
        if len(searched.value) > _SHOWN_AT_FIRST
        else None,
        _from_collection(searched.value, sources, key="collection") if ours else None,
        *(_group(kind, searched.value, sources, text, key=f"group:{kind}:{text}") for kind in ours),
        None
        if ours
        else empty(
            t("None of your documents is a source for drafts. The draft will list what to add."),
            text_link(t("Add documents or change their kinds"), train),
            icon_name="train",
        ),
        html.div(
            {"className": "fw-stack", "key": "requirements"},
            html.h3(t("Requirements")),
            html.p({"className": "fw-muted"}, t("These are not used to support claims.")),
            *(_requirements(kind, text, key=f"requirements:{kind}:{text}") for kind in required),
        )
        if required
        else None,
    )


@component
def _from_collection(searched: Searched, sources: Choice) -> VdomDict | None:
    """A choice of all documents of ours, or those of one collection."""
    actor = use_actor()

    async def read(session: AsyncSession) -> dict[str, Contents]:
        contents = await collecting.list_trained_contents(session, actor)
        collections = await collecting.list_all(session, actor)
        return {str(each.id): (each.name, contents[each.id]) for each in collections if each.id in contents}

    found = use_query(
        read, key=[actor.id], topics=[collecting.documents_topic(actor.workspace_id), jobs_topic(actor.workspace_id)]
    )
    collections = found.value or {}
    if not collections:
        return problem(found.error, on_retry=found.reload) if found.error else None
    chosen = set(sources.value.chosen(searched))
    limited = {id: sources.value.limited_to(searched, contents) for id, (_, contents) in collections.items()}
    everything = chosen == {id for id, _ in searched}
    current = _ALL if everything else next((id for id, each in limited.items() if set(each.chosen(searched)) == chosen), "")

    async def choose(id: str) -> None:
        await sources.set(limited.get(id, Sources()))

    return select_field(
        "sources-collection",
        t("Collection"),
        [
            *([] if current else [Option("", t("Own choice"))]),
            Option(_ALL, t("All documents")),
            *(Option(id, name) for id, (name, _) in collections.items()),
        ],
        value=current,
        on_change=choose,
        id="sources-collection",
    )


def _use_documents(kind: DocumentKind, text: str, count: int) -> Query[Page[DocumentRead]]:
    actor = use_actor()
    query = DocumentQuery(kind=kind, text=text[:200], is_searched=True, sort="title", page_size=count)

    async def read(session: AsyncSession) -> Page[DocumentRead]:
        return await training.list_documents(session, actor, query)

    return use_query(read, key=[query], topics=[collecting.documents_topic(actor.workspace_id), jobs_topic(actor.workspace_id)])


@component
def _group(kind: DocumentKind, searched: Searched, sources: Choice, text: str) -> VdomDict:
    count, set_count = use_state(_SHOWN_AT_FIRST)
    found = _use_documents(kind, text, count)
    choice = sources.value.group(kind)
    ids = [id for id, each in searched if each == kind]
    chosen = sum(choice.has(id) for id in ids)

    async def choose_all() -> None:
        await sources.set(sources.value.with_group(kind, is_chosen=True))

    async def choose_none() -> None:
        await sources.set(sources.value.with_group(kind, is_chosen=False))

    async def choose(document_id: UUID, is_chosen: bool) -> None:
        await sources.set(sources.value.with_document(kind, document_id, is_chosen=is_chosen))

    return html.fieldset(
        {"className": "fw-stack"},
        html.legend({"className": "fw-strong"}, f"{kind.label} · ", t("{chosen} of {total}", chosen=chosen, total=len(ids))),
        row(
            button(
                t("Choose all"),
                size="small",
                variant="text",
                disabled=chosen == len(ids),
                on_click=choose_all,
                aria_label=t("Choose all: {kind}", kind=kind.label),
            ),
            button(
                t("Choose none"),
                size="small",
                variant="text",
                disabled=not chosen,
                on_click=choose_none,
                aria_label=t("Choose none: {kind}", kind=kind.label),
            ),
        )
        if len(ids) > 1
        else None,
        _listed(
            found,
            [
                row(
                    checkbox(
                        f"source-{document.id}",
                        document.title,
                        checked=choice.has(document.id),
                        on_change=partial(choose, document.id),
                        id=f"source-{document.id}",
                    ),
                    key=str(document.id),
                )
                for document in (found.value.items if found.value else ())
            ],
            lambda: set_count(_SHOWN_AT_MOST),
        ),
    )


@component
def _requirements(kind: DocumentKind, text: str) -> VdomDict:
    count, set_count = use_state(_SHOWN_AT_FIRST)
    found = _use_documents(kind, text, count)
    return html.div(
        {"className": "fw-stack"},
        html.h4(kind.label),
        _listed(
            found,
            [row(html.span(document.title), key=str(document.id)) for document in (found.value.items if found.value else ())],
            lambda: set_count(_SHOWN_AT_MOST),
        ),
    )


def _listed(found: Query[Page[DocumentRead]], rows: Sequence[VdomDict], show_more: Callable[[], None]) -> VdomDict:
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None:
        return loading(t("Loading documents"))
    more = found.value.total - len(rows)
    return stack(
        stack(*rows, tight=True),
        None if rows else html.p({"className": "fw-muted"}, t("No documents of this kind match.")),
        None
        if not more
        else button(nt("Show {n} more", "Show {n} more", more), size="small", variant="text", on_click=show_more)
        if len(rows) < _SHOWN_AT_MOST
        else html.p({"className": "fw-muted"}, nt("Search to find {n} more.", "Search to find {n} more.", more)),
    )
