"""The plug-in hooks of language."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.core.plugins import hookimpl
from fundwright.language import local, local_llm, openai_compatible
from fundwright.language.protocols import EmbedderFactory, WriterFactory


@hookimpl
def embedding_models() -> Iterable[EmbedderFactory]:
    return [
        EmbedderFactory("minilm", "all-MiniLM-L6-v2 (int8, on this machine)", local.create_minilm),
        EmbedderFactory("onnx", "An ONNX model of your own, on this machine", local.create_onnx),
        EmbedderFactory("openai", "An OpenAI-compatible embeddings endpoint", openai_compatible.create_embedder),
    ]


@hookimpl
def text_models() -> Iterable[WriterFactory]:
    return [
        WriterFactory("openai", "An OpenAI-compatible chat endpoint", openai_compatible.create_writer),
        WriterFactory("smollm2", local_llm.LABEL, local_llm.create),
    ]
