from __future__ import annotations

import re

import pytest

from fundwright.reading.kinds import DocumentKind
from tests.firms import FIRMS, load_firm
from tests.firms.layouts import LAYOUTS
from tests.firms.quickly import read_document

NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (number % 5 > 0)) for number, name in enumerate(LAYOUTS)]


@pytest.mark.parametrize("name", NAMES)
def test_every_layout_changes_documents_and_keeps_their_words(name: str) -> None:
    changed = 0
    for firm in map(load_firm, FIRMS):
        for filename in firm.kinds:
            before, after = firm.text(filename), LAYOUTS[name](firm.text(filename))
            changed += before != after
            assert len(re.findall(r"\w+", after)) >= len(re.findall(r"\w+", before)) * 0.85, filename
    assert changed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_the_kind_of_a_document_does_not_depend_on_its_layout(name: str) -> None:
    wrong = [
        filename
        for firm in map(load_firm, FIRMS)
        for filename, kind in firm.kinds.items()
        if DocumentKind(kind).is_ours and read_document(filename, LAYOUTS[name](firm.text(filename))).kind != kind
    ]
    assert len(wrong) <= sum(len(load_firm(firm).kinds) for firm in FIRMS) / 10, wrong
