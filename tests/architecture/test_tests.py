"""Tests are able to fail and do not depend on the speed of the machine."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from tests.architecture.tree import PROJECT, nodes, python

CLOCKS = {"sleep", "wait_for_timeout", "monotonic", "perf_counter", "process_time", "thread_time"}
WHERE = ("tests", "e2e")
_CHANGING = {"uuid4", "time", "urandom", "token_urlsafe", "random", "randint"}
ALLOWED = {
    "tests/availability/test_computing.py": "how long a call waits for those of other accounts; a second is 60 times what it takes",
    "tests/support/polling.py": "waits for what announces itself to nobody, so that no test needs a loop of its own",
    "e2e/pages/polling.py": "the same for journeys",
    "e2e/laboratory.py": "handlers that block or take long on purpose",
    "e2e/journeys/test_rows.py": "two presses as far apart as those of a person",
    "tests/fuzzing/conftest.py": "a run that lasts as long as it is told to",
    "tests/soak/__main__.py": "a run that lasts as long as it is told to, and processes that are killed at random moments",
    "tests/scripts/test_wheel.py": "a server in another environment, which starts and embeds in its own time",
    "tests/core/test_fair_loop.py": "answers of a database that come soon or late, on purpose",
    "tests/language/test_local.py": "the longest pause of a thread, as a share of the call that must not cause it",
    "tests/core/sandboxed.py": "parsers that never end, on purpose",
    "tests/core/computed.py": "functions that take a while, on purpose",
    "tests/core/test_computing.py": "callers that wait for their turn, and processes that must not answer however long they have",
    "tests/core/test_connections.py": "requests that arrive a byte at a time, and a count of work that must not grow with connections",
    "tests/core/test_deadline.py": "requests that take longer than they may",
    "tests/core/test_failover.py": "a standby that takes over in its own time",
    "tests/core/test_jobs.py": "a process that wakes up after its job was taken over",
    "tests/ui/runtime/test_turns_of_renderings.py": "components that take a while, on purpose",
    "tests/generation/test_draft_checks.py": "checks that take a while, on purpose",
    "tests/support/endpoints.py": "a writer that answers drop by drop, on purpose",
    "tests/architecture/test_expressions.py": "how much more processor time long lines take than short ones",
    "tests/availability/attacks.py": "attacks that last as long as they are told to",
    "tests/availability/measuring.py": "a run that lasts as long as it is told to",
    "tests/availability/people.py": "people who try again while a process is down",
    "tests/availability/victim.py": "how long another person's clicks and jobs take",
    "e2e/journeys/test_outward.py": "a server that must contact nobody, however long it runs",
    "tests/soak/installation.py": "the users of an installation whose server is being killed try again",
    "tests/soak/people.py": "people who think between their steps, and try again while a process is down",
    "tests/soak/test_kills.py": "the users of an installation whose server is being killed try again",
    "tests/sharing/test_listed_comments.py": "a third search must not begin, however long two of them take",
    "tests/ui/runtime/conftest.py": "handlers and queries that take a while on purpose",
    "tests/ui/runtime/test_blocking.py": "calls that block on purpose, for the guard to name",
    "tests/ui/runtime/test_lag.py": "handlers that block on purpose, and the time after which the log names one",
    "tests/ui/runtime/test_moves.py": "moves that meet on their way, at random moments",
    "tests/ui/runtime/test_overtaking.py": "nothing may happen to a page during an outage, however long it is",
    "tests/ui/runtime/test_resume.py": "frames that the server sends to a browser that reads nothing",
}
"""Files that use a clock, and why. All others wait for an event or count work: queries, frames, bytes."""


def clocks(tree: ast.AST) -> Iterator[int]:
    """Lines that wait for time to pass or measure it. `sleep(0)` only yields to other tasks."""
    for node in nodes(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=arguments) if name in CLOCKS:
                if [ast.unparse(argument) for argument in arguments] != ["0"]:
                    yield node.lineno
            case _:
                pass


def anything_raised(tree: ast.AST) -> Iterator[int]:
    """Lines that accept any exception, so that a mistake in the test itself would pass."""
    for node in nodes(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="raises"), args=[ast.Name(id="Exception" | "BaseException"), *_]):
                yield node.lineno
            case _:
                pass


def always_true(tree: ast.AST) -> Iterator[int]:
    """Lines whose assertion cannot fail: a constant, a tuple, `… or True`."""
    for node in nodes(tree):
        match node:
            case ast.Assert(test=ast.Constant(value=value)) if value:
                yield node.lineno
            case ast.Assert(test=ast.Tuple() | ast.List(elts=[_, *_]) | ast.JoinedStr()):
                yield node.lineno
            case ast.Assert(test=ast.BoolOp(op=ast.Or(), values=values)) if any(
                isinstance(each, ast.Constant) and each.value for each in values
            ):
                yield node.lineno
            case _:
                pass


def lost_source(tree: ast.AST) -> Iterator[int]:
    """Lines that set PYTHONPATH for a process without this process's own paths: it would run the installed source."""
    for node in nodes(tree):
        match node:
            case ast.Dict(keys=keys) if any(isinstance(key, ast.Constant) and key.value == "PYTHONPATH" for key in keys):
                yield node.lineno
            case _:
                pass


def changing_parameters(tree: ast.AST) -> Iterator[int]:
    """Lines with parameters that differ between processes: pytest-xdist requires all workers to collect the same test names."""
    for node in nodes(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[_, parameters, *_]):
                for each in ast.walk(parameters):
                    if isinstance(each, ast.Call) and ast.unparse(each.func).split(".")[-1] in _CHANGING:
                        yield node.lineno
            case _:
                pass


@pytest.mark.parametrize(
    ("check", "source", "is_found"),
    [
        (clocks, "await asyncio.sleep(0.1)", True),
        (clocks, "page.wait_for_timeout(100)", True),
        (clocks, "time.monotonic() - started < 1", True),
        (clocks, "await asyncio.sleep(0)", False),
        (anything_raised, "with pytest.raises(Exception, match='x'): pass", True),
        (anything_raised, "with pytest.raises(NotFound): pass", False),
        (always_true, "assert found or True", True),
        (always_true, "assert (found, 'message')", True),
        (always_true, "assert 1", True),
        (always_true, "assert found or other", False),
        (always_true, "assert False", False),
        (lost_source, "return {'PYTHONPATH': str(folder)}", True),
        (lost_source, "return python_path(folder)", False),
        (changing_parameters, "pytest.mark.parametrize('query', [f'of={uuid4()}'])", True),
        (changing_parameters, "pytest.mark.parametrize('query', [time.time() - 60])", True),
        (changing_parameters, "pytest.mark.parametrize('query', [UUID(int=1)])", False),
    ],
)
def test_the_checks_themselves(check: Callable[[ast.AST], Iterator[int]], source: str, is_found: bool) -> None:
    wrapped = f"async def test() -> None:\n    {source}"
    assert bool(list(check(ast.parse(wrapped)))) is is_found


def test_no_test_depends_on_a_clock() -> None:
    found = [f"{path}:{line}" for path, tree in python(*WHERE) if str(path) not in ALLOWED for line in clocks(tree)]
    assert found == [], "Wait for an event, poll with `eventually`, or count what is done instead."


def test_every_file_that_may_use_a_clock_does() -> None:
    using = {str(path) for path, tree in python(*WHERE) if any(clocks(tree))}
    assert sorted(ALLOWED.keys() - using) == []


def test_tests_run_in_random_order(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getoption("randomly_reorganize")
    assert not pytestconfig.getoption("randomly_reset_seed")
    assert "shuffle: { files: true, tests: true }" in (PROJECT / "vite.config.ts").read_text()


def test_no_test_accepts_every_exception() -> None:
    assert [f"{path}:{line}" for path, tree in python(*WHERE) for line in anything_raised(tree)] == []


def test_no_assertion_is_always_true() -> None:
    assert [f"{path}:{line}" for path, tree in python(*WHERE) for line in always_true(tree)] == []


def test_every_process_runs_the_source_that_its_test_runs() -> None:
    found = [f"{path}:{line}" for path, tree in python(*WHERE) for line in lost_source(tree)]
    assert [where for where in found if not where.startswith("tests/support/python_path.py:")] == [], "Use `python_path`."


def test_every_process_calls_a_test_by_the_same_name() -> None:
    assert [f"{path}:{line}" for path, tree in python(*WHERE) for line in changing_parameters(tree)] == []


ABOUT_NO_PACKAGE = {
    "availability": "what one person can do so that others wait, and how long they do",
    "architecture": "rules of the whole source",
    "checking": "pairs of sentences and sources that the checker was developed with",
    "extension": "the package that docs/extending.md begins with, and its tests",
    "extension_partners": "the package that docs/extending.md ends with",
    "firms": "drafts of whole firms",
    "fuzzing": "generated files, requests, and markup",
    "mutants": "patches that break promises",
    "openapi": "the API as its schema describes it",
    "relevance": "judged searches",
    "scripts": "the scripts of this project",
    "soak": "hours of work while processes are killed",
    "spec": "one file for each section of the product specification",
    "support": "what tests of several areas use",
    "ui": "components/fundwright_ui; the screens of a slice are tested beside it",
}


def test_folders_are_named_as_the_packages_that_they_test() -> None:
    packages = {"src/fundwright": "tests", "components/fundwright_ui": "tests/ui"}
    for source, tests in packages.items():
        named = {folder.name for folder in (PROJECT / source).iterdir()} | ABOUT_NO_PACKAGE.keys()
        found = {folder.name for folder in (PROJECT / tests).iterdir() if folder.is_dir() and folder.name != "__pycache__"}
        assert sorted(found - named) == [], f"Name these folders of {tests} as the packages in {source}."


def test_no_file_is_skipped_as_a_whole() -> None:
    skipped = [
        str(path)
        for path, tree in python(*WHERE)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith(("pytest.mark.skip", "pytest.mark.xfail"))
    ]
    assert skipped == []
