"""ZIP files, which may come from anyone."""

from __future__ import annotations

import io
import zipfile

import pytest

from fundwright.reading import archives
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.lines import Line, lines_of
from fundwright.reading.plugin import document_readers
from tests.reading.test_readers import a_docx

_READERS = list(document_readers())


def zip_of(files: dict[str, bytes | str], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(target := io.BytesIO(), "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def lines(content: bytes, filename: str = "a.zip") -> list[Line]:
    return lines_of(read(_READERS, content, filename))


def test_each_file_is_read_below_its_name() -> None:
    content = zip_of(
        {"plans/team.docx": a_docx(), "notes.txt": "We hold 12 patents.", "logo.bin": b"\x00\x01"}, compression=zipfile.ZIP_STORED
    )
    assert [(line.text, line.level) for line in lines(content)] == [
        ("plans/team.docx", 1), ("Team", 2), ("Two engineers know every component.", None), ("| Lead | Ada Example |", None),
        ("notes.txt", 1), ("We hold 12 patents.", None),
    ]  # fmt: skip


def test_a_document_that_is_a_zip_file_is_read_as_that_document() -> None:
    assert lines(a_docx())[0] == Line("Team", level=1)


def test_files_in_files_are_read_three_levels_deep() -> None:
    content = zip_of({"notes.txt": "We hold 12 patents."})
    for depth in range(1, 4):
        content = zip_of({f"{depth}.zip": content, f"{depth}.txt": f"Level {depth}."})
    texts = {line.text for line in lines(content)}
    assert {"Level 3.", "Level 2.", "Level 1."} <= texts and "We hold 12 patents." not in texts


def test_names_are_read_in_their_encoding_and_lead_nowhere() -> None:
    content = zip_of({"../../Bericht_XX.txt": "We hold 12 patents."}).replace(b"XX", "ü".encode())
    assert lines(content)[0].text == "../../Bericht_ü.txt"
    content = zip_of({"Bericht_X.txt": "We hold 12 patents."}).replace(b"X", "ü".encode("cp1252"))
    assert lines(content)[0].text == "Bericht_ü.txt"


def test_a_damaged_or_encrypted_file_does_not_hide_the_others() -> None:
    content = bytearray(
        zip_of({"a.txt": "We hold 12 patents.", "b.txt": "Nine people work here."}, compression=zipfile.ZIP_STORED)
    )
    place = content.index(b"patents")
    content[place : place + 7] = b"Patents"
    assert [line.text for line in lines(bytes(content))] == ["b.txt", "Nine people work here."]
    directory = content.index(b"PK\x01\x02")
    content[directory + 8] |= 1  # says that the first file is encrypted
    assert [line.text for line in lines(bytes(content))] == ["b.txt", "Nine people work here."]


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_in_no_way_of_compression_hides_the_other_files(compression: int) -> None:
    text = " ".join(f"We hold {number} patents." for number in range(200))
    content = bytearray(zip_of({"a.txt": text, "b.txt": "Nine people work here."}, compression=compression))
    content[45:120] = b"\xff" * 75  # the header of the first file has 35 bytes
    assert [line.text for line in lines(bytes(content))] == ["b.txt", "Nine people work here."]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zip_of({}), "There are no files in “a.zip”."),
        (zip_of({"folder/": b"", "__MACOSX/._a.txt": "x", ".DS_Store": "x"}), "There are no files in “a.zip”."),
        (
            zip_of({"a.bin": b"\x00\x01", "b.exe": b"MZ\x00"}),
            "None of the files in “a.zip” can be read. Supported formats: ZIP, PDF,",
        ),
        (zip_of({"a.txt": "x" * 301_000_000}), "“a.zip” unzips to more than"),
        (zip_of({"a.txt": "Our team"})[:-10], "“a.zip” is damaged or not a valid ZIP file."),
    ],
    ids=["empty", "only system files", "nothing readable", "too large", "torn"],
)
def test_what_cannot_be_read_is_refused_with_the_reason(content: bytes, message: str) -> None:
    with pytest.raises(Unreadable) as refused:
        lines(content)
    assert str(refused.value).startswith(message)


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_FILES", 2)
    with pytest.raises(Unreadable, match="There are more than 2 files in “a.zip”"):
        lines(zip_of(dict.fromkeys(("a.txt", "b.txt", "c.txt"), "Our team")))


def test_a_password_is_the_reason_if_all_files_have_one() -> None:
    content = bytearray(zip_of({"a.txt": "We hold 12 patents."}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unreadable, match="“a.zip” is password-protected"):
        lines(bytes(content))
