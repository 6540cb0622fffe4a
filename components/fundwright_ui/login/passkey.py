"""Sign-in with a passkey, instead of a password or as the second step."""

from __future__ import annotations

from collections.abc import Callable

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import passkeys
from fundwright.authentication.schemas import SignInRefused
from fundwright.core.messages import t
from fundwright_ui.hooks import use_action
from fundwright_ui.product import use_connection
from fundwright_ui.ui.feedback import alert
from fundwright_ui.widgets import Passkey, PasskeyAnswered, PasskeyRefused, refusal_of


@component
def passkey_button(remember: Callable[[], bool], next: str, pending: str = "") -> VdomDict:
    """Show nothing where passkeys are not available. `pending` identifies the sign-in whose second step this is."""
    connection = use_connection()
    core = connection.core
    options, set_options = use_state("")
    refusal, set_refusal = use_state("")

    async def start(session: AsyncSession) -> str:
        return await passkeys.start_sign_in(session, core, pending=pending)

    async def sign_in(session: AsyncSession, answered: PasskeyAnswered) -> str | SignInRefused:
        return await passkeys.sign_in(
            session,
            core,
            credential=answered.credential,
            remember=remember(),
            client=connection.client,
            pending=pending,
        )

    def finish(result: str | SignInRefused) -> None:
        set_options("")
        if isinstance(result, SignInRefused):
            set_refusal(t(result.sentence))
        else:
            connection.handover(result, next)

    def refuse(refused: PasskeyRefused) -> None:
        set_options("")
        set_refusal(refusal_of(refused))

    starting = use_action(start, then=set_options)
    signing_in = use_action(sign_in, then=finish)
    if passkeys.relying_party(core.settings) is None:
        return html.fragment()
    sentence = starting.error or signing_in.error or refusal
    return html.div(
        {"className": "fw-stack"},
        alert(sentence) if sentence and not options else None,
        Passkey(
            label=t("Sign in with a passkey"),
            options=options,
            is_block=True,
            on_start=starting,
            on_answer=signing_in,
            on_refused=refuse,
        ),
    )
