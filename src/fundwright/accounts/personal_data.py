"""A copy of everything that belongs to an account, as one archive for its owner. Each slice adds its files through a hook."""

from __future__ import annotations

import asyncio
import re
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, TypedDict, TypeVar
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, profile, repository, service
from fundwright.accounts.models import AuditEntry, DataCopy
from fundwright.accounts.permissions import needs, refuse_programs, require_confirmed
from fundwright.accounts.schemas import Actor, AuditRead, Client, DataCopyRead, Permission
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, DatabaseAway, NotFound
from fundwright.core.files import disk_errors
from fundwright.core.jobs import JobPayload, JobRun
from fundwright.core.messages import later, t
from fundwright.core.scopes import installation
from fundwright.core.spreadsheets import csv_line

T = TypeVar("T")
KEPT = timedelta(days=7)
_HISTORY = ("kind", "title", "state", "error", "created_at", "started_at", "ended_at")
_packing = ThreadPoolExecutor(max_workers=2, thread_name_prefix="packing")
"""Compressing a large file takes seconds."""
_MAX_JOBS = 100_000
_EMAIL = re.compile(r"[^\s@<>,;]{1,100}@[^\s@<>,;]{1,255}")


class CollectData(JobPayload):
    job_kind: ClassVar[str] = "personal_data"

    copy_id: UUID


class ForgetCopy(JobPayload):
    job_kind: ClassVar[str] = "personal_data_expiry"

    copy_id: UUID


@dataclass(frozen=True)
class DataFile:
    """A file of the archive. `name` is its path in the archive; `content` is its text or bytes, or the path of a file on disk."""

    name: str
    content: bytes | Path


@dataclass(frozen=True)
class ComputedFile:
    """A file of the archive whose content takes long to make. It is made once the transaction of the reader has ended, because `core.computing`
    is not available inside one. None leaves it out."""

    name: str
    compute: Callable[[], Awaitable[bytes | None]]


PersonalDataReader = Callable[[AsyncSession, Actor, Core], AsyncIterator[DataFile | ComputedFile]]


def as_json(name: str, value: object) -> DataFile:
    """Convert models, or lists and dictionaries of them."""
    return DataFile(name, to_json(value, indent=2))


def as_csv(name: str, columns: Sequence[str], rows: Iterable[object]) -> DataFile:
    """The named fields of each row."""
    lines = [csv_line(columns), *(csv_line([getattr(row, column) for column in columns]) for row in rows)]
    return DataFile(name, "".join(lines).encode())


@needs(Permission.READ)
async def start_copy(session: AsyncSession, actor: Actor, core: Core, *, client: Client) -> DataCopyRead:
    """Start a job that writes the archive and replaces an earlier one. Raises Conflict while one is being written."""
    refuse_programs(actor)
    require_confirmed(actor)
    await acquire_lock(session, f"personal data:{actor.id}")
    present = await find_copy(session, actor)
    if present is not None and not present.job.state.is_over:
        raise Conflict(t("Your copy is already being prepared. Wait until you can download it."))
    await remove_copies(session, actor, core)
    copy = DataCopy(owner_id=actor.id, expires_at=now() + KEPT)
    session.add(copy)
    await session.flush()
    title = later("Prepare a copy of personal data")
    job = await core.jobs.enqueue(session, CollectData(copy_id=copy.id), title=title, owner_id=actor.id)
    copy.job_id = job.id
    await session.flush()
    await audit.record(session, "personal_data.asked", actor=actor, subject=actor.email, client=client)
    return _read(copy, job)


@needs(Permission.READ)
async def find_copy(session: AsyncSession, actor: Actor) -> DataCopyRead | None:
    """The archive, finished or in progress."""
    copy = await repository.find_data_copy(session, actor.id)
    return _read(copy, await jobs.get(session, copy.job_id)) if copy and copy.job_id else None


@needs(Permission.READ)
async def open_copy(session: AsyncSession, actor: Actor, core: Core, *, client: Client) -> Path:
    """The path of the actor's own finished archive. Raises NotFound."""
    refuse_programs(actor)
    copy = await repository.find_data_copy(session, actor.id)
    if copy is None or copy.size_bytes is None:
        raise NotFound(t("The copy of your data"))
    await audit.record(session, "personal_data.downloaded", actor=actor, subject=actor.email, client=client)
    return core.files.path(copy.id.hex)


@needs(Permission.READ)
async def remove_copies(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Delete the archive with its file; also for an account that is being deleted."""
    for copy_id in await repository.remove_data_copies(session, actor.id):
        core.files.remove_after_commit(session, copy_id.hex)


class PackedCopy(TypedDict):
    size_bytes: int


async def write(run: JobRun[CollectData, Actor]) -> PackedCopy | None:
    """The job: collect the data of all slices and pack it."""
    core = run.services
    copy_id = run.payload.copy_id
    readers: list[PersonalDataReader] = core.plugins.collect("personal_data")
    path = core.files.path(copy_id.hex)
    await asyncio.to_thread(_begin, path)
    try:
        for done, read in enumerate(readers):
            await run.progress(done, len(readers))
            computed = list[ComputedFile]()
            async with run.transaction(scope=installation("personal data")) as session:  # readers collect what is the actor's own
                async for file in read(session, run.actor, core):
                    if isinstance(file, ComputedFile):
                        computed.append(file)
                    else:
                        await _pack(path, file)
            for file in computed:
                if (content := await file.compute()) is not None:
                    await _pack(path, DataFile(file.name, content))
    except DatabaseAway:  # another worker may already be writing the archive again
        raise
    except Exception:  # canceled, disabled, or deleted: nobody can download it, and it must not wait for the sweep
        core.files.remove(copy_id.hex)
        raise
    size_bytes = (await asyncio.to_thread(path.stat)).st_size
    async with run.transaction() as session:
        copy = await session.get(DataCopy, copy_id)
        if copy is None:  # the account was deleted in the meantime
            core.files.remove(copy_id.hex)
            return None
        copy.size_bytes = size_bytes
        delay_s = int(KEPT.total_seconds())
        await core.jobs.enqueue(session, ForgetCopy(copy_id=copy_id), title="Forget a copy", owner_id=None, delay_s=delay_s)
    return {"size_bytes": size_bytes}


async def expire(run: JobRun[ForgetCopy, None]) -> None:
    """The job: delete the archive when it expires."""
    core = run.services
    copy_id = run.payload.copy_id
    async with run.transaction() as session:
        copy = await session.get(DataCopy, copy_id)
        if copy is not None:
            await session.delete(copy)
    core.files.remove(copy_id.hex)


async def _pack(path: Path, file: DataFile) -> None:
    await asyncio.get_running_loop().run_in_executor(_packing, _add, path, file)


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The actor's profile, photo, history, and audit trail."""
    row = await service.get_account_by_id(session, actor.id)
    yield as_json("account/profile.json", await profile.get_profile(session, actor))
    if row.photo_url:
        photo_id = UUID(row.photo_url.rpartition("/")[2])
        photo = await repository.find_photo(session, photo_id, reader_id=actor.id, sees_all=False)
        if photo:
            yield DataFile("account/photo.webp", photo.content)
    yield as_csv("account/history.csv", _HISTORY, await jobs.list_recent(session, actor.id, limit=_MAX_JOBS))
    states = await repository.list_saved_states(session, actor.id)
    yield as_json("account/kept_by_screens.json", {state.name: state.value for state in states})
    lines = _without_others(actor, await repository.list_audit_of(session, row))
    yield as_csv("account/audit.csv", ("at", "actor_email", "action", "subject", "address", "details"), lines)


def _without_others(actor: Actor, entries: Sequence[AuditEntry]) -> list[AuditRead]:
    """Entries of the audit trail without other people's email addresses, and without the origin of others' actions."""
    own = {actor.email, *(entry.actor_email for entry in entries if entry.actor_id == actor.id)}

    def without_emails(text: str) -> str:
        return _EMAIL.sub(lambda found: found[0] if found[0] in own else "***", text)

    return [
        AuditRead.model_validate(entry).model_copy(
            update={
                "subject": without_emails(entry.subject),
                "details": {name: without_emails(value) for name, value in entry.details.items()},
                **({} if entry.actor_id == actor.id else {"actor_email": entry.actor_email and "***", "address": ""}),
            }
        )
        for entry in entries
    ]


def _read(copy: DataCopy, job: jobs.JobRead) -> DataCopyRead:
    return DataCopyRead(id=copy.id, job=job, size_bytes=copy.size_bytes, created_at=copy.created_at, expires_at=copy.expires_at)


def _begin(path: Path) -> None:
    with disk_errors(path.parent):
        path.parent.mkdir(exist_ok=True)
        path.touch(mode=0o600)
        with zipfile.ZipFile(path, "w"):
            pass


def _add(path: Path, file: DataFile) -> None:
    with disk_errors(path.parent), zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        if isinstance(file.content, Path):
            archive.write(file.content, file.name)
        else:
            archive.writestr(file.name, file.content)
