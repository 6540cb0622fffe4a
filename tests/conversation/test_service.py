"""Comments: threads, mentions, resolution, and what happens to them when their subject, author, or workspace goes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar
from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.account_deletion import delete_account
from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.authentication import throttle
from fundwright.conversation import service
from fundwright.conversation.models import Comment
from fundwright.conversation.personal_data import own_files
from fundwright.conversation.schemas import (
    MOST_CHARACTERS,
    CommentChange,
    CommentForm,
    CommentQuery,
    CommentRead,
    CommentState,
    Conversation,
    ReplyForm,
    Thread,
    ThreadQuery,
)
from fundwright.core import scopes
from fundwright.core.assembly import Core
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.generation import service as generation
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.opportunities import importing
from fundwright.opportunities import service as opportunities
from fundwright.training import removing, restricting
from fundwright.trash import service as trash
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD
from tests.workspaces.test_service import acting_in, add_text, create, member

pytestmark = pytest.mark.security(52)

T = TypeVar("T")
ALL = ThreadQuery(state=None)


async def do(core: Core, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    async with core.database.transaction() as session:
        return await work(session)


@pytest.fixture
async def bob(committed: Core) -> Actor:
    return await do(committed, lambda session: add_account(session, "bob@example.org", name="Bob", password=PASSWORD))


class Talk:
    """Two members, and a document that they comment on."""

    def __init__(self, core: Core, owner: Actor, other: Actor, document: UUID) -> None:
        self.core, self.owner, self.other, self.document = core, owner, other, document

    async def say(self, actor: Actor, text: str = "Which ferry?", *, key: str = "", about: UUID | None = None) -> CommentRead:
        form = CommentForm(text=text, key=key, subject_id=about or self.document)
        return await do(self.core, lambda session: service.add_comment(session, actor, self.core, form))

    async def reply(self, actor: Actor, comment: CommentRead, text: str = "Both.", *, key: str = "") -> CommentRead:
        form = ReplyForm(text=text, key=key)
        return await do(self.core, lambda session: service.reply(session, actor, self.core, comment.id, form))

    async def threads(
        self, actor: Actor, query: ThreadQuery = ALL, *, linked: UUID | None = None, whole: tuple[UUID, ...] = ()
    ) -> list[Thread]:
        return (await self.conversation(actor, query, linked=linked, whole=whole)).threads.items

    async def conversation(
        self, actor: Actor, query: ThreadQuery = ALL, *, linked: UUID | None = None, whole: tuple[UUID, ...] = ()
    ) -> Conversation:
        def read(session: AsyncSession) -> Awaitable[Conversation]:
            return service.read_conversation(session, actor, self.core, self.document, query, linked=linked, whole=whole)

        return await do(self.core, read)

    async def restrict(self, *members: ChosenMember) -> None:
        form = RestrictionForm(members=members)
        await do(
            self.core,
            lambda session: restricting.restrict_document(session, self.owner, self.core, self.document, form, client=HERE),
        )

    async def texts(self, actor: Actor) -> list[str]:
        query = CommentQuery(subject_id=self.document)
        page = await do(self.core, lambda session: service.list_comments(session, actor, self.core, query))
        return [comment.text for comment in page.items]

    async def delete(self, actor: Actor, comment: CommentRead) -> None:
        await do(self.core, lambda session: service.delete_comment(session, actor, self.core, comment.id))

    async def change(self, actor: Actor, comment: CommentRead, text: str) -> CommentRead:
        change = CommentChange(text=text)
        return await do(self.core, lambda session: service.change_comment(session, actor, self.core, comment.id, change))

    async def resolve(self, actor: Actor, comment: CommentRead, *, is_resolved: bool = True) -> None:
        await do(self.core, lambda session: service.resolve(session, actor, self.core, comment.id, is_resolved=is_resolved))

    def attempts_by_id(self, actor: Actor, comment: CommentRead) -> list[Callable[[], Awaitable[object]]]:
        return [
            lambda: do(self.core, lambda session: service.get_comment(session, actor, self.core, comment.id)),
            lambda: self.reply(actor, comment),
            lambda: self.change(actor, comment, "Mine."),
            lambda: self.delete(actor, comment),
            lambda: self.resolve(actor, comment),
        ]

    def attempts(self, actor: Actor, comment: CommentRead) -> list[Callable[[], Awaitable[object]]]:
        """Everything that can be done with a comment and its subject."""
        of_subject = [lambda: self.texts(actor), lambda: self.threads(actor), lambda: self.say(actor)]
        return [*of_subject, *self.attempts_by_id(actor, comment)]


@pytest.fixture
async def talk(committed: Core, ada: Actor, bob: Actor) -> Talk:
    owner = await create(committed, ada)
    return Talk(committed, owner, await member(committed, owner, bob), await add_text(committed, owner))


async def count(core: Core) -> int:
    return await do(core, lambda session: session.scalar(select(func.count()).select_from(Comment))) or 0


class TestThreads:
    async def test_members_reply_and_resolve(self, talk: Talk) -> None:
        first = await talk.say(talk.owner)
        second = await talk.say(talk.other, "How many seats?")
        await talk.reply(talk.other, first)
        newest, oldest = await talk.threads(talk.owner)
        assert (newest.first.id, newest.first.author, newest.reply_count) == (second.id, "Bob", 0)
        assert (oldest.first.text, [reply.text for reply in oldest.replies], oldest.reply_count) == ("Which ferry?", ["Both."], 1)
        await talk.resolve(talk.other, first)
        (resolved,) = await talk.threads(talk.owner, ThreadQuery(state=CommentState.RESOLVED))
        assert (resolved.first.id, resolved.resolved_by, resolved.replies[0].state) == (first.id, "Bob", CommentState.RESOLVED)
        assert [thread.first.id for thread in await talk.threads(talk.owner, ThreadQuery())] == [second.id]
        assert await do(talk.core, lambda session: service.count_open(session, talk.owner, talk.document)) == 1
        await talk.resolve(talk.owner, resolved.replies[0], is_resolved=False)
        assert len(await talk.threads(talk.owner, ThreadQuery())) == 2

    async def test_a_reply_opens_a_resolved_thread_again(self, talk: Talk) -> None:
        first = await talk.say(talk.owner)
        await talk.resolve(talk.owner, first)
        await talk.reply(talk.other, first)
        assert [thread.resolved_by for thread in await talk.threads(talk.owner, ThreadQuery())] == [""]

    async def test_the_latest_replies_are_shown_first_and_all_on_request(self, talk: Talk) -> None:
        first = await talk.say(talk.owner)
        for place in range(7):
            await talk.reply(talk.other, first, str(place))
        (thread,) = await talk.threads(talk.owner)
        assert ([reply.text for reply in thread.replies], thread.reply_count) == (["2", "3", "4", "5", "6"], 7)
        (thread,) = await talk.threads(talk.owner, whole=(first.id,))
        assert len(thread.replies) == 7

    async def test_a_link_finds_the_page_of_its_comment(self, talk: Talk) -> None:
        first = await talk.say(talk.owner)
        answer = await talk.reply(talk.other, first)
        for place in range(2):
            await talk.say(talk.owner, str(place))
        await talk.resolve(talk.owner, first)
        for state in (None, *CommentState):
            found = await talk.threads(talk.owner, ThreadQuery(state=state, page_size=1), linked=answer.id)
            assert [each.first.id for each in found] == [first.id]
        beyond = ThreadQuery(state=None, page_size=2, page=9)
        assert [each.first.id for each in await talk.threads(talk.owner, beyond)] == [first.id]
        assert len(await talk.threads(talk.owner, linked=uuid4())) == 3

    async def test_a_repeated_request_adds_one_comment(self, talk: Talk) -> None:
        sent = await asyncio.gather(*(talk.say(talk.owner, key="a") for _ in range(3)))
        assert len({comment.id for comment in sent}) == 1
        answers = [await talk.reply(talk.other, sent[0], key="a") for _ in range(2)]
        assert answers[0] == answers[1]
        assert await talk.texts(talk.owner) == ["Which ferry?", "Both."]
        await talk.say(talk.owner, key="b")
        await talk.say(talk.other, key="a")
        await talk.say(talk.owner, "Changed before it was sent again.", key="a")
        assert await count(talk.core) == 5


class TestOwnComments:
    async def test_only_the_author_changes_and_deletes(self, talk: Talk) -> None:
        comment = await talk.say(talk.other)
        for attempt in (talk.change(talk.owner, comment, "Mine."), talk.delete(talk.owner, comment)):
            with pytest.raises(NotAllowed, match="Only its author"):
                await attempt
        changed = await talk.change(talk.other, comment, "Which of the ferries?")
        assert changed.text == "Which of the ferries?" and changed.edited_at is not None
        await talk.delete(talk.other, comment)
        assert await count(talk.core) == 0

    async def test_replies_to_a_deleted_comment_stay(self, talk: Talk) -> None:
        first = await talk.say(talk.owner, "Secret.")
        answer = await talk.reply(talk.other, first)
        await talk.delete(talk.owner, first)
        (thread,) = await talk.threads(talk.other)
        assert (thread.first.is_deleted, thread.first.text, thread.replies[0].text) == (True, "", "Both.")
        with pytest.raises(NotFound):
            await talk.change(talk.owner, first, "Back.")
        await talk.delete(talk.other, answer)
        assert await count(talk.core) == 0

    async def test_a_reply_to_a_comment_that_is_being_deleted_is_refused_or_stays(self, talk: Talk) -> None:
        for _ in range(5):
            first = await talk.say(talk.owner, key=str(uuid4()))
            answers = await asyncio.gather(talk.delete(talk.owner, first), talk.reply(talk.other, first), return_exceptions=True)
            is_refused = isinstance(answers[1], NotFound)
            assert len(await talk.threads(talk.owner)) == (0 if is_refused else 1)
            if not is_refused:
                await talk.delete(talk.other, (await talk.threads(talk.owner))[0].replies[0])


class TestRights:
    async def test_other_workspaces_neither_read_nor_write(self, talk: Talk) -> None:
        comment = await talk.say(talk.owner)
        eve = await do(talk.core, lambda session: add_account(session, "eve@example.org", name="Eve"))
        for stranger in (eve, await create(talk.core, eve), await acting_in(talk.core, talk.owner, talk.owner.id)):
            for attempt in talk.attempts(stranger, comment):
                with pytest.raises(NotFound):
                    await attempt()
        assert await talk.texts(talk.owner) == ["Which ferry?"]

    async def test_comments_on_a_notice_stay_in_the_workspace(self, talk: Talk) -> None:
        await do(talk.core, opportunities.load_sample_once)
        talk.document = (await do(talk.core, lambda session: opportunities.suggest(session, talk.owner, "")))[0].id
        elsewhere = await acting_in(talk.core, talk.owner, talk.owner.id)
        comment = await talk.say(talk.owner, "Bid?")
        await talk.say(elsewhere, "No bid.")
        assert (await talk.texts(talk.owner), await talk.texts(elsewhere)) == (["Bid?"], ["No bid."])
        assert [thread.first.text for thread in await talk.threads(elsewhere, linked=comment.id)] == ["No bid."]
        assert await do(talk.core, lambda session: service.count_open(session, elsewhere, talk.document)) == 1
        for attempt in talk.attempts_by_id(elsewhere, comment):
            with pytest.raises(NotFound):
                await attempt()
        await do(talk.core, lambda session: importing.remove_sample(session, ["contract", "grant"]))
        assert await count(talk.core) == 0

    async def test_viewers_read(self, talk: Talk) -> None:
        comment = await talk.say(talk.owner)
        viewer = talk.other.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        assert await talk.texts(viewer) == ["Which ferry?"]
        refused = 0
        for attempt in talk.attempts(viewer, comment):
            try:
                await attempt()
            except NotAllowed:
                refused += 1
        assert refused == 5
        reviewer = talk.other.model_copy(update={"workspace_role": WorkspaceRole.REVIEWER})
        assert (await talk.reply(reviewer, comment)).author == "Bob"

    async def test_alone_in_the_personal_workspace(self, committed: Core, ada: Actor) -> None:
        talk = Talk(committed, ada, ada, await add_text(committed, ada))
        note = await talk.say(ada, f"Ask @{ada.name}.")
        assert (await talk.texts(ada), note.mentions) == ([f"Ask @{ada.name}."], ())

    async def test_a_section_belongs_to_its_draft(self, talk: Talk) -> None:
        await do(talk.core, opportunities.load_sample_once)
        notice = (await do(talk.core, lambda session: opportunities.suggest(session, talk.owner, "")))[0].id

        def start(session: AsyncSession) -> Awaitable[object]:
            return generation.start_draft(session, talk.owner, talk.core, opportunity_id=notice, template="capability-statement")

        one, other = await do(talk.core, start), await do(talk.core, start)

        def form(section: UUID) -> CommentForm:
            return CommentForm(text="Shorter.", subject_id=one.id, part_id=section)

        about = one.sections[0]
        added = await do(talk.core, lambda session: service.add_comment(session, talk.owner, talk.core, form(about.id)))
        assert (added.part_id, added.part) == (about.id, about.heading)
        with pytest.raises(NotFound):
            await do(talk.core, lambda session: service.add_comment(session, talk.owner, talk.core, form(other.sections[0].id)))

    async def test_nothing_else_can_be_commented_on(self, talk: Talk) -> None:
        for other in (uuid4(), talk.owner.id, talk.owner.workspace_id):
            with pytest.raises(NotFound):
                await talk.say(talk.owner, about=other)


class TestRestrictedSubjects:
    async def test_chosen_members_comment_only_if_they_may(self, talk: Talk) -> None:
        first = await talk.say(talk.owner)
        await talk.restrict(ChosenMember(account_id=talk.other.id, access=Access.VIEW))
        assert [thread.first.id for thread in await talk.threads(talk.other)] == [first.id]
        assert not (await talk.conversation(talk.other)).may_comment
        for attempt in (talk.say(talk.other), talk.reply(talk.other, first), talk.resolve(talk.other, first)):
            with pytest.raises(NotAllowed, match="not comment on it"):
                await attempt
        await talk.restrict(ChosenMember(account_id=talk.other.id, access=Access.COMMENT))
        assert (await talk.conversation(talk.other)).may_comment
        await talk.reply(talk.other, first)

    async def test_other_members_neither_see_them_nor_are_told(self, talk: Talk) -> None:
        await talk.restrict()
        with scopes.acting_in(talk.owner.scope):
            comment = await talk.say(talk.owner, "@Bob?")
        with scopes.acting_in(talk.other.scope):
            for attempt in talk.attempts(talk.other, comment):
                with pytest.raises(NotFound):
                    await attempt()
            assert await do(talk.core, lambda session: service.count_open(session, talk.other, talk.document)) == 0
            assert await count(talk.core) == 0
        query = NotificationQuery()
        news = await do(talk.core, lambda session: notifications.list_notifications(session, talk.other, talk.core, query))
        assert not [each for each in news.items if each.kind.startswith("comment.")]

    async def test_the_audit_trail_does_not_name_them(self, talk: Talk) -> None:
        comment = await talk.say(talk.owner)
        await talk.restrict()
        with scopes.acting_in(talk.owner.scope):
            await talk.delete(talk.owner, comment)
        deleted = select(AuditEntry.subject).where(AuditEntry.action == "comment.deleted")
        assert await do(talk.core, lambda session: session.scalar(deleted)) == str(talk.document)


class TestMentions:
    async def test_members_are_mentioned_by_name(self, talk: Talk) -> None:
        comment = await talk.say(talk.owner, "@Bob, ask @Eve or bob@Bob.")
        assert [(each.account_id, each.name) for each in comment.mentions] == [(talk.other.id, "Bob")]
        await do(talk.core, lambda session: add_account(session, "eve@example.org", name="Eve"))
        assert (await talk.say(talk.owner, "@Eve")).mentions == ()

    async def test_longer_names_come_first_and_namesakes_need_their_email(self, talk: Talk) -> None:
        king = await do(talk.core, lambda session: add_account(session, "king@example.org", name="Bob King"))
        twin = await do(talk.core, lambda session: add_account(session, "twin@example.org", name="Bob King"))
        for account in (king, twin):
            await member(talk.core, talk.owner, account)
        comment = await talk.say(talk.owner, "@Bob King (twin@example.org), @Bob King, and @Bobby")
        assert [each.account_id for each in comment.mentions] == [twin.id]

    async def test_a_change_keeps_mentions_under_an_earlier_name(self, talk: Talk) -> None:
        comment = await talk.say(talk.owner, "@Bob?")
        async with talk.core.database.transaction() as session:
            (await workspaces.accounts.get_account_by_id(session, talk.other.id)).display_name = "Robert"
        changed = await talk.change(talk.owner, comment, "@Bob, please.")
        assert [(each.label, each.name) for each in changed.mentions] == [("Bob", "Robert")]


@pytest.mark.security(53)
class TestBudget:
    async def test_one_reviewer_does_not_flood_the_others(self, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "WRITTEN_BY_ONE", (throttle.Budget(3, timedelta(minutes=1)),))
        first = await talk.say(talk.other, key="first")
        await talk.say(talk.other, key="first")  # repeated by the browser
        await talk.change(talk.other, first, "Which boat?")
        await talk.reply(talk.other, first, f"@{talk.owner.name}?")
        for attempt in (
            lambda: talk.say(talk.other),
            lambda: talk.reply(talk.other, first),
            lambda: talk.change(talk.other, first, "Another text"),
        ):
            with pytest.raises(throttle.OverBudget, match=r"this one was not saved. Try again in \d+ seconds\.") as refused:
                await attempt()
            assert refused.value.retry_after_s and refused.value.retry_after_s <= 60
        await talk.change(talk.other, first, "Which boat?")  # as it is
        await talk.say(talk.owner, "And I?")
        assert await talk.texts(talk.owner) == ["Which boat?", f"@{talk.owner.name}?", "And I?"]

    async def test_everyone_whom_a_comment_mentions_counts(self, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            notifications, "TOLD_BY_ONE", (throttle.Budget(3, timedelta(minutes=1)),)
        )  # one was that he has joined
        eve = await do(talk.core, lambda session: add_account(session, "eve@example.org", name="Eve"))
        await member(talk.core, talk.owner, eve)
        first = await talk.say(talk.other, f"@{talk.owner.name} and @Eve?")
        with pytest.raises(throttle.OverBudget, match="You have notified other people too often"):
            await talk.say(talk.other, "@Eve")
        await talk.say(talk.other, "Nobody.")
        await talk.change(talk.other, first, f"@{talk.owner.name} and @Eve, please.")
        assert len(await talk.texts(talk.other)) == 2


class TestNews:
    async def test_mentions_and_replies_are_notified_once(self, talk: Talk) -> None:
        async def told(actor: Actor) -> list[tuple[str, str]]:
            page = await do(
                talk.core, lambda session: notifications.list_notifications(session, actor, talk.core, NotificationQuery())
            )
            news = [(each.title, each.path) for each in page.items if each.kind.startswith("comment.")]
            return sorted(news)

        first = await talk.say(talk.owner, "@Bob?", key="a")
        await talk.say(talk.owner, "@Bob?", key="a")
        await talk.change(talk.owner, first, "@Bob, please.")
        answer = await talk.reply(talk.other, first, "Yes.")
        await talk.reply(talk.owner, first, "Thanks, @Bob.")
        path = f"/dashboard/train?document={talk.document}&comment="
        assert [(title, link.startswith(path)) for title, link in await told(talk.other)] == [
            (f"{talk.owner.name} mentioned you in a comment on “Boats”", True)
        ] * 2
        assert await told(talk.owner) == [("Bob replied in a thread on “Boats”", f"{path}{answer.id}")]
        await talk.delete(talk.other, answer)
        assert await told(talk.owner) == []

    async def test_the_activity_of_the_subject_has_them(self, talk: Talk) -> None:
        first = await talk.say(talk.owner)
        await talk.resolve(talk.other, first)
        query = ActivityQuery(subject_id=talk.document)
        page = await do(talk.core, lambda session: activity.list_activity(session, talk.owner, talk.core, query))
        assert [entry.sentence for entry in page.items][:2] == [
            "Bob resolved a thread on “Boats”",
            f"{talk.owner.name} commented on “Boats”",
        ]


class TestEnds:
    async def test_comments_are_hidden_in_the_trash_and_deleted_with_their_subject(self, talk: Talk) -> None:
        comment = await talk.say(talk.owner)
        await do(talk.core, lambda session: removing.remove_document(session, talk.owner, talk.document))
        for attempt in talk.attempts(talk.owner, comment):
            with pytest.raises(NotFound):
                await attempt()
        await do(talk.core, lambda session: trash.restore(session, talk.owner, talk.core, talk.document))
        assert await talk.texts(talk.other) == ["Which ferry?"]
        await do(talk.core, lambda session: removing.remove_document(session, talk.owner, talk.document))
        await do(talk.core, lambda session: trash.delete_forever(session, talk.owner, talk.core, talk.document))
        assert await count(talk.core) == 0

    async def test_they_are_deleted_with_their_draft(self, talk: Talk) -> None:
        await do(talk.core, opportunities.load_sample_once)
        async with talk.core.database.transaction() as session:
            notice = (await opportunities.suggest(session, talk.owner, ""))[0].id
            draft = await generation.start_draft(
                session, talk.owner, talk.core, opportunity_id=notice, template="capability-statement"
            )
            form = CommentForm(text="Shorter.", subject_id=draft.id)
            await service.add_comment(session, talk.owner, talk.core, form)
            await generation.delete_draft(session, talk.owner, draft.id)
        assert await count(talk.core) == 1
        await do(talk.core, lambda session: trash.delete_forever(session, talk.owner, talk.core, draft.id))
        assert await count(talk.core) == 0

    async def test_they_are_deleted_with_the_workspace(self, talk: Talk) -> None:
        await talk.say(talk.other)
        await do(
            talk.core, lambda session: workspaces.delete_workspace(session, talk.owner, talk.core, name="Harbor", client=HERE)
        )
        assert await count(talk.core) == 0

    async def test_the_name_of_an_author_stays(self, talk: Talk) -> None:
        first = await talk.say(talk.other, "@Bob and others?")
        await talk.reply(talk.owner, first, "Yes, @Bob.")
        await do(talk.core, lambda session: workspaces.leave_workspace(session, talk.other, client=HERE))
        assert [thread.first.author for thread in await talk.threads(talk.owner)] == ["Bob"]
        personal = await acting_in(talk.core, talk.other, talk.other.id)
        await do(talk.core, lambda session: delete_account(session, personal, talk.core, client=HERE))
        (thread,) = await talk.threads(talk.owner)
        assert (thread.first.author, thread.first.author_id) == ("Bob", None)
        assert [each.name for each in thread.replies[0].mentions] == ["Bob"]

    async def test_a_copy_of_ones_data_has_ones_own_comments(self, talk: Talk) -> None:
        await talk.say(talk.owner, "Ada's.")
        await talk.say(talk.other, "Bob's.")
        personal = await acting_in(talk.core, talk.other, talk.other.id)
        async with talk.core.database.transaction() as session:
            (file,) = [file async for file in own_files(session, personal, talk.core)]
        assert isinstance(file.content, bytes)
        assert b"Bob's." in file.content and b"Ada's." not in file.content


class TestText:
    @pytest.mark.parametrize(
        ("given", "kept"),
        [
            ("  Hello \r\n\r\n\r\n\r\nthere\x00\x07 ", "Hello \n\nthere"),
            ("a\u202eb\u2066c", "abc"),
            ("\ud800x", "x"),
            ("שלום\u200f!", "שלום\u200f!"),
            ("<b>x</b> **y** &amp;", "<b>x</b> **y** &amp;"),
            ("x" * MOST_CHARACTERS, "x" * MOST_CHARACTERS),
        ],
    )
    def test_it_is_kept_without_what_would_harm(self, given: str, kept: str) -> None:
        assert CommentChange(text=given).text == kept

    @pytest.mark.parametrize("given", ["", " \n ", "\u200b", "x" * (MOST_CHARACTERS + 1)])
    def test_it_is_visible_and_not_too_long(self, given: str) -> None:
        with pytest.raises(ValidationError):
            CommentChange(text=given)
