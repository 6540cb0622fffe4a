"""Saved searches: who may do what with them, what is new, and what becomes of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest
from pydantic import ValidationError
from sqlalchemy import select, text

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.personal_data import DataFile
from fundwright.accounts.schemas import Actor
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core import live
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.searches import service
from fundwright.searches.personal_data import own_files
from fundwright.searches.schemas import SavedSearchForm, SavedSearchName, SavedSearchQuery, SavedSearchRead, SearchedQuery
from fundwright.trash import service as trash
from fundwright.workspaces.schemas import Access, ChosenMember
from fundwright_ui.screens.notice_address import query_of
from tests.searches.conftest import Harbor
from tests.support.addresses import address_with
from tests.support.polling import eventually

pytestmark = pytest.mark.security(51)


async def rename(harbor: Harbor, actor: Actor, search: SavedSearchRead, name: str) -> SavedSearchRead:
    return await harbor.do(actor, lambda session: service.rename(session, actor, search.id, SavedSearchName(name=name)))


async def change(harbor: Harbor, actor: Actor, search: SavedSearchRead, **query: object) -> SavedSearchRead:
    wanted = SearchedQuery.model_validate(query)
    return await harbor.do(actor, lambda session: service.change_query(session, actor, search.id, wanted))


async def delete(harbor: Harbor, actor: Actor, search: SavedSearchRead) -> None:
    await harbor.do(actor, lambda session: service.delete(session, actor, search.id))


class TestSave:
    async def test_keeps_words_filters_and_order_but_no_page(self, harbor: Harbor) -> None:
        saved = await harbor.save(
            text="cloud", agency=["GENERAL SERVICES ADMINISTRATION"], availability="open", sort="due", page=3
        )
        assert (saved.name, saved.kind, saved.saved_by, saved.is_followed, saved.new) == ("Cloud", "contract", "Ada", True, 0)
        assert saved.query == SearchedQuery(
            kind="contract", text="cloud", agency=("GENERAL SERVICES ADMINISTRATION",), availability="open", sort="due"
        )
        assert await harbor.listed(harbor.bob) == [
            saved.model_copy(update={"is_followed": False, "seen_until": saved.created_at})
        ]

    async def test_number_and_size_are_limited(self, harbor: Harbor, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ValidationError):
            await harbor.save(agency=[f"Agency {number}" for number in range(101)])
        with pytest.raises(ValidationError):
            await harbor.save(type=["x" * 301])
        monkeypatch.setattr(service, "MOST_SEARCHES", 1)
        await harbor.restrict(await harbor.save())
        with pytest.raises(service.TooManySearches):
            await harbor.save(harbor.bob)

    async def test_everyone_in_the_workspace_sees_it_and_nobody_else(self, harbor: Harbor) -> None:
        saved = await harbor.save()
        for member in (harbor.bob, harbor.vic):
            assert [each.id for each in await harbor.listed(member)] == [saved.id]
        assert await harbor.listed(harbor.eve) == []
        with pytest.raises(NotFound):
            await harbor.do(harbor.eve, lambda session: service.get_search(session, harbor.eve, saved.id))

    async def test_a_viewer_follows_but_does_not_save_change_or_delete(self, harbor: Harbor) -> None:
        vic, saved = harbor.vic, await harbor.save()
        await harbor.do(vic, lambda session: service.follow(session, vic, saved.id))
        assert (await harbor.listed(vic))[0].is_followed
        for attempt in (
            harbor.save(vic),
            rename(harbor, vic, saved, "X"),
            change(harbor, vic, saved, kind="grant"),
            delete(harbor, vic, saved),
        ):
            with pytest.raises(NotAllowed):
                await attempt

    async def test_refuses_the_category_of_another_workspace(self, harbor: Harbor) -> None:
        eve = harbor.eve
        foreign = await harbor.do(eve, lambda session: categories.create(session, eve, CategoryCreate(name="Boats")))
        with pytest.raises(NotFound):
            await harbor.save(category=foreign.id)

    @pytest.mark.parametrize("more", [{"page": 7}, {"page_size": 50}, {"sample": True}, {"added_after": "2026-01-01T00:00Z"}])
    def test_leaves_out_which_part_of_the_list_was_shown(self, more: dict[str, object]) -> None:
        form = SavedSearchForm.model_validate({"name": "Boats", "query": {"kind": "grant", **more}})
        assert form.query.model_dump(exclude_defaults=True) == {"kind": "grant"}

    def test_refuses_a_query_without_a_kind(self) -> None:
        with pytest.raises(ValidationError):
            SavedSearchForm.model_validate({"name": "Boats", "query": {}})

    async def test_the_same_request_again_saves_no_second_search(self, harbor: Harbor, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "MOST_SEARCHES", 2)
        sent = {"name": "Boats", "key": "a1", "query": {"kind": "grant", "text": "boats"}}

        async def save(actor: Actor, **changed: object) -> SavedSearchRead:
            form = SavedSearchForm.model_validate({**sent, **changed})
            return await harbor.do(actor, lambda session: service.save(session, actor, form))

        first = await save(harbor.ada)
        other = await save(harbor.bob)
        assert await save(harbor.ada) == first
        assert {each.id for each in await harbor.listed(harbor.ada)} == {first.id, other.id}
        feed = await harbor.do(
            harbor.ada, lambda session: activity.list_activity(session, harbor.ada, harbor.core, ActivityQuery())
        )
        assert [entry.kind for entry in feed.items] == ["search.saved"] * 2

    @pytest.mark.parametrize("invalid", ['{"availability": "soon"}', '{"availability": "soon", "kind": "rocket"}'])
    async def test_a_filter_that_is_no_longer_valid_is_left_out(self, harbor: Harbor, invalid: str) -> None:
        saved = await harbor.save(text="cloud", availability="open")
        async with harbor.core.database.transaction() as session:
            update = text("UPDATE saved_search SET query = query || CAST(:invalid AS jsonb) WHERE id = :id")
            await session.execute(update, {"id": saved.id, "invalid": invalid})
        (kept,) = await harbor.listed(harbor.ada)
        assert (kept.query.text, kept.query.availability, kept.query.kind) == ("cloud", None, "contract")


def test_the_address_of_a_query_shows_the_same_query() -> None:
    day = date(2026, 12, 1)
    full = OpportunityQuery(
        kind="contract", text='roof "metal"', agency=("A, B", "C"), type=("Solicitation",), number="X-1", naics="2361",
        set_aside=("SBA", "8A"), activity_code=("R01",), source=("sam",), due_from=day, due_to=day, posted_from=day, posted_to=day,
        added_after=datetime(2026, 11, 1, 2, 3, 4, 56, tzinfo=UTC), availability="closed", category=uuid4(), verbatim=True,
        watched="me", sort="-due", page_size=50,
    )  # fmt: skip
    left_out = {"page", "sample"}
    assert {
        name for name in OpportunityQuery.model_fields if getattr(full, name) != OpportunityQuery.model_fields[name].default
    } == (OpportunityQuery.model_fields.keys() - left_out)
    for query in (full, OpportunityQuery(kind="grant"), OpportunityQuery(kind="grant", availability="open")):
        address = urlsplit(opportunities.list_path(query, saved="x"))
        params = dict(parse_qsl(address.query))
        assert params.pop("saved") == "x"
        assert address.path == {"contract": "/dashboard/sam", "grant": "/dashboard/nih"}[str(query.kind)]
        assert query_of(query.kind or "grant", address_with(params)) == query


class TestNew:
    async def test_counts_what_arrived_since_this_person_opened_it(self, harbor: Harbor) -> None:
        saved = await harbor.save(text="cloud")
        await harbor.arrive("cloud", "road")
        assert [(await harbor.listed(each))[0].new for each in (harbor.ada, harbor.bob)] == [1, 1]
        await harbor.do(harbor.bob, lambda session: service.note_opened(session, harbor.bob, saved.id))
        assert [(await harbor.listed(each))[0].new for each in (harbor.ada, harbor.bob)] == [1, 0]

    async def test_what_one_person_opens_or_follows_loads_no_list_of_others_again(self, harbor: Harbor) -> None:
        saved, bob = await harbor.save(), harbor.bob
        topics = {
            *service.topics_of(harbor.ada.workspace_id, harbor.ada.id),
            *service.topics_of(bob.workspace_id, bob.id),
            "done",
        }
        heard: dict[str, list[object]] = {topic: [] for topic in topics}

        async def wait() -> None:
            """Until everything that was published before has arrived."""
            await harbor.do(bob, lambda session: live.publish(session, "done"))
            await eventually(lambda: heard["done"])

        with ExitStack() as listening:
            for topic in topics:
                listening.enter_context(harbor.core.live.subscribed(topic, heard[topic].append))
            await wait()
            for messages in heard.values():
                messages.clear()
            await harbor.do(bob, lambda session: service.note_opened(session, bob, saved.id))
            await harbor.do(bob, lambda session: service.follow(session, bob, saved.id))
            await wait()
        assert {topic: len(messages) for topic, messages in heard.items() if messages} == {
            service.topics_of(bob.workspace_id, bob.id)[1]: 2,
            "done": 1,
        }

    async def test_the_list_of_what_is_new_has_as_many(self, harbor: Harbor) -> None:
        saved = await harbor.save()
        await harbor.arrive("cloud", "software")
        new = (await harbor.listed(harbor.ada))[0].new
        unseen = saved.query.model_copy(update={"added_after": saved.seen_until})
        found = await harbor.do(harbor.ada, lambda session: opportunities.list_opportunities(session, harbor.ada, unseen))
        assert new == found.total > 1

    async def test_close_matches_and_samples_are_not_counted(self, harbor: Harbor) -> None:
        await harbor.save(text="cloud hosting of ferries")
        await harbor.save(text="cloud -migration")
        await harbor.save(name="Number", text="SAMPLE-GSA-26-R-0001")
        await harbor.arrive("cloud")
        assert sorted(each.new for each in await harbor.listed(harbor.ada)) == [0, 0, 1]
        async with harbor.core.database.transaction() as session:
            await session.execute(text("UPDATE opportunity SET is_sample = true"))
        assert [each.new for each in await harbor.listed(harbor.ada)] == [0, 0, 0]


class TestChange:
    async def test_renames_and_takes_other_filters(self, harbor: Harbor) -> None:
        saved = await harbor.save()
        await rename(harbor, harbor.bob, saved, " Hosting ")
        changed = await change(harbor, harbor.bob, saved, kind="grant", text="hosting")
        assert (changed.name, changed.kind, changed.query.text, changed.saved_by) == ("Hosting", "grant", "hosting", "Ada")
        with using_language("en"):
            feed = await harbor.do(
                harbor.vic, lambda session: activity.list_activity(session, harbor.vic, harbor.core, ActivityQuery())
            )
        assert {entry.kind for entry in feed.items} == {"search.saved", "search.renamed", "search.changed"}
        assert {entry.path for entry in feed.items if entry.kind == "search.renamed"} == {changed.path}

    async def test_filters_and_orders_the_list(self, harbor: Harbor) -> None:
        await harbor.save(name="b cloud")
        await harbor.save(harbor.bob, name="A 100% grant", kind="grant")
        named = [each.name for each in await harbor.listed(harbor.ada)]
        assert named == ["A 100% grant", "b cloud"]
        for query, names in (
            ({"sort": "-name"}, ["b cloud", "A 100% grant"]),
            ({"text": "0% g"}, ["A 100% grant"]),
            ({"kind": "contract"}, ["b cloud"]),
            ({"is_own": True}, ["b cloud"]),
            ({"is_own": False}, ["A 100% grant"]),
            ({"is_followed": True}, ["b cloud"]),
            ({"is_restricted": True}, []),
            ({"page": 2, "page_size": 1, "sort": "created_at"}, ["A 100% grant"]),
        ):
            assert [each.name for each in await harbor.listed(harbor.ada, **query)] == names
        lines = [line async for line in _csv(harbor)]
        assert len(lines) == 3 and "/dashboard/nih?availability=any&saved=" in lines[1]


async def _csv(harbor: Harbor) -> AsyncIterator[str]:
    async with harbor.core.database.transaction() as session:
        async for line in service.export_searches(session, harbor.ada, harbor.core, SavedSearchQuery()):
            yield line


class TestRestrict:
    async def test_hides_it_from_others_who_no_longer_follow_it(self, harbor: Harbor) -> None:
        saved = await harbor.save()
        for each in (harbor.bob, harbor.vic):
            await harbor.do(each, lambda session, each=each: service.follow(session, each, saved.id))
        await harbor.restrict(saved, ChosenMember(account_id=harbor.bob.id, access=Access.VIEW))
        assert await harbor.listed(harbor.vic) == []
        (seen,) = await harbor.listed(harbor.bob)
        assert (seen.access, seen.is_changeable, seen.is_followed) == (Access.VIEW, False, True)
        for attempt in (
            rename(harbor, harbor.bob, saved, "X"),
            change(harbor, harbor.bob, saved, kind="grant"),
            delete(harbor, harbor.bob, saved),
        ):
            with pytest.raises(NotAllowed):
                await attempt
        await harbor.do(harbor.ada, lambda session: service.lift_restriction(session, harbor.ada, harbor.core, saved.id))
        assert [each.is_followed for each in await harbor.listed(harbor.vic)] == [False]

    async def test_administrators_do_not_read_its_name_in_the_audit_trail(self, harbor: Harbor) -> None:
        saved = await harbor.save(name="Secret plan")
        await harbor.restrict(saved)
        await delete(harbor, harbor.ada, saved)
        async with harbor.core.database.transaction() as session:
            entries = (await session.scalars(select(AuditEntry).where(AuditEntry.subject == str(saved.id)))).all()
            everything = (await session.scalars(select(AuditEntry))).all()
        assert {entry.action for entry in entries} == {"item.restricted", "search.deleted"}
        assert "Secret plan" not in str([(each.subject, each.details) for each in everything])


class TestDelete:
    async def test_moves_it_to_the_trash_and_restores_it_with_its_followers(self, harbor: Harbor) -> None:
        saved = await harbor.save()
        await delete(harbor, harbor.bob, saved)
        assert await harbor.listed(harbor.ada) == []
        copied = [file async for file in _copy(harbor)]
        assert copied[0].content.strip() == b"[]" and saved.name.encode() in copied[1].content
        await harbor.do(harbor.bob, lambda session: trash.restore(session, harbor.bob, harbor.core, saved.id))
        (restored,) = await harbor.listed(harbor.ada)
        assert (restored.name, restored.is_followed) == ("Cloud", True)

    async def test_what_a_member_who_left_saved_stays(self, harbor: Harbor) -> None:
        await harbor.save(harbor.bob)
        async with harbor.core.database.transaction() as session:
            await session.execute(text("DELETE FROM membership WHERE account_id = :id"), {"id": harbor.bob.id})
            await session.execute(text("DELETE FROM account WHERE id = :id"), {"id": harbor.bob.id})
        (kept,) = await harbor.listed(harbor.ada)
        assert kept.saved_by == ""


async def _copy(harbor: Harbor) -> AsyncIterator[DataFile]:
    async with harbor.core.database.transaction() as session:
        async for file in own_files(session, harbor.ada, harbor.core):
            yield file
