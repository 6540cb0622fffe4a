"""Idle state is compressed and restored unchanged."""

from __future__ import annotations

import json

from fundwright_ui.runtime.packing import Packing, packing_of

TREE = json.dumps(
    {"c": [{"t": "a", "a": {"href": f"/opportunities/{number}"}, "c": [str(number**7)]} for number in range(2_000)]}
)


def test_what_is_like_the_first_takes_next_to_nothing() -> None:
    packing = Packing()
    alike = TREE[-20_000:].replace("opportunities/1990", "opportunities/x")
    first, second = packing.pack(TREE.encode()), packing.pack(alike.encode())
    assert len(second) < len(Packing().pack(TREE.encode())) / 20
    assert [packing.unpack(packed).decode() for packed in (first, second)] == [TREE, alike]


def test_kinds_are_apart_and_nothing_can_be_packed() -> None:
    assert packing_of("a") is packing_of("a") is not packing_of("b")
    packing = Packing()
    assert packing.unpack(packing.pack(b"")) == b""
    assert packing.unpack_value(packing.pack_value({"a": [1, 2]})) == {"a": [1, 2]}
    assert packing.pack_value(lambda: None) == b""
