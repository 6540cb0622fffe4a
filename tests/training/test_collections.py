"""Collections: who makes and sees them, what is in them, and what their restriction hides."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass
from io import StringIO
from typing import TypeVar
from uuid import UUID

import pytest
from pydantic import ValidationError
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.personal_data import DataFile
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.asking import service as asking
from fundwright.asking.schemas import Answer
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.core.scopes import acting_in
from fundwright.language import service as language
from fundwright.reading.kinds import DocumentKind
from fundwright.training import adding, collecting, removing, restricting, runs, searching, service
from fundwright.training.personal_data import own_files
from fundwright.training.schemas import (
    CollectionForm,
    CollectionQuery,
    CollectionRead,
    DocumentQuery,
    DocumentRead,
    PastedText,
)
from fundwright.trash import service as trash
from fundwright.workspaces import repository, restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm
from fundwright_ui.screens.generate.sources import Sources
from fundwright_ui.screens.training.collecting import PATH as COLLECTIONS
from fundwright_ui.screens.training.collecting import collections_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots

pytestmark = pytest.mark.security(51)

T = TypeVar("T")


@dataclass(frozen=True)
class Pier:
    """A workspace of Ada (owner), Bob (editor), and Vic (viewer), and Eve outside of it."""

    core: Core
    ada: Actor
    bob: Actor
    vic: Actor
    eve: Actor

    async def do(self, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """In the scope of the actor, as at the boundaries."""
        with acting_in(actor.scope):
            async with self.core.database.transaction() as session:
                return await work(session)

    async def create(self, name: str = "Boats", actor: Actor | None = None) -> CollectionRead:
        maker = actor or self.ada
        return await self.do(maker, lambda session: collecting.create(session, maker, CollectionForm(name=name)))

    async def add(self, title: str, collection: UUID | None = None, actor: Actor | None = None) -> DocumentRead:
        pasted = PastedText(title=title, text=f"The {title} carries 40 tons.", collection_id=collection)
        maker = actor or self.ada
        added = await self.do(maker, lambda session: adding.add_text(session, maker, self.core, pasted))
        with acting_in(maker.scope):
            await runs.run_inline(self.core, maker, [added.id])
        return added

    async def move(self, actor: Actor, document: DocumentRead, collection: UUID | None) -> DocumentRead:
        return await self.do(actor, lambda session: restricting.move_document(session, actor, self.core, document.id, collection))

    async def listed(self, actor: Actor, **query: object) -> list[str]:
        wanted = DocumentQuery.model_validate({"sort": "title", **query})
        return [
            each.title for each in (await self.do(actor, lambda session: service.list_documents(session, actor, wanted))).items
        ]

    async def collections(self, actor: Actor, **query: object) -> list[CollectionRead]:
        wanted = CollectionQuery.model_validate(query)
        return (await self.do(actor, lambda session: collecting.list_collections(session, actor, wanted))).items

    async def restrict(self, collection: CollectionRead, *members: ChosenMember, actor: Actor | None = None) -> None:
        form, by = RestrictionForm(members=members), actor or self.ada
        await self.do(by, lambda session: collecting.restrict(session, by, self.core, collection.id, form))

    async def delete(self, actor: Actor, collection: CollectionRead) -> None:
        await self.do(actor, lambda session: collecting.delete(session, actor, collection.id))

    async def answers(self, actor: Actor, question: str, collection: UUID | None = None) -> list[Answer]:
        embedder = await language.get_embedder(self.core)
        with acting_in(actor.scope):
            return (await asking.find_answers(self.core, actor, question, embedder=embedder, collection_id=collection)).answers


@pytest.fixture
async def pier(committed: Core, snapshots: Snapshots) -> Pier:
    return Pier(committed, *await snapshots.of(committed, _fill))


async def _fill(core: Core) -> Collection[Actor]:
    async with core.database.transaction() as session:
        ada, bob, vic, eve = [
            await add_account(session, f"{name}@example.org", name=name) for name in ("Ada", "Bob", "Vic", "Eve")
        ]
        workspace = await repository.add(session, name="Pier", owner_id=ada.id)
        await repository.add_member(session, workspace.id, bob.id, WorkspaceRole.EDITOR)
        await repository.add_member(session, workspace.id, vic.id, WorkspaceRole.VIEWER)
        return [*[await workspaces.actor_in(session, each, workspace.id) for each in (ada, bob, vic)], eve]


def view(actor: Actor, access: Access = Access.VIEW) -> ChosenMember:
    return ChosenMember(account_id=actor.id, access=access)


class TestNames:
    async def test_of_two_people_at_once_one_gets_the_name(self, pier: Pier) -> None:
        made = await asyncio.gather(pier.create("Boats"), pier.create("boats", pier.bob), return_exceptions=True)
        assert sorted(isinstance(each, Conflict) for each in made) == [False, True]

    async def test_are_unique_whatever_their_case(self, pier: Pier) -> None:
        boats, piers = await pier.create("Boats"), await pier.create("Piers", pier.bob)
        for work in (
            lambda session: collecting.create(session, pier.bob, CollectionForm(name=" bOATS ")),
            lambda session: collecting.rename(session, pier.bob, piers.id, CollectionForm(name="BOATS")),
        ):
            with pytest.raises(Conflict, match="already have a collection named"):
                await pier.do(pier.bob, work)
        renamed = await pier.do(
            pier.bob, lambda session: collecting.rename(session, pier.bob, boats.id, CollectionForm(name="BOATS"))
        )
        assert (renamed.name, renamed.created_by) == ("BOATS", "Ada")
        assert [each.name for each in await pier.collections(pier.vic)] == ["BOATS", "Piers"]

    @pytest.mark.parametrize("name", ["", "  ", "x" * 81, "\u200b"])
    def test_have_between_1_and_80_visible_characters(self, name: str) -> None:
        with pytest.raises(ValidationError):
            CollectionForm(name=name)

    async def test_one_that_is_hidden_does_not_show_that_it_exists(self, pier: Pier) -> None:
        await pier.restrict(await pier.create("Secret"))
        assert (await pier.create("Secret", pier.bob)).name == "Secret"


class TestContents:
    async def test_documents_are_in_one_collection_at_most(self, pier: Pier) -> None:
        boats, piers = await pier.create("Boats"), await pier.create("Piers")
        ferry = await pier.add("ferry", boats.id)
        assert (ferry.collection_id, ferry.collection) == (boats.id, "Boats")
        await pier.add("crane")
        assert await pier.listed(pier.vic, collection=boats.id) == ["ferry"]
        moved = await pier.move(pier.bob, ferry, piers.id)
        assert moved.collection == "Piers"
        assert [(each.name, each.documents) for each in await pier.collections(pier.vic, sort="-documents")] == [
            ("Piers", 1), ("Boats", 0),
        ]  # fmt: skip
        assert (await pier.move(pier.bob, ferry, None)).collection == ""
        assert await pier.listed(pier.vic) == ["crane", "ferry"]

    async def test_questions_search_one_collection(self, pier: Pier) -> None:
        boats = await pier.create()
        await pier.add("ferry", boats.id)
        await pier.add("crane")
        everything = {each.document_title for each in await pier.answers(pier.vic, "How many tons?")}
        assert everything == {"ferry", "crane"}
        assert {each.document_title for each in await pier.answers(pier.vic, "How many tons?", boats.id)} == {"ferry"}
        empty = await pier.create("Empty")
        assert not await pier.answers(pier.vic, "How many tons?", empty.id)
        with pytest.raises(NotFound):
            await pier.answers(pier.eve, "How many tons?", boats.id)

    async def test_viewers_and_other_workspaces_change_nothing(self, pier: Pier) -> None:
        boats = await pier.create()
        ferry = await pier.add("ferry")
        for actor, error in ((pier.vic, NotAllowed), (pier.eve, NotFound)):
            with pytest.raises(error):
                await pier.move(actor, ferry, boats.id)
            with pytest.raises(error):
                await pier.delete(actor, boats)
        with pytest.raises(NotFound):
            await pier.do(pier.eve, lambda session: collecting.get_collection(session, pier.eve, boats.id))
        own = await pier.do(pier.eve, lambda session: collecting.create(session, pier.eve, CollectionForm(name="Boats")))
        with pytest.raises(NotFound):
            await pier.move(pier.ada, ferry, own.id)

    async def test_lists_and_copies_name_the_collection(self, pier: Pier) -> None:
        boats = await pier.create()
        await pier.add("ferry", boats.id)
        await pier.add("crane")

        async def export(session: AsyncSession) -> str:
            with using_language("en"):
                lines = service.export_documents(session, pier.vic, DocumentQuery(collection=boats.id))
                return "".join([line async for line in lines])

        rows = list(csv.DictReader(StringIO(await pier.do(pier.vic, export))))
        assert [(row["Title"], row["Collection"]) for row in rows] == [("ferry", "Boats")]
        copied = {file.name: str(file.content) async for file in _copy(pier)}
        assert '"Boats"' in copied["training/collections.json"]
        assert copied["training/documents.json"].count('"Boats"') == 1


async def _copy(pier: Pier) -> AsyncIterator[DataFile]:
    with acting_in(pier.ada.scope):
        async with pier.core.database.transaction() as session:
            async for file in own_files(session, pier.ada, pier.core):
                yield file


class TestDelete:
    async def test_keeps_the_documents_and_restores_them_into_it(self, pier: Pier) -> None:
        boats, piers = await pier.create("Boats"), await pier.create("Piers")
        ferry, raft = await pier.add("ferry", boats.id), await pier.add("raft", boats.id)
        await pier.delete(pier.bob, boats)
        assert await pier.listed(pier.ada) == ["ferry", "raft"]
        (seen, _) = (await pier.do(pier.ada, lambda session: service.list_documents(session, pier.ada))).items
        assert (seen.collection_id, seen.collection) == (None, "")
        await pier.move(pier.ada, raft, piers.id)
        await pier.create("boats")
        await pier.do(pier.bob, lambda session: trash.restore(session, pier.bob, pier.core, boats.id))
        assert await pier.listed(pier.ada, collection=boats.id) == ["ferry"]
        assert {each.name for each in await pier.collections(pier.ada)} == {"boats", "Boats (2)", "Piers"}
        assert ferry.id

    async def test_opens_nothing(self, pier: Pier) -> None:
        boats = await pier.create()
        ferry = await pier.add("ferry", boats.id)
        await pier.restrict(boats)
        with pytest.raises(Conflict, match="everyone would see its documents"):
            await pier.delete(pier.ada, boats)
        await pier.do(pier.ada, lambda session: removing.remove_document(session, pier.ada, ferry.id))
        with pytest.raises(Conflict):
            await pier.delete(pier.ada, boats)
        await pier.do(pier.ada, lambda session: trash.empty(session, pier.ada, pier.core))
        await pier.delete(pier.ada, boats)

    async def test_forever_leaves_the_documents(self, pier: Pier) -> None:
        boats = await pier.create()
        await pier.add("ferry", boats.id)
        await pier.delete(pier.ada, boats)
        await pier.do(pier.ada, lambda session: trash.empty(session, pier.ada, pier.core))
        assert await pier.listed(pier.ada) == ["ferry"]
        async with pier.core.database.transaction() as session:
            assert await session.scalar(text("SELECT count(*) FROM contained_item")) == 0


class TestRestriction:
    async def test_hides_everything_in_it(self, pier: Pier) -> None:
        boats = await pier.create()
        await pier.add("ferry", boats.id)
        passage = (await pier.answers(pier.bob, "How many tons?"))[0].id
        await pier.restrict(boats)
        for actor in (pier.bob, pier.vic):
            assert await pier.listed(actor) == []
            assert await pier.collections(actor) == []
            assert not await pier.answers(actor, "How many tons does the ferry carry?")
            with pytest.raises(NotFound):
                await pier.do(actor, lambda session, actor=actor: searching.get_passage(session, actor, passage))
            with pytest.raises(NotFound):
                await pier.answers(actor, "How many tons?", boats.id)
            feed = await pier.do(
                actor, lambda session, actor=actor: activity.list_activity(session, actor, pier.core, ActivityQuery())
            )
            assert "ferry" not in str(feed) and "Boats" not in str(feed)
            assert await pier.do(actor, lambda session, actor=actor: restrictions.hidden_ids(session, actor)) >= {boats.id}
        assert await pier.listed(pier.ada, is_restricted=True) == ["ferry"]
        (seen,) = await pier.collections(pier.ada, is_restricted=True)
        assert (seen.documents, seen.access) == (1, Access.EDIT)
        await pier.do(pier.ada, lambda session: collecting.lift_restriction(session, pier.ada, pier.core, boats.id))
        assert await pier.listed(pier.vic) == ["ferry"]

    async def test_documents_are_as_changeable_as_both_restrictions_allow(self, pier: Pier) -> None:
        boats = await pier.create()
        ferry = await pier.add("ferry", boats.id)
        await pier.restrict(boats, view(pier.bob), view(pier.vic))
        (seen,) = (await pier.do(pier.bob, lambda session: service.list_documents(session, pier.bob))).items
        assert (seen.access, seen.is_changeable) == (Access.VIEW, False)
        with pytest.raises(NotAllowed):
            await pier.move(pier.bob, ferry, None)
        form = RestrictionForm(members=(view(pier.bob, Access.EDIT),))
        await pier.do(pier.ada, lambda session: restricting.restrict_document(session, pier.ada, pier.core, ferry.id, form))
        assert (await pier.listed(pier.vic), await pier.listed(pier.bob)) == ([], ["ferry"])
        told = await pier.do(
            pier.ada, lambda session: restrictions.may_be_told(session, pier.ada, ferry.id, [pier.bob.id, pier.vic.id])
        )
        assert told == {pier.bob.id}
        with pytest.raises(NotAllowed):
            await pier.move(pier.bob, ferry, None)

    async def test_nobody_takes_away_what_others_added(self, pier: Pier) -> None:
        boats, secret = await pier.create("Boats"), await pier.create("Secret")
        await pier.restrict(secret)
        ferry = await pier.add("ferry", boats.id, pier.bob)
        await pier.restrict(boats, view(pier.vic))
        (seen,) = await pier.collections(pier.bob)
        assert (seen.access, seen.is_changeable) == (Access.EDIT, True)
        with pytest.raises(NotAllowed, match="Bob added this"):
            await pier.move(pier.ada, ferry, secret.id)
        await pier.restrict(secret, view(pier.bob, Access.EDIT))
        assert (await pier.move(pier.ada, ferry, secret.id)).collection == "Secret"
        assert await pier.listed(pier.vic) == []

    async def test_the_activity_of_a_deleted_document_stays_hidden(self, pier: Pier) -> None:
        boats = await pier.create()
        ferry = await pier.add("ferry", boats.id)
        await pier.restrict(boats)
        await pier.do(pier.ada, lambda session: removing.remove_document(session, pier.ada, ferry.id))
        await pier.do(pier.ada, lambda session: trash.empty(session, pier.ada, pier.core))
        feed = await pier.do(pier.vic, lambda session: activity.list_activity(session, pier.vic, pier.core, ActivityQuery()))
        assert "ferry" not in str(feed)

    async def test_administrators_read_no_name_in_the_audit_trail(self, pier: Pier) -> None:
        secret = await pier.create("Secret plan")
        await pier.restrict(secret)
        await pier.delete(pier.ada, secret)
        async with pier.core.database.transaction() as session:
            entries = (await session.scalars(select(AuditEntry))).all()
        assert {each.action for each in entries if each.subject == str(secret.id)} == {"item.restricted", "collection.deleted"}
        assert "Secret plan" not in str([(each.subject, each.details) for each in entries])


class TestScreens:
    async def test_a_collection_is_created_renamed_and_moved_to_the_trash(self, pier: Pier) -> None:
        with acting_in(pier.ada.scope):
            async with mounted(pier.core, pier.ada, collections_screen, path=COLLECTIONS) as screen:
                await screen.expect("No collections yet.")
                await screen.click("button", "New collection")
                await screen.type("Name", "Boats")
                await screen.submit("New collection")
                await screen.expect(lambda: screen.toasts == ["The collection was created."])
                await screen.expect(lambda: [each["name"] for each in screen.rows("Collections")] == ["Boats"])
                (boats,) = await pier.collections(pier.ada)
                await screen.emit("DataTable", "onOpen", id=str(boats.id))
                await screen.click("button", "Rename…")
                await screen.type("New name", "Vessels")
                await screen.submit("Rename Boats")
                await screen.expect(lambda: "Vessels" in screen.text)
                await screen.click("button", "Move to trash")
                await screen.expect(lambda: "“Vessels” was moved to the trash." in screen.toasts)
        assert await pier.collections(pier.ada) == []

    async def test_viewers_only_view(self, pier: Pier) -> None:
        boats = await pier.create()
        with acting_in(pier.vic.scope):
            async with mounted(pier.core, pier.vic, collections_screen, path=f"{COLLECTIONS}?open={boats.id}") as screen:
                await screen.expect("Show documents")
                assert not any(screen.has("button", name) for name in ("New collection", "Rename…", "Move to trash"))

    async def test_the_list_is_filtered_and_a_document_is_moved_and_moved_back(self, pier: Pier) -> None:
        boats = await pier.create()
        await pier.add("ferry", boats.id)
        crane = await pier.add("crane")
        with acting_in(pier.bob.scope):
            path = f"/dashboard/train?collection={boats.id}"
            async with mounted(pier.core, pier.bob, train_screen, path=path) as screen:
                await screen.expect(lambda: [each["title"] for each in screen.rows("Documents")] == ["ferry"])
                assert f"collection={boats.id}" in screen.props("FileDrop")["uploadUrl"]
                await screen.expect("New documents are added to the collection “Boats”.")
            async with mounted(pier.core, pier.bob, train_screen, path=f"/dashboard/train?document={crane.id}") as screen:
                await screen.expect("Move to trash")
                await screen.choose("In collection", str(boats.id))
                await screen.expect(lambda: screen.toasts == ["The document was moved."])
                assert await pier.listed(pier.vic, collection=boats.id) == ["crane", "ferry"]

    async def test_questions_are_asked_in_a_collection(self, pier: Pier) -> None:
        boats = await pier.create()
        await pier.add("ferry", boats.id)
        await pier.add("crane")
        with acting_in(pier.vic.scope):
            path = f"/dashboard/train?question=How+many+tons%3F&asked_in={boats.id}"
            async with mounted(pier.core, pier.vic, train_screen, path=path) as screen:
                await screen.expect("The ferry carries 40 tons.")
                assert "The crane carries" not in screen.text

    async def test_a_draft_takes_its_sources_from_a_collection(self) -> None:
        ours, other, notice = UUID(int=1), UUID(int=2), UUID(int=3)
        about, policy = DocumentKind.ABOUT_US, next(kind for kind in DocumentKind if not kind.is_ours)
        searched = [(ours, about), (other, about), (notice, policy)]
        limited = Sources().limited_to(searched, frozenset([ours]))
        assert limited.document_ids(searched) == (ours, notice)
