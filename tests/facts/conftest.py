"""Documents whose facts are given, and the team that decides about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.facts import service
from fundwright.facts.schemas import FactQuery, FactRead, FactState
from fundwright.reading.facts import Fact, FactField, FactKind, FactStatus
from fundwright.reading.kinds import DocumentKind
from fundwright.training import adding, jobs, restricting, runs
from fundwright.training.chunking import ChunkedDocument
from fundwright.workspaces.schemas import RestrictionForm
from tests.support.snapshots import Snapshots
from tests.support.teams import Team, team_of
from tests.training.conftest import pieces

Stated = tuple[FactKind, Mapping[str, str], FactStatus]


def employees(number: str, status: FactStatus = FactStatus.CURRENT) -> Stated:
    return FactKind.DETAIL, {"label": "Employees", "value": number}, status


def certified(name: str, status: FactStatus = FactStatus.CURRENT, **values: str) -> Stated:
    return FactKind.CERTIFICATION, {"name": name, **values}, status


def person(name: str, **values: str) -> Stated:
    return FactKind.PERSON, {"name": name, **values}, FactStatus.CURRENT


@dataclass
class Bench:
    """A team whose documents consist of one paragraph for each fact that they state."""

    team: Team
    stated: dict[str, Sequence[Stated]]

    async def add(
        self,
        name: str,
        *stated: Stated,
        actor: Actor | None = None,
        kind: DocumentKind = DocumentKind.ABOUT_US,
        is_restricted: bool = False,
    ) -> UUID:
        """Add a document, train it, and return its id."""
        by = actor or self.team.ada
        self.stated[f"{name}.md"] = stated
        content = "\n\n".join(["Harbor Works, Inc.", *map(_sentence, stated)])

        async def add(session: AsyncSession) -> UUID:
            received = await self.team.core.files.receive(pieces(f"# {name}\n\n{content}\n".encode()))
            added = await adding.add_document(
                session, by, self.team.core, received, filename=f"{name}.md", title=name, kind=kind, is_trained_later=False
            )
            if is_restricted:
                await restricting.restrict_document(session, by, self.team.core, added.id, RestrictionForm())
            return added.id

        document_id = await self.team.do(by, add)
        await self.train(document_id, actor=by)
        return document_id

    async def train(self, document_id: UUID, *, actor: Actor | None = None) -> None:
        by = actor or self.team.ada
        with acting_in(by.scope):
            await runs.run_inline(self.team.core, by, [document_id])

    async def states(self, name: str, document_id: UUID, *stated: Stated) -> None:
        """Read a document again, which now states these."""
        self.stated[f"{name}.md"] = stated
        await self.train(document_id)

    async def facts(self, actor: Actor | None = None, **query: object) -> list[FactRead]:
        by, wanted = actor or self.team.ada, FactQuery.model_validate(query)
        return (await self.team.do(by, lambda session: service.list_facts(session, by, wanted))).items

    async def shown(self, actor: Actor | None = None, **query: object) -> list[str]:
        """Facts, such as “Employees: 31”."""
        return [in_words(each.values) for each in await self.facts(actor, **query)]

    async def decide(self, decision: FactState, *facts: FactRead, actor: Actor | None = None) -> None:
        by, versions = actor or self.team.ada, [each.version for each in facts]
        await self.team.do(by, lambda session: service.decide(session, by, versions, decision))

    async def drafted(self, actor: Actor | None = None, document_ids: Sequence[UUID] | None = None) -> list[str]:
        by = actor or self.team.ada
        return [
            in_words(each.values)
            for each in await self.team.do(by, lambda session: service.for_drafts(session, by, document_ids))
        ]


def in_words(values: Mapping[FactField, str]) -> str:
    return ": ".join(values.values())


def _sentence(stated: Stated) -> str:
    return ": ".join(stated[1].values())


@pytest.fixture
async def bench(committed: Core, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(await team_of(committed, snapshots), {})
    divide = jobs.divide

    async def divide_and_state(
        core: Core, content: bytes, filename: str, *, title: str, kind: DocumentKind | None
    ) -> ChunkedDocument:
        chunked = await divide(core, content, filename, title=title, kind=kind)
        facts: list[Fact] = []
        for each in bench.stated.get(filename, ()):
            kind, values, status = each
            start = chunked.text.find(_sentence(each))
            end = start + len(_sentence(each)) if start >= 0 else 1
            named = {FactField(field): value for field, value in values.items()}
            facts.append(Fact(kind=kind, values=named, start=max(start, 0), end=end, status=status))
        return replace(chunked, facts=facts)

    monkeypatch.setattr(jobs, "divide", divide_and_state)
    return bench
