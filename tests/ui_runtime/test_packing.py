"""What rests is smaller, and comes back as it was."""

from __future__ import annotations

import json

from fundwright_ui.runtime.packing import Packing, packing_of

TREE = json.dumps(
    {"c": [{"t": "a", "a": {"href": f"/opportunities/{number}"}, "c": [str(number**7)]} for number in range(2_000)]}
)


def test_what_is_like_the_first_takes_next_to_nothing() -> None:
    packing = Packing()
    first, second = packing.pack(TREE.encode()), packing.pack(TREE[-30_000:].replace("5", "6").encode())
    alone = Packing().pack(TREE[-30_000:].replace("5", "6").encode())
    assert len(second) < len(alone) * 0.8
    assert packing.unpack(first).decode() == TREE
    assert packing.unpack(second).decode() == TREE[-30_000:].replace("5", "6")


def test_kinds_are_apart_and_nothing_can_be_packed() -> None:
    assert packing_of("a") is packing_of("a") is not packing_of("b")
    packing = Packing()
    assert packing.unpack(packing.pack(b"")) == b""
    assert packing.unpack_value(packing.pack_value({"a": [1, 2]})) == {"a": [1, 2]}
    assert packing.pack_value(lambda: None) == b""
