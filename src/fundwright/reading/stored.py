"""The stored form of a document: compressed JSON of one version, from which passages are made without reading the file again."""

from __future__ import annotations

import json
import zlib

import msgspec

from fundwright.reading.document import Document

VERSION = 6
"""Increased whenever files are read differently, so that documents that are trained again are read again."""
_MOST_JSON_BYTES = 300_000_000
_DECODER = msgspec.json.Decoder(Document)
_ENCODER = msgspec.json.Encoder()


def pack(document: Document) -> bytes:
    try:
        return zlib.compress(_ENCODER.encode(document))
    except UnicodeEncodeError:  # a lone surrogate, such as half an emoji in a PDF, becomes a question mark
        return zlib.compress(json.dumps(msgspec.to_builtins(document), ensure_ascii=False).encode(errors="replace"))


def unpack(content: bytes) -> Document:
    """Raises ValueError if it is no document, or a very long one."""
    return decoded(decompressed(content))


def decompressed(content: bytes) -> bytes:
    """The JSON of a document. Raises ValueError."""
    try:
        decompressor = zlib.decompressobj()
        found = decompressor.decompress(content, _MOST_JSON_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if decompressor.unconsumed_tail:
        raise ValueError("The document is too long.")
    return found


def decoded(content: bytes) -> Document:
    """The document of a JSON. Raises ValueError."""
    try:
        return _DECODER.decode(content)
    except RecursionError as error:
        raise ValueError(str(error)) from error
