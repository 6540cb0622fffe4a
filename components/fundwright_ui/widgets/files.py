"""Uploads over plain HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from fundwright_ui.runtime.diff import Node
from fundwright_ui.runtime.html import paints
from fundwright_ui.widgets.base import On, Props, Slot, Widget


class FileUploaded(Props):
    """A file was uploaded: its name and the server's response."""

    name: str
    answer: Any = None


class FileDrop(Widget):
    """A drop zone for files. Each is posted to `upload_url` as the form field `file`, with progress. `children`, such as a button for
    another way to add something, follow the button that chooses files."""

    label: str
    hint: str = ""
    upload_url: str
    accept: str = ""
    """Accepted file name extensions, separated by commas, such as `.pdf,.docx`; "" accepts every file."""
    refusals: Mapping[str, str] = Field(default_factory=dict)
    """What to say about files with other extensions, such as `.xml`, which the file picker offers, too."""
    is_multiple: bool = False
    max_bytes: int
    children: Slot = ()
    on_uploaded: On[FileUploaded] = None


# The same markup as web/src/widgets/FileDrop renders. Hydration fails if they differ.


@paints(FileDrop.__name__)
def _painted(node: Mapping[str, Any]) -> Sequence[Node]:
    props = node["a"]
    icon = {
        "t": "svg",
        "a": {
            "className": "fw-drop-icon",
            "viewBox": "0 0 24 24",
            "fill": "none",
            "stroke": "currentColor",
            "strokeWidth": "1.6",
            "aria-hidden": "true",
        },
        "c": [
            {"t": "path", "a": {"d": "M12 16V5M7.5 9.5 12 5l4.5 4.5M4 16v2.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V16"}}
        ],
    }
    choose = {"t": "button", "a": {"type": "button", "className": "fw-button fw-button-outlined"}, "c": [props["label"]]}
    hint = {"t": "p", "a": {"className": "fw-hint"}, "c": [props["hint"]]}
    picker = {
        "t": "input",
        "a": {
            "type": "file",
            "hidden": True,
            "aria-label": props["label"],
            "accept": ",".join((props["accept"], *props["refusals"])),
            "multiple": props["isMultiple"],
        },
    }
    frame = {"className": "fw-drop", "role": "group", "aria-label": props["label"]}
    return [{"t": "div", "a": frame, "c": [icon, choose, *node.get("c", ()), hint, picker]}]
