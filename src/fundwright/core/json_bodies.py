"""Parses bodies of requests that may be so long that a process of `core.computing` does it."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)


def parse(model: type[M], content: bytes) -> M | list[dict[str, Any]]:
    """Return the body, or what is wrong with it, as FastAPI describes it."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return [{**each, "loc": ("body", *each["loc"])} for each in found]
