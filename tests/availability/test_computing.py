"""Every function that `core.computing` calls has a worst input here, or a reason, and all of them at once delay nobody else."""

from __future__ import annotations

import ast
import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from fundwright.core.computing import Computing
from fundwright.core.errors import FundwrightError
from fundwright.core.json_bodies import parse
from fundwright.core.sandbox import Sandbox
from fundwright.core.scopes import Scope, acting_in
from fundwright.generation.claims import Source, check_claims
from fundwright.generation.comparing import compare
from fundwright.generation.exporting import export, markdown
from fundwright.generation.schemas import ExportFormat
from fundwright.language.company import infer_company
from fundwright.language.schemas import DocumentKind
from fundwright.templates import files
from fundwright.training.kinds import propose
from fundwright.training.schemas import PastedText
from tests.architecture.tree import nodes, python
from tests.availability import worst
from tests.core import computed
from tests.generation.drafts import draft, part

pytestmark = pytest.mark.security(53)

_ROOFS = "roof " * 160 + "y [1].\n\n"
WORST: Mapping[str, Callable[[], partial[Any]]] = {
    "parse": lambda: partial(parse, PastedText, b'{"title": "A", "text": "' + b"\\u00e4" * 2_000_000 + b'"}'),
    "files.read": lambda: partial(files.read, worst.nested_json()),
    "claims.check_claims": lambda: partial(check_claims, _ROOFS * 240, ((1, Source("roof " * 2_000, "roof")),), "", seconds=1.0),
    "comparing.compare": lambda: partial(compare, "1234567890 " * 18_000, "1234567809 " * 18_000),
    "exporting.export": lambda: partial(
        export,
        draft(sections=tuple(part(place, "A", worst.PATTERNS["tables"] * 3_000) for place in range(20))),
        ExportFormat.DOCX,
    ),
    "exporting.markdown": lambda: partial(
        markdown, draft(sections=tuple(part(place, "A", worst.PATTERNS["closed brackets"] * 30_000) for place in range(20)))
    ),
    "infer_company": lambda: partial(infer_company, [(DocumentKind.ABOUT_US, worst.ANSWERS * 200)] * 20),
    "kinds.propose": lambda: partial(propose, title="A", filename="a.txt", text="1,1.1 " * 60_000),
}
"""The worst that a person can have computed directly, by the function as its call names it."""
REASONS: Mapping[str, str] = {
    "_choose_from": "a limited number of passages of limited length; drafts in `attacks.py` cause it",
    "answering.statements_in": "as many passages as a question reads, of limited length; questions in `attacks.py` cause it",
    "answering.answers": "the statements of those passages; questions in `attacks.py` cause it",
    "ids_of": "one id for each chunk of a document of limited size; documents in `attacks.py` cause it",
    "_answers": "at most 400 candidates for each question of a section; drafts in `attacks.py` cause it",
    "_checked": "validates the chunks of a document of limited size; documents in `attacks.py` cause it",
    "_read": "a limited number of notices, or the passages of a section; imports and drafts in `attacks.py` cause it",
    "categories.learn": "the decisions of a workspace, and a limited number of other notices; imports in `attacks.py` cause it",
    "_probabilities": "a limited number of notices at a time; imports in `attacks.py` cause it",
}
"""Functions that compute what was bounded before. Their worst is caused through routes and jobs instead."""


def computed_functions() -> Iterator[str]:
    """The functions that are passed to `computing.run`, or to what passes them on, as the code names them."""
    for _, tree in python("src/fundwright"):
        assigned = {ast.unparse(node.targets[0]): _partial(node.value) for node in nodes(tree) if isinstance(node, ast.Assign)}
        for node in nodes(tree):
            if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith(_CALLS):
                given = _partial(node.args[0]) or assigned.get(ast.unparse(node.args[0]))
                if given:
                    yield assigned.get(given) or given


_CALLS = ("computing.run", "._compute")


def _partial(node: ast.expr) -> str | None:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "partial":
        return ast.unparse(node.args[0])
    return None


def test_each_has_a_worst_input_or_a_reason() -> None:
    assert set(computed_functions()) == WORST.keys() | REASONS.keys()


@pytest.mark.slow
async def test_all_of_them_at_once_do_not_delay_another_account(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)
    computing = Computing(sandbox, private=tmp_path, processes=4)

    async def attack(account: UUID, name: str) -> str:
        start = time.monotonic()
        with acting_in(Scope(account_id=account)):
            try:
                await computing.run(WORST[name](), deadline_s=5)
            except FundwrightError as error:
                return f"{name}: {type(error).__name__} after {time.monotonic() - start:.2f} s"
        return f"{name}: {time.monotonic() - start:.2f} s"

    # The first use of a module takes seconds, once for all processes.
    for name in WORST:
        print(await attack(uuid4(), name))
    hostile = [asyncio.create_task(attack(account, name)) for account in (uuid4(), uuid4(), uuid4()) for name in WORST]
    taken: list[float] = []
    with acting_in(Scope(account_id=uuid4())):
        for _ in range(20):
            await asyncio.sleep(0.05)
            start = time.monotonic()
            await computing.run(partial(computed.process), deadline_s=30)
            taken.append(time.monotonic() - start)
    outstanding = sum(not task.done() for task in hostile)
    for task in hostile:
        task.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
    computing.close()
    await sandbox.close()
    print(f"another account: median {sorted(taken)[10]:.3f} s, longest {max(taken):.3f} s, with {outstanding} calls outstanding")
    assert outstanding
    assert sorted(taken)[10] < 2
