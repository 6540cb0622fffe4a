"""Speaker notes of presentations."""

from __future__ import annotations

import io

import odfdo
import pptx
import pytest

from fundwright.reading.document import Document, Mark, Note, runs_in, visible
from fundwright.reading.formats import read
from fundwright.reading.lines import Aside, lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of

_SLIDES = (("Team", ""), ("Safety plan", "Do not mention the delay.\nAsk for questions."))


def pptx_file(*, is_hidden: bool = False) -> bytes:
    presentation = pptx.Presentation()
    for title, note in _SLIDES:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, "It has twelve parts."
        if note:
            slide.notes_slide.notes_text_frame.text = note
            if is_hidden:
                slide._element.set("show", "0")
    presentation.save(target := io.BytesIO())
    return target.getvalue()


def odp_file() -> bytes:
    document = odfdo.Document("presentation")
    document.body.clear()
    for title, note in _SLIDES:
        page = odfdo.DrawPage(title, name=title)
        page.append(odfdo.Frame.text_frame(["It has twelve parts."], size=("10cm", "2cm"), position=("1cm", "1cm")))
        if note:
            first, second = note.split("\n")
            page.append(
                odfdo.Element.from_tag(
                    '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box>'
                    f"<text:p>{first}</text:p><text:p>{second}</text:p></draw:text-box></draw:frame></presentation:notes>"
                )
            )
        document.body.append(page)
    document.save(target := io.BytesIO())
    return target.getvalue()


def _read(content: bytes, form: str) -> Document:
    return read(list(document_readers()), content, f"a.{form}")


@pytest.mark.parametrize(("form", "content"), [("pptx", pptx_file()), ("odp", odp_file())])
def test_speaker_notes_stand_aside_on_their_slide(form: str, content: bytes) -> None:
    document = _read(content, form)
    asides = [line for line in lines_of(document, with_asides=True) if line.aside]
    assert " ".join(line.text for line in asides).split() == _SLIDES[1][1].split()
    assert {(line.aside, line.page) for line in asides} == {(Aside.SPEAKER_NOTES, 2)}
    assert not any("delay" in line.text for line in lines_of(document))
    assert report_of(document).read_text == "2 slides, 1 note"
    assert not document.unread


def test_speaker_notes_of_a_hidden_slide_are_hidden() -> None:
    document = _read(pptx_file(is_hidden=True), "pptx")
    (note,) = (block for block in document.blocks if isinstance(block, Note))
    assert {run.mark for inner in note.blocks for run in runs_in(inner)} == {Mark.HIDDEN}
    assert not any(visible(runs_in(inner)) for inner in note.blocks)
    assert not [line for line in lines_of(document, with_asides=True) if line.aside]
