"""`fundwright draft`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from fundwright.cli.context import AsJson, acting, emit, run
from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.generation import service
from fundwright.generation.schemas import CitationStyle, DraftRead, ExportFormat, WriteDraft
from fundwright.opportunities import service as opportunities
from fundwright.training import service as training


def add_to(app: typer.Typer) -> None:
    app.command()(draft)


def draft(
    context: typer.Context,
    opportunity: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="The opportunity's id, its solicitation or funding opportunity number, or its id at SAM.gov, Grants.gov, or NIH.",
        ),
    ],
    template: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The name of a template, such as capability-statement, or the title of your own. See `fundwright templates list`.",
        ),
    ],
    documents: Annotated[
        list[str] | None,
        typer.Option(
            "--document",
            metavar="DOCUMENT",
            help="The title or id of a source document. Repeat for several. Default: all of your own documents.",
        ),
    ] = None,
    company: Annotated[str, typer.Option(metavar="NAME", help="Your company or organization name.")] = "",
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the draft to this file: Word if its name ends in .docx, otherwise Markdown.",
            dir_okay=False,
            writable=True,
        ),
    ] = None,
    citations: Annotated[CitationStyle, typer.Option(help="How to show citations in the file and the printed text.")] = (
        CitationStyle.FOOTNOTES
    ),
    as_json: AsJson = False,
) -> None:
    """Write a draft for an opportunity from your documents, and wait until it is finished."""

    async def command() -> None:
        if output is not None and not output.parent.is_dir():
            raise Invalid(t("There is no folder “{folder}”. Create it, or choose another file.", folder=output.parent))
        async with acting(context) as (core, actor):
            async with core.database.transaction() as session:
                chosen = await opportunities.look_up(session, actor, opportunity)
                added = await service.add_draft(
                    session,
                    actor,
                    core,
                    opportunity_id=chosen.id,
                    template=template,
                    document_ids=[await training.look_up(session, actor, document) for document in documents or ()],
                    company=company,
                )
            await core.jobs.run_inline(
                WriteDraft(draft_id=added.id), title=service.job_title(added), owner_id=actor.workspace_id, account_id=actor.id
            )
            written = await service.get_checked(core, actor, added.id)
            form = ExportFormat.DOCX if output and output.suffix.lower() == ".docx" else ExportFormat.MARKDOWN
            exported = await service.export_draft(core, actor, added.id, form, citations=citations) if output else None
        if output and exported:
            await asyncio.to_thread(output.write_bytes, exported.content)
        markdown = service.as_markdown(written, citations=citations)
        emit(as_json_result(written, markdown), as_json=as_json, human=markdown)
        if not as_json:
            for heading, missing in written.open_questions:
                print(f"{heading}: add {missing}.", file=sys.stderr)

    run(command, if_canceled="Canceled. The text so far was kept. Continue on the draft's page.")


def as_json_result(draft: DraftRead, markdown: str) -> dict[str, object]:
    """The format that scripts rely on: id, slug, text, sections, citations, open."""
    content = draft.model_dump(mode="json")
    return {
        "id": content["id"],
        "slug": content["slug"],
        "title": content["title"],
        "state": content["state"],
        "writer": content["writer_label"],
        "text": markdown,
        "sections": [
            {"heading": section.heading, "text": section.text, "dropped_citations": section.dropped_citations}
            for section in draft.sections
        ],
        "citations": content["citations"],
        "open": [{"heading": heading, "missing": missing} for heading, missing in draft.open_questions],
    }
