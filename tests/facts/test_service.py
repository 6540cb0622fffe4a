"""Facts: what is proposed, who decides, what survives reading again, and what drafts get."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, event, insert, text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.personal_data import DataFile
from fundwright.accounts.schemas import Actor
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core.database import now
from fundwright.core.errors import Conflict, Invalid, NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.core.scopes import acting_in
from fundwright.facts import service
from fundwright.facts.models import OrganizationFact
from fundwright.facts.personal_data import own_files
from fundwright.facts.schemas import FactCorrection, FactForm, FactQuery, FactRead, FactState, digest_of, key_of
from fundwright.generation.collecting import collect
from fundwright.language.service import get_embedder
from fundwright.opportunities import service as opportunities
from fundwright.reading.facts import FactField, FactKind, FactStatus
from fundwright.reading.kinds import DocumentKind
from fundwright.training import collecting, removing, restricting, samples, searching, versions
from fundwright.training import service as training
from fundwright.training.schemas import CollectionForm
from fundwright.trash import service as trash
from fundwright.workspaces import additions
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm
from tests.facts.conftest import Bench, certified, employees, in_words, person
from tests.generation.conftest import BRIEF

pytestmark = pytest.mark.security(51)

ACCEPTED, PROPOSED, REJECTED = FactState.ACCEPTED, FactState.PROPOSED, FactState.REJECTED


async def correct(bench: Bench, fact: FactRead, value: str, *, actor: Actor | None = None) -> FactRead:
    by = actor or bench.team.ada
    correction = FactCorrection(values={**fact.values, FactField.VALUE: value}, status=fact.status, based_on=fact.changed_at)
    return await bench.team.do(by, lambda session: service.correct(session, by, fact.id, correction))


async def add(bench: Bench, form: FactForm, *, actor: Actor | None = None) -> FactRead:
    by = actor or bench.team.ada
    return await bench.team.do(by, lambda session: service.add_fact(session, by, form))


async def counts(bench: Bench) -> tuple[dict[FactKind, int], int, int]:
    found = await bench.team.do(bench.team.vic, lambda session: service.count_facts(session, bench.team.vic))
    return dict(found.to_decide), found.disputed, found.accepted


EMPLOYEES = FactForm(kind=FactKind.DETAIL, values={FactField.LABEL: "Employees", FactField.VALUE: "31"})


class TestProposing:
    async def test_a_trained_document_proposes_what_it_states_with_the_place(self, bench: Bench) -> None:
        document_id = await bench.add("Capability statement", employees("31"), certified("8(a)", FactStatus.ENDED))
        number, certificate = await bench.facts()
        assert (number.title, number.values, number.state) == (
            "Employees",
            {FactField.LABEL: "Employees", FactField.VALUE: "31"},
            PROPOSED,
        )
        assert (number.document, number.document_id, number.record) == ("Capability statement", document_id, "Employees: 31")
        assert number.heading == ("Capability statement",)
        assert number.path.startswith(f"/dashboard/train/{document_id}?passage=") and "quotes=" in number.path
        assert certificate.status is FactStatus.ENDED

    async def test_a_long_list_of_values_of_one_thing_is_proposed_in_part(self, bench: Bench) -> None:
        await bench.add("Codes", *(employees(str(number)) for number in range(25)), person("Ann Ford"))
        assert len(await bench.shown(page_size=100)) == 21

    async def test_the_same_fact_is_proposed_once_until_it_is_decided(self, bench: Bench) -> None:
        await bench.add("First", employees("31"), employees("31"))
        await bench.add("Second", employees("31"))
        (fact,) = await bench.facts()
        assert fact.document == "First"
        await bench.decide(ACCEPTED, fact)
        assert await bench.shown() == []
        await bench.add("Third", employees("31"))
        assert await bench.shown() == []

    async def test_reading_again_keeps_decisions_and_replaces_proposals(self, bench: Bench) -> None:
        document_id = await bench.add("Letter", employees("31"), certified("8(a)"), person("Ann Ford"), person("Old Name"))
        taken, refused, kept, _ = await bench.facts()
        await bench.decide(ACCEPTED, taken)
        await bench.decide(REJECTED, refused)
        await bench.states("Letter", document_id, employees("31"), certified("8(a)"), person("Ann Ford"), person("New Name"))
        assert await bench.shown() == ["Ann Ford", "New Name"]
        assert (await bench.facts())[0].id == kept.id
        assert await bench.shown(state="accepted") == ["Employees: 31"]
        assert await bench.shown(state="rejected") == ["8(a)"]

    async def test_a_corrected_fact_is_not_proposed_again(self, bench: Bench) -> None:
        document_id = await bench.add("Letter", employees("31"))
        await correct(bench, (await bench.facts())[0], "32")
        await bench.states("Letter", document_id, employees("31"))
        await bench.add("Copy", employees("31"))
        assert await bench.shown() == []
        (fact,) = await bench.facts(state="accepted")
        assert fact.values[FactField.VALUE] == "32" and fact.record == "Employees: 31"
        await bench.add("Later", employees("32"))
        assert await bench.shown() == []

    async def test_an_accepted_fact_that_is_no_longer_stated_loses_its_place_alone(self, bench: Bench) -> None:
        document_id = await bench.add("Letter", employees("31"))
        await bench.decide(ACCEPTED, *(await bench.facts()))
        await bench.states("Letter", document_id)
        (fact,) = await bench.facts(state="accepted")
        assert fact.path == f"/dashboard/train/{document_id}" and fact.record == "Employees: 31"
        await bench.states("Letter", document_id, employees("31"))
        assert "passage=" in (await bench.facts(state="accepted"))[0].path


class TestTrash:
    async def test_proposals_come_and_go_with_their_document_and_accepted_facts_stay(self, bench: Bench) -> None:
        team = bench.team
        document_id = await bench.add("Letter", employees("31"), certified("8(a)"))
        accepted, _ = await bench.facts()
        await bench.decide(ACCEPTED, accepted)
        await team.do(team.ada, lambda session: removing.remove_document(session, team.ada, document_id))
        assert await bench.shown() == []
        (kept,) = await bench.facts(state="accepted")
        assert (kept.document_id, kept.document, kept.path) == (None, "", "")
        await team.do(team.ada, lambda session: trash.restore(session, team.ada, team.core, document_id))
        assert await bench.shown() == ["8(a)"]
        assert (await bench.facts(state="accepted"))[0].document == "Letter"
        await team.do(team.ada, lambda session: removing.remove_document(session, team.ada, document_id))
        await team.do(team.ada, lambda session: trash.empty(session, team.ada, team.core))
        everything = await team.do(team.ada, lambda session: service.list_everything(session, team.ada))
        assert [each.title for each in everything] == ["Employees"]

    async def test_a_replaced_document_proposes_nothing(self, bench: Bench) -> None:
        team = bench.team
        old, new = await bench.add("Old", employees("12")), await bench.add("New", person("Ann Ford"))
        await team.do(team.ada, lambda session: versions.replace(session, team.ada, team.core, old, new))
        assert await bench.shown() == ["Ann Ford"]
        await team.do(team.ada, lambda session: versions.bring_back(session, team.ada, old))
        assert await bench.shown() == ["Employees: 12", "Ann Ford"]

    async def test_accepted_facts_of_the_sample_leave_with_it(self, bench: Bench) -> None:
        team = bench.team
        bench.stated["Sample.md"] = (employees("31"),)
        async with team.core.database.transaction() as session:
            await samples.add_sample(session, team.eve, team.core)
        found = await team.do(team.eve, lambda session: training.list_documents(session, team.eve))
        bench.stated[found.items[0].filename] = (employees("31"),)
        await bench.train(found.items[0].id, actor=team.eve)
        (fact,) = await bench.facts(team.eve)
        await bench.decide(ACCEPTED, fact, actor=team.eve)
        assert await bench.drafted(team.eve) == ["Employees: 31"]
        await bench.add("Own", person("Ann Ford"), actor=team.eve)
        assert await bench.drafted(team.eve) == ["Ann Ford"]
        await team.do(team.eve, lambda session: samples.remove_sample(session, team.eve, team.core))
        assert [each.title for each in await team.do(team.eve, lambda session: service.list_everything(session, team.eve))] == [
            "Ann Ford"
        ]


class TestRestricted:
    async def test_others_find_nothing_of_a_restricted_document(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Secret", employees("31"), is_restricted=True)
        (fact,) = await bench.facts()
        await bench.decide(ACCEPTED, fact)
        assert await bench.drafted() == ["Employees: 31"]
        for state in ("all", *FactState):
            assert await bench.shown(team.bob, state=state) == []
        assert await bench.drafted(team.bob) == []
        assert await team.do(team.bob, lambda session: service.list_everything(session, team.bob)) == []
        with pytest.raises(NotFound):
            await team.do(team.bob, lambda session: service.get_fact(session, team.bob, fact.id))
        with pytest.raises(service.FactsChangedMeanwhile):
            await bench.decide(REJECTED, fact, actor=team.bob)
        with pytest.raises(NotFound):
            await correct(bench, fact, "1", actor=team.bob)

    async def test_decisions_about_it_hide_no_proposal_from_others(self, bench: Bench) -> None:
        await bench.add("Secret", employees("31"), is_restricted=True)
        await bench.decide(REJECTED, *(await bench.facts()))
        await bench.add("Public", employees("31"), actor=bench.team.bob)
        assert await bench.shown(bench.team.bob) == ["Employees: 31"]
        assert await bench.shown() == []

    async def test_accepted_facts_of_it_do_not_outlive_it(self, bench: Bench) -> None:
        team = bench.team
        document_id = await bench.add("Secret", employees("31"), is_restricted=True)
        await bench.decide(ACCEPTED, *(await bench.facts()))
        await team.do(team.ada, lambda session: removing.remove_document(session, team.ada, document_id))
        await team.do(team.ada, lambda session: trash.empty(session, team.ada, team.core))
        for actor in (team.ada, team.bob):
            assert await team.do(actor, lambda session, actor=actor: service.list_everything(session, actor)) == []

    @pytest.mark.parametrize("is_in_collection", [False, True])
    async def test_a_draft_uses_its_accepted_facts_only_if_it_can_cite_them(
        self, bench: Bench, *, is_in_collection: bool
    ) -> None:
        team, core = bench.team, bench.team.core
        secret = await bench.add("Secret", employees("31"), is_restricted=not is_in_collection)
        public = await bench.add("Public", person("Ann Ford"))
        if is_in_collection:
            form = CollectionForm(name="Bids")
            bids = (await team.do(team.ada, lambda session: collecting.create(session, team.ada, form))).id
            await team.do(team.ada, lambda session: collecting.restrict(session, team.ada, core, bids, RestrictionForm()))
            await team.do(team.ada, lambda session: restricting.move_document(session, team.ada, core, secret, bids))
        await bench.decide(ACCEPTED, *(await bench.facts()))
        assert await bench.drafted() == ["Employees: 31", "Ann Ford"]
        assert await bench.drafted(document_ids=[public]) == ["Ann Ford"]
        assert await bench.drafted(document_ids=[secret]) == ["Employees: 31", "Ann Ford"]
        await bench.states("Secret", secret)
        assert await bench.drafted() == ["Ann Ford"]

    async def test_a_draft_that_leaves_it_out_uses_none_of_its_accepted_facts(self, bench: Bench) -> None:
        team, core = bench.team, bench.team.core
        await bench.add("Secret", employees("31"), is_restricted=True)
        await bench.add("Public", employees("31"), certified("Held by Kestrel Piers LLC"))
        await bench.decide(ACCEPTED, *(await bench.facts()))
        chosen = await team.opportunity_id()
        opportunity = await team.do(team.ada, lambda session: opportunities.get_opportunity(session, team.ada, chosen))

        async def used(company: str) -> list[str]:
            with acting_in(team.ada.scope):
                embedder = await get_embedder(core)
                material = await collect(core, team.ada, BRIEF.sections[0], opportunity, embedder, company=company)
            return [in_words(fact.values) for fact in material.facts]

        assert await used("Harbor Works, Inc.") == ["Employees: 31", "Held by Kestrel Piers LLC"]
        assert await used("Kestrel Piers LLC") == ["Held by Kestrel Piers LLC"]

    async def test_who_may_only_view_it_changes_nothing_that_it_states(self, bench: Bench) -> None:
        team, core = bench.team, bench.team.core
        secret = await bench.add("Secret", employees("31"), is_restricted=True)
        for access, is_refused in ((Access.VIEW, True), (Access.COMMENT, True), (Access.EDIT, False)):
            form = RestrictionForm(members=(ChosenMember(account_id=team.bob.id, access=access),))
            await team.do(
                team.ada, lambda session, form=form: restricting.restrict_document(session, team.ada, core, secret, form)
            )
            (fact,) = await bench.facts(team.bob)
            assert fact.is_view_only is is_refused
            with pytest.raises(NotAllowed) if is_refused else nullcontext():
                await bench.decide(ACCEPTED, fact, actor=team.bob)
            with pytest.raises(NotAllowed) if is_refused else nullcontext():
                await correct(bench, (await bench.facts(team.bob, state="all"))[0], "32", actor=team.bob)


class TestDeciding:
    async def test_in_bulk_and_back(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"), certified("8(a)"), person("Ann Ford"))
        facts = await bench.facts()
        await bench.decide(ACCEPTED, *facts, actor=bench.team.bob)
        accepted = await bench.facts(state="accepted")
        assert {each.decided_by for each in accepted} == {"Bob"} and len(accepted) == 3
        assert await counts(bench) == ({}, 0, 3)
        await bench.decide(PROPOSED, *accepted)
        assert await counts(bench) == ({FactKind.DETAIL: 1, FactKind.CERTIFICATION: 1, FactKind.PERSON: 1}, 0, 0)

    async def test_two_people_do_not_overwrite_each_other(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"), person("Ann Ford"))
        number, ann = await bench.facts()
        await bench.decide(REJECTED, number, actor=bench.team.bob)
        with pytest.raises(service.FactsChangedMeanwhile):
            await bench.decide(ACCEPTED, ann, number)
        assert await bench.shown(state="accepted") == []  # all or nothing
        await bench.decide(REJECTED, number)  # the same decision again
        with pytest.raises(service.FactsChangedMeanwhile):
            await bench.decide(ACCEPTED, *(await bench.facts(state="rejected")), ann.model_copy(update={"id": bench.team.ada.id}))

    @pytest.mark.parametrize("expires", ["banana", "soon", "FY2025", "2025-13-45"])
    async def test_what_expires_on_no_date_is_refused(self, bench: Bench, expires: str) -> None:
        values = {FactField.NAME: "HUBZone", FactField.EXPIRES: expires}
        with pytest.raises(Invalid, match="Enter a date such as"):
            await add(bench, FactForm(kind=FactKind.CERTIFICATION, values=values))
        values[FactField.EXPIRES] = "06/30/2027"
        added = await add(bench, FactForm(kind=FactKind.CERTIFICATION, values=values))
        with pytest.raises(Invalid, match="Enter a date such as"):
            await bench.team.do(
                bench.team.ada,
                lambda session: service.correct(
                    session,
                    bench.team.ada,
                    added.id,
                    FactCorrection(
                        values=values | {FactField.EXPIRES: expires}, status=FactStatus.CURRENT, based_on=added.changed_at
                    ),
                ),
            )

    async def test_accepting_what_was_corrected_since_accepts_nothing_unseen(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"))
        (read,) = await bench.facts()
        await correct(bench, read, "32", actor=bench.team.bob)
        with pytest.raises(service.FactsChangedMeanwhile):
            await bench.decide(ACCEPTED, read)

    async def test_a_correction_that_was_taken_back_is_a_change_too(self, bench: Bench) -> None:
        team = bench.team
        read = await add(bench, EMPLOYEES)
        corrected = await correct(bench, read, "32", actor=team.bob)
        await bench.decide(PROPOSED, corrected, actor=team.bob)
        with pytest.raises(service.FactsChangedMeanwhile):
            await bench.decide(ACCEPTED, read)
        with pytest.raises(service.FactChangedMeanwhile):
            await correct(bench, read, "33")
        (proposed,) = await bench.facts()
        await bench.decide(ACCEPTED, proposed)
        await bench.decide(PROPOSED, *(await bench.facts(state="accepted")))
        with pytest.raises(service.FactsChangedMeanwhile):
            await bench.decide(REJECTED, proposed)

    async def test_a_correction_keeps_what_the_document_states(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"))
        fact = await correct(bench, (await bench.facts())[0], "32")
        assert (fact.state, fact.is_corrected, fact.values[FactField.VALUE]) == (ACCEPTED, True, "32")
        assert fact.read_values and fact.read_values[FactField.VALUE] == "31"
        with pytest.raises(service.FactChangedMeanwhile):
            await correct(bench, fact.model_copy(update={"changed_at": fact.created_at}), "33", actor=bench.team.bob)
        again = await correct(bench, fact, "31")
        assert (again.is_corrected, again.read_values) == (False, None)
        await bench.decide(PROPOSED, await correct(bench, again, "40"))
        assert await bench.shown() == ["Employees: 31"]

    async def test_reviewers_and_viewers_only_read(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"))
        (fact,) = await bench.facts()
        for actor in (bench.team.rae, bench.team.vic):
            assert await bench.shown(actor) == ["Employees: 31"]
            for attempt in (
                bench.decide(ACCEPTED, fact, actor=actor),
                correct(bench, fact, "32", actor=actor),
                add(bench, EMPLOYEES, actor=actor),
            ):
                with pytest.raises(NotAllowed):
                    await attempt

    async def test_appears_in_the_activity_without_naming_facts(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"))
        await bench.decide(ACCEPTED, *(await bench.facts()))
        team = bench.team
        with using_language("en"):
            found = await team.do(team.vic, lambda session: activity.list_activity(session, team.vic, team.core, ActivityQuery()))
        assert found.items[0].sentence == "Ada checked facts of the organization"


class TestAdding:
    async def test_adds_an_accepted_fact_once_and_deletes_it(self, bench: Bench) -> None:
        form = EMPLOYEES.model_copy(update={"key": "a1"})
        fact = await add(bench, form)
        assert (await add(bench, form)).id == fact.id
        assert (fact.state, fact.is_added, fact.decided_by) == (ACCEPTED, True, "Ada")
        team = bench.team
        await team.do(team.bob, lambda session: service.delete_fact(session, team.bob, fact.id))
        assert await bench.shown(state="all") == []

    async def test_only_what_people_added_counts_towards_the_limit(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(additions, "MOST_ADDED", 1)
        await bench.add("Letter", employees("12"), person("Ann Ford"))
        await add(bench, EMPLOYEES)
        with pytest.raises(Conflict, match=r"at most 1 facts that people added\. Delete some"):
            await add(bench, EMPLOYEES)

    async def test_what_was_added_and_then_changed_is_not_proposed(self, bench: Bench) -> None:
        fact = await correct(bench, await add(bench, EMPLOYEES), "32")
        assert not fact.is_corrected
        await bench.add("Letter", employees("32"))
        assert await bench.shown() == []

    async def test_what_a_document_states_is_rejected_instead_of_deleted(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"))
        (fact,) = await bench.facts()
        with pytest.raises(Conflict):
            await bench.team.do(bench.team.ada, lambda session: service.delete_fact(session, bench.team.ada, fact.id))

    @pytest.mark.parametrize(
        "values",
        [{}, {FactField.LABEL: " "}, {FactField.LABEL: "\u200b"}, {FactField.ROLE: "of another kind"}],
    )
    async def test_refuses_what_states_nothing(self, bench: Bench, values: dict[FactField, str]) -> None:
        with pytest.raises(Invalid):
            await add(bench, FactForm(kind=FactKind.DETAIL, values=values))
        await bench.add("Letter", employees("31"))
        (fact,) = await bench.facts()
        correction = FactCorrection(values=values, based_on=fact.changed_at)
        with pytest.raises(Invalid):
            await bench.team.do(bench.team.ada, lambda session: service.correct(session, bench.team.ada, fact.id, correction))


class TestDisagreeing:
    @pytest.mark.parametrize(
        ("first", "second", "is_disputed"),
        [
            (employees("31"), employees("12"), True),
            (employees("31"), (FactKind.DETAIL, {"label": "EMPLOYEES", "value": "31"}, FactStatus.CURRENT), False),
            (employees("31"), employees("31", FactStatus.OF_OTHERS), False),
            (employees("31"), employees("5,000", FactStatus.OF_OTHERS), False),
            (certified("8(a)"), certified("8(a)", FactStatus.ENDED), True),
            (certified("8(a)"), certified("8(a)", expires="2027"), False),
            (certified("8(a)", expires="2026"), certified("8(a)", expires="2027"), True),
            (certified("8(a)"), certified("WOSB"), False),
            (person("Ann Ford", role="Manager"), person("Ann Ford", qualifications="PMP"), False),
            (person("Ann Ford", qualifications="10 years"), person("Ann Ford", qualifications="PMP"), False),
            (person("Ann Ford", role="Manager"), person("Ann Ford", role="Director"), True),
        ],
    )
    async def test_facts_about_the_same_thing_disagree(
        self, bench: Bench, first: object, second: object, is_disputed: bool
    ) -> None:
        await bench.add("First", first)  # pyrefly: ignore
        await bench.add("Second", second)  # pyrefly: ignore
        assert len(await bench.facts(is_disputed=True)) == (2 if is_disputed else 0)
        assert len(await bench.facts(is_disputed=False)) == (0 if is_disputed else 2)
        assert (await counts(bench))[1] == (2 if is_disputed else 0)

    async def test_accepting_one_answer_hides_its_rivals_until_it_is_taken_back(self, bench: Bench) -> None:
        await bench.add("2026", employees("31"))
        await bench.add("2018", employees("12"))
        (right,) = [each for each in await bench.facts() if each.values[FactField.VALUE] == "31"]
        await bench.decide(ACCEPTED, right)
        assert await bench.shown(state="all") == ["Employees: 31"]
        assert await bench.shown(is_disputed=True) == []
        await bench.decide(PROPOSED, *(await bench.facts(state="accepted")))
        assert await bench.shown() == ["Employees: 31", "Employees: 12"]

    async def test_what_a_later_document_states_is_shown_beside_what_was_accepted(self, bench: Bench) -> None:
        await bench.add("2018", employees("12"))
        await bench.decide(ACCEPTED, *(await bench.facts()))
        await bench.add("2026", employees("31"))
        assert await bench.shown(is_disputed=True) == ["Employees: 12", "Employees: 31"]
        assert await bench.drafted() == ["Employees: 12"]


class TestForDrafts:
    async def test_accepted_facts_come_first_and_then_current_proposals_of_our_documents(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"), certified("8(a)", FactStatus.ENDED), person("Ann Ford"), person("Bo"))
        await bench.add("Notice", person("Officer"), kind=DocumentKind.NOTICE)
        facts = {each.title: each for each in await bench.facts()}
        await bench.decide(ACCEPTED, facts["Ann Ford"])
        await bench.decide(REJECTED, facts["Bo"])
        assert await bench.drafted() == ["Ann Ford", "Employees: 31"]

    async def test_an_accepted_fact_hides_what_disagrees_and_is_itself_used_only_if_it_is_current(self, bench: Bench) -> None:
        await bench.add("New", certified("8(a)", FactStatus.ENDED))
        await bench.add("Old", certified("8(a)"), employees("12"))
        assert await bench.drafted() == ["Employees: 12", "8(a)"]
        (ended,) = await bench.facts(status="ended")
        await bench.decide(ACCEPTED, ended)
        assert await bench.drafted() == ["Employees: 12"]

    async def test_are_cited_only_where_a_draft_searches(self, bench: Bench) -> None:
        first = await bench.add("First", employees("31"))
        second = await bench.add("Second", person("Ann Ford"), certified("8(a)"))
        await bench.decide(ACCEPTED, *(await bench.facts(kind="detail")))
        team = bench.team
        found = await team.do(team.ada, lambda session: service.for_drafts(session, team.ada, [second]))
        assert [(each.kind, each.is_accepted, each.document_id) for each in found] == [
            (FactKind.DETAIL, True, None),
            (FactKind.CERTIFICATION, False, second),
            (FactKind.PERSON, False, second),
        ]
        (text,) = [each.text for each in await searching.read_documents(team.core, team.ada) if each.id == second]
        assert text[found[1].start : found[1].end] == "8(a)"
        assert await bench.drafted(document_ids=[first]) == ["Employees: 31"]

    async def test_says_what_is_disputed_and_what_was_corrected(self, bench: Bench) -> None:
        await bench.add("2026", employees("31"), person("Ann Ford"))
        await bench.add("2018", employees("12"))
        team = bench.team
        (ann,) = await bench.facts(kind="person")
        correction = FactCorrection(values={FactField.NAME: "Anne Ford"}, based_on=ann.changed_at)
        await team.do(team.ada, lambda session: service.correct(session, team.ada, ann.id, correction))
        found = await team.do(team.ada, lambda session: service.for_drafts(session, team.ada))
        assert [(each.is_disputed, each.is_corrected) for each in found] == [(False, True), (True, False), (True, False)]


class TestList:
    async def test_filters_and_orders(self, bench: Bench) -> None:
        letter = await bench.add("Letter", person("Ann Ford", role="Manager"), certified("8(a)", FactStatus.PLANNED))
        await bench.add("Other", employees("31"))
        assert await bench.shown() == ["Employees: 31", "8(a)", "Ann Ford: Manager"]
        assert await bench.shown(sort="-title") == ["Employees: 31", "Ann Ford: Manager", "8(a)"]
        assert await bench.shown(kind="person") == ["Ann Ford: Manager"]
        assert await bench.shown(status="planned") == ["8(a)"]
        assert await bench.shown(document=letter) == ["8(a)", "Ann Ford: Manager"]
        assert await bench.shown(text="manag") == ["Ann Ford: Manager"]
        assert await bench.shown(text="label") == []
        assert await bench.shown(page=2, page_size=1) == ["8(a)"]

    async def test_exports_all_values(self, bench: Bench) -> None:
        await bench.add("Letter", person("Ann Ford", role="Manager"))
        team = bench.team

        async def exported(session: AsyncSession) -> str:
            with using_language("en"):
                return "".join([line async for line in service.export_facts(session, team.vic, team.core, FactQuery())])

        header, line = (await team.do(team.vic, exported)).strip().splitlines()
        assert "Kind,Field,Value,Name,Role" in header
        assert "Ann Ford,Manager" in line and "To decide" in line and "Letter" in line

    async def test_nobody_else_finds_them(self, bench: Bench) -> None:
        await bench.add("Letter", employees("31"))
        (fact,) = await bench.facts()
        assert await bench.facts(bench.team.eve, state="all") == []
        with pytest.raises(service.FactsChangedMeanwhile):
            await bench.decide(ACCEPTED, fact, actor=bench.team.eve)


@pytest.mark.parametrize(
    ("kind", "values", "key"),
    [
        (FactKind.DETAIL, {FactField.LABEL: "NAICS  Code:", FactField.VALUE: "541611"}, "naics code"),
        (FactKind.PROJECT, {FactField.CUSTOMER: "City of Reno"}, "city of reno"),
        (FactKind.PERSON, {FactField.NAME: "Ána O’Neil, PhD"}, "ána o neil phd"),
    ],
)
def test_the_key_is_what_names_a_fact_in_lower_case_words(kind: FactKind, values: dict[FactField, str], key: str) -> None:
    assert key_of(kind, values) == key


async def test_are_part_of_a_copy_of_personal_data(bench: Bench) -> None:
    await bench.add("Letter", employees("31"))

    async def files(session: AsyncSession) -> list[DataFile]:
        return [each async for each in own_files(session, bench.team.ada, bench.team.core)]

    (file,) = await bench.team.do(bench.team.ada, files)
    assert b"Employees" in bytes(file.content)


class TestExpiry:
    async def test_a_certification_ends_with_its_date_without_being_read_again(self, bench: Bench) -> None:
        lapsed, held = certified("HUBZone", expires="June 2026"), certified("WOSB", expires="June 2126")
        await bench.add("statement", lapsed, held)
        found = {fact.title: fact for fact in await bench.facts()}
        assert {title: fact.status for title, fact in found.items()} == {
            "HUBZone": FactStatus.ENDED,
            "WOSB": FactStatus.CURRENT,
        }
        assert await bench.drafted() == ["WOSB: June 2126"]
        await bench.decide(ACCEPTED, *found.values())
        assert await bench.drafted() == ["WOSB: June 2126"]
        organization = await bench.team.do(bench.team.ada, lambda session: service.get_organization(session, bench.team.ada))
        assert (organization.certifications, organization.not_held) == (("WOSB",), ("HUBZone",))


class TestManyAboutTheSame:
    async def test_no_query_looks_at_pairs_of_them(self, bench: Bench) -> None:
        """Although the database expects few, because it has no statistics of them."""
        team, ada, count, added_at = bench.team, bench.team.ada, 400, now()
        facts: list[dict[str, object]] = []
        for number in range(count):
            values = {FactField.LABEL: "Employees", FactField.VALUE: str(number)}
            fact: dict[str, object] = {
                "owner_id": ada.workspace_id,
                "kind": FactKind.DETAIL,
                "key": "employees",
                "values": values,
            }
            digest = digest_of(FactKind.DETAIL, values, FactStatus.CURRENT)
            is_accepted = number % 2
            decision = {"state": ACCEPTED if is_accepted else PROPOSED, "decided_at": added_at if is_accepted else None}
            facts.append(fact | decision | {"digest": digest, "created_at": added_at})
        await team.do(ada, lambda session: session.execute(insert(OrganizationFact), facts))
        for query in (
            lambda session: service.list_facts(session, ada, FactQuery(is_disputed=True)),
            lambda session: service.count_facts(session, ada),
            lambda session: service.for_drafts(session, ada),
        ):
            rows = await team.do(ada, partial(rows_read_by, query=query))
            assert count < rows < 100 * count


async def rows_read_by(session: AsyncSession, query: Callable[[AsyncSession], Awaitable[object]]) -> int:
    """How many rows all steps of the plans look at of the statements about facts."""
    connection, sent = await session.connection(), list[tuple[str, Any]]()

    def note(_connection: Connection, _cursor: object, statement: str, parameters: Any, *_others: object) -> None:
        if "FROM organization_fact" in statement:
            sent.append((statement, parameters))

    event.listen(connection.sync_connection, "before_cursor_execute", note)
    await query(session)
    event.remove(connection.sync_connection, "before_cursor_execute", note)
    plans = [
        (await connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)).scalar_one()
        for statement, parameters in sent
    ]
    return sum(_rows_of(plan[0]["Plan"]) for plan in plans)


def _rows_of(step: Mapping[str, Any]) -> int:
    read = sum(step.get(name, 0) for name in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter"))
    return read * step["Actual Loops"] + sum(map(_rows_of, step.get("Plans", ())))


class TestStatistics:
    @pytest.mark.parametrize(("count", "are_refreshed"), [(99, False), (100, True)])
    async def test_many_new_facts_are_planned_for_at_once(self, bench: Bench, count: int, *, are_refreshed: bool) -> None:
        await bench.add("statement", *(certified(f"ISO {number}") for number in range(count)))
        async with bench.team.core.database.transaction() as session:
            known = await session.scalar(text("SELECT reltuples FROM pg_class WHERE relname = 'organization_fact'"))
        assert (known == count) is are_refreshed

    async def test_a_page_behind_the_last_one_still_counts_all(self, bench: Bench) -> None:
        await bench.add("statement", certified("HUBZone"), certified("WOSB"))
        ada = bench.team.ada
        query = FactQuery(page=3, page_size=1)
        page = await bench.team.do(ada, lambda session: service.list_facts(session, ada, query))
        assert (page.items, page.total) == ([], 2)
