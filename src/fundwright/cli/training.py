"""`fundwright train`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from typer.core import TyperCommand

from fundwright.cli.context import AsJson, acting, emit, file_to_read, load_plugins, run
from fundwright.core.errors import FundwrightError
from fundwright.core.files import printable
from fundwright.reading.kinds import DocumentKind
from fundwright.training import adding, runs, service
from fundwright.training.adding import AlreadyAdded

_PIECE_BYTES = 1_000_000


def add_to(app: typer.Typer) -> None:
    app.command(cls=_NamesFormats)(train)


class _NamesFormats(TyperCommand):
    """Its help ends with the formats of files, those of other packages included."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formats = ", ".join(each.label for each in adding.list_formats(load_plugins()))
        self.epilog = f"Supported formats: {formats}."
        super().format_help(ctx, formatter)


def train(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="Files in any supported format.", metavar="FILE")],
    kind: Annotated[
        DocumentKind | None, typer.Option(help="Kind of the documents. Default: detected from each document's text.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add documents to the knowledge base and train them. Documents already there are trained again."""

    async def command() -> None:
        failed: list[dict[str, str]] = []
        wanted: list[UUID] = []
        async with acting(context) as (core, actor):
            for path in files:
                try:
                    received = await core.files.receive(_pieces(await asyncio.to_thread(file_to_read, str(path))))
                    async with core.database.transaction() as session:
                        document = await adding.add_document(
                            session, actor, core, received, filename=path.name, kind=kind, is_trained_later=False
                        )
                        wanted.append(document.id)
                except AlreadyAdded as error:
                    wanted.append(error.document_id)
                    if kind is not None:
                        async with core.database.transaction() as session:
                            await service.choose_kind(session, actor, core, error.document_id, kind)
                except FundwrightError as error:
                    failed.append({"title": printable(path.name), "reason": error.sentence})
            result = await runs.run_inline(core, actor, wanted) if wanted else None
        failed += [{"title": item.title, "reason": item.reason} for item in result.failed] if result else []
        documents, chunks = (result.documents, result.chunks) if result else (0, 0)
        lines = [f"Not trained: {item['reason']}" for item in failed]
        if documents or not failed:
            lines.append(f"Trained {_count(documents, 'document')}, {_count(chunks, 'passage')}.")
        emit(
            {
                "documents": documents,
                "chunks": chunks,
                "failed": failed,
                "run_id": result.id if result else None,
                "model": result.model_id if result else None,
            },
            as_json=as_json,
            human="\n".join(lines),
        )
        if failed and not documents:
            raise typer.Exit(1)

    run(command, if_canceled="Canceled. Documents trained so far were kept. Run the command again to train the rest.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece
