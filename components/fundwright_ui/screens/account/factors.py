"""The parts of the account page about two-step verification and passkeys."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pydantic import BaseModel, ConfigDict, Field
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import passkeys, second_factor
from fundwright.authentication.schemas import PasskeyRead, RecoveryCodes, SecondFactorRead, SecondFactorSetUp, SignInRefused
from fundwright.core.messages import nt, t
from fundwright_ui.hooks import Row, use_action, use_query, use_rows
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.listing import export_button
from fundwright_ui.ui import (
    alert,
    button,
    chip,
    definition_list,
    empty,
    facts,
    form,
    list_row,
    loading,
    moment,
    more_rows,
    problem,
    row,
    row_actions,
    section,
    text_field,
)
from fundwright_ui.widgets import Passkey, PasskeyAnswered, PasskeyRefused, copy_button, danger_dialog, refusal_of


class CodeTyped(BaseModel):
    model_config = ConfigDict(frozen=True)

    code: str = Field(min_length=1, max_length=100)


class PasskeyNamed(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1, max_length=200)


@component
def second_factor_section() -> VdomDict:
    actor = use_actor()
    found = use_query(lambda session: second_factor.read(session, actor), key=[actor.id])
    codes, set_codes = use_state(cast("RecoveryCodes | None", None))

    def show_codes(made: RecoveryCodes) -> None:
        set_codes(made)
        found.reload()

    title = t("Two-step verification")
    if found.error:
        return section(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return section(title, loading(title))
    if codes is not None:
        return section(title, _recovery_codes(codes, lambda: set_codes(None)))
    if found.value.is_on:
        return section(title, _turned_on(found.value, show_codes, found.reload, key="on"))
    return section(title, _set_up(show_codes, key="off"))


@component
def _set_up(show_codes: Callable[[RecoveryCodes], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    begun, set_begun = use_state(cast("SecondFactorSetUp | None", None))

    async def start(session: AsyncSession) -> SecondFactorSetUp:
        return await second_factor.start(session, actor, connection.core)

    async def confirm(session: AsyncSession, typed: CodeTyped) -> RecoveryCodes | SignInRefused:
        return await second_factor.confirm(session, actor, connection.core, code=typed.code, client=connection.client)

    def finish(made: RecoveryCodes | SignInRefused) -> None:
        if isinstance(made, SignInRefused):
            raise second_factor.confirmation_error(made)
        show_codes(made)

    starting = use_action(start, then=set_begun)
    confirming = use_action(confirm, success=t("Two-step verification is on."), then=finish)

    if begun is None:
        return html.div(
            {"className": "fw-stack"},
            html.p(t("When it is on, you sign in with your password and a code from an app on your phone.")),
            row(button(t("Turn on two-step verification"), on_click=starting, is_busy=starting.is_running)),
        )
    return html.div(
        {"className": "fw-stack"},
        html.p(t("Scan the QR code with your authenticator app, or enter the key below. Then enter the code the app shows.")),
        row(html.img({"src": begun.picture, "alt": t("QR code for the authenticator app")})),
        definition_list({t("Key"): html.code(" ".join(_in_groups_of_four(begun.secret)))}),
        row(copy_button(begun.secret, t("Copy key"), is_small=True)),
        form(
            text_field(
                "code",
                t("Code"),
                required=True,
                autocomplete="one-time-code",
                keyboard="numeric",
                maxlength=100,
                error=confirming.error,
                key="code",
            ),
            on_submit=confirming,
            model=CodeTyped,
            submit=t("Confirm"),
            label=t("Turn on two-step verification"),
            actions=[button(t("Cancel"), on_click=lambda: set_begun(None))],
        ),
    )


@component
def _turned_on(read: SecondFactorRead, show_codes: Callable[[RecoveryCodes], None], reload: Callable[[], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    is_asking, set_asking = use_state(False)

    async def renew(session: AsyncSession) -> RecoveryCodes:
        return await second_factor.renew_recovery_codes(session, actor, client=connection.client)

    async def turn_off(session: AsyncSession) -> None:
        await second_factor.turn_off(session, actor, connection.core, client=connection.client)

    def turned_off() -> None:
        set_asking(False)
        reload()

    renewing = use_action(renew, then=show_codes)
    turning_off = use_action(turn_off, success=t("Two-step verification is off."), then=turned_off)

    left = nt("{n} recovery code left", "{n} recovery codes left", read.recovery_codes)
    return html.div(
        {"className": "fw-stack"},
        row(chip(t("On"), color="success"), html.span(left)),
        definition_list({t("Since"): moment(read.since)}) if read.since else None,
        alert(t("Create new recovery codes. Without one, losing your phone locks you out."), variant="warning")
        if read.recovery_codes < 3
        else None,
        row(
            button(t("New recovery codes"), on_click=renewing, is_busy=renewing.is_running),
            button(t("Turn off"), on_click=lambda: set_asking(True), is_busy=turning_off.is_running),
        ),
        danger_dialog(
            t("Turn off two-step verification?"),
            t("Your password alone will be enough to sign in. Your recovery codes will stop working."),
            confirm_label=t("Turn off"),
            error=turning_off.error,
            on_confirm=turning_off,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
    )


def _recovery_codes(codes: RecoveryCodes, close: Callable[[], None]) -> VdomDict:
    return html.div(
        {"className": "fw-stack"},
        alert(
            t("Keep these codes somewhere other than your phone. Each replaces the app's code once. They won't be shown again."),
            variant="warning",
            title=t("Your recovery codes"),
        ),
        html.pre({"tabIndex": 0, "aria-label": t("Your recovery codes")}, html.code("\n".join(codes.codes))),
        row(
            copy_button("\n".join(codes.codes), t("Copy codes")),
            button(t("I saved these codes"), on_click=close, variant="contained"),
        ),
    )


@component
def passkeys_section() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    found = use_query(lambda session: passkeys.list_passkeys(session, actor), key=[actor.id])
    rows = use_rows(found, lambda listed: listed, key=[actor.id], id=lambda passkey: passkey.id)
    removed, set_removed = use_state(cast("PasskeyRead | None", None))

    def load() -> None:
        found.reload()
        rows.load()

    async def remove(session: AsyncSession) -> None:
        if removed is not None:
            await passkeys.remove(session, actor, connection.core, removed.id, client=connection.client)

    def settle() -> None:
        if removed is not None:
            rows.settle(removed, t("Removed"))
        set_removed(None)

    removing = use_action(remove, success=t("The passkey was removed."), then=settle)

    title, can_be_made = t("Passkeys"), passkeys.relying_party(connection.core.settings) is not None
    if found.error:
        return section(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return section(title, loading(title))
    return section(
        title,
        html.p(t("Sign in with your device's screen lock instead of your password.")),
        html.ul({"className": "fw-list"}, *(_passkey(each, set_removed) for each in rows.shown))
        if rows.shown
        else empty(t("No passkeys yet."), icon_name="lock")
        if can_be_made
        else None,
        more_rows(rows.more, on_load=load, outcome=rows.last_outcome),
        _add(load, key=f"add {len(found.value)}") if can_be_made else alert(passkeys.NoHostName().sentence, variant="info"),
        danger_dialog(
            t("Remove passkey {name}?", name=removed.name),
            t("You can no longer sign in with it. Delete it from your device, too."),
            confirm_label=t("Remove"),
            error=removing.error,
            on_confirm=removing,
            on_cancel=lambda: set_removed(None),
        )
        if removed
        else None,
        actions=[export_button(connection, "/api/account/passkeys/export.csv", len(rows.shown))],
    )


def _passkey(shown: Row[PasskeyRead], remove: Callable[[PasskeyRead], None]) -> VdomDict:
    passkey = shown.item
    return list_row(
        html.div(
            {"className": "fw-stack fw-stack-tight"},
            html.span({"className": "fw-strong"}, passkey.name),
            facts(
                (t("Added"), moment(passkey.created_at, shown="date")),
                (t("Last used"), moment(passkey.last_used_at) if passkey.last_used_at else t("Never")),
            ),
        ),
        row_actions(
            button(
                t("Remove"),
                on_click=lambda: remove(passkey),
                size="small",
                name="remove",
                aria_label=t("Remove passkey {name}", name=passkey.name),
            ),
            outcome=shown.outcome,
        ),
        key=shown.id,
    )


@component
def _add(reload: Callable[[], None]) -> VdomDict:
    """The name field comes first, because the browser's own dialog is the last step."""
    actor, connection = use_actor(), use_connection()
    core = connection.core
    name, set_name = use_state("")
    options, set_options = use_state("")
    refusal, set_refusal = use_state("")

    async def start(session: AsyncSession, named: PasskeyNamed) -> str:
        set_name(named.name)
        set_refusal("")
        return await passkeys.start_adding(session, actor, core)

    async def add(session: AsyncSession, answered: PasskeyAnswered) -> None:
        await passkeys.add(session, actor, core, name=name, credential=answered.credential, client=connection.client)

    def refuse(refused: PasskeyRefused) -> None:
        set_options("")
        set_refusal(refusal_of(refused))

    starting = use_action(start, then=set_options)
    adding = use_action(add, success=t("The passkey was added."), then=reload)
    sentence = adding.error or refusal
    return html.div(
        {"className": "fw-stack"},
        alert(sentence) if sentence else None,
        form(
            text_field(
                "name",
                t("Passkey name"),
                help=t("For example, the device it is on."),
                required=True,
                maxlength=200,
                error=starting.error,
            ),
            on_submit=starting,
            model=PasskeyNamed,
            submit=t("Add passkey"),
            label=t("Add passkey"),
        ),
        Passkey(
            options=options,
            unsupported_label=t("This browser does not support passkeys, or the page was not opened over HTTPS."),
            on_answer=adding,
            on_refused=refuse,
        ),
    )


def _in_groups_of_four(text: str) -> list[str]:
    return [text[start : start + 4] for start in range(0, len(text), 4)]
