"""The suggested kinds of documents. The classifier is fitted to `developed.txt`, and not to `held_out.txt`."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import delete, update

from fundwright.accounts.schemas import Actor
from fundwright.asking import service as asking
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.facts import service as facts
from fundwright.facts.models import OrganizationFact
from fundwright.language.service import get_embedder
from fundwright.reading import kinds
from fundwright.reading.kinds import DocumentKind
from fundwright.training import jobs as training_jobs
from fundwright.training import runs, samples, service
from fundwright.training.chunking import ChunkedDocument
from fundwright.training.models import Document
from fundwright.training.schemas import FindFacts, ProposeKinds
from tests.firms import FIRMS, load_firm
from tests.support.accounts import add_account
from tests.training.conftest import AddFile

HERE = Path(__file__).with_name("kinds")
DATA = Path(__file__).resolve().parents[3] / "shared/data"
RFP = "Offerors shall submit a technical proposal. Proposals are due by June 14. The Government intends to award one contract."


def examples(name: str) -> list[tuple[DocumentKind, str, str]]:
    _, *parts = re.split(r"^=== (\w+) \| (.*)\n", (HERE / name).read_text(), flags=re.MULTILINE)
    return [(DocumentKind(kind), file, text) for kind, file, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)]


def wrong(documents: list[tuple[DocumentKind, str, str]]) -> list[str]:
    return [
        f"{filename}: {found}"
        for kind, filename, text in documents
        if (found := kinds.propose(title=filename.rpartition(".")[0], filename=filename, text=text)) != kind
    ]


@pytest.mark.parametrize("name", ["developed.txt", "held_out.txt"])
def test_eight_of_nine_documents_get_their_kind(name: str) -> None:
    documents = examples(name)
    assert {kind for kind, _, _ in documents} == set(DocumentKind)
    mistakes = wrong(documents)
    assert len(mistakes) <= len(documents) / 9, mistakes


def test_so_do_those_of_the_invented_firms() -> None:
    documents = [
        (DocumentKind(kind), name, firm.text(name)) for firm in map(load_firm, FIRMS) for name, kind in firm.kinds.items()
    ]
    mistakes = wrong(documents)
    assert len(mistakes) <= len(documents) / 10, mistakes


def test_six_of_seven_do_without_a_title_that_says_it() -> None:
    documents = [(kind, "document.txt", text) for kind, _, text in examples("held_out.txt")]
    mistakes = wrong(documents)
    assert len(mistakes) <= len(documents) / 7, mistakes


@pytest.mark.skipif(not DATA.exists(), reason="needs the real data")
@pytest.mark.slow
def test_real_abstracts_are_proposals_and_real_notices_notices() -> None:
    with gzip.open(DATA / "nih/reporter_projects.jsonl.gz", "rt") as file:
        projects = [json.loads(line) for line in file]
    with gzip.open(DATA / "sam/ContractOpportunitiesFullCSV.csv.gz", "rt", encoding="cp1252", errors="replace") as file:
        rows = [row for row in csv.DictReader(io.StringIO(file.read())) if len(row["Description"]) > 400][::60]
    posted = [json.loads(line) for line in (DATA / "nih/nih_posted.jsonl").read_text().splitlines()]
    proposals = [
        (DocumentKind.PREVIOUS_PROPOSAL, "notes.txt", each["abstract"]) for each in projects[::7] if each.get("abstract")
    ]
    notices = [(DocumentKind.NOTICE, "notes.txt", f"{row['Title']}\n\n{row['Description']}") for row in rows]
    notices += [
        (DocumentKind.NOTICE, "notes.txt", f"{each['title']}\n\n{each['abstract']}")
        for each in posted[::6]
        if each.get("abstract")
    ]
    for documents in (proposals, notices):
        mistakes = wrong(documents)
        assert len(mistakes) <= len(documents) / 10, mistakes


FUNDER = "The Harbor Community Fund of Tillson County {asks}. {gave} since 2018, $2.4 million in all. Grants of $40,000, July 2026 to June 2027."
PERFORMER = "{asked} the Alder Trust paid us $22,000 from July 2023 to June 2024. We ran an after-school program. {must} We hired two teachers."


@pytest.mark.parametrize(
    "gave", ["We have funded 61 projects", "The Fund has granted 61 awards", "61 schools were awarded grants"]
)
@pytest.mark.parametrize("asks", ["invites letters of inquiry", "issues this call for concept papers", "has LOIs due April 1"])
def test_what_a_funder_invites_is_not_ours_whatever_money_and_periods_it_names(asks: str, gave: str) -> None:
    assert not kinds.propose(title="spring", filename="spring.txt", text=FUNDER.format(asks=asks, gave=gave)).is_ours


@pytest.mark.parametrize("asked", ["After its request for proposals,", "As"])
@pytest.mark.parametrize("must", ["Teachers must have a license.", ""])
def test_praise_for_exceeding_the_request_makes_a_performer(asked: str, must: str) -> None:
    assert wrong([(DocumentKind.PAST_PERFORMANCE, "school.txt", PERFORMER.format(asked=asked, must=must))]) == []


async def test_a_run_proposes_the_kind_and_keeps_a_chosen_one(committed: Core, owner: Actor, add_file: AddFile) -> None:
    async with committed.database.transaction() as session:
        rfp = await add_file(session, owner, committed, RFP, "notes.txt")
    await runs.run_inline(committed, owner, [rfp.id])
    async with committed.database.transaction() as session:
        found = await service.get_document(session, owner, rfp.id)
        assert (found.kind, found.is_kind_chosen) == (DocumentKind.NOTICE, False)
        await service.choose_kind(session, owner, committed, rfp.id, DocumentKind.PREVIOUS_PROPOSAL)
    await runs.run_inline(committed, owner, [rfp.id])
    async with committed.database.transaction() as session:
        found = await service.get_document(session, owner, rfp.id)
        kinds = [
            await service.kinds_of(session, each, [rfp.id, uuid4()])
            for each in (owner, await add_account(session, "eve@example.org"))
        ]
    assert (found.kind, found.is_kind_chosen) == (DocumentKind.PREVIOUS_PROPOSAL, True)
    assert kinds == [{rfp.id: DocumentKind.PREVIOUS_PROPOSAL}, {}]


async def test_a_run_finds_the_date_and_keeps_a_chosen_one(committed: Core, owner: Actor, add_file: AddFile) -> None:
    async with committed.database.transaction() as session:
        old = await add_file(session, owner, committed, "About us\n\nlast edit 2013-02-11\n\nWe dig ponds.", "site.txt")
    await runs.run_inline(committed, owner, [old.id])
    async with committed.database.transaction() as session:
        found = await service.get_document(session, owner, old.id)
        assert (found.dated, found.dated_text, found.is_date_chosen) == (date(2013, 2, 11), "February 2013", False)
        await service.choose_date(session, owner, old.id, date(2014, 1, 1))
    await runs.run_inline(committed, owner, [old.id])
    async with committed.database.transaction() as session:
        found = await service.get_document(session, owner, old.id)
    assert (found.dated, found.dated_text, found.is_date_chosen) == (date(2014, 1, 1), "2014", True)


async def test_the_sample_has_its_kinds(committed: Core, owner: Actor) -> None:
    async with committed.database.transaction() as session:
        await samples.add_sample(session, owner, committed)
        (run,) = (await runs.list_runs(session, owner)).items
    await committed.jobs._run(run.job_id, reraise=True)
    async with committed.database.transaction() as session:
        documents = (await service.list_documents(session, owner)).items
    assert {document.title.removeprefix("Sample: "): document.kind for document in documents} == {
        "Capability statement": DocumentKind.ABOUT_US,
        "Data sheet Tideline": DocumentKind.DATA,
        "Notice water quality data platform": DocumentKind.NOTICE,
        "Past performance Northern Lakes network": DocumentKind.PAST_PERFORMANCE,
        "Past performance groundwater database": DocumentKind.PAST_PERFORMANCE,
        "Resume Marit Solberg": DocumentKind.RESUME,
        "Resume Tomas Okafor": DocumentKind.RESUME,
    }


CLIPPING = """Desert Courier, May 2, 2025
By Ines Albrecht, Staff Writer

YUMA, Ariz. - Saguaro Relay Services sold 40 consoles to the Navy for $2.1 million, the company announced on Thursday. It has
grown since 2019. "We can answer a call in four seconds," said manager Otto Brill. The Department of the Navy will use them in San Diego.
"""


def test_what_a_newspaper_writes_is_about_others() -> None:
    assert kinds.propose(title="clip", filename="clip.txt", text=CLIPPING) == DocumentKind.OTHERS


def test_a_list_of_machines_is_not_a_resume() -> None:
    text = "QTY   WHAT                      YR\n 4    walking foot, LU-1508      2008-2021\n 1    cutter, 72 in.             2019\n 9    double needle, LU-2828     2015\n"
    assert kinds.propose(title="machines", filename="machines.txt", text=text) == DocumentKind.DATA


def test_a_form_that_asks_for_the_name_of_the_offeror_asks_nothing_of_others() -> None:
    text = "PAST PERFORMANCE SHEET\n\nOfferor ....... Coldbrook Co.\nContract no. ....... SPE1C1-21-C-0094\nAmount ....... $1,412,000\n\nAll 46 lots passed.\n"
    assert kinds.propose(title="1", filename="1.txt", text=text) == DocumentKind.PAST_PERFORMANCE


def test_an_approach_with_a_table_of_service_levels_is_a_proposal() -> None:
    text = """Management and technical approach of Tidewater Systems

Transition

We transition a service desk in 60 days. A transition manager reports weekly.

Staffing

We fill vacancies within 21 days from a bench of 12 cleared engineers. Turnover was 6 percent in 2025.

Service level | Target | Achieved 2025

Priority 1 incident restored | 4 hours | 2.6 hours

Customer satisfaction | 4.5 of 5 | 4.7 of 5
"""
    assert kinds.propose(title="approach", filename="approach.docx", text=text) == DocumentKind.PREVIOUS_PROPOSAL


@pytest.mark.parametrize(
    ("kind", "is_ours", "answers_our_questions", "is_requirement"),
    [
        (DocumentKind.ABOUT_US, True, True, False),
        (DocumentKind.PAST_PERFORMANCE, True, True, False),
        (DocumentKind.RESUME, True, True, False),
        (DocumentKind.PREVIOUS_PROPOSAL, True, True, False),
        (DocumentKind.DATA, True, True, False),
        (DocumentKind.NOTICE, False, False, True),
        (DocumentKind.POLICY, False, False, True),
        (DocumentKind.INTERNAL, False, True, False),
        (DocumentKind.OTHERS, False, False, False),
    ],
)
def test_each_kind_has_its_uses(*, kind: DocumentKind, is_ours: bool, answers_our_questions: bool, is_requirement: bool) -> None:
    assert (kind.is_ours, kind.answers_our_questions, kind.is_requirement) == (is_ours, answers_our_questions, is_requirement)


async def test_internal_documents_answer_our_questions_and_those_about_others_do_not(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    said = {
        DocumentKind.OTHERS: "We have 1,200 employees in nineteen states.",
        DocumentKind.INTERNAL: "We have 31 employees, and two want to leave.",
    }
    async with committed.database.transaction() as session:
        added = {kind: (await add_file(session, owner, committed, text, f"{kind}.txt")).id for kind, text in said.items()}
        for kind, document_id in added.items():
            await service.choose_kind(session, owner, committed, document_id, kind)
    await runs.run_inline(committed, owner, list(added.values()))
    found = await asking.find_answers(committed, owner, "How many employees do we have?", embedder=await get_embedder(committed))
    assert [answer.document_id for answer in found.answers] == [added[DocumentKind.INTERNAL]]


async def test_a_document_whose_kind_is_chosen_has_the_facts_of_that_kind(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    text = "Jo Laskaris\nContracts Administrator\n24 years with the firm. Certified Professional Contracts Manager.\n"
    async with committed.database.transaction() as session:
        added = await add_file(session, owner, committed, text, "notes.txt")
        await service.choose_kind(session, owner, committed, added.id, DocumentKind.INTERNAL)
    await runs.run_inline(committed, owner, [added.id])

    async def names() -> list[str]:
        async with committed.database.transaction() as session:
            return [fact.title for fact in await facts.list_everything(session, owner)]

    assert await names() == []
    async with committed.database.transaction() as session:
        await service.choose_kind(session, owner, committed, added.id, DocumentKind.RESUME)
    await committed.jobs.run_inline(
        FindFacts(document_id=added.id), title="test", owner_id=owner.workspace_id, account_id=owner.id
    )
    assert await names() == ["Jo Laskaris"]


async def test_a_kind_that_is_chosen_while_the_document_is_read_has_its_facts_found_later(
    committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    divide = training_jobs.divide

    async def chosen_meanwhile(core: Core, content: bytes, filename: str, **options: Any) -> ChunkedDocument:
        async with core.database.transaction() as session:
            await service.choose_kind(session, owner, core, added.id, DocumentKind.INTERNAL)
        async with (
            core.database.transaction() as session
        ):  # that job runs before the document is trained, and finds nothing to read
            await session.execute(delete(jobs.Job).where(jobs.Job.kind == FindFacts.job_kind))
        return await divide(core, content, filename, **options)

    monkeypatch.setattr(training_jobs, "divide", chosen_meanwhile)
    async with committed.database.transaction() as session:
        added = await add_file(session, owner, committed, "Jo Laskaris\nContracts Administrator, MBA\n", "notes.txt")
    await runs.run_inline(committed, owner, [added.id])
    async with committed.database.transaction() as session:
        payload = FindFacts(document_id=added.id)
        assert await jobs.find_waiting(session, owner.workspace_id, kind=payload.job_kind, payload=payload)


async def test_a_document_whose_kind_is_proposed_later_has_the_facts_of_that_kind(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    text = "Jo Laskaris\n\nEducation\nMBA, 2001\n\nProfessional Experience\n2004 - present, Contracts Administrator\n"
    async with committed.database.transaction() as session:
        added = await add_file(session, owner, committed, text, "Resume Laskaris.txt")
    await runs.run_inline(committed, owner, [added.id])
    async with committed.database.transaction() as session:
        before = [fact.title for fact in await facts.list_everything(session, owner)]
        await session.execute(update(Document).values(kind=DocumentKind.ABOUT_US))
        await session.execute(delete(OrganizationFact))
    await committed.jobs.run_inline(ProposeKinds(), title="test", owner_id=None)
    async with committed.database.transaction() as session:
        assert [fact.title for fact in await facts.list_everything(session, owner)] == before == ["Jo Laskaris"]
