"""The product's embedding model with a cache on disk, so that the second evaluation of a corpus is fast."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Sequence

import numpy as np

from benchmarks.eval.frame.data import PROJECT
from fundwright.language.local import OnnxEmbedder
from fundwright.language.protocols import Embedder, Vectors

MODELS = PROJECT / "var" / "models"
_MEMORY = PROJECT / "var" / "eval"
_KEPT_AT_ONCE = 256


class RememberingEmbedder:
    """Embeds each text once. The vectors are in var/eval, in a file for each model, keyed by the digest of their text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.id = embedder.id
        self.dimension = embedder.dimension
        _MEMORY.mkdir(parents=True, exist_ok=True)
        self._file = _MEMORY / f"{embedder.id.replace(':', '-')}.sqlite"
        with self._open() as memory:
            memory.execute("CREATE TABLE IF NOT EXISTS vector (digest BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        memory.close()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = await asyncio.to_thread(self._recall, digests)
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), _KEPT_AT_ONCE):
            part = waiting[start : start + _KEPT_AT_ONCE]
            vectors = await self._embedder.embed([text for _, text in part])
            fresh = {digest: vector for (digest, _), vector in zip(part, vectors, strict=True)}
            await asyncio.to_thread(self._remember, fresh)
            known |= fresh
        return np.array([known[digest] for digest in digests], dtype=np.float32).reshape(len(texts), self.dimension)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=60)

    def _recall(self, digests: Sequence[bytes]) -> dict[bytes, Vectors]:
        memory = self._open()
        try:
            rows = (
                memory.execute("SELECT digest, vector FROM vector WHERE digest = ?", (digest,)).fetchone() for digest in digests
            )
            return {row[0]: np.frombuffer(row[1], dtype=np.float32) for row in rows if row}
        finally:
            memory.close()

    def _remember(self, vectors: dict[bytes, Vectors]) -> None:
        memory = self._open()
        try:
            with memory:
                memory.executemany(
                    "INSERT OR IGNORE INTO vector VALUES (?, ?)",
                    [(digest, vector.astype(np.float32).tobytes()) for digest, vector in vectors.items()],
                )
        finally:
            memory.close()


def open_embedder() -> RememberingEmbedder:
    """The default model, for measurements that do not use the rest of the product."""
    return RememberingEmbedder(OnnxEmbedder(MODELS / "all-MiniLM-L6-v2", id="minilm-l6-v2-int8"))
