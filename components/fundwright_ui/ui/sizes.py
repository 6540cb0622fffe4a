"""How large files are."""

from __future__ import annotations

from babel.numbers import format_decimal

from fundwright.core.messages import current_language


def file_size(size_bytes: int) -> str:
    """`18 kB`, or `1.4 MB` with the language's own decimal mark."""
    if size_bytes < 1_000_000:
        return f"{max(size_bytes, 1_000) // 1_000} kB"
    return f"{format_decimal(size_bytes / 1_000_000, format='#,##0.0', locale=current_language())} MB"
