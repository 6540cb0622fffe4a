"""`/feedback`: the form for feedback to the team."""

from __future__ import annotations

from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.content import service as content
from fundwright.content.schemas import FeedbackKind, FeedbackSend
from fundwright.core.messages import t
from fundwright_ui.hooks import use_action, use_url_state
from fundwright_ui.product import use_actor
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui import Option, card, form, page, select_field, text_area, text_field


@screen("/feedback", "Feedback", help="/help/blog")
def feedback_screen() -> VdomDict:
    actor, url = use_actor(), use_url_state(page=("{text}",))

    async def send(session: AsyncSession, sent: FeedbackSend) -> None:
        await content.send_feedback(session, actor, sent)

    sending = use_action(send, success=t("Thank you for your feedback."))
    return page(
        t("Feedback"),
        card(
            form(
                select_field("kind", t("What is it about?"), [Option(kind, kind.label) for kind in FeedbackKind]),
                text_area("text", t("Your feedback"), rows=6, required=True, maxlength=5_000),
                text_field(
                    "page",
                    t("Page"),
                    default=url.get("page") or None,
                    maxlength=500,
                    help=t("The page your feedback is about, such as /dashboard/train (optional)."),
                ),
                on_submit=sending,
                model=FeedbackSend,
                submit=t("Send"),
                label=t("Feedback"),
                reset_on_success=True,
            ),
            label=t("Feedback"),
        ),
        subtitle=t("Tell us what doesn't work, what's missing, or what you like. We see your email address and may reply."),
    )
