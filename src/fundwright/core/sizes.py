"""Formatting of file sizes."""

from __future__ import annotations

from fundwright.core.messages import number, t


def file_size(size_bytes: int) -> str:
    """`18 kB`, `1.4 MB`, or `1.0 GB`, with the decimal mark and the units of the language; any file of less than a kB is `1 kB`,
    unless it is empty."""
    if size_bytes < 1_000_000:
        return t("{size} kB", size=size_bytes // 1_000 or min(size_bytes, 1))
    if size_bytes < 1_000_000_000:
        return t("{size} MB", size=number(size_bytes / 1_000_000, decimals=1))
    return t("{size} GB", size=number(size_bytes / 1_000_000_000, decimals=1))
