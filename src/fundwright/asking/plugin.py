"""The plug-in hooks of asking."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.core.plugins import hookimpl

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.asking import api

    return [api.router]
