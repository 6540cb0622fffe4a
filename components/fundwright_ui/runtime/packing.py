"""Compresses the state of an open page while it is not needed."""

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
    """Compresses contents of one kind. The first serves as a dictionary for the others, so what they share with it, such as the
    frame around a screen or a list that everyone sees, is stored once."""

    def __init__(self) -> None:
        self._common = b""

    def pack(self, content: bytes) -> bytes:
        self._common = self._common or content[-_WINDOW_BYTES:]
        packer = zlib.compressobj(_LEVEL, zdict=self._common)
        return packer.compress(content) + packer.flush()

    def unpack(self, packed: bytes) -> bytes:
        return zlib.decompressobj(zdict=self._common).decompress(packed)

    def pack_value(self, value: object) -> bytes:
        """The packed `value`; empty if it cannot be pickled."""
        written = io.BytesIO()
        try:
            _Pickler(written, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
        except Exception:  # pickling a value of another package may raise anything
            return b""
        return self.pack(written.getvalue())

    def unpack_value(self, packed: bytes) -> Any:
        return pickle.loads(self.unpack(packed))  # noqa: S301  # packed by this process


@cache
def packing_of(kind: Hashable) -> Packing:
    """The packing of this kind. A kind is a location in the code, so their number is limited."""
    return Packing()


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        """Pickle generic models such as `Page[OpportunityRow]`, which pickle cannot find by name."""
        if isinstance(obj, type) and issubclass(obj, BaseModel):
            made_from = obj.__pydantic_generic_metadata__
            if made_from["origin"] is not None:
                return operator.getitem, (made_from["origin"], made_from["args"])
        return NotImplemented
