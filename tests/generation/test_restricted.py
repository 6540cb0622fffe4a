"""Two people in a workspace: what one of them restricts is hidden from the other, in documents, answers, and drafts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, TypeVar
from uuid import UUID

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import personal_data as activity_copy
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, FundwrightError, Invalid, NotAllowed, NotFound
from fundwright.core.jobs import JobState
from fundwright.core.paging import PageRequest
from fundwright.core.scopes import acting_in
from fundwright.generation import editing, service
from fundwright.generation.schemas import (
    DraftQuery,
    DraftRead,
    DraftSources,
    DraftTitle,
    ExportFormat,
    MatchDecision,
    Regeneration,
    SectionSave,
    WriteDraft,
    WriteSection,
)
from fundwright.language.protocols import PossibleMatch
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.training import adding, removing, restricting, runs, searching
from fundwright.training import service as training
from fundwright.training.schemas import DocumentQuery, DocumentState, DocumentTitle, PastedText, TrainDocuments
from fundwright.trash import service as trash
from fundwright.trash.schemas import TrashQuery
from fundwright.workspaces import invitations, restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import (
    Access,
    ChosenMember,
    InvitationForm,
    RestrictedItemQuery,
    RestrictionForm,
    WorkspaceForm,
)
from fundwright.workspaces.service import PersonalWorkspace
from tests.generation.conftest import Desk, quote_all
from tests.support.accounts import add_account
from tests.support.scopes import INSTALLATION

pytestmark = pytest.mark.security(51)

T = TypeVar("T")
_SECRET = "Shingles gutters"


class Team(SimpleNamespace):
    """Ada, who owns the workspace, and Ben, who edits; two documents of Ada, and her draft, which cites both."""

    desk: Desk
    ada: Actor
    ben: Actor
    roofs: UUID
    foreman: UUID
    draft: UUID

    async def do(self, actor: Actor, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        with acting_in(actor.scope):
            async with self.desk.core.database.transaction() as session:
                return await work(session)

    async def join(self, email: str, name: str) -> Actor:
        async with self.desk.core.database.transaction() as session:
            joining = await add_account(session, email, name=name)
            sent = await invitations.invite(session, self.ada, self.desk.core, InvitationForm(email=email))
            await invitations.accept_link(session, joining, sent.link.rpartition("/")[2])
            there = await workspaces.actor_in(session, joining, self.ada.workspace_id)
        assert there is not None
        return there

    async def restrict(self, actor: Actor, document: UUID, *members: ChosenMember) -> None:
        form = RestrictionForm(members=members)
        await self.do(actor, lambda session: restricting.restrict_document(session, actor, self.desk.core, document, form))

    async def restrict_draft(self, actor: Actor, *members: ChosenMember) -> None:
        form = RestrictionForm(members=members)
        await self.do(actor, lambda session: service.restrict_draft(session, actor, self.desk.core, self.draft, form))

    async def passages(self, actor: Actor) -> set[str]:
        with acting_in(actor.scope):
            found = await searching.find_passages(
                self.desk.core, actor, "shingles gutters foreman", embedder=_embedder(self.desk)
            )
        return {passage.document_title for passage in found}

    async def titles(self, actor: Actor, **asked: Any) -> list[str]:
        query = DocumentQuery(sort="title", **asked)
        page = await self.do(actor, lambda session: training.list_documents(session, actor, query))
        return [document.title for document in page.items]

    async def read(self, actor: Actor) -> DraftRead:
        with acting_in(actor.scope):
            return await service.get_checked(self.desk.core, actor, self.draft)

    async def write(self, actor: Actor, payload: WriteDraft | WriteSection) -> None:
        await self.desk.core.jobs.run_inline(payload, title="", owner_id=actor.workspace_id, account_id=actor.id)


def _embedder(desk: Desk) -> Any:
    return next(plugin for plugin in desk.core.plugins.collect("embedding_models") if plugin.name == "words").create(desk.core)


@contextmanager
def refused(error: type[FundwrightError]) -> Iterator[None]:
    with pytest.raises(error):
        yield


@pytest.fixture
async def team(desk: Desk) -> Team:
    async def make(core: Core) -> Mapping[str, Any]:
        async with core.database.transaction() as session:
            created = await workspaces.create_workspace(session, desk.actor, core, WorkspaceForm(name="Harbor"))
            ada = await workspaces.actor_in(session, desk.actor, created.id)
            ben = await add_account(session, "ben@example.org", name="Ben")
            sent = await invitations.invite(session, ada, core, InvitationForm(email=ben.email))
            await invitations.accept_link(session, ben, sent.link.rpartition("/")[2])
            ben = await workspaces.actor_in(session, ben, created.id)
            pasted = PastedText(title="Roofs", text=f"{_SECRET} were repaired in 2024.")
            roofs = await adding.add_text(session, ada, core, pasted)
            pasted = PastedText(title="Foreman", text="Foreman electrician Bo Diaz holds a master license.")
            foreman = await adding.add_text(session, ada, core, pasted)
        await runs.run_inline(core, ada, [roofs.id, foreman.id])
        async with core.database.transaction() as session:
            draft = await service.add_draft(session, ada, core, opportunity_id=desk.opportunity_id, template="brief")
        written = WriteDraft(draft_id=draft.id)
        await core.jobs.run_inline(written, title="", owner_id=ada.workspace_id, account_id=ada.id)
        return {"ada": ada, "ben": ben, "roofs": roofs.id, "foreman": foreman.id, "draft": draft.id}

    return Team(desk=desk, **await desk.snapshots.of(desk.core, make))


class TestDocuments:
    async def test_are_visible_to_everyone_until_they_are_restricted(self, team: Team) -> None:
        assert await team.passages(team.ben) == {"Roofs", "Foreman"}
        assert await team.titles(team.ben) == ["Foreman", "Roofs"]
        await team.restrict(team.ada, team.roofs)
        assert await team.passages(team.ada) == {"Roofs", "Foreman"}
        assert await team.passages(team.ben) == {"Foreman"}
        assert await team.titles(team.ben) == ["Foreman"]
        assert (await team.titles(team.ada, is_restricted=True), await team.titles(team.ada, is_restricted=False)) == (
            ["Roofs"],
            ["Foreman"],
        )
        for read in (
            lambda session: training.get_document(session, team.ben, team.roofs),
            lambda session: training.rename_document(session, team.ben, team.roofs, _named("Mine")),
            lambda session: removing.remove_document(session, team.ben, team.roofs),
            lambda session: restricting.get_restriction(session, team.ben, team.desk.core, team.roofs),
            lambda session: restricting.restrict_document(session, team.ben, team.desk.core, team.roofs, RestrictionForm()),
            lambda session: restricting.lift_restriction(session, team.ben, team.desk.core, team.roofs),
        ):
            with refused(NotFound):
                await team.do(team.ben, read)
        with refused(NotFound), acting_in(team.ben.scope):
            await training.find_file(team.desk.core, team.ben, team.roofs)
        await team.do(team.ada, lambda session: restricting.lift_restriction(session, team.ada, team.desk.core, team.roofs))
        assert await team.passages(team.ben) == {"Roofs", "Foreman"}

    async def test_the_same_content_can_be_added_by_someone_who_does_not_see_it(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs)
        again = PastedText(title="Roofs", text=f"{_SECRET} were repaired in 2024.")
        added = await team.do(team.ben, lambda session: adding.add_text(session, team.ben, team.desk.core, again))
        assert added.title == "Roofs" and added.id != team.roofs
        with refused(Conflict):
            await team.do(team.ben, lambda session: adding.add_text(session, team.ben, team.desk.core, again))

    async def test_chosen_members_may_do_what_they_were_chosen_for(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs, ChosenMember(account_id=team.ben.id, access=Access.VIEW))
        assert await team.passages(team.ben) == {"Roofs", "Foreman"}
        rename = lambda session: training.rename_document(session, team.ben, team.roofs, _named("Mine"))  # noqa: E731
        remove = lambda session: removing.remove_document(session, team.ben, team.roofs)  # noqa: E731
        lift = lambda session: restricting.lift_restriction(session, team.ben, team.desk.core, team.roofs)  # noqa: E731
        for change in (rename, remove, lift):
            with refused(NotAllowed):
                await team.do(team.ben, change)
        with refused(Invalid), acting_in(team.ben.scope):
            await runs.start_run(team.desk.core, team.ben, [team.roofs])
        await team.restrict(team.ada, team.roofs, ChosenMember(account_id=team.ben.id, access=Access.EDIT))
        assert (await team.do(team.ben, rename)).title == "Mine"

    async def test_who_restricts_and_who_added_keep_access_and_only_members_are_chosen(self, team: Team) -> None:
        await team.restrict(team.ben, team.roofs, ChosenMember(account_id=team.ben.id, access=Access.VIEW))
        read = await team.do(team.ben, lambda session: restricting.get_restriction(session, team.ben, team.desk.core, team.roofs))
        assert {each.account_id: each.access for each in read.members} == {team.ada.id: Access.EDIT, team.ben.id: Access.EDIT}
        assert read.made_by == team.ada.id
        assert await team.titles(team.ada) == ["Foreman", "Roofs"]
        async with team.desk.core.database.transaction() as session:
            eve = await add_account(session, "eve@example.org", name="Eve")
        with refused(NotFound):
            await team.restrict(team.ben, team.roofs, ChosenMember(account_id=eve.id))

    async def test_who_added_it_and_owners_are_told_and_nobody_else(self, team: Team) -> None:
        core = team.desk.core

        async def told(actor: Actor) -> list[str]:
            entries = await team.do(actor, lambda session: activity.list_activity(session, actor, core, ActivityQuery()))
            found = await team.do(
                actor, lambda session: notifications.list_notifications(session, actor, core, NotificationQuery())
            )
            items = [entry.sentence for entry in entries.items if entry.kind.startswith("item.")]
            return items + [each.title for each in found.items if each.kind.startswith("item.")]

        eve = await team.join("eve@example.org", "Eve")
        await team.restrict(team.ben, team.roofs)
        assert await told(team.ada) == [
            "Ben restricted “Roofs” to chosen members",
            "Ben restricted “Roofs” to chosen members; you can still edit it",
        ]
        assert await told(eve) == []
        chosen = ChosenMember(account_id=eve.id, access=Access.VIEW)
        await team.restrict(team.ben, team.roofs, chosen)
        await team.restrict(team.ben, team.roofs, chosen)
        changes = ["Ben changed which members see “Roofs”", "Ben restricted “Roofs” to chosen members"]
        assert await told(eve) == [*changes, "Ben gave you access to “Roofs”"]
        pasted = PastedText(title="Ladders", text="Ladders were inspected in 2025.")
        ladders = (await team.do(team.ben, lambda session: adding.add_text(session, team.ben, core, pasted))).id
        await team.restrict(team.ben, ladders)
        hidden = "Ben restricted an item that you do not see (kind: Document)"
        assert [hidden in await told(actor) for actor in (team.ada, team.ben, eve)] == [True, False, False]
        await team.do(team.ada, lambda session: restrictions.lift_as_owner(session, team.ada, core, ladders))
        for actor in (team.ada, team.ben, eve):
            first, second, *_ = await told(actor)
            assert (first, second) == (
                "Ada Example made “Ladders” visible to everyone",
                "Ben restricted “Ladders” to chosen members",
            )
            assert hidden not in await told(actor)

    async def test_that_are_hidden_now_are_missing_in_a_copy_of_the_data_of_who_changed_them_before(self, team: Team) -> None:
        async def copied(actor: Actor) -> str:
            async with team.desk.core.database.transaction(scope=INSTALLATION) as session:
                (file,) = [file async for file in activity_copy.own_files(session, actor, team.desk.core)]
            assert isinstance(file.content, bytes)
            return file.content.decode()

        await team.do(team.ben, lambda session: training.rename_document(session, team.ben, team.roofs, _named("Ben's roofs")))
        assert "Ben's roofs" in await copied(team.ben)
        await team.restrict(team.ada, team.roofs)
        await team.do(team.ada, lambda session: training.rename_document(session, team.ada, team.roofs, _named("Secret roofs")))
        assert "roofs" not in await copied(team.ben)
        assert "Secret roofs" in await copied(team.ada)

    async def test_the_personal_workspace_has_nothing_to_restrict(self, team: Team) -> None:
        alone = team.desk.actor
        (document, *_) = (await team.do(alone, lambda session: training.list_documents(session, alone))).items
        with refused(PersonalWorkspace):
            await team.restrict(alone, document.id)

    async def test_in_the_trash_stay_hidden(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs)
        await team.do(team.ada, lambda session: removing.remove_document(session, team.ada, team.roofs))
        for actor, count in ((team.ada, 1), (team.ben, 0)):
            listed = await team.do(actor, lambda session, actor=actor: trash.list_trash(session, actor, TrashQuery()))
            assert listed.total == count
        with refused(NotFound):
            await team.do(team.ben, lambda session: trash.restore(session, team.ben, team.desk.core, team.roofs))
        assert await team.do(team.ben, lambda session: trash.empty(session, team.ben, team.desk.core)) == 0
        await team.do(team.ada, lambda session: trash.restore(session, team.ada, team.desk.core, team.roofs))
        assert await team.titles(team.ben) == ["Foreman"]
        await team.do(team.ada, lambda session: removing.remove_document(session, team.ada, team.roofs))
        assert await team.do(team.ada, lambda session: trash.empty(session, team.ada, team.desk.core)) == 1
        async with team.desk.core.database.transaction() as session:
            assert await session.scalar(text("SELECT count(*) FROM restriction")) == 0

    async def test_are_trained_although_a_run_of_someone_else_waits_for_them(self, team: Team) -> None:
        pasted = PastedText(title="Towers", text="Cranes and towers were inspected.")
        core = team.desk.core
        added = await team.do(team.ben, lambda session: adding.add_text(session, team.ben, core, pasted))
        await team.restrict(team.ben, added.id)  # the waiting run, which is Ada's, no longer trains it
        async with core.database.transaction() as session:
            queued = jobs.Job.owner_id == team.ada.workspace_id, jobs.Job.kind == "train", jobs.Job.state == JobState.QUEUED
            found = await session.scalars(select(jobs.Job).where(*queued))
            waiting = {job.account_id: job.payload for job in found}
        assert waiting.keys() == {team.ada.id, team.ben.id}
        for account_id, payload in waiting.items():
            await core.jobs.run_inline(
                TrainDocuments.model_validate(payload), title="", owner_id=team.ada.workspace_id, account_id=account_id
            )
        read = await team.do(team.ben, lambda session: training.get_document(session, team.ben, added.id))
        assert read.state is DocumentState.TRAINED
        listed = await team.do(team.ada, lambda session: runs.list_runs(session, team.ada, PageRequest()))
        assert "Towers" not in str(listed)


class TestOwners:
    async def test_take_over_what_former_members_restricted(self, team: Team) -> None:
        pasted = PastedText(title="Ladders", text="Ladders were inspected in 2025.")
        ladders = (await team.do(team.ben, lambda session: adding.add_text(session, team.ben, team.desk.core, pasted))).id
        await team.restrict(team.ben, ladders)
        for title in ("Long ladders", "Ladders"):
            await team.do(
                team.ben,
                lambda session, title=title: training.rename_document(session, team.ben, ladders, _named(title)),
            )
        await team.do(team.ada, lambda session: workspaces.remove_member(session, team.ada, team.ben.id))
        assert await team.titles(team.ada) == ["Foreman", "Roofs"]
        query = RestrictedItemQuery()
        (item,) = (await team.do(team.ada, lambda session: restrictions.list_restricted(session, team.ada, query))).items
        assert (item.kind, item.restricted_by, item.members) == ("document", "Ben", ())
        await team.do(team.ada, lambda session: restrictions.lift_as_owner(session, team.ada, team.desk.core, item.subject_id))
        assert await team.titles(team.ada) == ["Foreman", "Ladders", "Roofs"]
        async with team.desk.core.database.transaction() as session:
            entries = (await session.scalars(select(AuditEntry).order_by(AuditEntry.at))).all()
        lifted = next(entry for entry in entries if entry.action == "item.restriction_lifted")
        assert (lifted.actor_id, lifted.subject) == (team.ada.id, str(ladders))
        assert not any("adders" in entry.subject for entry in entries)

    async def test_others_neither_list_nor_lift(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs)
        for attempt in (
            lambda session: restrictions.list_restricted(session, team.ben, RestrictedItemQuery()),
            lambda session: restrictions.lift_as_owner(session, team.ben, team.desk.core, team.roofs),
        ):
            with refused(NotAllowed):
                await team.do(team.ben, attempt)

    async def test_who_comes_back_is_no_longer_a_chosen_member(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs, ChosenMember(account_id=team.ben.id))
        core = team.desk.core
        await team.do(team.ada, lambda session: workspaces.remove_member(session, team.ada, team.ben.id))
        form = InvitationForm(email=team.ben.email, role=WorkspaceRole.EDITOR)
        sent = await team.do(team.ada, lambda session: invitations.invite(session, team.ada, core, form))
        await team.do(team.ben, lambda session: invitations.accept_link(session, team.ben, sent.link.rpartition("/")[2]))
        assert await team.titles(team.ben) == ["Foreman"]

    async def test_delete_a_workspace_with_the_files_of_hidden_documents(self, team: Team) -> None:
        await team.restrict(team.ben, team.roofs)
        core = team.desk.core
        await team.do(team.ada, lambda session: workspaces.delete_workspace(session, team.ada, core, name="Harbor"))
        async with core.database.transaction() as session:
            queued = (await session.scalars(select(jobs.Job).where(jobs.Job.kind == "remove_files"))).all()
        assert sum(len(job.payload["sha256"]) for job in queued) >= 2


class TestCitations:
    async def test_of_hidden_documents_keep_only_their_number(self, team: Team) -> None:
        before = await team.read(team.ada)
        cited = next(each for each in before.citations if each.document_title == "Roofs")
        await team.restrict(team.ada, team.roofs)
        assert await team.read(team.ada) == before
        seen = await team.read(team.ben)
        assert [each.number for each in seen.citations] == [each.number for each in before.citations]
        hidden = next(each for each in seen.citations if each.number == cited.number)
        assert (hidden.document_title, hidden.text, hidden.quotes) == ("Restricted source", "", ())
        assert (hidden.is_restricted, hidden.passage_id, hidden.document_id, hidden.heading, hidden.page) == (
            True,
            None,
            None,
            (),
            None,
        )
        assert not any(cited.number in check.numbers for section in seen.sections for check in section.checks)
        with refused(NotFound):
            await team.do(team.ben, lambda session: searching.get_passage(session, team.ben, cited.passage_id))
        with acting_in(team.ben.scope):
            exported = await service.export_draft(team.desk.core, team.ben, team.draft, ExportFormat.MARKDOWN)
        footnotes = exported.content.decode().partition("[^1]:")[2]
        assert "Restricted source." in footnotes and "Roofs" not in footnotes

    async def test_can_be_kept_by_people_who_do_not_see_them(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs)
        seen = await team.read(team.ben)
        section = next(each for each in seen.sections if each.heading == "Roofs")
        save = SectionSave(heading="Roofs", text=f"New. {section.text}", based_on=section.revision)
        saved = await team.do(
            team.ben, lambda session: editing.save_section(session, team.ben, team.desk.core, team.draft, section.id, save)
        )
        assert saved.text.startswith("New. ")
        unknown = save.model_copy(update={"text": "Nothing [99].", "based_on": saved.revision})
        with refused(Invalid):
            await team.do(
                team.ben, lambda session: editing.save_section(session, team.ben, team.desk.core, team.draft, section.id, unknown)
            )

    async def test_are_never_made_from_documents_that_the_person_does_not_see(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs)
        team.desk.writer.requests.clear()
        draft = await team.read(team.ben)
        for section in draft.sections:
            await team.write(team.ben, WriteSection(section_id=section.id))
        passages = [passage.text for request in team.desk.writer.requests for passage in request.passages]
        assert passages and not any(_SECRET in passage for passage in passages)
        numbers = [each.number for each in (await team.read(team.ada)).citations]
        assert len(numbers) == len(set(numbers))

    async def test_of_new_text_get_numbers_that_hidden_ones_do_not_have(self, team: Team) -> None:
        await team.restrict(team.ada, team.roofs)
        pasted = PastedText(title="Crew", text="Foreman electrician Ada Bell joined our crew in 2019 and holds a license.")
        added = await team.do(team.ben, lambda session: adding.add_text(session, team.ben, team.desk.core, pasted))
        await runs.run_inline(team.desk.core, team.ben, [added.id])
        section = next(each for each in (await team.read(team.ben)).sections if each.heading == "Team")
        await team.write(team.ben, WriteSection(section_id=section.id))
        assert {each.document_title for each in (await team.read(team.ada)).citations} >= {"Roofs", "Crew"}

    async def test_of_possible_matches_are_withheld(self, team: Team) -> None:
        def offer(request: Any) -> Any:
            for passage in request.passages:
                yield PossibleMatch(question=0, number=passage.number, text=passage.text)

        team.desk.writer.script = offer
        section = next(each for each in (await team.read(team.ada)).sections if each.heading == "Roofs")
        await team.write(team.ada, WriteSection(section_id=section.id))
        team.desk.writer.script = quote_all
        await team.restrict(team.ada, team.roofs)

        async def matches(actor: Actor) -> list[str]:
            return [match.text for part in (await team.read(actor)).sections for match in part.possible_matches]

        assert any(_SECRET in match for match in await matches(team.ada))
        assert not any(_SECRET in match for match in await matches(team.ben))
        hidden = next(match for match in await matches(team.ada) if _SECRET in match)
        decision = MatchDecision(question="your roofs", text=hidden, is_accepted=True)
        with refused(Invalid):
            await team.do(
                team.ben,
                lambda session: editing.decide_match(session, team.ben, team.desk.core, team.draft, section.id, decision),
            )

    async def test_hidden_sources_of_a_draft_stay_chosen(self, team: Team) -> None:
        choose = lambda actor, *ids: team.do(  # noqa: E731
            actor, lambda session: editing.choose_sources(session, actor, team.draft, DraftSources(document_ids=ids))
        )
        await choose(team.ada, team.roofs, team.foreman)
        await team.restrict(team.ada, team.roofs)
        assert set((await choose(team.ben, team.foreman)).document_ids) == {team.roofs, team.foreman}


class TestDrafts:
    async def test_are_hidden_from_all_others(self, team: Team) -> None:
        section = (await team.read(team.ada)).sections[0]
        await team.restrict_draft(team.ada)
        core, ben, draft = team.desk.core, team.ben, team.draft
        save = SectionSave(heading="Mine", text="Mine", based_on=section.revision)
        for attempt in (
            lambda session: service.get_draft(session, ben, draft),
            lambda session: editing.save_section(session, ben, core, draft, section.id, save),
            lambda session: editing.list_versions(session, ben, draft, section.id, PageRequest()),
            lambda session: editing.rename_draft(session, ben, draft, DraftTitle(title="Mine")),
            lambda session: editing.regenerate_section(session, ben, core, draft, section.id, Regeneration()),
            lambda session: service.delete_draft(session, ben, draft),
            lambda session: service.continue_draft(session, ben, core, draft),
        ):
            with refused(NotFound):
                await team.do(ben, attempt)
        with refused(NotFound), acting_in(ben.scope):
            await service.export_draft(core, ben, draft, ExportFormat.MARKDOWN)
        for actor, count in ((team.ada, 1), (ben, 0)):
            listed = await team.do(actor, lambda session, actor=actor: service.list_drafts(session, actor, DraftQuery()))
            assert (listed.total, [each.access for each in listed.items]) == (count, [Access.EDIT] * count)
        shown = await team.do(team.ada, lambda session: service.list_drafts(session, team.ada, DraftQuery(is_restricted=False)))
        assert shown.total == 0

    async def test_can_be_read_and_not_changed_by_those_who_may_view(self, team: Team) -> None:
        section = (await team.read(team.ada)).sections[0]
        await team.restrict_draft(team.ada, ChosenMember(account_id=team.ben.id, access=Access.COMMENT))
        core, ben, draft = team.desk.core, team.ben, team.draft
        assert (await team.read(ben)).access is Access.COMMENT
        save = SectionSave(heading="Mine", text="Mine", based_on=section.revision)
        for attempt in (
            lambda session: editing.save_section(session, ben, core, draft, section.id, save),
            lambda session: editing.rename_draft(session, ben, draft, DraftTitle(title="Mine")),
            lambda session: editing.choose_sources(session, ben, draft, DraftSources()),
            lambda session: editing.regenerate_section(session, ben, core, draft, section.id, Regeneration()),
            lambda session: service.cancel_draft(session, ben, draft),
            lambda session: service.delete_draft(session, ben, draft),
            lambda session: service.restrict_draft(session, ben, core, draft, RestrictionForm()),
            lambda session: service.lift_restriction(session, ben, core, draft),
        ):
            with refused(NotAllowed):
                await team.do(ben, attempt)

    async def test_name_no_jobs_to_others(self, team: Team) -> None:
        section = (await team.read(team.ada)).sections[0]
        core, ada = team.desk.core, team.ada
        await team.do(ada, lambda session: editing.regenerate_section(session, ada, core, team.draft, section.id, Regeneration()))
        await team.restrict_draft(ada)
        async with core.database.transaction() as session:
            titles = (await session.scalars(select(jobs.Job.title).where(jobs.Job.kind == "draft_section"))).all()
        assert titles == ["A restricted draft"]
        for actor, count in ((ada, 1), (team.ben, 0)):
            hidden = await team.do(actor, lambda session, actor=actor: restrictions.hidden_ids(session, actor))
            async with core.database.transaction() as session:
                underway = await jobs.list_underway(session, ada.workspace_id, limit=9, hidden=hidden)
            assert sum(job.kind == "draft_section" for job in underway) == count

    async def test_are_not_written_on_by_someone_from_whom_they_were_hidden(self, team: Team) -> None:
        await team.restrict_draft(team.ada)
        with refused(NotFound):
            await team.write(team.ben, WriteDraft(draft_id=team.draft))


def _named(title: str) -> Any:
    return DocumentTitle(title=title)
