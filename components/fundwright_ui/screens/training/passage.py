"""`/dashboard/passage/{id}`: the source of a citation."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.language.schemas import heading_text, headings_below
from fundwright.training import service as training
from fundwright.training.schemas import PassageInContext
from fundwright_ui.hooks import use_query
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui import definition_list, empty, link_button, loading, page, problem, section


@screen("/dashboard/passage/{id}", "Passage", help="/help/asking")
def passage_screen() -> VdomDict:
    actor = use_actor()
    connection = use_connection()
    passage_id = connection.location.params.get("id", "")

    async def read(session: AsyncSession) -> PassageInContext:
        return await training.get_passage(session, actor, parse_id(passage_id, t("The passage")))

    found = use_query(read, key=[actor.id, passage_id], topics=[training.documents_topic(actor.workspace_id)])
    back = link_button(t("All documents"), connection.href_back("/dashboard/train"), icon_name="arrow_back")
    if found.is_missing:
        return page(
            t("Passage"), empty(t("This passage no longer exists. Its document was removed or changed."), back, icon_name="train")
        )
    if found.error:
        return page(t("Passage"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(t("Passage"), loading(t("Loading passage")))
    passage = found.value
    return page(
        passage.document_title,
        definition_list(
            {
                t("Heading"): heading_text(headings_below(passage.document_title, passage.heading)),
                t("Page"): str(passage.page) if passage.page else None,
                t("Location"): t("Characters {start} to {end} of the text", start=passage.start, end=passage.end),
            }
        ),
        section(
            t("Passage in its context"),
            html.div(
                {
                    "className": "fw-passage fw-prose fw-prewrap",
                    "dir": "auto",
                    "tabIndex": 0,
                    "role": "region",
                    "aria-label": t("Document text"),
                },
                f"… {passage.before}" if passage.start > len(passage.before) else passage.before or None,
                html.mark(passage.text),
                f"{passage.after} …" if passage.after else None,
            ),
        ),
        subtitle=t("Source of the citation"),
        actions=[back],
    )
