"""Uploads over plain HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

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
