"""What an open page knows, kept in a fraction of the memory while nobody asks for it."""

from __future__ import annotations

import io
import operator
import pickle
import zlib
from collections.abc import Hashable
from functools import cache
from typing import Any

from pydantic import BaseModel

_LEVEL = 6
_WINDOW_BYTES = 32_768


class Packing:
    """Packs things of one kind: what they have in common with the first of them, such as the frame around a screen or a list that
    everybody sees, is kept once for all."""

    def __init__(self) -> None:
        self._common = b""

    def pack(self, content: bytes) -> bytes:
        self._common = self._common or content[-_WINDOW_BYTES:]
        packer = zlib.compressobj(_LEVEL, zdict=self._common)
        return packer.compress(content) + packer.flush()

    def unpack(self, packed: bytes) -> bytes:
        return zlib.decompressobj(zdict=self._common).decompress(packed)

    def pack_value(self, value: object) -> bytes:
        """Nothing when `value` cannot be packed."""
        written = io.BytesIO()
        try:
            _Pickler(written, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
        except Exception:  # whatever a value of another package does when it is pickled
            return b""
        return self.pack(written.getvalue())

    def unpack_value(self, packed: bytes) -> Any:
        return pickle.loads(self.unpack(packed))  # noqa: S301  # packed by this very process


@cache
def packing_of(kind: Hashable) -> Packing:
    """The one for this kind: a place in the code, of which there are only so many."""
    return Packing()


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        """A class such as `Page[OpportunityRow]` is not found by its name."""
        if isinstance(obj, type) and issubclass(obj, BaseModel):
            made_from = obj.__pydantic_generic_metadata__
            if made_from["origin"] is not None:
                return operator.getitem, (made_from["origin"], made_from["args"])
        return NotImplemented
