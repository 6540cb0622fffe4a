"""JSON that the program does not define."""

from __future__ import annotations

from typing import Any

JsonValue = Any
"""Any JSON value, such as the state that a screen saves. The code that reads it knows or checks its type."""

JsonObject = dict[str, JsonValue]
"""A JSON object whose fields others define: a record as its source published it, or the columns in which the database holds the
payload, checkpoint, and result of any kind of job. Data of the program itself has a type of its own."""
