"""Values kept in a tenth of the memory while nobody asks for them."""

from __future__ import annotations

import io
import operator
import pickle
import zlib
from typing import Any

from pydantic import BaseModel


def packed(value: object) -> bytes:
    """Nothing when `value` cannot be packed."""
    written = io.BytesIO()
    try:
        _Pickler(written, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    except Exception:  # whatever a value of another package does when it is pickled
        return b""
    return zlib.compress(written.getvalue(), 1)


def unpacked(given: bytes) -> Any:
    """What `packed` was given."""
    return pickle.loads(zlib.decompress(given))  # noqa: S301  # packed by this very process


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        """A class such as `Page[OpportunityRow]` is not found by its name."""
        if isinstance(obj, type) and issubclass(obj, BaseModel):
            made_from = obj.__pydantic_generic_metadata__
            if made_from["origin"] is not None:
                return operator.getitem, (made_from["origin"], made_from["args"])
        return NotImplemented
