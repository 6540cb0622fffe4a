"""The models in use: made once per process, on first need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.language.protocols import Embedder, EmbedderFactory, Writer, WriterFactory
from fundwright.language.schemas import ModelsInUse

T = TypeVar("T")


async def get_embedder(core: Core) -> Embedder:
    """The embedding model of FUNDWRIGHT_EMBEDDER. Raises FundwrightError saying what to do when it cannot be loaded."""
    return await _once(core, "language.embedder", lambda: _embedder_factory(core).create(core))


async def get_writer(core: Core) -> Writer:
    """The text model of FUNDWRIGHT_WRITER. Raises FundwrightError saying what to do when it cannot be loaded."""
    embedder = await get_embedder(core)
    return await _once(core, "language.writer", lambda: _writer_factory(core).create(core, embedder))


def describe(core: Core) -> ModelsInUse:
    """Names of the models in use, without loading them. Raises Invalid when a setting names none."""
    embedder: Embedder | None = core.cache.get("language.embedder")
    writer: Writer | None = core.cache.get("language.writer")
    writer_factory = _writer_factory(core)
    return ModelsInUse(
        embedder_label=t(_embedder_factory(core).label),
        embedder_id=embedder.id if embedder else None,
        embedder_dimension=embedder.dimension if embedder else None,
        writer_label=t(writer.label if writer else writer_factory.label),
        is_generative=writer.is_generative if writer else writer_factory.name != "extractive",
        how_to_connect=t(
            "To write with a generative model, set FUNDWRIGHT_WRITER=openai, FUNDWRIGHT_WRITER_URL and FUNDWRIGHT_WRITER_MODEL "
            "(OpenAI, Ollama, vLLM or llama.cpp) and start again. "
            "Another embedding model: FUNDWRIGHT_EMBEDDER=openai or onnx, then train again."
        ),
    )


def _embedder_factory(core: Core) -> EmbedderFactory:
    factories: list[EmbedderFactory] = core.plugins.collect("embedding_models")
    for factory in factories:
        if factory.name == core.settings.embedder:
            return factory
    names = ", ".join(factory.name for factory in factories)
    raise Invalid(
        t(
            "There is no embedding model named “{embedder}”. Set FUNDWRIGHT_EMBEDDER to one of: {names}.",
            embedder=core.settings.embedder,
            names=names,
        )
    )


def _writer_factory(core: Core) -> WriterFactory:
    factories: list[WriterFactory] = core.plugins.collect("text_models")
    for factory in factories:
        if factory.name == core.settings.writer:
            return factory
    names = ", ".join(factory.name for factory in factories)
    raise Invalid(
        t(
            "There is no text model named “{writer}”. Set FUNDWRIGHT_WRITER to one of: {names}.",
            writer=core.settings.writer,
            names=names,
        )
    )


async def _once(core: Core, key: str, create: Callable[[], T]) -> T:
    lock = core.cache.setdefault(f"{key}.lock", asyncio.Lock())
    async with lock:
        if key not in core.cache:
            core.cache[key] = await asyncio.to_thread(create)
        return core.cache[key]
