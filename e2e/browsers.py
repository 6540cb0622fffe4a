"""Isolated browser contexts, reused by consecutive journeys, so that scripts are fetched and compiled only once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext

EMPTY: Any = {"cookies": [], "origins": []}


class Browsers:
    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free = defaultdict[str, list[BrowserContext]](list)
        self._retired = set[BrowserContext]()

    @contextmanager
    def lent(self, options: dict[str, Any]) -> Iterator[BrowserContext]:
        """A context with these options of `browser.new_context`. Only its cache remains from earlier journeys."""
        free = self._free[json.dumps(options, sort_keys=True)]
        context = free.pop() if free else self._browser.new_context(**options)
        yield context
        if context in self._retired:
            context.close()
            return
        for page in context.pages:
            page.close()
        context.unroute_all()
        context.clear_permissions()
        context.set_offline(False)
        context.set_storage_state(options.get("storage_state", EMPTY))
        free.append(context)

    def retire(self, context: BrowserContext) -> None:
        """Do not reuse this context: its state has changed in a way that cannot be reset."""
        self._retired.add(context)
