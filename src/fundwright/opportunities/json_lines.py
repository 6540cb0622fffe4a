"""Files with one JSON object per line, which NIH and Simpler.Grants.gov publish."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import cast

from fundwright.core.json_values import JsonObject
from fundwright.core.messages import t
from fundwright.opportunities import reading
from fundwright.opportunities.reading import UnreadableFile, clean, damage
from fundwright.opportunities.sources import RejectedRow

_TRIED_LINES = 50


def read_json_lines(stream: Iterable[bytes]) -> Iterator[tuple[int, JsonObject | RejectedRow]]:
    """Yield the JSON objects of a file that has one on each line. A broken line or a truncated file becomes a rejection.

    Raises UnreadableFile if none of the first lines is an object: an image has no rows to reject.
    """
    broken: list[tuple[int, RejectedRow]] = []
    is_known = False
    for line, row in _json_rows(stream):
        if is_known:
            yield line, row
        elif not isinstance(row, RejectedRow):
            is_known = True
            yield from broken
            yield line, row
        else:
            broken.append((line, row))
            if len(broken) == _TRIED_LINES:
                break
    if not is_known:
        tried = [
            t("Line {line}, column {column}: {reason}", line=line, column=row.column or 1, reason=row.reason)
            for line, row in broken[:1]
        ]
        refusal = t("This file does not contain one JSON object per line. Choose a file that does, or another format.")
        raise UnreadableFile(" ".join([refusal, *tried]))


def _json_rows(stream: Iterable[bytes]) -> Iterator[tuple[int, JsonObject | RejectedRow]]:
    line = 0
    try:
        for line, text in enumerate(reading.lines(stream), start=1):
            if not text.strip():
                continue
            try:
                row = json.loads(text.rstrip("\r\n"))
            except json.JSONDecodeError as error:
                yield line, RejectedRow(line, str(error.colno), t("The line is not valid JSON from this column on."))
            except (RecursionError, ValueError):
                yield line, RejectedRow(line, "", t("The line is nested too deeply or contains a number that is too long."))
            else:
                if isinstance(row, dict):
                    yield line, cast(JsonObject, row)
                else:
                    yield line, RejectedRow(line, "", t("The line is not a JSON object."))
    except (EOFError, OSError) as error:
        yield (
            line + 1,
            RejectedRow(
                line + 1, "", t("The file ends unexpectedly here ({error}). The rows before it were read.", error=damage(error))
            ),
        )


def published(row: JsonObject) -> JsonObject:
    """Return the row without empty values and without fields that its collector added (names that begin with an underscore)."""
    return cast(
        JsonObject,
        reading.fit({key: value for key, value in row.items() if value not in (None, "", []) and not key.startswith("_")}),
    )


def texts(value: object) -> list[str]:
    if not isinstance(value, list):
        return []
    return [text for item in cast(list[object], value) if (text := clean(item))]
