"""What remarks say about the state of something: held, ended, planned, not held, someone else's."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fundwright.reading.facts import FactStatus

_STATES = (
    (
        FactStatus.OF_OTHERS,
        "not ours|not our|theirs|not on this|their money|their contract|fiscal sponsor|prime's number|belongs to|borrowed|by others|their number",
    ),
    (
        FactStatus.DENIED,
        "declined|not funded|fell through|rejected|withdrawn|not selected|unsuccessful|no award|not awarded|not received|not held|none(?! of)|do not cite|don't cite|don't list|do not list|do not use|former",
    ),
    (
        FactStatus.ENDED,
        "terminated|cancell?ed|expired|lapsed|sold|decommissioned|retired|scrapped|graduated|inactive|abandoned|halted|resigned|revoked|not renewed|discontinued|ended",
    ),
    (
        FactStatus.PLANNED,
        r"pending|pledged|asked|on order|to be hired|planned|proposed|applied(?! [a-z])|applied for|app\.? due|submitted|in progress|not yet|expected|anticipated|tbd|under review",
    ),
)
_AT_BEGINNING = {FactStatus.DENIED: "|lost", FactStatus.ENDED: "|left|returned to", FactStatus.PLANNED: r"|sub\.|to be"}
"""Words that say it only where a remark begins: “Lost,” but not “no days lost.”"""
_STATE = tuple(
    (
        status,
        re.compile(
            rf"(?:^|[(\[;:,–—]\s?|\s-\s)(?:{words}{_AT_BEGINNING.get(status, '')})(?![\w-])"
            rf"|(?<![\w-])(?<!than )(?:{words})(?: \S+)?[.)]?$",
            re.IGNORECASE,
        ),
    )
    for status, words in _STATES
)
"""At the beginning of a remark, after a dash or a bracket, or at its end: “Secret (inactive since 2019),” but not “repair of returned goods.”"""


def status_of(texts: Iterable[str]) -> FactStatus:
    """What texts about the state of something say: “SOLD,” “app. due 2027.” Current if they say nothing."""
    joined = [text.casefold() for text in texts]
    return next((status for status, words in _STATE if any(words.search(text) for text in joined)), FactStatus.CURRENT)
