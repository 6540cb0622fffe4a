"""Formatting of file sizes."""

from __future__ import annotations

from fundwright.core.messages import number


def file_size(size_bytes: int) -> str:
    """`18 kB`, or `1.4 MB` and `1.0 GB` with the language's decimal mark; any file of less than a kB is `1 kB`, unless it is
    empty."""
    if size_bytes < 1_000_000:
        return f"{size_bytes // 1_000 or min(size_bytes, 1)} kB"
    if size_bytes < 1_000_000_000:
        return f"{number(size_bytes / 1_000_000, decimals=1)} MB"
    return f"{number(size_bytes / 1_000_000_000, decimals=1)} GB"
