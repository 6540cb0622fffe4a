"""The blocks of a document on its screen."""

from __future__ import annotations

from fundwright.training.display import Piece, ShownBlock
from fundwright_ui.screens.training.document_blocks import shown_blocks


def test_what_an_email_quotes_is_a_quotation_with_a_name() -> None:
    quoted = ShownBlock("quote", blocks=(ShownBlock("paragraph", (Piece("You hold 77 patents."),)),))
    (quotation,) = shown_blocks([quoted], name="a")["children"]
    label, text = quotation["children"]
    assert quotation["tagName"] == "blockquote"
    assert (label["children"], text["children"]) == (["Quoted message"], ["You hold 77 patents."])
