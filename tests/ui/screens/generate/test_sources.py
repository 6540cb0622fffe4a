from __future__ import annotations

from uuid import uuid4

import pytest

from fundwright.core.errors import Invalid
from fundwright.reading.kinds import DocumentKind
from fundwright_ui.screens.generate.sources import Sources

OURS, NOTICE = uuid4(), uuid4()
SEARCHED = [(OURS, DocumentKind.ABOUT_US), (NOTICE, DocumentKind.NOTICE)]


def test_all_are_no_fixed_list_so_that_later_documents_are_used() -> None:
    assert Sources().document_ids(SEARCHED) == ()


def test_a_notice_alone_is_not_a_source() -> None:
    with pytest.raises(Invalid, match="Choose at least one of your documents"):
        Sources().with_document(DocumentKind.ABOUT_US, OURS, is_chosen=False).document_ids(SEARCHED)


def test_some_are_listed_with_the_notices() -> None:
    more = [*SEARCHED, (uuid4(), DocumentKind.ABOUT_US)]
    some = Sources().with_document(DocumentKind.ABOUT_US, more[2][0], is_chosen=False)
    assert some.document_ids(more) == (OURS, NOTICE)
