"""Nothing that a person's text can make long runs in a thread: a thread cannot be ended, and shares the interpreter with everyone's
requests. `core.computing` runs it in a process.

The default executor of the event loop has six threads on two processors. What is called there is listed here, with the reason why it is
short. Other executors are listed, too: what they run has a limited length."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

import pytest

from tests.architecture.tree import nodes, python

_DISK = "reads or writes a piece of a file, or asks the system about it"
_COMMAND = "a command of the command line, which serves nobody else"
SHORT = {
    ("training/adding.py", "reader_of"): "reads the beginning of a file",
    ("training/service.py", "path.is_file"): _DISK,
    ("training/samples.py", "reader_of"): "reads the beginning of a file",
    ("training/samples.py", "lambda: sorted(_SAMPLE.iterdir())"): _DISK,
    ("training/samples.py", "path.read_bytes"): _DISK,
    ("opportunities/service.py", "core.files.size_of"): _DISK,
    ("opportunities/service.py", "_read_sample"): "our own sample, once in the life of an installation",
    ("opportunities/repository/writing.py", "copy_text"): "joins the rows of one batch, which have a limited size",
    ("opportunities/importing.py", "_size"): _DISK,
    ("notifications/sending.py", "_due"): "reads time zones from disk",
    ("accounts/personal_data.py", "_begin"): _DISK,
    ("accounts/personal_data.py", "path.stat"): _DISK,
    ("accounts/preferences.py", "locale_data.time_zones"): "reads the names of time zones from disk",
    ("screens/account/general.py", "locale_data.time_zones"): "reads the names of time zones from disk",
    ("core/sweeping.py", "core.files.list_old"): _DISK,
    ("core/sweeping.py", "core.files.remove_abandoned"): _DISK,
    ("core/sweeping.py", "core.files.prune_derived"): _DISK,
    ("core/migrations/__init__.py", "_upgrade"): "before the server handles requests",
    ("core/migrations/__init__.py", "_check_schema"): "before the server handles requests",
    ("core/migrations/__init__.py", "_serving_role"): "before the server handles requests",
    ("core/live.py", "self._revive"): "starts the embedded database again, one call at a time",
    ("core/installation.py", "_fingerprints"): "before the server handles requests",
    ("core/installation.py", "_key_digests"): "before the server handles requests",
    ("core/sandbox.py", "_processor_s"): "asks the system about one process",
    ("core/health.py", "_free_bytes"): _DISK,
    ("reference.py", "lambda: json.dumps(app.openapi(), separators=(',', ':'))"): "describes our own routes, once",
    ("cli/generation.py", "output.write_bytes"): _COMMAND,
    ("cli/opportunities.py", "file_to_read"): _COMMAND,
    ("cli/opportunities.py", "content.read"): _COMMAND,
    ("cli/training.py", "file_to_read"): _COMMAND,
    ("cli/context.py", "as_served"): "before the server handles requests",
    ("cli/serve.py", "(settings.data / ADDRESS_FILE).write_text"): "before the server handles requests",
}
EXECUTORS = {
    ("accounts/passwords.py", "_threads"): "hashes and rates passwords of a limited length",
    ("accounts/personal_data.py", "_packing"): "compresses files for a job, and only these jobs wait for each other",
    ("core/computing.py", "self._reader"): "reads a result of limited size",
    ("core/files.py", "self._threads"): _DISK,
    ("core/sandbox.py", "self._launcher"): "starts processes",
    ("core/web.py", "self._threads"): "reads or writes a piece of a CSV file",
    ("generation/extractive/headings.py", "MODELS"): "fits weights to the examples of headings, for another model, once",
    ("language/local.py", "MODELS"): "embeds 16 texts of a limited length",
    ("language/service.py", "MODELS"): "loads a model",
}
_IN_THREADS = ("to_thread", "run_in_threadpool", "run_sync", "iterate_in_threadpool")
_ELSEWHERE = ("BackgroundTasks", "StaticFiles", "UploadFile")
"""Classes of Starlette that call functions or read files in threads that all requests share."""


def test_only_short_calls_run_in_the_default_executor() -> None:
    assert _run_by(_IN_THREADS) == SHORT.keys(), (
        "Compute in `core.computing`, or say why the call is short, whatever a person sends."
    )


def test_executors_run_work_of_a_limited_length() -> None:
    found = _run_by(["run_in_executor"])
    assert found == EXECUTORS.keys()
    assert not any(executor == "None" for _, executor in found)


def test_nothing_else_uses_the_threads_that_all_requests_share() -> None:
    """`FileResponse` reads only pieces of files. tests/architecture/test_routes.py looks for routes that run in threads."""
    found = {
        (str(path), name.name)
        for path, tree in python("src/fundwright", "components/fundwright_ui")
        for node in nodes(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("starlette", "fastapi"))
        for name in node.names
        if name.name in _ELSEWHERE
    }
    assert found == set()


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("await asyncio.to_thread(parse, text)", "parse"),
        ("run_in_threadpool(parse)", "parse"),
        ("functools.partial(asyncio.to_thread, parse)", "parse"),
        ("partial(to_thread)", "to_thread"),
        ("run = asyncio.to_thread", "asyncio.to_thread"),
        ("from asyncio import to_thread as run", "to_thread as run"),
    ],
)
def test_every_reference_counts(code: str, what: str) -> None:
    assert [*_firsts(ast.parse(code), _IN_THREADS)] == [what]


def _run_by(names: Collection[str]) -> set[tuple[str, str]]:
    return {
        _key(path, what) for path, tree in python("src/fundwright", "components/fundwright_ui") for what in _firsts(tree, names)
    }


def _firsts(tree: ast.AST, names: Collection[str]) -> Iterator[str]:
    """What the functions with these names are given first, in a call or a `partial`; otherwise, the reference itself."""
    given: dict[ast.AST, list[ast.expr]] = {}
    for node in nodes(tree):
        match node:
            case ast.Call(func=func, args=[first, *more]) if _name_of(func) == "partial":
                given[first] = more
            case ast.Call(func=func, args=args):
                given[func] = args
            case ast.ImportFrom(names=imported):
                yield from (ast.unparse(each) for each in imported if each.name in names and each.asname)
            case _:
                pass
    for node in nodes(tree):
        if _name_of(node) in names:
            yield ast.unparse((given.get(node) or [node])[0])


def _name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _key(path: object, what: str) -> tuple[str, str]:
    return str(path).removeprefix("src/fundwright/").removeprefix("components/fundwright_ui/"), what
