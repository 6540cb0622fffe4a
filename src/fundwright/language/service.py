"""The models in use, created once per process on first use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar, cast

from fundwright.core.assembly import Core
from fundwright.core.database import require_no_transaction
from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.language.protocols import (
    Embedder,
    EmbedderFactory,
    PossibleMatch,
    SectionRequest,
    Unanswered,
    Vectors,
    Writer,
    WriterFactory,
)
from fundwright.language.schemas import ModelsInUse
from fundwright.language.threads import MODELS

T = TypeVar("T")


async def get_embedder(core: Core) -> Embedder:
    """Return the embedding model of FUNDWRIGHT_EMBEDDER. Raises FundwrightError, saying what to do, if it cannot be loaded.

    Call neither this nor the model inside a transaction, because an endpoint may take a minute to respond.
    """
    require_no_transaction("The embedding model was asked for")
    return _GuardedEmbedder(await _once(core, "language.embedder", lambda: _embedder_factory(core).create(core)))


async def get_writer(core: Core) -> Writer:
    """Return the text model of FUNDWRIGHT_WRITER. Do not call it inside a transaction, either. Raises FundwrightError, saying what
    to do, if it cannot be loaded."""
    embedder = await get_embedder(core)
    return _GuardedWriter(await _once(core, "language.writer", lambda: _writer_factory(core).create(core, embedder)))


def describe(core: Core) -> ModelsInUse:
    """Return the names of the models in use, without loading them. Raises Invalid if a setting names an unknown one."""
    embedder = cast(Embedder | None, core.cache.get("language.embedder"))
    writer = cast(Writer | None, core.cache.get("language.writer"))
    writer_factory = _writer_factory(core)
    return ModelsInUse(
        embedder_label=t(_embedder_factory(core).label),
        embedder_id=embedder.id if embedder else None,
        embedder_dimension=embedder.dimension if embedder else None,
        writer_label=t(writer.label if writer else writer_factory.label),
        is_generative=writer.is_generative if writer else writer_factory.name != "extractive",
    )


class _GuardedEmbedder:
    """An embedding model that raises an error if it is called inside a transaction."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def id(self) -> str:
        return self._embedder.id

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    async def embed(self, texts: Sequence[str]) -> Vectors:
        require_no_transaction("The embedding model was called")
        return await self._embedder.embed(texts)


class _GuardedWriter:
    """A text model that raises an error if it is called or awaited inside a transaction."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    @property
    def id(self) -> str:
        return self._writer.id

    @property
    def label(self) -> str:
        return self._writer.label

    @property
    def is_generative(self) -> bool:
        return self._writer.is_generative

    async def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered | PossibleMatch]:
        require_no_transaction("The text model was called")
        async with closing_stream(self._writer.write(request)) as pieces:
            async for piece in pieces:
                yield piece
                require_no_transaction("The text model was waited for")


@asynccontextmanager
async def closing_stream(pieces: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """Close a writer's request as soon as reading stops, rather than when its generator is garbage-collected."""
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()


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
            "There is no writer named “{writer}”. Set FUNDWRIGHT_WRITER to one of: {names}.",
            writer=core.settings.writer,
            names=names,
        )
    )


async def _once(core: Core, key: str, create: Callable[[], T]) -> T:
    lock = core.shared(f"{key}.lock", asyncio.Lock)
    async with lock:
        if key not in core.cache:
            core.cache[key] = await asyncio.get_running_loop().run_in_executor(MODELS, create)
        return cast(T, core.cache[key])
