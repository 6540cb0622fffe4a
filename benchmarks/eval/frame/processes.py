"""Runs a module of the evaluation in its own process, with its own memory and models."""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from benchmarks.eval.frame.figures import Figure


def measure_apart(name: str) -> list[Figure]:
    """Returns what `measure` of the module returns; raises what it raises."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(_measure, name).result()


def _measure(name: str) -> list[Figure]:
    return asyncio.run(importlib.import_module(f"benchmarks.eval.{name}").measure())
