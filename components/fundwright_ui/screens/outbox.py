"""`/dashboard/outbox`: letters that were written to people, for administrators."""

from __future__ import annotations

from functools import partial

from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.core.mail import MailRead, MailState
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.identity import outbox
from fundwright.identity.schemas import Role
from fundwright_ui.hooks import Connection, parse_id, query_in_address, use_actor, use_connection, use_query, use_url_state
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import ask, existing_page, export_button
from fundwright_ui.ui import Color, alert, definition_list, empty, link_button, loading, page, problem, section
from fundwright_ui.widgets import Chip, Column, LinkCell, Row, data_table

COLORS: dict[MailState, Color] = {
    MailState.KEPT: "secondary",
    MailState.WAITING: "info",
    MailState.SENT: "success",
    MailState.FAILED: "error",
}


def undelivered(connection: Connection) -> VdomDict | None:
    """Says, on screens where an administrator writes to people, that no mail is sent."""
    if connection.core.settings.sends_mail:
        return None
    return alert(
        t("This installation sends no mail. Letters stay in the outbox; deliver them yourself."),
        link_button(t("Outbox"), connection.href("/dashboard/outbox"), size="small"),
        variant="info",
    )


@screen("/dashboard/outbox", "Outbox", roles=frozenset({Role.ADMIN}))
def outbox_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    url = use_url_state()
    request = query_in_address(PageRequest, url.params)
    found = use_query(lambda session: existing_page(partial(outbox.list_mails, session, actor), request), key=[request])

    title = t("Outbox")
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Loading the outbox")))
    if not found.value.total:
        return page(title, empty(t("No letter has been written yet.")))
    return page(
        title,
        None
        if connection.core.settings.sends_mail
        else alert(t("This installation sends no mail: give people the links in these letters yourself."), variant="info"),
        data_table(
            label=title,
            columns=[
                Column(field="subject", label=t("Subject"), kind="link", flex=2, min_width=200),
                Column(field="recipient", label=t("To"), flex=1, min_width=180),
                Column(field="state", label=t("State"), kind="chips"),
                Column(field="created_at", label=t("Written"), kind="datetime", min_width=160),
                Column(field="error", label=t("Error"), is_compact=False, flex=1),
            ],
            rows=[_row(mail, connection.href(f"/dashboard/outbox/{mail.id}")) for mail in found.value.items],
            total=found.value.total,
            page=found.value.page,
            page_size=found.value.page_size,
            is_loading=found.is_slow,
            on_query=ask(url),
        ),
        subtitle=t("Letters to people: invitations, confirmations and new passwords"),
        actions=[export_button(connection, "/api/mails/export.csv", found.value.total, request)],
    )


@screen("/dashboard/outbox/{id}", "Letter", roles=frozenset({Role.ADMIN}))
def letter_screen() -> VdomDict:
    return html.div(_letter(use_connection().location.params.get("id", "")))


@component
def _letter(mail_id: str) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    found = use_query(lambda session: outbox.get_mail(session, actor, parse_id(mail_id, t("The letter"))), key=[mail_id])
    back = link_button(t("Outbox"), connection.href("/dashboard/outbox"), size="small")
    if found.error:
        return page(t("Letter"), problem(found.error, on_retry=found.reload), actions=[back])
    if found.value is None:
        return page(t("Letter"), loading(t("Loading the letter")), actions=[back])
    mail = found.value
    return page(
        mail.subject,
        section(
            t("Letter"),
            definition_list([(t("To"), mail.recipient), (t("State"), mail.state.label), (t("Error"), mail.error)]),
            html.pre({"tabIndex": 0, "className": "fw-letter", "dir": "auto"}, mail.text)
            if mail.text
            else html.p({"className": "fw-muted"}, t("It was sent, and its text forgotten: a link in it may open an account.")),
        ),
        actions=[back],
    )


def _row(mail: MailRead, href: str) -> Row:
    return Row(
        id=str(mail.id),
        cells={
            "subject": LinkCell(label=mail.subject, href=href),
            "recipient": mail.recipient,
            "state": (Chip(label=mail.state.label, color=COLORS[mail.state]),),
            "created_at": mail.created_at,
            "error": mail.error,
        },
    )
