"""The plug-in hooks of access."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.access import invitations
from fundwright.accounts.account_deletion import AccountDeletedHandler
from fundwright.core.plugins import hookimpl

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def account_deleted_handlers() -> Iterable[AccountDeletedHandler]:
    return [invitations.forget_invitations]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.access import api

    return [api.router]
