"""Drafts of the invented firms, written with the product's own code, and their scores."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.files import ReceivedFile
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftRead, DraftSectionRead, WriteDraft
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import ImportOpportunities
from fundwright.reading.kinds import DocumentKind
from fundwright.templates.builtin import TEMPLATES
from fundwright.templates.schemas import DraftTemplate
from fundwright.training import adding, runs
from tests.firms import Firm
from tests.opportunities.files import grants_file, grants_row, sam_file, sam_row

_NAME_WORDS = 4
_CITATION = re.compile(r"\s*\[\d+\]")


@dataclass(frozen=True)
class SectionScore:
    """`empty` counts questions that are wrongly listed as open, and `filled` counts gaps that are wrongly filled."""

    firm: str
    template: str
    heading: str
    facts: tuple[str, ...]
    missing: tuple[str, ...]
    forbidden: tuple[str, ...]
    claims: int
    foreign: tuple[str, ...]
    """Claims that are not in our documents."""
    empty: tuple[int, ...]
    filled: tuple[int, ...]
    questions: int
    gaps: int
    near: tuple[str, ...]
    """Labeled passages close to an answer, and those that are shown as possible matches."""
    near_shown: tuple[str, ...]
    shown: int


async def add_documents(core: Core, actor: Actor, firm: Firm) -> list[UUID]:
    """Add and train the documents of a firm, including notices. Training suggests their kinds."""
    ids: list[UUID] = []
    for filename in firm.kinds:
        received: ReceivedFile = await core.files.receive(_once(firm.path(filename).read_bytes()))
        async with core.database.transaction() as session:
            document = await adding.add_document(session, actor, core, received, filename=filename)
        ids.append(document.id)
    await runs.run_inline(core, actor, ids)
    return ids


async def add_opportunity(core: Core, actor: Actor, firm: Firm, folder: Path, *, notice: str = "") -> UUID:
    """`notice` is its text if its file is not a text."""
    told, notice = firm.opportunity, notice or firm.text(firm.opportunity["notice"])
    path = folder / f"{firm.name}-notice"
    if told["kind"] == "contract":
        source = "sam"
        path.write_bytes(
            sam_file(
                sam_row(
                    **{
                        "NoticeId": f"{abs(hash(firm.name)) % 10**8:032d}",
                        "Sol#": told["number"],
                        "Title": told["title"],
                        "Department/Ind.Agency": told["agency"],
                        "PrimaryContactFullname": told["contact"],
                        "Description": notice,
                    }
                )
            )
        )
    else:
        source = "grants"
        fields = (
            ("OpportunityNumber", told["number"]),
            ("OpportunityTitle", told["title"]),
            ("AgencyName", told["agency"]),
            ("GrantorContactText", told["contact"]),
            ("Description", notice.replace("&", "&amp;").replace("<", "&lt;")),
        )
        path.write_bytes(grants_file(grants_row(*fields)))
    async with core.database.transaction() as session:
        started = await opportunities.prepare_import(session, actor, core, source=source, filename=path.name)
    payload = ImportOpportunities(run_id=started.id, source=source, path=path)
    await core.jobs.run_inline(payload, title="test", owner_id=actor.id)
    async with core.database.transaction() as session:
        return (await opportunities.look_up(session, actor, told["number"])).id


async def draft(core: Core, actor: Actor, opportunity_id: UUID, template: DraftTemplate) -> DraftRead:
    async with core.database.transaction() as session:
        started = await generation.add_draft(session, actor, core, opportunity_id=opportunity_id, template=template.name)
    await core.jobs.run_inline(WriteDraft(draft_id=started.id), title="test", owner_id=actor.id)
    async with core.database.transaction() as session:
        return await generation.get_draft(session, actor, started.id)


def score(firm: Firm, written: DraftRead) -> list[SectionScore]:
    template = next(template for template in TEMPLATES if template.name == written.template)
    plans = {plan.heading: plan for plan in template.sections}
    scores: list[SectionScore] = []
    for section in written.sections:
        expected = firm.sections[written.template, section.heading]
        questions = plans[section.heading].questions
        opened = {
            place
            for place, question in enumerate(questions)
            if {question.missing, question.remaining} & {*section.open_questions}
        }
        gaps = set(range(len(questions))) if expected.gap else set(expected.gaps)
        scores.append(
            SectionScore(
                firm=firm.name,
                template=written.template,
                heading=section.heading,
                facts=expected.facts,
                missing=tuple(fact for fact in expected.facts if flat(fact) not in flat(section.text)),
                forbidden=tuple(text for text in (*firm.never, *expected.never) if flat(text) in flat(section.text)),
                claims=len(claims_of(section)),
                foreign=tuple(claim for claim in claims_of(section) if not _is_ours(firm, claim)),
                empty=tuple(sorted(opened - gaps)),
                filled=tuple(sorted(gaps - opened)),
                questions=len(questions),
                gaps=len(gaps),
                near=expected.near,
                near_shown=tuple(text for text in expected.near if text in {match.text for match in section.possible_matches}),
                shown=len(section.possible_matches),
            )
        )
    return scores


def claims_of(section: DraftSectionRead) -> list[str]:
    """The content of the section, quotation by quotation: table cells, items, and sentences."""
    claims: list[str] = []
    for line in section.text.splitlines():
        if "[" not in line:  # the heading of a table, or the greeting
            continue
        parts = [part for cell in line.strip("|").split(" | ") for part in re.split(r"(?:\s*\[\d+\])+", cell)]
        claims += [part.strip(" -*") for part in parts if len(part.split()) > 2]
    return claims


def _is_ours(firm: Firm, claim: str) -> bool:
    """Whether most of its words, in sequences of three, are in one of our documents."""
    texts = [firm.text(name) for name, kind in firm.kinds.items() if DocumentKind(kind).is_ours]
    ours = [_words(text) for text in texts]
    words = _words(claim)
    if len(words) <= _NAME_WORDS:
        # “Grace W. Mwangi” of “Mwangi, Grace W.”
        lines = [_words(line) for text in texts for line in text.splitlines()]
        return any(set(words) <= set(line) for line in lines) or any(
            f" {' '.join(words)} " in f" {' '.join(_words(text))} " for text in texts
        )
    triples = [" ".join(words[place : place + 3]) for place in range(len(words) - 2)] or [" ".join(words)]
    return max(sum(f" {triple} " in f" {' '.join(text)} " for triple in triples) / len(triples) for text in ours) >= 0.6


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def flat(text: str) -> str:
    """The text without citations, line breaks, and case, for comparisons."""
    return " ".join(_CITATION.sub("", text).split()).casefold()


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
