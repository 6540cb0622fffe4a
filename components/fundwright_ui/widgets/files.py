"""Uploads over plain HTTP."""

from __future__ import annotations

from typing import Any

from fundwright_ui.widgets.base import On, Props, Widget


class FileUploaded(Props):
    """One file has arrived: its name, and what the server answered to it."""

    name: str
    answer: Any = None


class FileDrop(Widget):
    """A place to drop files on. Each is posted to `upload_url` as the form field `file`, with progress."""

    label: str
    hint: str = ""
    upload_url: str
    accept: str = ""
    """Endings of names with commas between them, such as `.pdf,.docx`; "" takes every file."""
    is_multiple: bool = False
    max_bytes: int
    on_uploaded: On[FileUploaded] = None
