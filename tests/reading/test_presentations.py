"""Speaker notes of presentations, and the colors of their shapes."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import odfdo
import pptx
import pytest

from fundwright.reading.document import Document, Mark, Note, runs_in, visible
from fundwright.reading.formats import read
from fundwright.reading.lines import Aside, lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.presentations import PresentationReader
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


_WHITE = '<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'
_SHAPE = (
    f'<p:sp><p:nvSpPr><p:cNvPr id="{{0}}" name="{{0}}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="9" y="9"/><a:ext cx="9" cy="9"/></a:xfrm>{_WHITE}</p:spPr>'
    f'<p:txBody><a:bodyPr/><a:p><a:r><a:rPr lang="en">{_WHITE}</a:rPr><a:t>77</a:t></a:r></a:p></p:txBody></p:sp>'
)
_CPU_SECONDS = 10
_READ_WITHOUT_DOCLING = (
    f"import resource, sys; resource.setrlimit(resource.RLIMIT_CPU, ({_CPU_SECONDS},) * 2); from pathlib import Path; from fundwright.reading import presentations; "
    "presentations.converted = lambda *_: None; presentations.blocks_of = lambda _: []; presentations.PresentationReader().read(Path(sys.argv[1]).read_bytes(), 'a.pptx')"
)


def _white_shapes(count: int, *, mapping: str = "<a:masterClrMapping/>") -> bytes:
    """A slide with so many shapes whose fill and text have the first color of backgrounds in the theme."""
    presentation = pptx.Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[6])
    presentation.save(source := io.BytesIO())
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target := io.BytesIO(), "w") as changed:
        for name in archive.namelist():
            part = archive.read(name)
            if name == "ppt/slides/slide1.xml":
                shapes = "".join(_SHAPE.format(number) for number in range(2, count + 2))
                text = part.decode().replace("</p:spTree>", f"{shapes}</p:spTree>").replace("<p:spTree/>", shapes)
                part = text.replace("<a:masterClrMapping/>", mapping).encode()
            changed.writestr(name, part)
    return target.getvalue()


def test_colors_of_many_shapes_are_found_in_linear_time(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    (file := tmp_path / "a.pptx").write_bytes(_white_shapes(8_000))
    done = subprocess.run([sys.executable, "-c", _READ_WITHOUT_DOCLING, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"killed after {_CPU_SECONDS} s of CPU time"


@pytest.mark.parametrize(
    ("mapping", "marks"),
    [
        ("<a:masterClrMapping/>", {Mark.HIDDEN}),
        ('<a:overrideClrMapping bg1="dk1" tx1="lt1" bg2="dk2" tx2="lt2"/>', {None}),
    ],
)
def test_a_slide_may_have_other_names_for_the_colors_of_the_theme(mapping: str, marks: set[Mark | None]) -> None:
    document = PresentationReader().read(_white_shapes(1, mapping=mapping), "a.pptx")
    assert {run.mark for block in document.blocks for run in runs_in(block)} == marks
