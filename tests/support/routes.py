"""Builds the routes of an application once. FastAPI does this on the first request of each application, which takes longer than
most tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from fastapi import routing

_NO_OVERRIDES = SimpleNamespace(dependency_overrides=MappingProxyType({}))


@contextmanager
def routes_built_once() -> Iterator[None]:
    """The routes built for one application serve all others that include the same router in the same way.

    An application with `dependency_overrides` gets its own routes if it has the overrides before its first request.
    """
    build = routing._EffectiveRouteContext.from_api_route
    built: dict[int, list[tuple[Any, Any]]] = {}

    def found(*, original_route: Any, include_context: Any) -> Any:
        if include_context.dependency_overrides_provider.dependency_overrides:
            return build(original_route=original_route, include_context=include_context)
        known = built.setdefault(id(original_route), [])
        wanted = replace(include_context, dependency_overrides_provider=_NO_OVERRIDES)
        if (same := next((context for included, context in known if included == wanted), None)) is None:
            same = build(original_route=original_route, include_context=wanted)
            known.append((wanted, same))
        return same

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routing._EffectiveRouteContext, "from_api_route", found)
        yield
