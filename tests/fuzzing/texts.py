"""Strategies for nearly valid texts and bytes, which get further into a parser than random ones."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

ODD = (
    "\x00", "\x0b", "\x1f", "\u00a0", "\u2028", "\ufeff", "\u202e", "\u0660", "\U0001f600", "e\u0301", "ﬁ", "İ", "ß", "%00", "%ff", "\\", "'", '"', "<", "&",
    "../", "//", "[", "]", "(", "{{", "${x}", "\r\n", "\t", " " * 300, "a" * 5_000, "9" * 400, "-", "1e400", "NaN", "null",
)  # fmt: skip
"""Fragments that are difficult for parsers."""


@st.composite
def mutated(draw: DrawFn, *examples: str) -> str:
    """An example with up to five pieces removed, duplicated, moved, or replaced."""
    text = draw(st.sampled_from(examples))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 8)))
        piece = draw(
            st.one_of(
                st.just(""), st.sampled_from(ODD), st.text(max_size=6), st.just(text[start:end] * 2), st.sampled_from(examples)
            )
        )
        text = text[:start] + piece + text[end:]
    return text


def texts(*examples: str) -> SearchStrategy[str]:
    """The examples, mutations of them, and any text. No surrogates, because decoders replace them."""
    return st.one_of(st.sampled_from(examples), mutated(*examples), st.sampled_from(ODD), st.text(max_size=60))


Change = tuple[int, int, int, bytes]
"""A position, the operation, the number of bytes, and the inserted content."""

changes: SearchStrategy[Change] = st.tuples(
    st.integers(0, 2**20),
    st.integers(0, 4),
    st.sampled_from([1, 2, 4, 16, 100]),
    # Also numbers, of which lengths and offsets are made.
    st.one_of(
        st.binary(max_size=16),
        st.sampled_from(
            [b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f", b"9999", *(text.encode() for text in ODD)]
        ),
    ),
)


def changed(content: bytes, changes: Sequence[Change]) -> bytes:
    """Content with pieces replaced, removed, duplicated, or added, or truncated."""
    result = bytearray(content)
    for where, kind, size, piece in changes:
        place = where % (len(result) + 1)
        match kind:
            case 0:
                result[place : place + len(piece)] = piece
            case 1:
                del result[place : place + size]
            case 2:
                result[place:place] = result[place : place + size] * (1 + where % 50)
            case 3:
                result[place:place] = piece
            case _:
                del result[place + size :]
    return bytes(result)


def mutated_bytes(*examples: bytes, most: int = 6) -> SearchStrategy[bytes]:
    return st.builds(changed, st.sampled_from(examples), st.lists(changes, max_size=most))


def json_values() -> SearchStrategy[object]:
    leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=30), st.sampled_from(ODD))
    return st.recursive(
        leaves, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4))
    )


def json_texts() -> SearchStrategy[str]:
    """Any JSON, including NaN, lone surrogates, and very long numbers and deep nesting."""
    deep = st.builds(
        lambda start, depth: start * depth, st.sampled_from(["[", '{"a":', "[["]), st.sampled_from([50, 500, 100_000])
    )
    return st.one_of(
        json_values().map(json.dumps), deep, st.sampled_from(['"\\ud800"', "9" * 5_000, "1e999", "NaN", "-Infinity"])
    )
