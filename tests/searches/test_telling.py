"""Those who follow a saved search are told of its new matches, once."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.errors import DatabaseAway
from fundwright.core.messages import using_language
from fundwright.core.scopes import acting_in
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import ChoiceChange, EmailTiming, NotificationQuery, NotificationRead
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import EmbedOpportunities, OpportunityQuery
from fundwright.searches import events, repository, service, telling
from fundwright.workspaces.schemas import Access, ChosenMember
from tests.searches.conftest import Harbor

pytestmark = pytest.mark.security(49)


async def told(harbor: Harbor, actor: Actor) -> list[NotificationRead]:
    with using_language("en"):
        found = await harbor.do(
            actor, lambda session: notifications.list_notifications(session, actor, harbor.core, NotificationQuery())
        )
    return [each for each in found.items if each.kind == events.NEW_MATCHES.key]


async def tell(harbor: Harbor) -> None:
    await telling.tell_new(harbor.core)


async def test_followers_are_told_once_with_the_number_and_a_link(harbor: Harbor) -> None:
    saved = await harbor.save(text="cloud")
    await harbor.arrive("cloud")
    for _ in range(3):
        await tell(harbor)
    (notification,) = await told(harbor, harbor.ada)
    assert notification.title == "1 new opportunity matches “Cloud”"
    assert notification.path.startswith(saved.path) and "added_after=" in notification.path
    assert await told(harbor, harbor.bob) == []
    await harbor.arrive("road")
    await tell(harbor)
    assert len(await told(harbor, harbor.ada)) == 1
    await harbor.arrive("cloud")
    await tell(harbor)
    assert len(await told(harbor, harbor.ada)) == 2


async def test_the_link_leads_to_exactly_what_was_counted(harbor: Harbor) -> None:
    saved = await harbor.save(text="health system", availability="open")
    await harbor.arrive("")
    await tell(harbor)
    (notification,) = await told(harbor, harbor.ada)
    params = dict(parse_qsl(urlsplit(notification.path).query))
    query = saved.query.model_copy(update={"added_after": datetime.fromisoformat(params["added_after"])})
    with acting_in(harbor.ada.scope):
        listed = await opportunities.search(harbor.core, harbor.ada, query)
    assert listed.total and notification.title.startswith(f"{listed.total} new ")
    assert all(item.match and not item.match.is_close and item.is_open for item in listed.items)


async def test_a_search_that_cannot_be_counted_delays_no_other_one(harbor: Harbor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of the same follower nor of others, whichever comes first: followers are told in the order of their ids."""
    followers = (harbor.ada, harbor.bob)
    for actor in followers:
        for name, words in (("A", "cloud"), ("B", "roof"), ("C", "cloud")):
            await harbor.save(actor, name=name, text=words)
    count = opportunities.count_matching

    async def failing(session: AsyncSession, actor: Actor, query: OpportunityQuery, **given: Any) -> int:
        if query.text == "roof":
            await session.execute(text("SELECT 1 / 0"))
        return await count(session, actor, query, **given)

    with monkeypatch.context() as patched:
        patched.setattr(opportunities, "count_matching", failing)
        await harbor.arrive("cloud", "roof")
        for _ in range(2):
            await tell(harbor)
    for actor in followers:
        assert sorted(each.subject for each in await told(harbor, actor)) == ["A", "C"]
    await tell(harbor)  # nothing of the other one was lost
    for actor in followers:
        assert sorted(each.subject for each in await told(harbor, actor)) == ["A", "B", "C"]


async def test_two_workers_tell_once(harbor: Harbor) -> None:
    await harbor.save(text="cloud")
    await harbor.arrive("cloud")
    await asyncio.gather(*(tell(harbor) for _ in range(4)))
    assert len(await told(harbor, harbor.ada)) == 1


async def test_a_worker_that_is_killed_before_the_end_tells_nothing_and_the_next_one_everything(
    harbor: Harbor, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harbor.save(text="cloud")
    await harbor.save(name="Everything")
    await harbor.arrive("cloud")
    count = opportunities.count_matching

    async def dies_in_the_second(*given: Any, **options: Any) -> int:
        monkeypatch.setattr(opportunities, "count_matching", dies)
        return await count(*given, **options)

    async def dies(*_given: object, **_options: object) -> int:
        raise DatabaseAway

    monkeypatch.setattr(opportunities, "count_matching", dies_in_the_second)
    with pytest.raises(DatabaseAway):
        await tell(harbor)
    assert await told(harbor, harbor.ada) == []
    monkeypatch.setattr(opportunities, "count_matching", count)
    await tell(harbor)
    assert len(await told(harbor, harbor.ada)) == 2


async def test_waits_until_notices_are_imported_indexed_and_sorted(harbor: Harbor) -> None:
    await harbor.save(text="cloud")
    await harbor.arrive("cloud")
    async with harbor.core.database.transaction() as session:
        indexing = await harbor.core.jobs.enqueue(session, EmbedOpportunities(), title="test", owner_id=None)
        sorting = await opportunities.start_categorizing(session, harbor.ada, harbor.core)
    for job in (indexing, sorting):
        await tell(harbor)
        assert await told(harbor, harbor.ada) == []
        await end(harbor, job.id)
    await tell(harbor)
    assert len(await told(harbor, harbor.ada)) == 1


async def end(harbor: Harbor, job_id: UUID) -> None:
    async with harbor.core.database.transaction() as session:
        await session.execute(text("UPDATE job SET state = 'succeeded' WHERE id = :id"), {"id": job_id})


@pytest.mark.parametrize("is_followed_before", [True, False])
async def test_opening_or_following_before_notices_are_sorted_loses_none_of_them(
    harbor: Harbor, is_followed_before: bool
) -> None:
    ada = harbor.ada
    boats = await harbor.do(ada, lambda session: categories.create(session, ada, CategoryCreate(name="Boats")))
    saved = await harbor.save(category=boats.id)
    if not is_followed_before:
        await harbor.do(ada, lambda session: service.unfollow(session, ada, saved.id))
    await harbor.arrive("cloud")
    async with harbor.core.database.transaction() as session:
        await session.execute(text("UPDATE job SET state = 'succeeded'"))
        sorting = await opportunities.start_categorizing(session, ada, harbor.core)
    await harbor.do(ada, lambda session: service.note_opened(session, ada, saved.id))
    await harbor.do(ada, lambda session: service.follow(session, ada, saved.id))
    found = await harbor.do(
        ada, lambda session: opportunities.list_opportunities(session, ada, OpportunityQuery(kind="contract", text="cloud"))
    )
    await harbor.do(ada, lambda session: categories.accept(session, ada, harbor.core, found.items[0].id, boats.id))
    await end(harbor, sorting.id)
    async with harbor.core.database.transaction() as session:
        await session.execute(text("UPDATE job SET state = 'succeeded'"))
    assert [each.new for each in await harbor.listed(ada)] == [1]
    await tell(harbor)
    assert len(await told(harbor, ada)) == 1


async def test_what_was_opened_in_the_meantime_is_not_told(harbor: Harbor) -> None:
    saved = await harbor.save(text="cloud")
    await harbor.arrive("cloud")
    await harbor.do(harbor.ada, lambda session: service.note_opened(session, harbor.ada, saved.id))
    await tell(harbor)
    assert await told(harbor, harbor.ada) == []


async def test_opening_the_search_in_another_way_marks_it_as_read(harbor: Harbor) -> None:
    saved, other = await harbor.save(text="cloud"), await harbor.save(text="cloud", name="Other")
    await harbor.arrive("cloud")
    await tell(harbor)
    await harbor.do(harbor.ada, lambda session: service.note_opened(session, harbor.ada, saved.id))
    read = {each.subject: each.read_at is not None for each in await told(harbor, harbor.ada)}
    assert read == {saved.name: True, other.name: False}


async def test_only_those_who_follow_and_see_it_are_told(harbor: Harbor) -> None:
    saved, trashed = await harbor.save(text="cloud"), await harbor.save(text="cloud", name="Old")
    await harbor.save(text="zeppelin")  # finds nothing
    for each in (harbor.bob, harbor.vic):
        await harbor.do(each, lambda session, each=each: service.follow(session, each, saved.id))
    await harbor.do(harbor.ada, lambda session: service.unfollow(session, harbor.ada, saved.id))
    await harbor.restrict(saved, ChosenMember(account_id=harbor.bob.id, access=Access.VIEW))
    await harbor.do(harbor.ada, lambda session: service.delete(session, harbor.ada, trashed.id))
    await harbor.arrive("cloud")
    await tell(harbor)
    assert [len(await told(harbor, each)) for each in (harbor.ada, harbor.bob, harbor.vic, harbor.eve)] == [0, 1, 0, 0]


async def test_row_level_security_hides_what_a_lost_follower_must_not_see(harbor: Harbor) -> None:
    """Even if the service had forgotten that Vic no longer sees the search."""
    saved, vic = await harbor.save(text="cloud"), harbor.vic
    await harbor.do(vic, lambda session: service.follow(session, vic, saved.id))
    async with harbor.core.database.transaction() as session:
        insertion = text("INSERT INTO restriction (subject_id, owner_id, kind, restricted_at) VALUES (:id, :owner, 'x', now())")
        await session.execute(insertion, {"id": saved.id, "owner": harbor.ada.workspace_id})
    await harbor.arrive("cloud")
    await tell(harbor)
    assert [await told(harbor, each) for each in (vic, harbor.ada)] == [[], []]


async def test_a_disabled_follower_is_not_told_later_either(harbor: Harbor) -> None:
    await harbor.save(text="cloud")
    await harbor.arrive("cloud")

    async def disable(is_disabled: str) -> None:
        async with harbor.core.database.transaction() as session:
            await session.execute(text(f"UPDATE account SET disabled_at = {is_disabled} WHERE id = :id"), {"id": harbor.ada.id})

    await disable("now()")
    await tell(harbor)
    async with harbor.core.database.transaction() as session:
        newest = await opportunities.newest_arrival(session)
        assert newest and not await repository.list_due(session, newest, [])
    await disable("NULL")
    await tell(harbor)
    assert await told(harbor, harbor.ada) == []


async def test_the_category_is_that_of_the_workspace(harbor: Harbor) -> None:
    ada = harbor.ada
    boats = await harbor.do(ada, lambda session: categories.create(session, ada, CategoryCreate(name="Boats")))
    await harbor.save(category=boats.id)
    await harbor.arrive("cloud", "software")
    found = await harbor.do(
        ada, lambda session: opportunities.list_opportunities(session, ada, OpportunityQuery(kind="contract", text="cloud"))
    )
    await harbor.do(ada, lambda session: categories.accept(session, ada, harbor.core, found.items[0].id, boats.id))
    async with harbor.core.database.transaction() as session:
        await session.execute(text("UPDATE job SET state = 'succeeded'"))
    await tell(harbor)
    assert [each.title for each in await told(harbor, ada)] == ["1 new opportunity matches “Cloud”"]


async def test_each_person_chooses_how(harbor: Harbor) -> None:
    await harbor.save(text="cloud")
    ada, kind = harbor.ada, events.NEW_MATCHES.key
    choices = await harbor.do(ada, lambda session: notifications.list_choices(session, ada, harbor.core))
    assert [(each.is_listed, each.email) for each in choices.kinds if each.kind == kind] == [(True, EmailTiming.DAILY)]
    none = ChoiceChange(is_listed=False, email=EmailTiming.OFF)
    await harbor.do(ada, lambda session: notifications.choose(session, ada, harbor.core, kind, none))
    await harbor.arrive("cloud")
    await tell(harbor)
    assert await told(harbor, ada) == []
