"""No regular expression and no scanner of untrusted text blocks the process, whatever its input.

Every expression that a module keeps is run on texts designed to be slow: repeated tokens and pairs of tokens, with and without a
different end. A limit of processor time, which does not depend on other load, ends quadratic searches: on 10,000 characters, they
take 0.3 seconds or more, and linear ones at most 0.06. Expressions that only get lines are too quick for that, so the functions that use
them are run on the same text in short and in long lines.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import fundwright
import fundwright_ui
from fundwright.reading.entries import entries_of
from fundwright.reading.finding_facts import facts_of
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.markdown import MarkdownReader
from fundwright.reading.paragraphs import paragraphs
from fundwright.reading.rtf import RtfReader

PROJECT = Path(__file__).resolve().parents[2]
CPU_SECONDS = 20
"""The linear scanners need less than a second for a megabyte; quadratic ones need more than five minutes."""
SCANNERS = {
    "a description's plain text": "from fundwright.opportunities.reading import plain_text as scan",
    "a stream's citations": "from fundwright.generation.citing import CitationStream; scan = CitationStream(int).feed",
    "the claims of a section": "from fundwright.generation.claims import claims_of as scan",
    "a claim's check": "from fundwright.generation.checking import check; scan = lambda text: check('One claim.', [text])",
    "the facts of a text": (
        "from fundwright.reading.entries import entries_of; from fundwright.reading.finding_facts import facts_of; "
        "from fundwright.reading.kinds import DocumentKind; "
        "from datetime import date; today = date(2026, 12, 1); "
        "scan = lambda text: [facts_of(text, entries_of(text, lambda _: ()), kind) for kind in DocumentKind]"
    ),
    "the statements of a section": (
        "import numpy; from fundwright.generation.extractive.statements import Comparison, choose, statements_of; "
        "from fundwright.language.protocols import NumberedPassage; from fundwright.reading.topics import Topic; "
        "passage = lambda text: NumberedPassage(number=1, document='A', text=text); "
        "compared = lambda count: Comparison(numpy.zeros((1, count)), numpy.zeros(count)); "
        "chosen = lambda found: choose(found, compared(len(found)), {}, 0, Topic.PROFILE, words=100, taken=()); "
        "scan = lambda text: chosen(statements_of([passage(text)], '', ''))"
    ),
    "the kind of a document": (
        "from fundwright.reading import kinds; scan = lambda text: kinds.propose(title='A', filename='a.txt', text=text)"
    ),
    "the dates of a text": (
        "from datetime import date; from fundwright.reading import dates; "
        "scan = lambda text: (dates.date_of(text, filename='a.txt', today=date(2026, 12, 1)), dates.expiry_in(text), dates.last_day_of(text))"
    ),
    "the name of a company": (
        "from fundwright.reading.company import infer_company; from fundwright.reading.kinds import DocumentKind; "
        "scan = lambda text: infer_company([(DocumentKind.ABOUT_US, text)])"
    ),
}
REPEATED = ("1", "1,", "1.", "1-", "a-", "$1,234.5 ")
"""What the lines below consist of."""
LONG_LINE, SHORT_LINE = 1_990, 199
"""The longest lines that modules of BOUNDED search, and shorter ones."""
MOST_SLOWDOWN, LEAST_S = 2.5, 0.01
"""A quadratic expression takes ten times longer for lines of ten times the length. Shorter times are not compared."""
MEGABYTES = {
    "spaces": "' ' * 1_000_000 + 'x'",
    "spaces after an entity": "'&amp;' + ' ' * 1_000_000 + 'x'",
    "tabs": "'&amp;' + chr(9) * 1_000_000 + 'x'",
    "blank lines": "chr(10) * 1_000_000 + 'x'",
    "brackets": "'[' * 1_000_000",
    "a table's rule that does not end": "'a|b' + chr(10) + ' ' * 1_000_000 + '|x'",
}
CHARACTERS = 10_000
LIMIT_S = 0.2
MOST_DEPTH = 4
COLLECTIONS: tuple[type[Collection[object]], ...] = (tuple, list, set, frozenset)
NUMERIC = ("1", "1,", "1.", "1 ", "1-")
"""Numbers, their separators, and mixtures: an expression for an amount may start again at each digit of a long one."""
GENERAL = (
    " ",
    "\n",
    "\t",
    "\u00a0",
    "a",
    "A",
    "1",
    "é",
    "-",
    "_",
    ".",
    "<",
    "&",
    "[",
    "]",
    "(",
    ")",
    "*",
    "`",
    '"',
    "\\",
    "/",
    "@",
    ",",
    "$",
    "%",
    "12,345.5 ",
    "1/",
    "1:",
    "1a",
    "2024-",
    *NUMERIC,
)
EXEMPT = {
    "fundwright.accounts.service._EMAIL": "matched from the beginning only, with at most 254 characters",
    "fundwright.accounts.schemas._PHONE": "matched from the beginning only, with at most 50 characters",
    "fundwright.reading.paragraphs._LIST_ITEM": "matched at the beginning of a line only",
    "fundwright.reading.paragraphs._NUMBERED_HEADING": "matched at the beginning of a line only",
    "fundwright.training.titles._NO_TITLE": "matched from the beginning only, with at most 120 characters",
}
"""Expressions that are never used for searching, so that they cannot start again at each character."""
BOUNDED = {
    "fundwright.reading.company.": "searched in lines of at most 400 characters; the scanner below reads a megabyte",
    **dict.fromkeys(
        (
            *(f"fundwright.reading.{name}" for name in ("entries.", "finding_", "names.", "patterns.", "states.")),
            "fundwright.generation.extractive.",
        ),
        "searched in lines and entries of at most 2,000 characters; the scanner below reads a megabyte",
    ),
}
"""Modules whose expressions only get short texts."""


class TooSlow(Exception):
    pass


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def expressions() -> Iterator[tuple[str, re.Pattern[Any]]]:
    for package in (fundwright, fundwright_ui):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations." in found.name or found.name.endswith("__main__"):
                continue
            for name, value in vars(importlib.import_module(found.name)).items():
                if isinstance(value, re.Pattern):
                    yield f"{found.name}.{name}", value
                else:
                    yield from ((f"{found.name}.{name}[{place}]", kept) for place, kept in enumerate(_kept_in(value)))


def _kept_in(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    """The expressions in a collection or in the fields of a dataclass."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < MOST_DEPTH:
        parts: Iterable[object] = ()
        if isinstance(value, COLLECTIONS):
            parts = value
        elif isinstance(value, dict):
            parts = (*value.keys(), *value.values())
        elif is_dataclass(value) and not isinstance(value, type):
            parts = [getattr(value, field.name, None) for field in fields(value)]
        for part in parts:
            yield from _kept_in(part, depth + 1)


def runs(*own: str, general: Sequence[str] = GENERAL[:5]) -> Iterator[str]:
    """One token repeated, with and without a different end."""
    for token in dict.fromkeys((*own, *general)):
        yield token * (CHARACTERS // len(token))
        yield token * (CHARACTERS // len(token)) + "\x00"
    for token in NUMERIC:
        yield token * (CHARACTERS // len(token)) + "\x00"


def attacks(*own: str) -> Iterator[str]:
    """Texts in which a backtracking search may start again at each character."""
    yield from runs(*own, general=GENERAL)
    tokens = list(dict.fromkeys((*own, *GENERAL)))
    firsts = own or GENERAL
    for first, second in itertools.product(firsts, tokens):
        if first != second:
            yield first + second * (CHARACTERS // len(second))
            yield (first + second) * (CHARACTERS // len(first + second))
    for first, second in itertools.product(own, (*own, ".", " ")):
        yield (first + "a" + second) * (CHARACTERS // len(first + "a" + second))


def own_tokens(pattern: str) -> list[str]:
    """The literal words and characters in the expression itself."""
    words = re.findall(r"(?<!\\)[a-z]{2,}", pattern)[:4]
    signs = [sign for sign in dict.fromkeys(re.findall(r"[^\w\s\\]", pattern)) if sign not in "?+|:{}^$"][:6]
    return [*words, *signs]


def first_slow(run: Callable[[str], object], texts: Iterable[str], *, limit_s: float = LIMIT_S) -> str | None:
    """The first text for which `run` is too slow."""
    for text in texts:
        try:
            with limited(limit_s):
                run(text)
        except TooSlow:
            return f"{text[:20]!r}…{text[-10:]!r}"
    return None


KEPT = dict(expressions())


@pytest.mark.parametrize("texts", [runs, pytest.param(attacks, marks=pytest.mark.slow)], ids=["runs", "all"])
@pytest.mark.parametrize("name", sorted(name for name in KEPT.keys() - EXEMPT.keys() if not name.startswith(tuple(BOUNDED))))
def test_is_linear(name: str, texts: Callable[..., Iterable[str]]) -> None:
    pattern = KEPT[name]
    is_bytes = isinstance(pattern.pattern, bytes)

    def run(text: str) -> None:
        for _ in pattern.finditer(text.encode() if is_bytes else text):
            pass

    source = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    assert first_slow(run, texts(*own_tokens(source))) is None


def test_every_exemption_is_for_an_expression_that_exists() -> None:
    assert EXEMPT.keys() <= KEPT.keys()


@pytest.mark.parametrize(
    "scanner",
    [
        pytest.param(scanner, id=name, marks=[pytest.mark.slow] * (name != "the kind of a document"))
        for name, scanner in SCANNERS.items()
    ],
)
def test_megabytes_are_scanned_in_linear_time(scanner: str) -> None:
    pytest.importorskip("resource")
    code = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({CPU_SECONDS},) * 2); {scanner}"
    code += "".join(f"; scan({text})" for text in MEGABYTES.values())
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"killed after {CPU_SECONDS} s of CPU time"


def slowdown(scan: Callable[[str], object], token: str) -> float:
    """How much longer a text in long lines takes than the same in short ones."""
    return _cpu_s(scan, token, LONG_LINE) / max(_cpu_s(scan, token, SHORT_LINE), LEAST_S)


def _cpu_s(scan: Callable[[str], object], token: str, line: int) -> float:
    text = "".join(f"We {token * (line // len(token))} {number}.\n\n" for number in range(2 * CHARACTERS // line))
    times = list[float]()
    for _ in range(3):
        start = time.process_time()
        scan(text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("scanner", SCANNERS.values(), ids=list(SCANNERS))
def test_long_lines_take_no_longer_than_short_ones(scanner: str) -> None:
    names = dict[str, Any]()
    exec(scanner, names)
    assert [token for token in REPEATED if slowdown(names["scan"], token) > MOST_SLOWDOWN] == []


def test_finds_what_is_slow_on_long_lines() -> None:
    scan = re.compile(r"\d[\d.,]* ?(?:%|percent)").findall
    assert {token for token in REPEATED if slowdown(scan, token) > MOST_SLOWDOWN} >= {"1", "1,", "1."}


def test_nested_groups_take_no_longer_than_those_beside_each_other() -> None:
    def cpu_s(groups: str) -> float:
        start = time.process_time()
        RtfReader().read(rf"{{\rtf1 {groups}}}".encode(), "a.rtf")
        return time.process_time() - start

    cpu_s("{}")  # the first call loads modules
    count = 2 * CHARACTERS
    nested, beside = f"{'{' * count}a{'}' * count}", f"{'{}' * count}a"
    slowdowns = (cpu_s(nested) / max(cpu_s(beside), LEAST_S) for _ in range(3))
    assert min(slowdowns) < MOST_SLOWDOWN


@pytest.mark.security(42)
@pytest.mark.parametrize(
    "run",
    [
        lambda text: MarkdownReader().read(text.replace("\0", " ").encode(), "a.md"),
        lambda text: paragraphs(text.splitlines(), frozenset()),
    ],
    ids=["Markdown", "text"],
)
@pytest.mark.slow
def test_reading_is_linear(run: Callable[[str], object]) -> None:
    # A line without text is a paragraph: 20,000 of them take a few hundred milliseconds.
    assert first_slow(run, attacks("<", "</", "<li", "<!--", "**", "![", "](", "[1", "# ", "- "), limit_s=5.0) is None


def test_the_dates_of_a_position_are_found_in_linear_time() -> None:
    def run(separators: str) -> None:
        text = f"TOBIAS RENQUIST\n\nField Operations Manager\n\nEXPERIENCE\n\n- now {separators}x\n"
        facts_of(text, entries_of(text, lambda _: ()), DocumentKind.RESUME)

    run("")  # the first call loads modules
    assert first_slow(run, ["-" * 1_900, "- " * 950, "; 2001 " * 260]) is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s*\n\s*\n\s*",
        r"<\s*[/!]?\s*[a-z][^<>]*>",
        r"(\*{1,3})(?=\S)(.+?)(?<=\S)\1(?!\*)",
        r"\s*\[",
        r"\d[\d.,]* ?(?:%|percent)",
    ],
)
def test_finds_slow_ones(pattern: str) -> None:
    assert first_slow(lambda text: re.sub(pattern, "", text), attacks(*own_tokens(pattern))) is not None
