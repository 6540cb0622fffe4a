"""Drafts."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import structlog
from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.billing import service as billing
from fundwright.billing.schemas import Quota
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import Commented
from fundwright.core import jobs as core_jobs
from fundwright.core.assembly import Core
from fundwright.core.computing import TookTooLong, TookTooMuchMemory
from fundwright.core.database import acquire_lock, now, without_session
from fundwright.core.errors import Conflict, FundwrightError, NoLongerMember, NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.live import publish
from fundwright.core.messages import Message, later, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import installation
from fundwright.core.spreadsheets import csv_lines
from fundwright.facts import service as facts
from fundwright.generation import citing, claims, exporting, repository, warnings
from fundwright.generation.choosing import KINDS_LEFT_OUT, READ_CHARACTERS, LeftOut, reasons_to_leave_out
from fundwright.generation.models import Citation, Draft, DraftSection
from fundwright.generation.schemas import (
    Checking,
    CitationRead,
    CitationStyle,
    ClaimCheck,
    DraftLink,
    DraftQuery,
    DraftRead,
    DraftRow,
    DraftSectionRead,
    DraftState,
    ExportedDraft,
    ExportFormat,
    ExportWarning,
    KeptChecks,
    PossibleMatchRead,
    PossibleMatchRecord,
    Rewriting,
    SectionState,
    SuggestedCompany,
    WriteDraft,
    WrittenSection,
)
from fundwright.insights.schemas import Figure
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.reading.company import infer_company
from fundwright.reading.kinds import OUR_KINDS, DocumentKind
from fundwright.templates import service as templates
from fundwright.training import searching
from fundwright.training import service as training
from fundwright.training.schemas import label_of
from fundwright.trash import service as trash
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.restrictions import RestrictableItem
from fundwright.workspaces.schemas import Access, RestrictionForm, RestrictionRead

log = structlog.get_logger()

_TURN_S, _MOST_TURNS = 1.0, 20
"""How long the claims of a section are checked in one turn, and in how many turns."""

_NOT_FOR_OTHERS = (DocumentKind.INTERNAL, DocumentKind.OTHERS)

DRAFT = "draft"
"""The kind of drafts in the trash, in activity, and of restrictions."""

STARTED = ActivityKind("draft.started", later("Draft started"), later("{person} started the draft “{subject}”"))
FINISHED = ActivityKind("draft.finished", later("Draft finished"), later("The draft “{subject}” was finished"), is_automatic=True)
EXPORTED = ActivityKind(
    "draft.exported", later("Draft exported"), later("{person} exported the draft “{subject}”"), combining=Combining.SOON
)

RESTRICTED = later("A restricted draft")
"""The title of jobs that write a restricted draft: administrators see it."""


class OpportunityRemoved(Conflict):
    """The draft's opportunity no longer exists. Sample opportunities are removed by the first import of real ones."""

    def __init__(self, title: str) -> None:
        super().__init__(
            t(
                "“{title}” was removed, so this draft cannot be finished. The text so far is kept. Choose another opportunity "
                "and start a new draft.",
                title=title,
            )
        )


def draft_topic(draft_id: UUID) -> str:
    """The live topic of every change of a draft, during and after writing."""
    return f"draft:{draft_id}"


def drafts_topic(owner_id: UUID) -> str:
    """The live topic of drafts added to this workspace or removed from it."""
    return f"drafts:{owner_id}"


@needs(Permission.READ)
async def suggest_company(core: Core, actor: Actor) -> SuggestedCompany:
    """Return the companies of the actor's last draft and of the accepted facts, or else the documents. Opens its own session."""
    async with core.database.reading() as session:
        accepted = (await facts.get_organization(session, actor)).name
        beginnings = [] if accepted else await searching.read_beginnings(session, actor, kinds=OUR_KINDS)
        last = await repository.last_company(session, actor.workspace_id)
    inferred = accepted or await core.computing.run(partial(infer_company, beginnings))
    return SuggestedCompany(of_last_draft=last or "", of_documents=inferred)


@needs(Permission.READ)
async def why_left_out(core: Core, actor: Actor, document_id: UUID) -> LeftOut | None:
    """Return why drafts leave out one of the actor's documents, also if a person lets drafts use it; None if there is no reason. Opens its
    own transaction."""
    async with core.database.reading() as session:
        kind = (await training.kinds_of(session, actor, [document_id])).get(document_id)
        if kind not in KINDS_LEFT_OUT:
            return None
        documents = await searching.read_openings(session, actor, kinds=OUR_KINDS, characters=READ_CHARACTERS)
    reasons = await core.computing.run(partial(reasons_to_leave_out, documents, today=now().date()))
    return reasons.get(document_id)


@needs(Permission.WORK)
async def add_draft(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    *,
    opportunity_id: UUID,
    template: str,
    document_ids: Sequence[UUID] = (),
    company: str = "",
) -> DraftRead:
    """Add an empty draft without a job; users call `start_draft`. It keeps a copy of the template's sections, and is based on the documents
    with these ids, or on all of the actor's. Raises NotFound, Invalid, or QuotaSpent."""
    chosen = await templates.look_up(session, actor, core, template)
    opportunity = await opportunities.get_opportunity(session, actor, opportunity_id)
    title = display_title(opportunity.title)
    await training.check_documents(session, actor, document_ids)
    await billing.check_quota(session, actor, Quota.DRAFTS)
    draft = Draft(
        owner_id=actor.workspace_id,
        created_by=actor.id,
        opportunity_id=opportunity_id,
        opportunity_title=title,
        opportunity_number=opportunity.number,
        template=chosen.name,
        template_title=chosen.title,
        is_letter=chosen.is_letter,
        slug=secrets.token_urlsafe(16),
        title=t("{template}: {opportunity}", template=chosen.shown_title, opportunity=title),
        company=company.strip(),
        document_ids=[str(document_id) for document_id in document_ids],
    )
    session.add(draft)
    await session.flush()
    session.add_all(
        DraftSection(
            draft_id=draft.id,
            ordinal=ordinal,
            heading=section.heading,
            plan=section.planned.model_dump(mode="json"),
        )
        for ordinal, section in enumerate(chosen.sections)
    )
    await session.flush()
    await publish(session, drafts_topic(actor.workspace_id))
    await activity.record(session, actor, STARTED, subject_of(draft), related=[opportunity_id])
    return await get_draft(session, actor, draft.id)


@needs(Permission.WORK)
async def start_draft(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    *,
    opportunity_id: UUID,
    template: str,
    document_ids: Sequence[UUID] = (),
    company: str = "",
) -> DraftRead:
    """Like `add_draft`, with a job that writes the draft and starts once the caller commits."""
    draft = await add_draft(
        session, actor, core, opportunity_id=opportunity_id, template=template, document_ids=document_ids, company=company
    )
    return await _enqueue(session, actor, core, draft)


@needs(Permission.WORK)
async def continue_draft(session: AsyncSession, actor: Actor, core: Core, draft_id: UUID) -> DraftRead:
    """Write the unfinished sections of a canceled or failed draft. Raises NotFound, Conflict, OpportunityRemoved, or
    QuotaSpent."""
    draft = await lock_draft(session, actor, draft_id)
    if draft.is_complete or draft.is_being_written:
        raise Conflict(t("The draft is already finished or being written."))
    await get_opportunity(session, actor, draft)
    if draft.state is DraftState.CANCELED:
        await billing.check_quota(session, actor, Quota.SECTIONS)  # the section that was being written is started again
    return await _enqueue(session, actor, core, draft)


@needs(Permission.WORK)
async def cancel_draft(session: AsyncSession, actor: Actor, draft_id: UUID) -> DraftRead:
    """Cancel writing within the next few words. The text so far is kept. Raises NotFound, NotAllowed, or Conflict."""
    draft = await get_draft(session, actor, draft_id)
    await restrictions.require(session, actor, draft_id)
    if draft.job_id is None or draft.state.is_over:
        raise Conflict(t("The draft is not being written."))
    await core_jobs.cancel(session, draft.job_id, owner_id=actor.workspace_id)
    await publish(session, draft_topic(draft_id))
    return await get_draft(session, actor, draft_id)


@needs(Permission.READ)
async def get_opportunity(session: AsyncSession, actor: Actor, draft: DraftRead) -> OpportunityRead:
    """Return the draft's opportunity. Raises OpportunityRemoved."""
    try:
        return await opportunities.get_opportunity(session, actor, draft.opportunity_id)
    except NotFound as error:
        raise OpportunityRemoved(draft.opportunity_title) from error


@needs(Permission.READ)
async def get_draft(session: AsyncSession, actor: Actor, draft_id: UUID) -> DraftRead:
    """Return the draft with the checks of its claims that are not outstanding. Raises NotFound, also for another workspace's draft."""
    return await _read(session, actor, await repository.get(session, actor.workspace_id, draft_id))


@needs(Permission.WORK)
async def require_shareable(session: AsyncSession, actor: Actor, draft_id: UUID) -> None:
    """Raise NotFound, or NotAllowed if the draft is restricted and the actor may not edit it."""
    if not await links_of(session, actor, [draft_id]):
        raise NotFound(t("The draft"))
    await restrictions.require(session, actor, draft_id)


@needs(Permission.WORK)
async def get_to_share(session: AsyncSession, actor: Actor, draft_id: UUID) -> DraftRead:
    """Return the draft as the actor may show it to people outside of the workspace: without anything about restricted documents. Raises
    NotFound, or NotAllowed if the draft is restricted and the actor may not edit it."""
    draft = await get_draft(session, actor, draft_id)
    await require_shareable(session, actor, draft_id)
    documents = {citation.document_id for citation in draft.citations if citation.document_id is not None}
    restricted = await restrictions.access_to(session, actor, documents)
    citations = (_withheld_citation(each.number) if each.document_id in restricted else each for each in draft.citations)
    return draft.model_copy(update={"citations": tuple(citations)})


@needs(Permission.READ)
def titles(actor: Actor) -> Select[UUID, str]:
    """Select the id and title of each draft that the actor may see, without those in the trash, as a subquery."""
    return repository.titles(actor.workspace_id)


@needs(Permission.READ)
async def links_of(session: AsyncSession, actor: Actor, draft_ids: Collection[UUID]) -> Mapping[UUID, DraftLink]:
    """Return the titles and paths of those of the drafts that the actor sees, without those in the trash."""
    found = await repository.links_of(session, actor.workspace_id, draft_ids) if draft_ids else ()
    return {id: DraftLink(title=title, path=f"/generate/slug/{slug}") for id, title, slug in found}


@needs(Permission.READ)
async def get_commented(session: AsyncSession, actor: Actor, draft_id: UUID) -> Commented:
    """Return a draft as what comments are about. Raises NotFound."""
    draft = (await repository.get(session, actor.workspace_id, draft_id)).draft
    parts = {section.id: t(section.heading) for section in await repository.sections(session, draft.id)}
    return Commented(title=draft.title, path=f"/generate/slug/{draft.slug}", parts=parts)


@needs(Permission.READ)
async def get_checked(core: Core, actor: Actor, draft_id: UUID) -> DraftRead:
    """Return the draft with the checks of all claims; those that are outstanding are made. Opens its own sessions. Raises NotFound, also
    for another workspace's draft."""
    async with core.database.reading() as session:
        draft = await get_draft(session, actor, draft_id)
    if draft.is_checked:
        return draft
    await check_outstanding(core, actor, draft_id)
    async with core.database.reading() as session:
        return await get_draft(session, actor, draft_id)


@needs(Permission.READ)
async def get_by_slug(core: Core, actor: Actor, slug: str) -> DraftRead:
    """Like `get_draft`, and have outstanding checks made in the meantime. Opens its own session. Raises NoLongerMember if the draft is older than the end of the actor's membership in its workspace."""
    async with core.database.reading() as session:
        try:
            row = await repository.get_by_slug(session, actor.workspace_id, slug)
        except NotFound:
            await _explain_missing(core, actor, slug)
            raise
        draft = await _read(session, actor, row)
    if not draft.is_checked:
        await check_later(core, actor, draft.id)
    return draft


@needs(Permission.READ)
async def check_later(core: Core, actor: Actor, draft_id: UUID) -> None:
    """Make outstanding checks in a task of their own, one for each draft, and again if the draft changes meanwhile. Pages of the draft get
    them through its topic."""
    tasks = core.shared(f"{__name__}.checking", partial(_tasks_until_closing, core))
    wanted = core.shared(f"{__name__}.wanted", set[UUID])
    wanted.add(draft_id)

    async def check() -> None:
        try:
            while draft_id in wanted:
                wanted.discard(draft_id)
                await check_outstanding(core, actor, draft_id, is_background=True)
        except FundwrightError as error:  # deleted in the meantime, or the server is busy: the next page that opens asks again
            log.info("claims.not_checked", draft_id=str(draft_id), reason=type(error).__name__)
        finally:
            wanted.discard(draft_id)
            tasks.pop(draft_id, None)

    if draft_id not in tasks:
        tasks[draft_id] = asyncio.create_task(check(), context=without_session())


def _tasks_until_closing(core: Core) -> dict[UUID, asyncio.Task[None]]:
    tasks: dict[UUID, asyncio.Task[None]] = {}

    async def end() -> None:
        ended = list(tasks.values())
        for task in ended:
            task.cancel()
        await asyncio.gather(*ended, return_exceptions=True)

    core.closing.push_async_callback(end)
    return tasks


@needs(Permission.READ)
async def check_outstanding(core: Core, actor: Actor, draft_id: UUID, *, is_background: bool = False) -> None:
    """Check the claims of finished sections whose text has changed since they were checked, and keep the checks. Opens its own transactions.
    In the background, it waits for its turn as long as necessary. Raises NotFound, Busy, or Ended."""
    async with core.database.reading() as session:
        draft = await get_draft(session, actor, draft_id)
        citations = tuple(map(_citation, await repository.all_citations(session, draft_id)))
    room = claims.MAX_CLAIMS_OF_DRAFT - sum(len(section.checks) for section in draft.sections)
    checked = claims.checked_ids(draft)
    for section in draft.sections:
        if section.state != SectionState.DONE or section.checking is not Checking.OUTSTANDING:
            continue
        kept = KeptChecks(revision=section.revision, checker=claims.CHECKER, is_too_long=True)
        if section.id in checked:
            sources = claims.sources_of(section.text, citations)
            check = partial(claims.check_claims, section.text, sources, draft.company, seconds=_TURN_S)
            kept.claims, kept.is_too_long = await _check_by_turns(core, check, room=room, is_background=is_background)
        room -= len(kept.claims)
        async with core.database.transaction() as session:
            await repository.keep_checks(session, section.id, kept)
            await publish(session, draft_topic(draft_id))


async def _check_by_turns(
    core: Core, check: partial[tuple[tuple[ClaimCheck, ...], int | None]], *, room: int, is_background: bool
) -> tuple[tuple[ClaimCheck, ...], bool]:
    """Return the checks of the first `room` claims of a section that are made within a number of turns, and whether others are left. After
    each turn, other accounts have theirs."""
    checks: list[ClaimCheck] = []
    first: int | None = 0
    for _ in range(_MOST_TURNS):
        try:
            found, first = await core.computing.run(partial(check, first=first), is_background=is_background)
        except (TookTooLong, TookTooMuchMemory):
            break
        checks += found
        if first is None or len(checks) >= room:
            break
    return tuple(checks[: max(room, 0)]), first is not None or len(checks) > room


async def _explain_missing(core: Core, actor: Actor, slug: str) -> None:
    async with core.database.reading(scope=installation("former members")) as session:
        if await repository.is_of_former(session, slug, accounts.former_memberships(actor.id)):
            raise NoLongerMember


@needs(Permission.WORK)
async def lock_draft(session: AsyncSession, actor: Actor, draft_id: UUID) -> DraftRead:
    """Return the draft and lock its sections and writers against changes until the transaction ends. Raises NotFound, or NotAllowed if it
    is restricted and the actor may not edit it."""
    await get_draft(session, actor, draft_id)  # check first, so that no workspace waits for another workspace's lock
    await restrictions.require(session, actor, draft_id)
    await acquire_lock(session, draft_topic(draft_id))
    return await get_draft(session, actor, draft_id)


@needs(Permission.READ)
async def list_drafts(session: AsyncSession, actor: Actor, query: DraftQuery) -> Page[DraftRow]:
    """Return the actor's drafts, newest first unless `sort` names a field."""
    rows, total = await repository.page(session, actor.workspace_id, query)
    names = await workspaces.names_of(session, actor, (row.draft.created_by for row in rows))
    access = await restrictions.access_to(session, actor, [row.draft.id for row in rows])
    numbers = await repository.numbers_of(session, actor.workspace_id, [row.draft.id for row in rows])
    items = [_row(row, names, access).model_copy(update={"number": numbers.get(row.draft.id, 1)}) for row in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_drafts(session: AsyncSession, actor: Actor, query: DraftQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Title"), lambda draft: draft.listed_title),
            (t("Template"), lambda draft: t(draft.template_title)),
            (t("Opportunity"), lambda draft: draft.opportunity_title),
            (t("Status"), lambda draft: draft.state),
            (t("Writer"), lambda draft: t(draft.writer_label) if draft.writer_label else ""),
            (t("Started"), lambda draft: draft.created_at),
            (t("Started by"), lambda draft: draft.created_by),
            (t("Ended"), lambda draft: draft.ended_at),
        ],
        iterate_all(lambda page: list_drafts(session, actor, page), query),
    )


@needs(Permission.READ)
async def read_figures(session: AsyncSession, actor: Actor) -> list[Figure]:
    """Return how many drafts the actor has."""
    listed = await list_drafts(session, actor, DraftQuery(page_size=1))
    return [Figure(label=t("Your drafts"), count=listed.total, path="/generate/index")]


@needs(Permission.WORK)
async def delete_draft(session: AsyncSession, actor: Actor, draft_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a draft to the trash, and cancel writing it. Raises NotFound."""
    await lock_draft(session, actor, draft_id)
    draft, state, job = await repository.get(session, actor.workspace_id, draft_id)
    if job is not None and not state.is_over:
        await core_jobs.cancel(session, job.id, owner_id=actor.workspace_id)
    for section_job in (await repository.section_jobs(session, draft_id)).values():
        if not JobState(section_job.state).is_over:
            await core_jobs.cancel(session, section_job.id, owner_id=actor.workspace_id)
    await trash.put_in(session, actor, DRAFT, draft, title=draft.title)
    await audit.record(session, "draft.deleted", actor=actor, subject=str(draft_id), client=client)
    await publish(session, draft_topic(draft_id))
    await publish(session, drafts_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore_draft(session: AsyncSession, actor: Actor, _core: Core, draft: Draft) -> None:
    """Take a draft out of the trash. If it was being written, it can be continued."""
    await trash.take_out(session, actor, draft)
    await publish(session, draft_topic(draft.id))
    await publish(session, drafts_topic(actor.workspace_id))


def path_of(draft: Draft | DraftRead) -> str:
    """The path of the page that shows the draft."""
    return f"/generate/slug/{draft.slug}"


def subject_of(draft: Draft | DraftRead) -> Subject:
    """The draft as the subject of activity."""
    return Subject(DRAFT, draft.id, draft.title, path_of(draft))


async def forget(session: AsyncSession, _core: Core, draft_ids: Collection[UUID]) -> None:
    """Delete what others keep about drafts that this transaction deletes."""
    await conversation.forget_subjects(session, draft_ids)


@needs(Permission.READ)
async def get_restriction(session: AsyncSession, actor: Actor, core: Core, draft_id: UUID) -> RestrictionRead:
    """Return who sees a draft. Raises NotFound."""
    return await restrictions.get_restriction(session, actor, core, DRAFT, draft_id)


@needs(Permission.READ)
async def get_restrictable(session: AsyncSession, actor: Actor, draft_id: UUID) -> RestrictableItem:
    """Return who started a draft, and its title. Raises NotFound."""
    draft = (await repository.get(session, actor.workspace_id, draft_id)).draft
    return RestrictableItem(made_by=draft.created_by, subject=subject_of(draft))


@needs(Permission.WORK)
async def restrict_draft(
    session: AsyncSession, actor: Actor, core: Core, draft_id: UUID, form: RestrictionForm, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Restrict a draft to chosen members of the workspace. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.restrict(session, actor, core, DRAFT, draft_id, form, client=client)


@needs(Permission.WORK)
async def lift_restriction(
    session: AsyncSession, actor: Actor, core: Core, draft_id: UUID, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Let everyone in the workspace see a draft again. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.lift(session, actor, core, DRAFT, draft_id, client=client)


@needs(Permission.READ)
async def restriction_changed(session: AsyncSession, actor: Actor, _core: Core, draft_id: UUID) -> None:
    """Announce that other members see a draft, and withhold its title from those who see its jobs."""
    if await restrictions.access_to(session, actor, [draft_id]):
        await core_jobs.withhold(session, draft_id, title=RESTRICTED)
    await publish(session, draft_topic(draft_id))
    await publish(session, drafts_topic(actor.workspace_id))
    await publish(session, core_jobs.jobs_topic(actor.workspace_id))


@needs(Permission.READ)
async def list_trashed(session: AsyncSession, actor: Actor) -> list[DraftRead]:
    """Return the drafts in the actor's trash."""
    return [await _read(session, actor, row) for row in await repository.list_trashed(session, actor.workspace_id)]


@needs(Permission.READ)
async def export_draft(
    core: Core,
    actor: Actor,
    draft_id: UUID,
    form: ExportFormat,
    *,
    citations: CitationStyle = CitationStyle.FOOTNOTES,
    client: Client = COMMAND_LINE,
) -> ExportedDraft:
    """Return the draft as a file to submit. Opens its own transaction. Raises NotFound."""
    async with core.database.transaction() as session:
        draft = await get_draft(session, actor, draft_id)
        await audit.record(session, "draft.exported", actor=actor, subject=str(draft_id), client=client)
        await activity.record(session, actor, EXPORTED, subject_of(draft), related=[draft.opportunity_id])
    return await core.computing.run(
        partial(exporting.export, _without_checks(draft), form, citations=citations, author=actor.name)
    )


@needs(Permission.READ)
async def list_export_warnings(core: Core, actor: Actor, draft: DraftRead) -> list[ExportWarning]:
    """Return what to check in a draft before it is submitted. Exporting does not depend on it. Opens its own session."""
    async with core.database.reading() as session:
        documents = {citation.document_id for citation in draft.citations if citation.document_id is not None}
        kinds = await training.kinds_of(session, actor, documents)
    internal = frozenset(
        citation.number
        for citation in draft.citations
        if citation.document_id and kinds.get(citation.document_id) in _NOT_FOR_OTHERS
    )
    return await core.computing.run(partial(warnings.warnings_of, _to_review(draft), internal))


def _to_review(draft: DraftRead) -> DraftRead:
    """What warnings need of a draft: only the checks that found something missing, for the reason in `_without_checks`."""
    missing = {section.id: tuple(check for check in section.checks if check.missing) for section in draft.sections}
    sections = tuple(section.model_copy(update={"checks": missing[section.id]}) for section in draft.sections)
    return draft.model_copy(update={"sections": sections, "citations": ()})


def as_markdown(draft: DraftRead, *, citations: CitationStyle = CitationStyle.FOOTNOTES) -> str:
    """Return the whole draft as one text, the content of the exported Markdown file."""
    return exporting.markdown(draft, citations=citations)


async def to_copy(core: Core, draft: DraftRead, *, is_background: bool = False) -> str:
    """Like `as_markdown`, without delaying anyone else, however long the draft is."""
    return await core.computing.run(partial(exporting.markdown, _without_checks(draft)), is_background=is_background)


def _without_checks(draft: DraftRead) -> DraftRead:
    """What a file needs of a draft. Sending thousands of checks to a process would take long."""
    return draft.model_copy(update={"sections": tuple(section.model_copy(update={"checks": ()}) for section in draft.sections)})


async def _enqueue(session: AsyncSession, actor: Actor, core: Core, draft: DraftRead) -> DraftRead:
    job = await core.jobs.enqueue(
        session,
        WriteDraft(draft_id=draft.id),
        title=RESTRICTED if draft.access else job_title(draft),
        owner_id=actor.workspace_id,
        account_id=actor.id,
        subject_id=draft.id,
    )
    await repository.set_job(session, draft.id, job.id)
    await publish(session, draft_topic(draft.id))
    return await get_draft(session, actor, draft.id)


def job_title(draft: DraftRead) -> Message:
    """Return the title of the job that writes the draft."""
    return later("{template}: {opportunity}", template=Message(draft.template_title), opportunity=draft.opportunity_title)


async def _read(session: AsyncSession, actor: Actor, row: repository.DraftAndJob) -> DraftRead:
    draft, job = row.draft, row.job
    jobs = await repository.section_jobs(session, draft.id)
    cited = await repository.citations(session, draft.id)
    labels = await training.page_labels_of(session, actor, {citation.document_id for citation in cited})
    found = {each.number: _citation(each, labels.get(each.document_id, ())) for each in cited}
    withheld = await find_withheld(session, actor, draft.id)
    citations = found | {number: _withheld_citation(number) for number in withheld.numbers}
    sections = tuple(
        read_section(section, jobs.get(section.id), row.state, withheld)
        for section in await repository.sections(session, draft.id)
    )
    text = "\n".join(section.text for section in sections)
    shown = citing.numbers_in(text) | {match.number for section in sections for match in section.possible_matches}
    names = await workspaces.names_of(session, actor, [draft.created_by])
    read = DraftRead(
        **_row(row, names, await restrictions.access_to(session, actor, [draft.id])).model_dump(),
        writer_id=draft.writer_id,
        opportunity_number=draft.opportunity_number,
        is_letter=draft.is_letter,
        company=draft.company,
        document_ids=tuple(UUID(document_id) for document_id in draft.document_ids),
        error=job.error if job else None,
        sections=sections,
        citations=tuple(citation for number, citation in sorted(citations.items()) if number in shown),
    )
    return claims.with_quotes(read)


def _row(row: repository.DraftAndJob, names: Mapping[UUID | None, str], access: Mapping[UUID, Access | None]) -> DraftRow:
    draft, state, job = row
    return DraftRow(
        id=draft.id,
        slug=draft.slug,
        title=draft.title,
        template=draft.template,
        template_title=draft.template_title,
        opportunity_id=draft.opportunity_id,
        opportunity_title=draft.opportunity_title,
        state=state,
        writer_label=draft.writer_label,
        created_at=draft.created_at,
        created_by=names.get(draft.created_by, ""),
        ended_at=job.ended_at if job else None,
        job_id=draft.job_id,
        access=access.get(draft.id),
    )


_REWRITING = {
    JobState.QUEUED: Rewriting.UNDERWAY,
    JobState.RUNNING: Rewriting.UNDERWAY,
    JobState.FAILED: Rewriting.FAILED,
    JobState.CANCELED: Rewriting.CANCELED,
}


@dataclass(frozen=True)
class Withheld:
    """What a draft quotes from documents that are hidden from its reader: their ids, and the numbers of their citations."""

    document_ids: frozenset[UUID] = frozenset()
    numbers: frozenset[int] = frozenset()

    def has(self, match: PossibleMatchRecord) -> bool:
        source = match.get("source")
        return match["number"] in self.numbers or (source is not None and UUID(source["document_id"]) in self.document_ids)


@needs(Permission.READ)
async def find_withheld(session: AsyncSession, actor: Actor, draft_id: UUID) -> Withheld:
    """Return what is withheld from the actor in a draft that the actor sees."""
    hidden = await restrictions.hidden_ids(session, actor)
    if not hidden:
        return Withheld()
    seen = {citation.number for citation in await repository.citations(session, draft_id)}
    return Withheld(hidden, frozenset(await repository.citation_numbers(session, draft_id) - seen))


def read_section(section: DraftSection, job: Job | None, state: DraftState, withheld: Withheld) -> DraftSectionRead:
    """Return a section, with the checks of its claims if they are of its text, but none of a claim that cites what is withheld. `job` is the latest one that regenerates it, and `state` that of the draft."""
    rewriting = None
    if job is not None:
        rewriting = _REWRITING.get(JobState(job.state)) or Rewriting(core_jobs.result_of(job, WrittenSection)["outcome"])
    is_underway = rewriting is Rewriting.UNDERWAY
    is_left = section.state == SectionState.WRITING and state.is_over  # the writer began the section and was stopped
    is_incoming = section.state != SectionState.DONE or (is_underway and bool(section.incoming))
    checking, checks = _checks_of(section, withheld)
    return DraftSectionRead(
        id=section.id,
        ordinal=section.ordinal,
        heading=section.heading,
        is_added=section.plan is None,
        text=section.incoming if is_incoming else section.text,
        revision=section.revision,
        state=SectionState.WRITING if is_underway else SectionState.WAITING if is_left else SectionState(section.state),
        rewriting=rewriting,
        error=job.error if job else None,
        open_questions=tuple(section.open_questions),
        possible_matches=tuple(
            PossibleMatchRead.model_validate(match) for match in section.possible_matches if not withheld.has(match)
        ),
        done_questions=tuple(section.done_questions),
        dropped_citations=section.dropped_citations,
        checks=() if is_incoming else checks,
        checking=checking,
    )


def _checks_of(section: DraftSection, withheld: Withheld) -> tuple[Checking, tuple[ClaimCheck, ...]]:
    if section.checks is None or section.checks["revision"] != section.revision or section.checks["checker"] != claims.CHECKER:
        return Checking.OUTSTANDING, ()
    kept = KeptChecks.model_validate(section.checks)
    shown = tuple(check for check in kept.claims if withheld.numbers.isdisjoint(check.cited))
    return Checking.TOO_LONG if kept.is_too_long else Checking.DONE, shown


def _withheld_citation(number: int) -> CitationRead:
    return CitationRead(
        number=number,
        passage_id=None,
        document_id=None,
        document_title=t("Restricted source"),
        heading=(),
        page=None,
        text="",
        is_restricted=True,
    )


def _citation(citation: Citation, labels: Sequence[str] = ()) -> CitationRead:
    return CitationRead(
        number=citation.number,
        passage_id=citation.passage_id,
        document_id=citation.document_id,
        document_title=citation.document_title,
        heading=citation.heading,
        page=citation.page,
        page_label=label_of(labels, citation.page),
        text=citation.text,
    )
