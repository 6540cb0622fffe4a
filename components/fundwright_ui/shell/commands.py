"""The contents of the command palette: pages, opportunities, drafts, and actions."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.messages import LANGUAGES, t
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftQuery
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import OpportunityRow
from fundwright_ui.extension import Screen, SidebarEntry
from fundwright_ui.product import Connection
from fundwright_ui.runtime.router import PUBLIC
from fundwright_ui.shell.matching import best, fit_of
from fundwright_ui.widgets import Command, CommandGroup, Shortcut

_FEW, _SOME = 4, 6
_PUBLIC = frozenset(("/blog", "/help", "/pricing", "/payment"))
_FOLDERS = {"contract": "/dashboard/sam", "grant": "/dashboard/nih"}
_KEYS: Mapping[str, str] = {
    "/dashboard/nih": "o",
    "/dashboard/category": "c",
    "/dashboard/train": "t",
    "/dashboard/history": "h",
    "/generate/index": "g",
    "/dashboard/index": "d",
    "/dashboard/analyze": "a",
    "/dashboard/payment/history": "p",
    "/dashboard/user/account": "s",
    "/dashboard/blog/list": "b",
    "/dashboard/feedback": "f",
    "/dashboard/users": "u",
}
"""The key after `g` for each page that has one."""


def shortcuts(*entries: SidebarEntry) -> list[Shortcut]:
    """Return the keys of `entries` that have one. If two entries have the same path, the first counts."""
    named = {entry.path: entry.label for entry in reversed(entries)}
    return [Shortcut(key=key, label=t(named[path]), path=path) for path, key in _KEYS.items() if path in named]


async def find(
    session: AsyncSession, actor: Actor, connection: Connection, words: str, *, has_sidebar: bool
) -> list[CommandGroup]:
    """Return the groups that match `words`; without words, the pages, new notices, and every action."""
    limit = _SOME if words else _FEW
    places = CommandGroup(label=t("Pages"), commands=best(words, pages(connection, actor), _label))
    acts = CommandGroup(label=t("Actions"), commands=best(words, actions(connection, actor, has_sidebar=has_sidebar), _label))
    notices = CommandGroup(
        label=t("Opportunities") if words else t("New opportunities"),
        commands=[_opportunity(row) for row in await opportunities.suggest(session, actor, words, limit=limit)],
    )
    drafts = CommandGroup(
        label=t("Drafts") if words else t("Recent drafts"), commands=await _drafts(session, actor, words, limit)
    )
    if not words:
        groups = [places, notices, drafts, acts]
    else:  # a typed action name comes first even if many notices match; scattered characters are only a guess
        named = {
            is_meant: [group for group in (places, acts) if _is_named(words, group) == is_meant] for is_meant in (True, False)
        }
        groups = [*named[True], notices, drafts, *named[False]]
    return [group for group in groups if group.commands]


def _is_named(words: str, group: CommandGroup) -> bool:
    return any(fit_of(words, command.label) for command in group.commands)


def pages(connection: Connection, actor: Actor) -> list[Command]:
    """Every page that the actor may open and that needs no parameters."""
    screens: list[Screen] = connection.core.plugins.collect("screens")
    return [
        Command(id=screen.path, label=t(screen.title), detail=screen.path, path=screen.path)
        for screen in screens
        if "{" not in screen.path
        and (screen.area != PUBLIC or screen.path in _PUBLIC)
        and (screen.roles is None or actor.role in screen.roles)
    ]


def actions(connection: Connection, actor: Actor, *, has_sidebar: bool) -> list[Command]:
    """Return the actions that are available everywhere. Actions of work are only for people with that permission."""
    work = (
        Command(id="import", label=t("Import opportunities"), path="/dashboard/sam?import=open"),
        Command(id="upload", label=t("Upload documents"), path="/dashboard/train"),
        Command(id="new-draft", label=t("New draft"), path="/generate/index"),
    )
    return [
        *(work if actor.may(Permission.WORK) else ()),
        Command(id="watched", label=t("Watched opportunities"), path="/dashboard/sam?watched=me"),
        Command(id="new-workspace", label=t("New workspace"), path="/dashboard/workspace?open=new"),
        Command(id="feedback", label=t("Send feedback"), path="/feedback"),
        Command(id="light", label=t("Light mode"), mode="light"),
        Command(id="dark", label=t("Dark mode"), mode="dark"),
        Command(id="system", label=t("System mode"), mode="system"),
        *(
            Command(id=code, label=t("Language: {language}", language=label), language=code)
            for code, label in LANGUAGES.items()
            if code != connection.language
        ),
        *([Command(id="sidebar", label=t("Collapse or expand the sidebar"), act="sidebar")] if has_sidebar else ()),
        Command(id="settings", label=t("Open settings"), act="settings"),
        Command(id="shortcuts", label=t("Keyboard shortcuts"), detail="?", act="shortcuts"),
        Command(id="logout", label=t("Logout"), act="logout"),
    ]


def _label(command: Command) -> str:
    return command.label


def _opportunity(row: OpportunityRow) -> Command:
    return Command(id=str(row.id), label=display_title(row.title), detail=row.number, path=f"{_FOLDERS[row.kind]}/{row.id}")


async def _drafts(session: AsyncSession, actor: Actor, words: str, limit: int) -> list[Command]:
    found = await generation.list_drafts(session, actor, DraftQuery(text=words, page_size=limit))
    return [
        Command(id=str(draft.id), label=draft.listed_title, detail=t(draft.template_title), path=f"/generate/slug/{draft.slug}")
        for draft in found.items
    ]
