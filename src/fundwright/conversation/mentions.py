"""Mentions in the text of a comment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from fundwright.workspaces.schemas import MemberRead


def find(text: str, members: Iterable[MemberRead], *, before: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the ids of the members that a text mentions, each with its label there: the name, or the name with the email in
    parentheses, which is needed if several members have the same name. Mentions from `before` a change keep their labels."""
    present = {member.id: member for member in members}
    shared = Counter(member.name for member in present.values())
    labels: dict[str, UUID | None] = {member.name: id if shared[member.name] == 1 else None for id, member in present.items()}
    labels |= {f"{member.name} ({member.email})": id for id, member in present.items()}
    labels |= {label: UUID(id) for id, label in (before or {}).items() if UUID(id) in present}
    found = {label: labels[label] for label, is_mention in split(text, labels) if is_mention}
    return {str(id): label for label, id in found.items() if id is not None}


def split(text: str, labels: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, and whether each is a mention, without its `@`."""
    pattern = _pattern(labels)
    parts = pattern.split(text) if pattern else [text]
    for place, part in enumerate(parts):
        if part:
            yield part, place % 2 == 1


def _pattern(labels: Iterable[str]) -> re.Pattern[str] | None:
    """Longer labels come first: `@Ada King` does not mention Ada."""
    longest_first = sorted({label for label in labels if label}, key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile(rf"(?<![\w@])@({'|'.join(map(re.escape, longest_first))})(?!\w)")
