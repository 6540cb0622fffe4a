"""What categories registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.categories import service
from fundwright.core.plugins import hookimpl
from fundwright.identity.service import AccountCreatedHandler


@hookimpl
def account_created_handlers() -> Iterable[AccountCreatedHandler]:
    return [service.add_sample]
