"""What content registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.content.personal_data import own_files
from fundwright.core.plugins import hookimpl
from fundwright.identity.personal_data import PersonalDataReader


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]
