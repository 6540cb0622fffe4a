"""The form of one section of a template."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, create_model
from reactpy import component, html
from reactpy.types import Component, VdomDict

from fundwright.core.messages import t
from fundwright.templates.schemas import (
    FEWEST_WORDS,
    MOST_IN_HEADING,
    MOST_IN_QUESTION,
    MOST_IN_TEXT,
    MOST_QUESTIONS,
    MOST_WORDS,
    PLACEHOLDERS,
    Heading,
    Missing,
    Opening,
    TemplateQuestion,
    TemplateSection,
    Text,
    Words,
    missing_answer,
)
from fundwright_ui.hooks import Action, use_url_state
from fundwright_ui.ui import button, form, text_area, text_field


class _Section(BaseModel):
    """The submitted form, without its questions."""

    heading: Heading
    instructions: Text = ""
    words: Words = 150
    opening: Opening = ""
    based_on: AwareDatetime

    def section(self, before: TemplateSection | None) -> TemplateSection:
        """The section, in which unchanged questions of `before` keep their topics."""
        known = {question.ask: question for question in before.questions} if before else {}
        typed = self.model_dump()
        questions: list[TemplateQuestion] = []
        for place in range(MOST_QUESTIONS):
            ask, missing = typed[f"ask_{place}"], typed[f"missing_{place}"]
            question = known.get(ask)
            if question is not None and question.missing == missing:
                questions.append(question)
            elif ask:
                questions.append(TemplateQuestion(ask=ask, missing=missing, topic=question.topic if question else None))
        return TemplateSection(
            heading=self.heading,
            questions=tuple(questions),
            instructions=self.instructions,
            words=self.words,
            opening=self.opening,
            otherwise=before.otherwise if before else "",
        )


_FIELDS: dict[str, Any] = {f"{name}_{place}": (Missing, "") for place in range(MOST_QUESTIONS) for name in ("ask", "missing")}
SectionForm = create_model("SectionForm", __base__=_Section, **_FIELDS)
"""The submitted form; a question without text is left out."""


@component
def section_form(
    part: TemplateSection | None,
    saving: Action,
    close: Callable[[], None],
    *,
    label: str,
    submit: str,
    based_on: datetime | None,
) -> VdomDict | Component:
    """The fields of a section, or of a new one. How many questions are shown is in the address, so that a reload keeps what was typed."""
    url = use_url_state()
    asked = part.questions if part else ()
    wanted = url.get("questions")
    shown = min(max(len(asked), int(wanted) if wanted.isdecimal() and len(wanted) < 3 else 1), MOST_QUESTIONS)

    def question_fields(place: int) -> VdomDict:
        question = asked[place] if place < len(asked) else None
        return html.div(
            {"className": "fw-stack", "key": f"question-{place}"},
            text_area(
                f"ask_{place}",
                t("Question {n}", n=place + 1),
                default=question.ask if question else "",
                rows=2,
                maxlength=MOST_IN_QUESTION,
                help=t("Such as “What is our safety record?” Leave it empty to remove the question.") if place == 0 else None,
            ),
            text_field(
                f"missing_{place}",
                t("If it is missing, add"),
                default=question.missing if question else "",
                placeholder=missing_answer(question.ask) if question else None,
                maxlength=MOST_IN_QUESTION,
                help=t("What is missing is listed under Open questions. By default, it is derived from the question.")
                if place == 0
                else None,
            ),
        )

    return form(
        text_field("heading", t("Heading"), default=part.heading if part else "", required=True, maxlength=MOST_IN_HEADING),
        *(question_fields(place) for place in range(shown)),
        html.div(
            {"key": "add"},
            button(
                t("Add another question"),
                size="small",
                variant="text",
                icon_name="add",
                on_click=lambda: url.set(questions=shown + 1),
            ),
        )
        if shown < MOST_QUESTIONS
        else None,
        text_area(
            "instructions",
            t("Instructions for the writer"),
            default=part.instructions if part else "",
            rows=2,
            maxlength=MOST_IN_TEXT,
            help=t("Such as “Plain sentences, no slogans.” Language models follow them."),
        ),
        text_field(
            "words",
            t("Words"),
            type="number",
            default=str(part.words if part else 150),
            min=str(FEWEST_WORDS),
            max=str(MOST_WORDS),
            keyboard="numeric",
        ),
        text_area(
            "opening",
            t("Opening"),
            default=part.opening if part else "",
            rows=2,
            maxlength=MOST_IN_TEXT,
            help=t(
                "Text that the section begins with, whichever writer is used. It may contain {placeholders}.",
                placeholders=", ".join(f"{{{name}}}" for name in PLACEHOLDERS),
            ),
        ),
        on_submit=saving,
        model=SectionForm,
        submit=submit,
        label=label,
        based_on=based_on,
        actions=[button(t("Cancel"), on_click=close)],
    )
