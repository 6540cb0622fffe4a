"""Values of filters that are known only when a list is read, such as those of plug-ins and of published notices."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from itertools import islice
from typing import cast
from uuid import UUID

from pydantic import BaseModel

from fundwright.core.errors import Invalid
from fundwright.core.messages import t

_LONGEST_SHOWN = 50
_MOST_SHOWN = 40
_SHOWN_OF_MORE = 5
_LEAST_SIMILAR = 0.4


def is_not_a_value(value: str, name: str, values: Collection[str]) -> str:
    """The sentence about a value of the filter `name` that is not among `values`. Of many values, it has those most similar."""
    value = value[:_LONGEST_SHOWN]
    if not values:
        return t("“{value}” is not a valid value for “{name}”.", value=value, name=name)
    if len(values) <= _MOST_SHOWN:
        return t(
            "“{value}” is not a valid value for “{name}”. Choose one of these: {values}.",
            value=value,
            name=name,
            values=", ".join(values),
        )
    folded = {each.casefold(): each for each in reversed([*values])}
    similar = get_close_matches(value.casefold(), folded, n=_SHOWN_OF_MORE, cutoff=_LEAST_SIMILAR)
    shown = [folded[each] for each in similar] or islice(values, _SHOWN_OF_MORE)
    return t(
        "“{value}” is not a valid value for “{name}”. Some of them: {values}.", value=value, name=name, values=", ".join(shown)
    )


def unknown_values(query: BaseModel, **known: Collection[str] | Collection[UUID]) -> Iterator[str]:
    """Yield a sentence for each filter of the query that has a value or an id which is not among the `known` ones of its name."""
    for name, values in known.items():
        value: tuple[str, ...] | str | UUID | None = getattr(query, name)
        for each in value if isinstance(value, tuple) else (value,):
            if each and each not in values:
                yield (
                    t("The item in “{name}” was not found. It may have been deleted.", name=name)
                    if isinstance(each, UUID)
                    else is_not_a_value(each, name, cast(Collection[str], values))
                )
                break


def refuse_unknown_values(query: BaseModel, **known: Collection[str] | Collection[UUID]) -> None:
    """Raise Invalid, naming those that there are, if a filter has a value that is not among the `known` ones of its name: the list
    would be empty, as if there were nothing."""
    for sentence in unknown_values(query, **known):
        raise Invalid(sentence)
