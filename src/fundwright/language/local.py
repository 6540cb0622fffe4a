"""Embedding models that run in this process from ONNX files, without torch."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError
from fundwright.core.fair_loop import current_party
from fundwright.core.messages import t
from fundwright.core.turns import Turns
from fundwright.language.protocols import Vectors
from fundwright.language.threads import AT_ONCE, MODELS

_MAX_TOKENS = 256
_MAX_CHARACTERS = 20_000
"""Longer text is cut before tokenizing: the tokenizer needs about 400 bytes of memory per character and keeps some of it."""
_SLICE = 16
"""The number of texts embedded between two checks for cancellation."""


class ModelMissing(FundwrightError):
    """The model's files are not in the configured folder."""

    status = 503


class OnnxEmbedder:
    """A sentence-transformers model: `model.onnx` beside `tokenizer.json`.

    Embedding one text at a time is fastest on a CPU and makes each vector independent of the others. `threads` is the number of
    threads for one text. Accounts take turns, slice by slice.
    """

    def __init__(self, folder: Path, *, id: str, threads: int = 2) -> None:
        self.id = id
        self._turns = Turns(AT_ONCE, each=AT_ONCE)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # Published tokenizers pad, and truncate at 128 tokens, which costs a third of the ranking quality.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Spinning threads would take processor time from the database and the web server.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False  # texts of varying length would make it grow
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self._inputs = [item.name for item in self._session.get_inputs()]
        self._output = self._choose_output()
        self.dimension = len(self._embed_one("dimension"))

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors, loop = np.empty((len(texts), self.dimension), dtype=np.float32), asyncio.get_running_loop()
        for start in range(0, len(texts), _SLICE):
            part = texts[start : start + _SLICE]
            async with self._turns.turn(current_party()):
                vectors[start : start + len(part)] = await loop.run_in_executor(MODELS, self._embed_slice, part)
        return vectors

    def _embed_slice(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._embed_one(text) for text in texts])

    def _embed_one(self, text: str) -> Vectors:
        encoding = self._tokens(text)
        known = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
        feed = {name: np.array([known[name]], dtype=np.int64) for name in self._inputs}
        answer: Any = self._session.run([self._output], feed)[0]
        vector = answer[0].mean(axis=0) if answer.ndim == 3 else answer[0]
        return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)

    def _tokens(self, text: str) -> Encoding:
        # `encode` holds the interpreter's lock, for up to 50 ms of everyone's clicks.
        return self._tokenizer.encode_batch_fast([text[:_MAX_CHARACTERS]])[0]

    def _choose_output(self) -> str:
        names = [item.name for item in self._session.get_outputs()]
        return "sentence_embedding" if "sentence_embedding" in names else names[0]


def create_minilm(core: Core) -> OnnxEmbedder:
    """Create the default model, all-MiniLM-L6-v2 as built by `scripts/weights.py`."""
    folder = core.settings.models / "all-MiniLM-L6-v2"
    if not (folder / "model.onnx").exists():
        raise ModelMissing(
            t("The embedding model is not installed. Run `make setup`, or set FUNDWRIGHT_EMBEDDER to another one.")
        )
    return _load(folder, "minilm-l6-v2-int8")


def create_onnx(core: Core) -> OnnxEmbedder:
    """Create the model in FUNDWRIGHT_EMBEDDER_FOLDER. Its id contains a digest of the file, because another file has other vectors."""
    folder = core.settings.embedder_folder
    if folder is None or not (folder / "model.onnx").exists() or not (folder / "tokenizer.json").exists():
        raise ModelMissing(t("Set FUNDWRIGHT_EMBEDDER_FOLDER to a folder that contains `model.onnx` and `tokenizer.json`."))
    with (folder / "model.onnx").open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return _load(folder, f"onnx:{folder.name}:{digest[:8]}")


def _load(folder: Path, id: str) -> OnnxEmbedder:
    try:
        return OnnxEmbedder(folder, id=id)
    except Exception as error:  # onnxruntime and tokenizers raise many kinds of exceptions
        raise ModelMissing(
            t(
                "The embedding model in {folder} cannot be loaded ({reason}). Remove the folder and run `make setup`, "
                "or choose another model.",
                folder=folder,
                reason=str(error).strip()[:200],
            )
        ) from error
