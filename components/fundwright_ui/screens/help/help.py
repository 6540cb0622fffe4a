"""`/help` and `/help/{topic}`: the user documentation, which everyone can read."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.help.topics import TOPICS
from fundwright_ui.screens.public.frame import public_frame, public_page
from fundwright_ui.ui import empty, link_button, text_link
from fundwright_ui.widgets.markdown import rendered

HELP = "/help"


@screen(HELP, "Help", area="public")
def help_screen() -> VdomDict:
    connection = use_connection()
    return public_page(
        connection,
        t("Help"),
        html.ul(
            {"className": "fw-grid"},
            *(
                html.li(
                    {"className": "fw-card", "key": name},
                    html.h2({"className": "fw-card-title"}, text_link(topic.title, connection.href(f"{HELP}/{name}"))),
                    *rendered(topic.summary),
                )
                for name, topic in TOPICS[connection.language].items()
            ),
        ),
    )


@screen("/help/{topic}", "Help", area="public")
def help_topic_screen() -> VdomDict:
    connection = use_connection()
    topic = TOPICS[connection.language].get(connection.location.params.get("topic", ""))
    overview = connection.href(HELP)
    if topic is None:
        connection.is_missing = True
        return public_frame(
            connection,
            html.h1(t("Help")),
            empty(t("This page doesn't exist."), link_button(t("All help topics"), overview), icon_name="help"),
        )
    connection.set_title(topic.title)
    text = topic.text.replace("](/", f"]({connection.base}/")
    return public_frame(
        connection,
        html.article({"className": "fw-post"}, html.h1(topic.title), html.div({"className": "fw-markdown"}, *rendered(text))),
        text_link(t("All help topics"), overview),
    )
