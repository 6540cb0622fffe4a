"""Routes of facts."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.facts import service
from fundwright.facts.schemas import (
    FactCorrection,
    FactCounts,
    FactDecision,
    FactForm,
    FactQuery,
    FactRead,
    FactVersion,
    Organization,
)

router = APIRouter(prefix="/api/facts", tags=["facts"])


@router.get("")
async def list_facts(session: DbSession, actor: CurrentActor, query: Annotated[FactQuery, Query()]) -> Page[FactRead]:
    """List what documents state about the organization, and what people added: by default, what is to decide."""
    return await service.list_facts(session, actor, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_facts(export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[FactQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("organization-facts.csv", lambda session: service.export_facts(session, actor, core, query))


@router.get("/counts")
async def count_facts(session: DbSession, actor: CurrentActor) -> FactCounts:
    """Count the facts to decide of each kind, those that disagree, and the accepted ones."""
    return await service.count_facts(session, actor)


@router.get("/organization")
async def get_organization(session: DbSession, actor: CurrentActor) -> Organization:
    """Get what accepted facts state in a form that can be compared, such as NAICS codes. Fit uses it before the profile."""
    return await service.get_organization(session, actor)


@router.post("", status_code=status.HTTP_201_CREATED)
async def add_fact(session: DbSession, actor: CurrentActor, form: FactForm) -> FactRead:
    """Add a fact that no document states. It is accepted."""
    return await service.add_fact(session, actor, form)


@router.post("/decisions")
async def decide(session: DbSession, actor: CurrentActor, decision: FactDecision) -> list[FactVersion]:
    """Accept or reject facts, or take earlier decisions back with `proposed`. None may have been changed since `based_on`, the `changed_at` of
    the fact that you read. Otherwise, none is decided. Returns those whose decision changed, with which it can be taken back."""
    return await service.decide(session, actor, decision.facts, decision.decision)


@router.get("/{fact_id}")
async def get_fact(session: DbSession, actor: CurrentActor, fact_id: UUID) -> FactRead:
    return await service.get_fact(session, actor, fact_id)


@router.put("/{fact_id}")
async def correct(session: DbSession, actor: CurrentActor, fact_id: UUID, correction: FactCorrection) -> FactRead:
    """Accept a fact with other values. What its document states is kept beside them. It must not have been changed since `based_on`, the
    `changed_at` of the fact that you read."""
    return await service.correct(session, actor, fact_id, correction)


@router.delete("/{fact_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_fact(session: DbSession, actor: CurrentActor, client: RequestClient, fact_id: UUID) -> None:
    """Delete a fact that was added by hand, or whose document is deleted, for good. Others can be rejected."""
    await service.delete_fact(session, actor, fact_id, client=client)
