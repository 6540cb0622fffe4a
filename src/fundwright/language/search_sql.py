"""SQL for searches by words and by meaning, for every table that has both. `retrieval` explains the numbers."""

from __future__ import annotations

from typing import Any

from pgvector import HalfVector, SparseVector
from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import BindParameter, Boolean, ColumnElement, Float, TableValuedAlias, cast, func, literal_column, text
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import acquire_lock
from fundwright.language import retrieval

MAX_INDEXED_DIMENSION = 4_000  # the limit of pgvector's HNSW for halfvec
ALL_TEXTS = -1
"""The place under which a table of words counts all texts."""
EMBEDDED_TEXTS = -2
"""The place under which it counts the texts that the current model has embedded, as long as these are not all."""


def stems_of(words: Any) -> ColumnElement[Any]:
    """The `tsvector` of a text. Names are kept apart from other words with their stem, such as “Maine” from “main.”"""
    return func.to_tsvector(literal_column("'english'"), func.keep_names(words))


def lexemes_of(words: Any) -> TableValuedAlias:
    """Select the lexemes of a text, each with its positions in the text."""
    stems = func.unnest(stems_of(words))
    return stems.table_valued("lexeme", "positions", "weights").render_derived()


def has_any(search: ColumnElement[Any], lexemes: str | BindParameter[str]) -> ColumnElement[bool]:
    """Whether a text has any word of `retrieval.any_of`."""
    return search.op("@@", return_type=Boolean())(cast(lexemes, TSQUERY))


def has_all(search: ColumnElement[Any], words: str) -> ColumnElement[bool]:
    """Whether a text has all of these words."""
    query = func.plainto_tsquery(literal_column("'english'"), func.keep_names(words))
    return search.op("@@", return_type=Boolean())(query)


def word_distance(words: ColumnElement[Any], query: SparseVector | BindParameter[SparseVector]) -> ColumnElement[float]:
    """Return the negated BM25 score for `retrieval.words_vector`."""
    return words.op("<#>", return_type=Float())(cast(query, SPARSEVEC(retrieval.WORD_DIMENSION)))


def cosine_distance(
    stored: ColumnElement[Any], vector: HalfVector | ColumnElement[Any], dimension: int, *, is_indexed: bool = False
) -> ColumnElement[float]:
    """Return the cosine distance. With `is_indexed`, the expression has the cast that the planner needs to use an index of
    `create_vector_index`."""
    compared = cast(stored, HALFVEC(dimension)) if is_indexed else stored
    return compared.op("<=>", return_type=Float())(cast(vector, HALFVEC(dimension)))


async def create_vector_index(session: AsyncSession, table: str, name: str, *, dimension: int, of: tuple[str, str | int]) -> None:
    """Create the HNSW index of the vectors whose column `of[0]` has the value `of[1]`, unless it exists or the dimension is too large for
    one."""
    if dimension > MAX_INDEXED_DIMENSION or await session.scalar(text("SELECT to_regclass(:name)"), {"name": name}):
        return
    # IF NOT EXISTS is not enough: of two jobs that create the index at the same time, the second would fail.
    await acquire_lock(session, f"{table} index")
    column, value = of
    await session.execute(func.create_vector_index(table, name, dimension, column, str(value)))
