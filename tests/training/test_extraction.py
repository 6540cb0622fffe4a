from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fundwright.core.assembly import Core
from fundwright.reading import stored
from fundwright.reading.document import Document
from fundwright.reading.formats import Unreadable
from fundwright.training import extraction
from tests.core import computed


@pytest.mark.security(53)
async def test_dividing_a_document_stops_if_it_makes_no_progress(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "LIMITS", replace(extraction.LIMITS, silent_seconds=1))
    monkeypatch.setattr(extraction, "_divided", computed.never)
    async with asyncio.timeout(30):
        with pytest.raises(Unreadable, match="more than 1 second"):
            await extraction.divide(core, stored.pack(Document(blocks=())), "a.md", title="A")
