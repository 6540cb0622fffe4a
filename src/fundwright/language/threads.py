"""The threads of models."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from fundwright.core.concurrency import give_way

AT_ONCE = 2
MODELS = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="models", initializer=give_way)
"""Where models are loaded, and texts embedded in slices of a limited length. Nothing here waits for a person's long text."""
