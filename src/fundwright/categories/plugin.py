"""What categories registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.categories import service
from fundwright.categories.personal_data import own_files
from fundwright.core.plugins import hookimpl
from fundwright.identity.personal_data import PersonalDataReader
from fundwright.identity.service import AccountCreatedHandler


@hookimpl
def account_created_handlers() -> Iterable[AccountCreatedHandler]:
    return [service.add_sample]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]
