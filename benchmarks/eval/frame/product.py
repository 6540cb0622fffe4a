"""The product as shipped, with its default models and an empty data folder."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.eval.frame.embedding import MODELS, RememberingEmbedder
from fundwright import hooks
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core, open_core
from fundwright.core.plugins import Plugins, hookimpl
from fundwright.core.scopes import act_in
from fundwright.core.settings import Settings
from fundwright.language.local import create_minilm
from fundwright.language.protocols import EmbedderFactory
from fundwright_ui import extension


class Product(NamedTuple):
    core: Core
    actor: Actor


class _Models:
    @hookimpl
    def embedding_models(self) -> Iterable[EmbedderFactory]:
        return [
            EmbedderFactory("remembering", "The default with a memory", lambda core: RememberingEmbedder(create_minilm(core)))
        ]


@asynccontextmanager
async def open_product(*, embedder: str = "remembering") -> AsyncIterator[Product]:
    """With one account and its own database, which is deleted afterward. To measure time, choose an embedder without a cache:
    `minilm`."""
    with tempfile.TemporaryDirectory(prefix="fundwright-eval-", ignore_cleanup_errors=True) as folder:
        settings = Settings(_env_file=None, data=Path(folder), models=MODELS, database_url=None, embedder=embedder)
        plugins = Plugins([hooks, extension])
        plugins.register(_Models())
        async with open_core(settings, plugins) as core:
            async with core.database.transaction() as session:
                actor = await accounts.add_account(session, email="eval@example.org", name="Eval", role=Role.ADMIN, password=None)
            act_in(actor.scope)
            yield Product(core, actor)
