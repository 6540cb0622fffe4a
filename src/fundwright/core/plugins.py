"""The plug-in system. `fundwright.hooks` lists what a package can add."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import pluggy

GROUP = "fundwright"

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


class Plugins:
    """Every installed package with an entry point in group `fundwright`, ours included."""

    def __init__(self, specifications: Iterable[ModuleType]) -> None:
        self._manager = pluggy.PluginManager(GROUP)
        for specification in specifications:
            self._manager.add_hookspecs(specification)
        self._manager.load_setuptools_entrypoints(GROUP)
        self._manager.check_pending()

    def register(self, plugin: object) -> None:
        """Add a plug-in manually, as tests do."""
        self._manager.register(plugin)

    def collect(self, hook: str, **arguments: Any) -> list[Any]:
        """The results of all plug-ins for `hook`, flattened; our own come first, in order of registration."""
        answers = getattr(self._manager.hook, hook)(**arguments)
        return [item for answer in reversed(answers) for item in answer]
