"""The files that belong to the project, without generated files."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SLICES = tuple(
    folder.relative_to(PROJECT).as_posix()
    for folder in sorted((PROJECT / "src/fundwright").iterdir())
    if (folder / "__init__.py").exists() and folder.name not in ("core", "cli")
)
"""All packages below `src/fundwright` but the foundation and the command line, which are no slices."""
_MADE = {".git", ".venv", "node_modules", "var", "data", "dist", "test-results", "__pycache__", ".hypothesis"}
_TEXT = {".py", ".ts", ".tsx", ".js", ".css", ".md", ".toml", ".json", ".txt", ".html", ".yml", ".sql", ""}


@cache
def texts() -> dict[Path, str]:
    """All text files of the project by their relative path."""
    return {path.relative_to(PROJECT): path.read_text(errors="replace") for path in _walk()}


def _walk() -> Iterator[Path]:
    for folder, folders, names in os.walk(PROJECT):
        folders[:] = sorted(name for name in folders if name not in _MADE and not name.endswith(("_cache", ".egg-info")))
        paths = (Path(folder) / name for name in sorted(names) if name not in _MADE)  # `.git` is a file in a linked worktree
        yield from (path for path in paths if path.suffix in _TEXT and path.is_file())


def python(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    """The syntax trees of the Python files below `folders`. Fails if a folder has none, because rules would hold trivially."""
    for folder in folders:
        found = [path for path in texts() if path.suffix == ".py" and path.is_relative_to(folder)]
        assert found, f"There is no Python file in {folder}."
        yield from ((path, _syntax_tree(path)) for path in found)


@cache
def _syntax_tree(path: Path) -> ast.Module:
    return ast.parse(texts()[path])


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a syntax tree. Walking the trees of all files takes as long as reading them, and thirty rules do."""
    return tuple(ast.walk(tree))
