"""The dialog that re-authenticates before a sensitive action."""

from __future__ import annotations

from collections.abc import Callable

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import passkeys, reauthentication, second_factor
from fundwright.authentication.schemas import SignInRefusal, SignInRefused
from fundwright.core.messages import t
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.connection import Continuation
from fundwright_ui.widgets import PasskeyAnswered, PasskeyRefused, Reauthentication, ReauthenticationDialog, refusal_of


@component
def reauthentication_dialog(resume: Continuation, close: Callable[[], None]) -> VdomDict:
    """Ask for a password, a code, or a passkey, and then continue the action that requires it."""
    actor, connection = use_actor(), use_connection()
    core, client = connection.core, connection.client
    error, set_error = use_state("")
    options, set_options = use_state("")

    async def read(session: AsyncSession) -> tuple[bool, bool]:
        has_passkeys = passkeys.relying_party(core.settings) and await passkeys.list_passkeys(session, actor)
        return (await second_factor.read(session, actor)).is_on, bool(has_passkeys)

    methods = use_query(read, key=[actor.id])
    has_code, has_passkeys = methods.value or (False, False)

    async def reauthenticate(session: AsyncSession, given: Reauthentication) -> SignInRefused | None:
        if has_code:
            return await second_factor.reauthenticate_by_code(session, actor, core, code=given.code, client=client)
        return await reauthentication.reauthenticate_by_password(session, actor, core, password=given.password, client=client)

    async def start(session: AsyncSession) -> str:
        return await passkeys.start_reauthentication(session, actor, core)

    async def answer(session: AsyncSession, answered: PasskeyAnswered) -> SignInRefused | None:
        return await passkeys.reauthenticate_by_passkey(session, actor, core, credential=answered.credential, client=client)

    def refuse(refused: PasskeyRefused) -> None:
        set_options("")
        set_error(refusal_of(refused))

    async def finish(refused: SignInRefused | None) -> None:
        set_options("")
        if refused is None:
            close()
            await resume()
        elif refused.reason in (SignInRefusal.WRONG_CODE, SignInRefusal.WRONG_PASSKEY):
            set_error(t(refused.sentence))
        elif refused.reason is SignInRefusal.CODE_NEEDED:  # two-step verification was turned on after the dialog had opened
            methods.reload()
        else:
            set_error(t("Wrong password. Try again. After several wrong attempts, you'll have to wait 5 minutes."))

    reauthenticating = use_action(reauthenticate, then=finish)
    starting = use_action(start, then=set_options)
    answering = use_action(answer, then=finish)

    if methods.is_loading and methods.value is None:
        return html.fragment()
    return ReauthenticationDialog(
        title=t("Confirm your identity"),
        text=t("Enter a code from your authenticator app or a recovery code to continue.")
        if has_code
        else t("Enter your password again to continue."),
        password_label="" if has_code else t("Password"),
        code_label=t("Code") if has_code else "",
        passkey_label=t("Use a passkey") if has_passkeys else "",
        confirm_label=t("Confirm"),
        cancel_label=t("Cancel"),
        error=reauthenticating.error or starting.error or answering.error or error,
        options=options,
        is_busy=reauthenticating.is_running or answering.is_running,
        on_reauthenticate=reauthenticating,
        on_cancel=close,
        on_start=starting,
        on_answer=answering,
        on_refused=refuse,
    )
