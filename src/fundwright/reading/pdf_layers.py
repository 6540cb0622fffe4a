"""Divides a PDF file with layers (optional content) by what is shown when it is opened: the parser keeps one of two texts at the same place, whether it is
in a layer that is off or not."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pypdf
from pypdf.generic import ContentStream, DictionaryObject, IndirectObject, NameObject

from fundwright.core.sandbox_progress import report_progress

_NEXT_LINE = {b"Tj": False, b"TJ": False, b"'": True, b'"': True}
"""The operators that show a text, and whether they go to the next line before."""
_DEEPEST = 8
Operation = tuple[Any, bytes]


def divided_by_layers(content: bytes) -> tuple[bytes, bytes] | None:
    """The file without texts in layers that are off, and with no other texts. None if there are no such texts, or the file is damaged."""
    with suppress(Exception):  # third-party parsers can raise anything
        shown = _Layers(content, keeps_off=False)
        return (shown.written(), _Layers(content, keeps_off=True).written()) if shown.is_changed else None
    return None


def are_off(root: DictionaryObject) -> bool:
    """Whether a file with this root has layers that are off when it is opened."""
    shown = _state(root)
    return bool(shown.get("/OFF")) or shown.get("/BaseState") == "/OFF"


def _state(root: DictionaryObject) -> DictionaryObject:
    layers: Any = root.get("/OCProperties", DictionaryObject())
    return layers.get_object().get("/D", DictionaryObject()).get_object()


class _Layers:
    """A copy of a file that keeps the texts in layers that are off, or the others."""

    def __init__(self, content: bytes, *, keeps_off: bool) -> None:
        self.is_changed = False
        self._keeps_off = keeps_off
        self._writer = pypdf.PdfWriter(clone_from=io.BytesIO(content))
        state = _state(self._writer.root_object)
        self._is_on_by_default = state.get("/BaseState") != "/OFF"
        exceptions: Any = state.get("/OFF" if self._is_on_by_default else "/ON", ())
        self._exceptions = {each.idnum for each in exceptions.get_object()} if exceptions else set[int]()
        self._seen = set[int]()
        for page in self._writer.pages:
            if (stream := page.get_contents()) is not None:
                page.replace_contents(self._filtered(stream, page.get("/Resources"), 0))

    def written(self) -> bytes:
        self._writer.write(target := io.BytesIO())
        return target.getvalue()

    def _filtered(self, stream: Any, resources: Any, depth: int) -> ContentStream:
        content = ContentStream(stream, self._writer)
        content.operations = list(self._kept(content.operations, resources.get_object() if resources else {}, depth))
        return content

    def _kept(self, operations: list[Operation], resources: Any, depth: int) -> Iterator[Operation]:
        open_marks, open_off = list[bool](), 0
        for operands, operator in operations:
            report_progress()
            if operator in (b"BDC", b"BMC"):
                is_layer = operator == b"BDC" and operands[0] == "/OC"
                open_marks.append(is_layer and self._is_off(_in(resources, "/Properties", operands[1])))
                open_off += open_marks[-1]
            elif operator == b"EMC" and open_marks:
                open_off -= open_marks.pop()
            is_off = open_off > 0
            if operator in _NEXT_LINE and is_off != self._keeps_off:
                self.is_changed = True
                if _NEXT_LINE[operator]:
                    yield [], b"T*"
                continue
            if operator == b"Do" and not self._keeps(_in(resources, "/XObject", operands[0]), resources, depth, is_off=is_off):
                self.is_changed = True
                continue
            yield operands, operator

    def _keeps(self, reference: Any, resources: Any, depth: int, *, is_off: bool) -> bool:
        """Whether a form or a picture stays. The texts of a form that is not in a layer that is off are divided."""
        item = reference.get_object() if reference is not None else None
        if item is None or item.get("/Subtype") != "/Form":
            return True
        if is_off or self._is_off(item.raw_get("/OC") if "/OC" in item else None):
            return self._keeps_off
        if isinstance(reference, IndirectObject) and reference.idnum not in self._seen and depth < _DEEPEST:
            self._seen.add(reference.idnum)
            item.set_data(self._filtered(item, item.get("/Resources", resources), depth + 1).get_data())
        return True

    def _is_off(self, reference: Any) -> bool:
        """Whether a layer is off, or a group of layers that is shown if any or all of them are on or off."""
        layer = reference.get_object() if reference is not None else None
        if not isinstance(layer, DictionaryObject):
            return False
        if layer.get("/Type") != "/OCMD":
            return self._is_layer_off(reference)
        layers: Any = layer.raw_get("/OCGs") if "/OCGs" in layer else []
        several = layers.get_object() if isinstance(layers, IndirectObject) else layers
        off = [self._is_layer_off(each) for each in (several if isinstance(several, list) else [layers])]
        is_shown = {"/AllOn": not any(off), "/AnyOff": any(off), "/AllOff": all(off)}
        return bool(off) and not is_shown.get(str(layer.get("/P")), not all(off))

    def _is_layer_off(self, reference: Any) -> bool:
        """Whether a reference to a layer, such as one in a group, which has no other groups in it, is to one that is off."""
        return isinstance(reference, IndirectObject) and (reference.idnum in self._exceptions) == self._is_on_by_default


def _in(resources: Any, kind: str, name: Any) -> Any:
    """What a name stands for in a stream of contents, mostly a reference."""
    named: Any = resources[kind].get_object() if kind in resources else {}
    return named.raw_get(name) if isinstance(name, NameObject) and name in named else None
