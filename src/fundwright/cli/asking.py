"""`fundwright search`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from fundwright.asking import service
from fundwright.asking.schemas import Answers, ClosePassage
from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.core.errors import Invalid
from fundwright.language import service as language


def add_to(app: typer.Typer) -> None:
    app.command()(search)


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUESTION", help="The question to answer.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of answers.")] = 8,
    as_json: AsJson = False,
) -> None:
    """Print what answers a question in your documents: sentences, list items, table rows, and labeled values. If nothing does, print the closest
    passages."""

    async def command() -> None:
        if not query.strip():
            raise Invalid("The question is empty. Enter a question.")
        async with acting(context) as (core, actor):
            embedder = await language.get_embedder(core)
            found = await service.find_answers(core, actor, query, embedder=embedder, limit=limit)
        emit(found.model_dump(mode="json"), as_json=as_json, human="\n".join(_shown(found)))

    run(command)


def _shown(found: Answers) -> Iterator[str]:
    for answer in found.answers:
        yield f"{answer.score:.2f}  {_place(answer)}\n{answer.answer}\n"
    if not found.answers:
        yield "Your documents don't answer this." + (
            " Closest:\n" if found.closest else " Train more documents, or rephrase the question."
        )
        for passage in found.closest:
            yield f"{_place(passage)}\n{passage.text}\n"


def _place(passage: ClosePassage) -> str:
    return f"{passage.document_title}{f', page {passage.page}' if passage.page else ''}"
