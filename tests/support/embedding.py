"""Loads the embedding model once per process and embeds each text once: a vector does not depend on when it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from fundwright.language import local


@contextmanager
def embedded_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "_load", cache(local._load))
        patch.setattr(local.OnnxEmbedder, "_embed_one", cache(local.OnnxEmbedder._embed_one))
        yield
