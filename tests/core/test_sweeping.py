"""Files without references, and only those, are removed from the data folder, and old rows from the database."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select, update

from fundwright.accounts import personal_data
from fundwright.accounts.schemas import Actor, Client
from fundwright.core import jobs, mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.jobs import Job, JobState
from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.sweeping import _sweep_rows, sweep
from fundwright.opportunities import service as opportunities
from fundwright.training import adding
from tests.support.accounts import add_account
from tests.support.jobs import ended, working

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Failed(Exception):
    pass


async def once(content: bytes) -> AsyncIterator[bytes]:
    yield content


@pytest.fixture
async def ada(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session)


async def add_document(core: Core, actor: Actor, content: bytes, *, fails: bool = False) -> Path:
    received = await core.files.receive(once(content))
    async with core.database.transaction() as session:
        document = await adding.add_document(session, actor, core, received, filename="roofs.txt")
        if fails:
            raise Failed
    return core.files.path(document.sha256)


async def start_import(core: Core, actor: Actor, *, fails: bool = False) -> Path:
    upload = await core.files.spool(once(b"NoticeId"))
    async with core.database.transaction() as session:
        await opportunities.start_import(session, actor, core, source="sam", filename="x.csv", upload=upload)
        if fails:
            raise Failed
    return core.files.path(upload)


def stored(core: Core) -> set[Path]:
    return {path for path in core.files.path("ab").parent.parent.rglob("*") if path.is_file()}


def age(core: Core) -> None:
    """Set the modification time of all files to 1970."""
    for path in stored(core):
        os.utime(path, (0, 0))


async def test_what_failed_transactions_left_is_removed_and_what_is_used_stays(committed: Core, ada: Actor) -> None:
    used = {await add_document(committed, ada, b"Roofs are repaired."), await start_import(committed, ada)}
    with pytest.raises(Failed):
        await add_document(committed, ada, b"Roofs are sold.", fails=True)
    with pytest.raises(Failed):
        await start_import(committed, ada, fails=True)
    assert len(stored(committed)) == 4
    age(committed)
    assert await sweep(committed) == 2
    assert stored(committed) == used


async def test_what_is_new_stays(committed: Core) -> None:
    await committed.files.spool(once(b"NoticeId"))
    assert await sweep(committed) == 0
    assert len(stored(committed)) == 1


async def test_the_upload_of_an_import_that_was_removed_with_its_account_is_removed(committed: Core, ada: Actor) -> None:
    used = await add_document(committed, ada, b"Roofs are repaired.")
    path = await start_import(committed, ada)
    async with committed.database.transaction() as session:
        await jobs.forget(session, ada.id)
    age(committed)
    assert await sweep(committed) == 1
    assert stored(committed) == {used}
    assert not path.exists()


async def test_nothing_is_removed_when_the_database_refers_to_few_of_the_files(committed: Core, ada: Actor) -> None:
    """If the database refers to few of the files, DATABASE_URL probably names the wrong database or an empty one."""
    await add_document(committed, ada, b"Roofs are repaired.")
    for name in (b"a", b"b"):
        await committed.files.spool(once(name))
    age(committed)
    assert await sweep(committed) == 0
    assert len(stored(committed)) == 3


async def test_a_copy_of_personal_data_that_can_be_downloaded_stays(committed: Core, ada: Actor) -> None:
    async with committed.database.transaction() as session:
        copy = await personal_data.start_copy(session, ada, committed, client=Client(address="here", user_agent="x"))
    async with working(committed.jobs):
        await ended(committed.jobs, copy.job.id)
    age(committed)
    assert await sweep(committed) == 0
    assert len(stored(committed)) == 1


async def test_files_that_packages_have_named_themselves_stay(committed: Core) -> None:
    path = committed.files.path("recording-1")
    path.parent.mkdir()
    path.write_text("Ring.")
    age(committed)
    assert await sweep(committed) == 0
    assert path.exists()


@pytest.mark.security(53)
async def test_old_emails_and_old_jobs_of_the_installation_are_removed(
    committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the 501st: visitors can cause many."""
    monkeypatch.setattr("fundwright.core.sweeping._BATCH", 2)
    async with committed.database.transaction() as session:
        for number in range(5):
            email = OutgoingEmail("ada@example.org", f"{number}", (), None, "en", kind=MailKind.OTHER)
            await mail.post(session, committed, email)
        for owner_id in (None, None, None, ada.id):
            session.add(Job(kind="x", title="X", owner_id=owner_id, state=JobState.SUCCEEDED, payload={}, ended_at=LONG_AGO))
        session.add(Job(kind="x", title="X", owner_id=None, state=JobState.SUCCEEDED, payload={}, ended_at=now()))
        session.add(Job(kind="x", title="X", owner_id=None, state=JobState.QUEUED, payload={}, created_at=LONG_AGO))
        await session.execute(update(mail.Mail).where(mail.Mail.subject != "4").values(created_at=LONG_AGO))
    await _sweep_rows(committed)
    async with committed.database.transaction() as session:
        assert list(await session.scalars(select(mail.Mail.subject))) == ["4"]
        left = (await session.execute(select(Job.owner_id, Job.state, Job.ended_at == LONG_AGO))).all()
    assert sorted(map(str, left)) == sorted(
        map(str, [(ada.id, "succeeded", True), (None, "succeeded", False), (None, "queued", None)])
    )
