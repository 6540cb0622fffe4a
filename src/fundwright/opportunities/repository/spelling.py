"""Corrects misspelled words in a search."""

from __future__ import annotations

from sqlalchemy import (
    bindparam,
    exists,
    func,
    not_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import Text

from fundwright.language import search_sql
from fundwright.opportunities.models import (
    Opportunity,
    OpportunitySpelling,
    OpportunityWord,
)
from fundwright.opportunities.question import intended_word, spelled_words, with_words
from fundwright.opportunities.repository.filters import has_words

_MAX_MISSPELLED = 20
"""A word that occurs in more notices than this counts as spelled correctly."""
_MAX_CORRECTED = 5
"""The number of words that are corrected in a search, because each is compared with thousands."""

_ASKED = func.unnest(bindparam("words", type_=ARRAY(Text))).table_valued("word").render_derived().c.word
_STEM = search_sql.lexemes_of(_ASKED).lateral()
_UNKNOWN = (
    select(_ASKED)
    .join(_STEM, true())
    .where(
        not_(exists().where(OpportunityWord.place == func.word_place(_STEM.c.lexeme), OpportunityWord.notices > _MAX_MISSPELLED))
    )
)
"""Selects words that few notices have. Built once, because that takes as long as executing it."""


async def correct(session: AsyncSession, text_: str) -> str:
    """Replace words that occur in hardly any notice with the known words that were probably meant."""
    spelled = spelled_words(text_)
    if not spelled:
        return text_
    unknown = (await session.scalars(_UNKNOWN, {"words": list(spelled)})).all()
    replaced = {spelled[word]: better for word in unknown[:_MAX_CORRECTED] if (better := await _find_intended(session, word))}
    return with_words(text_, replaced)


async def _find_intended(session: AsyncSession, word: str) -> str | None:
    some = select(Opportunity.id).where(has_words(word)).limit(_MAX_MISSPELLED + 1)
    notices = await session.scalar(select(func.count()).select_from(some.subquery())) or 0
    if notices > _MAX_MISSPELLED:
        return None
    known = select(OpportunitySpelling.word, OpportunitySpelling.notices).where(
        func.left(OpportunitySpelling.word, 1) == word[0],
        func.length(OpportunitySpelling.word).between(len(word) - 1, len(word) + 1),
    )
    return intended_word(word, dict((await session.execute(known)).all()), notices=notices)
