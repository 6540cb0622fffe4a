"""The Cranfield collection: 1,398 titled abstracts with text, 225 questions. A judgment of 1 or more counts as relevant."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from uuid import UUID

import numpy as np
from sqlalchemy import text

from benchmarks.eval.frame.data import DATA
from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.language.protocols import Vectors
from fundwright.training import adding, runs
from fundwright.training.schemas import PastedText

_FOLDER = DATA / "retrieval" / "cranfield"


@cache
def documents() -> dict[int, str]:
    """Number and text of each abstract that has a text besides its title."""
    found: dict[int, str] = {}
    for record in re.split(r"^\.I ", (_FOLDER / "cran.all.1400").read_text(), flags=re.MULTILINE)[1:]:
        number, _, rest = record.partition("\n")
        title = " ".join(rest.partition(".T\n")[2].partition("\n.A")[0].split())
        body = rest.partition("\n.W\n")[2].strip()
        if body:
            found[int(number)] = f"# {title}\n\n{body}"
    return found


def questions() -> list[str]:
    records = re.split(r"^\.I \d+\n\.W\n", (_FOLDER / "cran.qry").read_text(), flags=re.MULTILINE)[1:]
    return [" ".join(record.split()) for record in records]


def judgments() -> list[set[int]]:
    """The numbers of the relevant documents for each question."""
    relevant: dict[int, set[int]] = defaultdict(set)
    for line in (_FOLDER / "cranqrel").read_text().splitlines():
        question, document, grade = line.split()
        if int(grade) >= 1:
            relevant[int(question)].add(int(document))
    known = set(documents())
    return [relevant[place] & known for place in range(1, len(questions()) + 1)]


async def vectors(core: Core) -> tuple[list[UUID], Vectors]:
    """The documents and vectors of all trained passages."""
    query = text("SELECT document_id, vector::text FROM chunk_vector JOIN chunk ON id = chunk_id ORDER BY chunk_id")
    async with core.database.transaction() as session:
        rows = (await session.execute(query)).all()
    return [row[0] for row in rows], np.array([json.loads(row[1]) for row in rows], dtype=np.float32)


async def train(core: Core, actor: Actor) -> tuple[dict[UUID, int], int]:
    """Train the collection with the product's job. Returns the number of each document, and how many passages there are."""
    numbers: dict[UUID, int] = {}
    async with core.database.transaction() as session:
        for number, abstract in documents().items():
            pasted = PastedText(title=str(number), text=abstract)
            numbers[(await adding.add_text(session, actor, core, pasted)).id] = number
    return numbers, (await runs.run_inline(core, actor, list(numbers))).chunks
