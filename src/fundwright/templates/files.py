"""Reads files of templates."""

from __future__ import annotations

from codecs import BOM_UTF8

from pydantic import ValidationError

from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.templates.schemas import TemplateContent


def read(content: bytes) -> TemplateContent:
    """Read a template's file. Raises Invalid, naming the line or the path that is wrong."""
    try:
        return TemplateContent.model_validate_json(content.removeprefix(BOM_UTF8))
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        path = ".".join(str(part + 1) if isinstance(part, int) else part for part in found["loc"])
        message = found["msg"].removeprefix("Value error, ")
        if not path:
            raise Invalid(t("The file is not a template: {error}.", error=message.rstrip("."))) from error
        raise Invalid(t("The file is not a template. {path}: {error}.", path=path, error=message.rstrip("."))) from error
