"""What notifications tell about imports and watched opportunities."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date

from babel.dates import format_date
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.jobs import JobRead, JobState
from fundwright.core.messages import current_language, later, nt, t
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind
from fundwright.opportunities.differences import FIELDS, OTHER, Difference
from fundwright.opportunities.display_names import type_name
from fundwright.opportunities.repository import runs
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import AWARD_NOTICE, ImportOpportunities


def _finished(told: Happening) -> str:
    return t("The import of “{file}” is finished", file=told.subject)


def _failed(told: Happening) -> str:
    return t("The import of “{file}” failed", file=told.subject)


FINISHED = NotificationKind("import.finished", later("Import finished"), _finished)
FAILED = NotificationKind("import.failed", later("Import failed"), _failed, email=EmailTiming.DAILY)
_PLAIN = re.compile(r"[\w /()&,'-]{1,60}")
"""A type of notices that can be named in an email. Files may contain others, such as sentences with a link."""
_KINDS = {JobState.SUCCEEDED: FINISHED, JobState.FAILED: FAILED}


def _watched_changed(told: Happening) -> str:
    return t("“{title}”: {changes}", title=told.subject, changes="; ".join(_changes(told.details)))


def _changes(details: Mapping[str, str]) -> Iterator[str]:
    """What `change_details` has stored, in the reader's language."""
    if "canceled" in details:
        yield t("canceled")
    if "awarded" in details:
        yield t("awarded")
    if "archived" in details:
        yield t("archived by the source")
    before, after = (_day(details[name]) if details.get(name) else "" for name in ("due_before", "due_after"))
    if before and after:
        yield t("due date moved from {before} to {after}", before=before, after=after)
    elif after:
        yield t("now due on {day}", day=after)
    elif before:
        yield t("no longer due on {day}", day=before)
    if number := int(details.get("notices", "0")):
        kind = details.get("type", "")
        yield t("new notice ({type})", type=type_name(kind)) if kind else nt("{n} new notice", "{n} new notices", number)
    if "attached" in details:
        yield t("an attachment was added")
    if codes := [code for code in details.get("fields", "").split(",") if code]:
        labels = [str(FIELDS[code][0]) if code in FIELDS else t("other fields") for code in codes]
        yield t("changed: {fields}", fields=", ".join(labels))


def change_details(differences: Collection[Difference], new_types: Collection[str]) -> dict[str, str]:
    """Store what changed in the notices of a solicitation, for a sentence in the language of whoever reads it. `new_types` are the types
    of its new notices. Of several notices whose due dates moved, the last one counts."""
    details: dict[str, str] = {}
    for each in differences:
        if each.is_due_moved:
            details["due_before"], details["due_after"] = (
                day.isoformat() if day else "" for day in (each.due_before, each.due_after)
            )
    for name, is_so in (
        ("canceled", any(each.is_canceled for each in differences)),
        ("archived", any(each.is_archived for each in differences)),
        ("attached", any(each.is_attachment_added for each in differences)),
        ("awarded", AWARD_NOTICE in new_types),
    ):
        if is_so:
            details[name] = "yes"
    others = [type if _PLAIN.fullmatch(type) else "" for type in new_types if type != AWARD_NOTICE]
    if others:
        details |= {"notices": str(len(others)), "type": others[0] if len(others) == 1 else ""}
    changed = {code for each in differences for code in each.fields}
    if changed:
        details["fields"] = ",".join(code for code in (*FIELDS, OTHER) if code in changed)
    return details


def _watched_due(told: Happening) -> str:
    days, day = int(told.details["days"]), _day(told.details["day"])
    if not days:
        return t("“{title}” is due today, on {day}", title=told.subject, day=day)
    return nt(
        "“{title}” is due in {n} day, on {day}", "“{title}” is due in {n} days, on {day}", days, title=told.subject, day=day
    )


def _day(text: str) -> str:
    return format_date(date.fromisoformat(text), locale=current_language())


WATCHED_CHANGED = NotificationKind(
    "watch.changed", later("Change of a watched opportunity"), _watched_changed, email=EmailTiming.DAILY
)
WATCHED_DUE = NotificationKind("watch.due", later("Watched opportunity due soon"), _watched_due, email=EmailTiming.SOON)
KINDS = (FINISHED, FAILED, WATCHED_CHANGED, WATCHED_DUE)


async def tell_end(session: AsyncSession, payload: ImportOpportunities, job: JobRead) -> None:
    """Tell the person who started an import how it ended."""
    kind = _KINDS.get(job.state)
    filename = await runs.find_filename(session, payload.run_id)
    if kind is None or job.account_id is None or filename is None:
        return
    path = f"/dashboard/{'sam' if payload.source == SamCsv.name else 'nih'}?import=open"
    await notifications.notify(session, kind, [job.account_id], actor=None, workspace_id=None, subject=filename, path=path)
