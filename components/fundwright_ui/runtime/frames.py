"""Parses the frames that a page sends (docs/runtime-protocol.md) from untrusted text."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fundwright_ui.runtime.events import Payload

_LARGEST = 2**53 - 1  # JavaScript's Number.MAX_SAFE_INTEGER
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)

Count = Annotated[int, Field(ge=0, le=_LARGEST)]
Number = Annotated[int, Field(ge=1, le=_LARGEST)]


class _Frame(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Hello(_Frame):
    """The first frame of a connection. A page that had lost its connection adds `session` and `received`."""

    type: Literal["hello"]
    path: str = "/"
    account: str | None = None
    """Whom the page is for, as `Host.identity_of` says; None for a visitor."""
    hash: str | None = None
    complete: bool = False
    """Whether no part of the screen on the page is loading or has failed."""
    build: str | None = None
    session: str | None = None
    received: Count | None = None


class Ping(_Frame):
    type: Literal["ping"]
    received: Count | None = None


class Event(_Frame):
    """Something that the person did on the page, such as a click."""

    type: Literal["event"]
    seq: Number
    target: str
    data: Payload = {}
    received: Count | None = None


class Moved(_Frame):
    """The person has navigated to another address."""

    type: Literal["location"]
    seq: Number
    path: str
    received: Count | None = None


class Fault(_Frame):
    """A part of the page failed in the browser."""

    type: Literal["fault"]
    seq: Number
    id: str
    part: str
    message: str
    received: Count | None = None


Numbered = Event | Moved | Fault
ClientFrame = Annotated[Hello | Ping | Event | Moved | Fault, Field(discriminator="type")]

_FRAMES: TypeAdapter[Hello | Ping | Numbered] = TypeAdapter(ClientFrame)


def read_frame(text: str) -> Hello | Ping | Numbered | None:
    """The frame in `text`; None if it is not valid. Lone surrogates, such as from an emoji cut in half, are replaced with U+FFFD,
    because neither the database nor another page could store them."""
    try:
        return _FRAMES.validate_json(text)
    except ValidationError:
        repaired = _ESCAPE.sub(_whole, text)
    if repaired == text:
        return None
    try:
        return _FRAMES.validate_json(repaired)
    except ValidationError:
        return None


def _whole(escape: re.Match[str]) -> str:
    return "\\ufffd" if escape[1] else escape[0]
