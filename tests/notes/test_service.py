"""Notes: who may do what with them, which are listed, and what becomes of them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.personal_data import DataFile
from fundwright.accounts.schemas import Actor
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.notes import service
from fundwright.notes.personal_data import own_files
from fundwright.notes.schemas import NoteChange, NoteForm, NoteQuery, NoteRead, title_of
from fundwright.trash import service as trash
from fundwright.trash.schemas import TrashQuery
from tests.support.scopes import INSTALLATION
from tests.support.teams import Team

pytestmark = pytest.mark.security(51)


async def write(team: Team, actor: Actor | None = None, words: str = "Met the *contracting officer*", key: str = "") -> NoteRead:
    author, form = actor or team.ada, NoteForm(text=words, key=key, opportunity_id=await team.opportunity_id())
    return await team.do(author, lambda session: service.add_note(session, author, form))


async def change(team: Team, actor: Actor, note: NoteRead, words: str) -> NoteRead:
    wanted = NoteChange(text=words, based_on=note.changed_at)
    return await team.do(actor, lambda session: service.change_note(session, actor, note.id, wanted))


async def pin(team: Team, actor: Actor, note: NoteRead) -> NoteRead:
    return await team.do(actor, lambda session: service.pin(session, actor, note.id))


async def delete(team: Team, actor: Actor, note: NoteRead) -> None:
    await team.do(actor, lambda session: service.delete(session, actor, note.id))


async def listed(team: Team, actor: Actor, **query: object) -> list[str]:
    wanted = NoteQuery.model_validate(query)
    return [each.text for each in (await team.do(actor, lambda session: service.list_notes(session, actor, wanted))).items]


class TestAdd:
    async def test_names_author_and_opportunity_and_appears_in_its_activity(self, team: Team) -> None:
        note = await write(team)
        assert (note.created_by, note.changed_by, note.is_changed) == ("Ada", "Ada", False)
        assert note.opportunity and note.title == "Met the contracting officer"
        query = ActivityQuery(subject_id=note.opportunity_id)
        with using_language("en"):
            found = await team.do(team.vic, lambda session: activity.list_activity(session, team.vic, team.core, query))
        assert [each.sentence for each in found.items] == ["Ada added the note “Met the contracting officer”"]

    async def test_the_same_request_again_adds_no_second_note(self, team: Team) -> None:
        first = await write(team, key="a1")
        assert (await write(team, key="a1")).id == first.id
        assert (await write(team, team.bob, key="a1")).id != first.id

    @pytest.mark.parametrize("words", ["", " \n ", "\u200b", "x" * 20_001])
    async def test_refuses_what_nobody_can_read(self, team: Team, words: str) -> None:
        with pytest.raises(ValidationError):
            await write(team, words=words)


class TestRoles:
    async def test_reviewers_and_viewers_only_read(self, team: Team) -> None:
        note = await write(team)
        for actor in (team.rae, team.vic):
            assert await listed(team, actor) == [note.text]
            for attempt in (
                write(team, actor),
                change(team, actor, note, "X"),
                pin(team, actor, note),
                delete(team, actor, note),
            ):
                with pytest.raises(NotAllowed):
                    await attempt

    async def test_nobody_outside_of_the_workspace_sees_it(self, team: Team) -> None:
        note = await write(team)
        assert await listed(team, team.eve) == []
        for attempt in (change(team, team.eve, note, "X"), pin(team, team.eve, note), delete(team, team.eve, note)):
            with pytest.raises(NotFound):
                await attempt


class TestChange:
    async def test_names_the_last_editor(self, team: Team) -> None:
        changed = await change(team, team.bob, await write(team), "Incumbent: Acme")
        assert (changed.created_by, changed.changed_by, changed.is_changed) == ("Ada", "Bob", True)

    async def test_nobody_overwrites_what_someone_else_has_changed(self, team: Team) -> None:
        note = await write(team)
        await change(team, team.bob, note, "Bob’s")
        with pytest.raises(service.NoteChangedMeanwhile):
            await change(team, team.ada, note, "Ada’s")
        assert await listed(team, team.ada) == ["Bob’s"]
        await change(team, team.ada, note, "Bob’s")  # a repeated request

    async def test_pinning_is_no_conflict(self, team: Team) -> None:
        note = await write(team)
        await pin(team, team.bob, note)
        assert (await change(team, team.ada, note, "More")).is_pinned


class TestList:
    async def test_pinned_ones_are_first_and_then_the_last_changed_ones(self, team: Team) -> None:
        first, second, _third = [await write(team, words=words) for words in ("first", "second", "third")]
        await change(team, team.ada, second, "second!")
        await pin(team, team.ada, first)
        assert await listed(team, team.vic) == ["first", "second!", "third"]
        assert await listed(team, team.vic, sort="created_at") == ["first", "second!", "third"]
        assert await listed(team, team.vic, sort="-created_at") == ["third", "second!", "first"]

    async def test_filters(self, team: Team) -> None:
        note = await write(team, words="Incumbent: Acme")
        await write(team, team.bob, words="Teaming")
        assert await listed(team, team.vic, text="acme") == ["Incumbent: Acme"]
        assert await listed(team, team.vic, author=str(team.bob.id)) == ["Teaming"]
        assert len(await listed(team, team.vic, opportunity=note.opportunity_id)) == 2
        authors = await team.do(team.vic, lambda session: service.list_authors(session, team.vic))
        assert [each.name for each in authors] == ["Ada", "Bob"]


class TestDelete:
    async def test_moves_it_to_the_trash_under_its_first_words_and_restores_it(self, team: Team) -> None:
        note = await write(team, words="# Contacts\n\n- Jo")
        await delete(team, team.bob, note)
        assert await listed(team, team.ada) == []
        items = await team.do(team.ada, lambda session: trash.list_trash(session, team.ada, TrashQuery()))
        assert [(each.kind, each.title) for each in items.items] == [("note", "Contacts")]
        await team.do(team.ada, lambda session: trash.restore(session, team.ada, team.core, note.id))
        assert await listed(team, team.ada) == ["# Contacts\n\n- Jo"]

    async def test_stays_when_its_author_or_its_opportunity_is_deleted(self, team: Team) -> None:
        note = await write(team, team.bob)
        async with team.core.database.transaction(scope=INSTALLATION) as session:
            await session.execute(text("DELETE FROM membership WHERE account_id = :id"), {"id": team.bob.id})
            await session.execute(text("DELETE FROM account WHERE id = :id"), {"id": team.bob.id})
            await session.execute(text("DELETE FROM opportunity WHERE id = :id"), {"id": note.opportunity_id})
        with using_language("en"):
            kept = await team.do(team.ada, lambda session: service.get_note(session, team.ada, note.id))
        assert (kept.text, kept.created_by, kept.opportunity) == (note.text, "Former member", "")


@pytest.mark.parametrize(
    ("words", "title"),
    [("\n\n## **Contacts**\nJo", "Contacts"), ("- one", "one"), ("x" * 90, f"{'x' * 80}…"), ("***", "Note")],
)
def test_the_title_is_the_beginning_of_the_text(words: str, title: str) -> None:
    with using_language("en"):
        assert title_of(words) == title


async def test_are_part_of_a_copy_of_personal_data(team: Team) -> None:
    await write(team)
    await delete(team, team.ada, await write(team, words="Old"))

    async def files(session: AsyncSession) -> list[DataFile]:
        return [each async for each in own_files(session, team.ada, team.core)]

    kept, trashed = await team.do(team.ada, files)
    assert b"contracting" in bytes(kept.content) and b"Old" in bytes(trashed.content)
