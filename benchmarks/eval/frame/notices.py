"""The shared notices of all three sources, imported by the product's own job."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks.eval.frame.data import DATA
from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.opportunities import service
from fundwright.opportunities.schemas import EmbedOpportunities, ImportOpportunities


class Published(NamedTuple):
    source: str
    file: Path


PUBLISHED = (
    Published("sam", DATA / "sam" / "ContractOpportunitiesFullCSV.csv.gz"),
    Published("grants", DATA / "grants" / "GrantsDBExtract.xml.gz"),
    Published("grants", DATA / "grants" / "simpler_grants_rows.jsonl"),
    Published("nih", DATA / "nih" / "nih_posted.jsonl"),
    Published("nih", DATA / "nih" / "nih_forecasted.jsonl"),
)


async def import_published(core: Core, actor: Actor) -> None:
    for source, file in PUBLISHED:
        async with core.database.transaction() as session:
            run = await service.prepare_import(session, actor, core, source=source, filename=file.name)
        payload = ImportOpportunities(run_id=run.id, source=source, path=file)
        await core.jobs.run_inline(payload, title=f"Import {file.name}", owner_id=actor.id)
    await core.jobs.run_inline(EmbedOpportunities(), title="Index notices", owner_id=None)
