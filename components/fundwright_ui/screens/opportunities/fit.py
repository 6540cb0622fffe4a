"""How well an opportunity fits the workspace, with the parts of the score as bars, and the score that members give themselves."""

from __future__ import annotations

from collections.abc import Callable

from reactpy import component, html, use_ref
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import number, t
from fundwright.fit import service as fits
from fundwright.fit.schemas import MOST_IN_REASON, FitPart, FitRead, OwnScore, OwnScoreForm
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import actor_of, parse_id, use_actor, use_connection
from fundwright_ui.ui import (
    button,
    chip,
    facts,
    icon_button,
    loading,
    moment,
    problem,
    row,
    section,
    stack,
    text_area,
    text_field,
    text_link,
)
from fundwright_ui.ui.elements import attributes, share_of_width
from fundwright_ui.widgets import form_dialog

_HIGHEST = 100


@component
def fit_of(address_id: str) -> VdomDict:
    """The section Fit of the opportunity."""
    actor, connection = use_actor(), use_connection()
    url = use_url_state()

    async def read() -> FitRead:
        return await fits.get_fit(connection.core, actor, parse_id(address_id, t("The opportunity")))

    found = use_query(read, key=[address_id], topics=fits.topics_of(actor.workspace_id), with_session=False)
    if found.error:
        return section(t("Fit"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return section(t("Fit"), loading(t("Loading the fit")))
    fit = found.value
    may_score = actor.may(Permission.WORK)
    known = [part for part in fit.parts if part.value is not None]
    unknown = [part for part in fit.parts if part.value is None]
    give = button(
        t("Give your own score") if fit.own is None else t("Change your score"),
        size="small",
        icon_name="edit",
        on_click=lambda: url.set(scoring=True),
    )
    return section(
        t("Fit"),
        _scores(fit),
        _own(fit, key="own") if fit.own else None,
        html.ul({"className": "fw-fit-parts", "aria-label": t("Parts of the score")}, *(_part(fit, part) for part in known))
        if fit.score is not None
        else html.p(
            {"className": "fw-muted"},
            t("No score yet: it needs your NAICS codes, documents, or categories to compare the work with."),
        ),
        _left_out(unknown),
        row(give) if may_score else None,
        _dialog(fit, is_open=bool(url.get("scoring")), close=lambda: url.set(scoring=None), key="dialog") if may_score else None,
    )


def _scores(fit: FitRead) -> VdomDict | None:
    if fit.score is None and not fit.is_ineligible:
        return None
    computed = html.span({"className": "fw-fit-score"}, html.strong(number(fit.score or 0)), " ", t("of {n}", n=number(_HIGHEST)))
    return row(
        computed if fit.score is not None else None,
        chip(t("Not eligible"), color="warning") if fit.is_ineligible else None,
        html.span({"className": "fw-muted fw-small"}, t("Limited to {n} because of that", n=number(fit.most_if_ineligible)))
        if fit.is_capped
        else None,
    )


def _part(fit: FitRead, part: FitPart) -> VdomDict:
    widest = max(each.most for each in fit.parts)
    said = t("{points} of {most} points", points=number(part.points), most=number(part.most))
    return html.li(
        {"key": part.name},
        html.div(
            {"className": "fw-fit-part"},
            html.span({"className": "fw-strong"}, part.name.label),
            html.span({"className": "fw-muted fw-number"}, said),
        ),
        html.svg(
            {"className": "fw-fit-bar", "aria-hidden": "true", "width": "100%", "height": "8"},
            html.svg.rect(attributes(className="fw-fit-most", width=share_of_width(part.most / widest), height="8", rx="4")),
            html.svg.rect(attributes(className="fw-fit-points", width=share_of_width(part.points / widest), height="8", rx="4")),
        ),
        html.p({"className": "fw-small"}, _reason(part)),
    )


def _reason(part: FitPart) -> VdomDict:
    """The reason, as a link to what it is about."""
    return text_link(part.reason, use_connection().href(part.path)) if part.path else html.span(part.reason)


def _left_out(parts: list[FitPart]) -> VdomDict | None:
    if not parts:
        return None
    return stack(
        html.p({"className": "fw-muted fw-small"}, t("Unknown, and not in the score:")),
        html.ul(
            {"className": "fw-fit-unknown", "aria-label": t("Not in the score")},
            *(
                html.li({"key": part.name, "className": "fw-small"}, html.span(f"{part.name.label}: "), _reason(part))
                for part in parts
            ),
        ),
        tight=True,
    )


@component
def _own(fit: FitRead) -> VdomDict | None:
    """The score that a member gave, and how to clear it."""
    actor, connection = use_actor(), use_connection()

    async def clear(session: AsyncSession) -> OwnScore | None:
        return await fits.clear(session, actor, fit.opportunity_id)

    def cleared(removed: OwnScore | None) -> None:
        async def undo(session: AsyncSession) -> None:
            if removed is not None:
                form = OwnScoreForm(score=removed.score, reason=removed.reason)
                await fits.score(session, actor_of(connection), fit.opportunity_id, form)

        connection.toast(t("Your score was cleared."), undo=undo if removed else None)

    clearing = use_action(clear, then=cleared)
    own = fit.own
    if own is None:
        return None
    return html.div(
        {"className": "fw-fit-own"},
        html.div(
            {"className": "fw-fit-part"},
            html.span({"className": "fw-strong"}, t("Your score: {n} of {most}", n=number(own.score), most=number(_HIGHEST))),
            icon_button(t("Clear your score"), "close", small=True, on_click=clearing) if actor.may(Permission.WORK) else None,
        ),
        html.p({"dir": "auto"}, own.reason),
        facts(own.scored_by, moment(own.changed_at, shown="date")),
    )


@component
def _dialog(fit: FitRead, *, is_open: bool, close: Callable[[], None]) -> VdomDict:
    """Asks for the workspace's own score and its reason."""
    actor, own = use_actor(), fit.own
    # A score that others give meanwhile is not overwritten unseen: only after saving another one has been refused.
    begun, was_refused = use_ref(own), use_ref(False)
    if not is_open:
        begun.current, was_refused.current = own, False

    async def give(session: AsyncSession, given: OwnScoreForm) -> None:
        if was_refused.current:  # restored text is based on what it was written for, also once the person has been told
            given = given.model_copy(update={"based_on": begun.current.changed_at if begun.current else None})
        try:
            await fits.score(session, actor, fit.opportunity_id, given)
        except fits.ScoreChangedMeanwhile:
            begun.current, was_refused.current = own, True
            raise

    giving = use_action(give, success=t("Your score was saved."), then=close)
    return form_dialog(
        t("Your own score"),
        text_field(
            "score",
            t("Score from 0 to 100"),
            default=str(own.score) if own else "",
            type="number",
            min="0",
            max=str(_HIGHEST),
            required=True,
            autofocus=True,
            id="fit-score",
        ),
        text_area(
            "reason",
            t("Reason"),
            default=own.reason if own else "",
            rows=3,
            maxlength=MOST_IN_REASON,
            required=True,
            help=t("Everyone in the workspace sees it beside the computed score.") if actor.is_in_shared_workspace else None,
            id="fit-reason",
        ),
        is_open=is_open,
        on_submit=giving,
        on_close=close,
        model=OwnScoreForm,
        based_on=begun.current.changed_at if begun.current else "",
    )
