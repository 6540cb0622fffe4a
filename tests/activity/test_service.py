"""What people did in a workspace is recorded once, in the transaction that did it, and read in the reader's language."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import repository, service
from fundwright.activity.models import Activity
from fundwright.activity.personal_data import own_files
from fundwright.activity.schemas import KEPT, ActivityKind, ActivityQuery, ActivityRead, Combining, Subject
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryChange, CategoryCreate
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict
from fundwright.core.messages import later, using_language
from fundwright.core.scopes import acting_in
from fundwright.generation import editing
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftRead, DraftTitle, ExportFormat, NewSection, SectionSave
from fundwright.opportunities import service as opportunities
from fundwright.training import removing
from fundwright.training import service as training
from fundwright.training.schemas import DocumentTitle
from fundwright.trash import service as trash
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import WorkspaceForm
from tests.support.accounts import add_account
from tests.support.scopes import INSTALLATION
from tests.workspaces.test_service import add_text, bob, create, delete_account, do, member

__all__ = ["bob"]

pytestmark = pytest.mark.security(49)

NOTED = ActivityKind("test.noted", later("Noted"), later("{person} noted “{subject}”"), combining=Combining.SOON)


async def entries(core: Core, actor: Actor, **query: object) -> list[ActivityRead]:
    wanted = ActivityQuery.model_validate(query)
    return (await do(core, lambda session: service.list_activity(session, actor, core, wanted))).items


async def sentences(core: Core, actor: Actor, **query: object) -> list[str]:
    return [entry.sentence for entry in await entries(core, actor, **query)]


async def started(core: Core, actor: Actor) -> DraftRead:
    await do(core, opportunities.load_sample_once)
    async with core.database.transaction() as session:
        notice = (await opportunities.suggest(session, actor, ""))[0].id
        return await generation.add_draft(session, actor, core, opportunity_id=notice, template="capability-statement")


async def noted(core: Core, actor: Actor, subject: Subject) -> None:
    await do(core, lambda session: service.record(session, actor, NOTED, subject))


async def age(core: Core, by: timedelta) -> None:
    async with core.database.transaction(scope=INSTALLATION) as session:
        await session.execute(update(Activity).values(at=Activity.at - by))


class TestRecorded:
    async def test_documents(self, committed: Core, ada: Actor) -> None:
        id = await add_text(committed, ada)
        async with committed.database.transaction() as session:
            for title in ("Ferries", "Barges"):
                await training.rename_document(session, ada, id, DocumentTitle(title=title))
            await removing.remove_document(session, ada, id)
        trashed = await entries(committed, ada, subject_id=id)
        assert {(entry.kind, entry.path) for entry in trashed} >= {("document.added", f"/dashboard/trash?open={id}")}
        async with committed.database.transaction() as session:
            await trash.restore(session, ada, committed, id)
            await removing.remove_document(session, ada, id)
            await trash.delete_forever(session, ada, committed, id)
        expected = [
            "Ada Lovelace added the document “Barges”",
            "Ada Lovelace renamed the document “Boats” to “Ferries”",
            "Ada Lovelace renamed the document “Ferries” to “Barges”",
            "Ada Lovelace moved “Barges” to the trash",
            "Ada Lovelace restored “Barges” from the trash",
            "Ada Lovelace moved “Barges” to the trash",
            "Ada Lovelace deleted “Barges” forever",
        ]
        assert await sentences(committed, ada, sort="at", subject_id=id) == expected
        found = await entries(committed, ada, subject_id=id)
        assert {(entry.subject_kind, entry.path) for entry in found} == {("document", "")}

    async def test_drafts_also_with_their_opportunity(self, committed: Core, ada: Actor) -> None:
        draft = await started(committed, ada)
        part = draft.sections[0]
        async with committed.database.transaction() as session:
            await editing.rename_draft(session, ada, draft.id, DraftTitle(title="Harbor"))
            save = SectionSave(heading=part.heading, text="We sail.", based_on=part.revision)
            await editing.save_section(session, ada, committed, draft.id, part.id, save)
            added = await editing.add_section(session, ada, committed, draft.id, NewSection(heading="Risks"))
            await editing.delete_section(session, ada, draft.id, added.id)
        await generation.export_draft(committed, ada, draft.id, ExportFormat.MARKDOWN)
        assert await sentences(committed, ada, sort="at", subject_id=draft.id) == [
            "Ada Lovelace started the draft “Harbor”",
            f"Ada Lovelace renamed the draft “{draft.title}” to “Harbor”",
            f"Ada Lovelace edited “{part.heading}” in “Harbor”",
            "Ada Lovelace added the section “Risks” to “Harbor”",
            "Ada Lovelace deleted the section “Risks” from “Harbor”",
            "Ada Lovelace exported the draft “Harbor”",
        ]
        (entry, _) = await entries(committed, ada, sort="at", subject_id=draft.opportunity_id)
        assert (entry.kind, entry.path) == ("draft.started", f"/generate/slug/{draft.slug}")

    async def test_categories_and_decisions(self, committed: Core, ada: Actor) -> None:
        await do(committed, opportunities.load_sample_once)
        async with committed.database.transaction() as session:
            category = await categories.create(session, ada, CategoryCreate(name="Boats"))
            await categories.change(session, ada, category.id, CategoryChange(name="Ferries"))
            first, second = (await opportunities.suggest(session, ada, ""))[:2]
            for notice in (first, second, first):
                accepted = await categories.accept(session, ada, committed, notice.id, category.id)
            await categories.reject(session, ada, committed, second.id, category.id)
        assert accepted.decided_at
        of_notice = "Ada Lovelace put 1 opportunity in “Ferries”"
        assert await sentences(committed, ada, subject_id=first.id) == [of_notice]
        assert set(await sentences(committed, ada, subject_id=second.id)) == {
            of_notice,
            "Ada Lovelace dismissed 1 suggestion for “Ferries”",
        }
        assert await sentences(committed, ada, kind="category.accepted") == ["Ada Lovelace put 2 opportunities in “Ferries”"]
        assert await sentences(committed, ada, kind="category.renamed") == [
            "Ada Lovelace renamed the category “Boats” to “Ferries”"
        ]

    async def test_an_undone_decision_does_not_count(self, committed: Core, ada: Actor) -> None:
        await do(committed, opportunities.load_sample_once)
        async with committed.database.transaction() as session:
            category = await categories.create(session, ada, CategoryCreate(name="Ferries"))
            notices = (await opportunities.suggest(session, ada, ""))[:2]
            decided = [await categories.accept(session, ada, committed, notice.id, category.id) for notice in notices]
        for label, left in zip(decided, ([1], []), strict=True):
            async with committed.database.transaction() as session:
                await categories.restore(session, ada, committed, label.subject_id, decided_at=label.decided_at, before=[])
            assert [entry.times for entry in await entries(committed, ada, kind="category.accepted")] == left
            assert await entries(committed, ada, subject_id=label.subject_id) == []

    async def test_members_and_the_workspace(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        eve_joins = await member(
            committed, owner, await do(committed, lambda session: add_account(session, "eve@example.org", name="Eve"))
        )
        async with committed.database.transaction() as session:
            await workspaces.change_role(session, owner, bob.id, WorkspaceRole.VIEWER)
            await workspaces.rename_workspace(session, owner, WorkspaceForm(name="Port"))
            await workspaces.remove_member(session, owner, bob.id)
            await workspaces.leave_workspace(session, eve_joins)
        assert await sentences(committed, owner, sort="at") == [
            "Bob joined (role: Editor)",
            "Eve joined (role: Editor)",
            "Ada Lovelace changed the role of Bob to Viewer",
            "Ada Lovelace renamed the workspace “Harbor” to “Port”",
            "Ada Lovelace removed Bob from the workspace",
            "Eve left the workspace",
        ]
        assert editor.workspace_id == owner.workspace_id and await sentences(committed, ada) == []

    async def test_nothing_of_a_transaction_that_fails(self, committed: Core, ada: Actor) -> None:
        async def fail(session: AsyncSession) -> None:
            await service.record(session, ada, NOTED, Subject("note", uuid4(), "Tides"))
            raise Conflict("")

        with pytest.raises(Conflict):
            await do(committed, fail)
        assert await entries(committed, ada) == []


class TestCombined:
    async def test_when_a_person_goes_on_soon(self, committed: Core, ada: Actor) -> None:
        subject = Subject("note", uuid4(), "Tides")
        await noted(committed, ada, subject)
        await noted(committed, ada, subject)
        assert [entry.times for entry in await entries(committed, ada)] == [1]  # within a minute
        await age(committed, timedelta(minutes=5))
        await noted(committed, ada, Subject("note", subject.id, "High tides"))
        (entry,) = await entries(committed, ada)
        assert (entry.times, entry.parts[-1].text) == (2, "High tides")
        await age(committed, timedelta(minutes=31))
        await noted(committed, ada, subject)
        assert len(await entries(committed, ada)) == 2

    async def test_only_with_those_of_the_same_person_and_subject(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        subject = Subject("note", uuid4(), "Tides")
        for actor, about in ((owner, subject), (editor, subject), (owner, Subject("note", uuid4(), "Wind"))):
            await noted(committed, actor, about)
        assert len(await entries(committed, owner, kind=NOTED.name)) == 3


class TestRead:
    async def test_in_the_language_of_the_reader(self, committed: Core, ada: Actor) -> None:
        await add_text(committed, ada)
        with using_language("de"):
            assert await sentences(committed, ada) == ["Ada Lovelace hat das Dokument „Boats“ hinzugefügt"]

    async def test_by_person_kind_text_and_day(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        await add_text(committed, owner)
        await add_text(committed, editor, "Ports")
        today = now().date()
        assert await sentences(committed, owner, person=bob.id, kind="document.added") == ["Bob added the document “Ports”"]
        assert await sentences(committed, owner, text="OAT") == ["Ada Lovelace added the document “Boats”"]
        assert await sentences(committed, owner, text="bob", kind="member.joined") == ["Bob joined (role: Editor)"]
        assert len(await entries(committed, owner, first=today - timedelta(days=1), last=today + timedelta(days=1))) == 3
        assert await entries(committed, owner, last=today - timedelta(days=2)) == []
        people = await do(committed, lambda session: service.list_people(session, owner))
        assert [person.name for person in people] == ["Ada Lovelace", "Bob"]

    async def test_in_days_of_the_readers_time_zone(self, committed: Core, ada: Actor) -> None:
        await add_text(committed, ada)
        async with committed.database.transaction() as session:
            await session.execute(update(Activity).values(at=now().replace(hour=23, minute=30)))
        today = now().date()
        assert len(await entries(committed, ada, last=today)) == 1
        for zone in ("time_zone", "browser_time_zone"):
            tokyo = ada.model_copy(update={zone: "Asia/Tokyo"})
            assert len(await entries(committed, tokyo, last=today)) == 0
            assert len(await entries(committed, tokyo, first=today + timedelta(days=1))) == 1
        chosen = ada.model_copy(update={"time_zone": "UTC", "browser_time_zone": "Asia/Tokyo"})
        assert service.zone_of(chosen).key == "UTC"

    async def test_of_a_package_that_is_gone(self, committed: Core, ada: Actor) -> None:
        await noted(committed, ada, Subject("note", uuid4(), "Tides"))
        assert await sentences(committed, ada) == ["Ada Lovelace: test.noted, Tides"]

    async def test_braces_and_marks_in_titles_are_text(self, committed: Core, ada: Actor) -> None:
        id = await add_text(committed, ada, "{person} 100 %")
        await do(committed, lambda session: training.rename_document(session, ada, id, DocumentTitle(title="{0}")))
        assert await sentences(committed, ada) == [
            "Ada Lovelace renamed the document “{person} 100 %” to “{0}”",
            "Ada Lovelace added the document “{0}”",
        ]

    async def test_is_exported(self, committed: Core, ada: Actor) -> None:
        await add_text(committed, ada)
        async with committed.database.transaction() as session:
            lines = [line async for line in service.export_activity(session, ada, committed, ActivityQuery())]
        assert lines[0].strip() == "When,Who,Kind,Target,Activity"
        assert lines[1].strip().endswith("Ada Lovelace,Document added,Boats,Ada Lovelace added the document “Boats”")


class TestForgotten:
    async def test_after_a_year(self, committed: Core, ada: Actor) -> None:
        await add_text(committed, ada)
        await age(committed, KEPT + timedelta(minutes=1))
        await add_text(committed, ada, "Ports")
        await service.remove_old(committed)
        assert await sentences(committed, ada) == ["Ada Lovelace added the document “Ports”"]

    async def test_are_the_names_of_people_who_delete_their_account(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        await add_text(committed, editor)
        await do(committed, lambda session: workspaces.change_role(session, owner, bob.id, WorkspaceRole.VIEWER))
        await do(committed, lambda session: delete_account(session, bob, committed))
        assert await sentences(committed, owner, sort="at") == [
            "Former member joined (role: Editor)",
            "Former member added the document “Boats”",
            "Ada Lovelace changed the role of Former member to Viewer",
            "Former member left the workspace",
        ]
        async with committed.database.transaction(scope=INSTALLATION) as session:
            rows = (await session.scalars(select(Activity))).all()
        assert all("Bob" not in f"{row.subject_title} {row.details}" for row in rows)


class TestPersonalData:
    async def test_has_what_the_account_did_in_its_workspaces(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        await add_text(committed, editor)
        await add_text(committed, owner, "Secret")

        async def lines() -> str:
            async with committed.database.transaction(scope=INSTALLATION) as session:
                (file,) = [file async for file in own_files(session, bob, committed)]
            assert isinstance(file.content, bytes)
            return file.content.decode()

        own = await lines()
        assert "document.added" in own and "Boats" in own and "Secret" not in own
        await do(committed, lambda session: workspaces.remove_member(session, owner, bob.id))
        assert "Boats" not in await lines()


async def test_a_forgotten_condition_shows_nothing_of_others(committed: Core, ada: Actor, bob: Actor) -> None:
    await add_text(committed, ada)
    with acting_in(bob.scope):
        async with committed.database.transaction() as session:
            assert (await session.scalars(select(Activity))).all() == []
            assert (await repository.page(session, ada.id, ActivityQuery(), service.zone_of(ada)))[1] == 0
