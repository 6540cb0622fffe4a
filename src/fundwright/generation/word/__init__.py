"""Creates Word files of drafts (WordprocessingML, ECMA-376 transitional)."""

from __future__ import annotations

from fundwright.generation.word.package import word_file

__all__ = ["word_file"]
