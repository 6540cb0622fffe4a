"""Reads ZIP files: the files in them, each with its own reader."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress

from fundwright.core.messages import t
from fundwright.core.sandbox_progress import report_progress
from fundwright.core.visible import visible_line
from fundwright.reading.document import Attachment, Document, without_signs
from fundwright.reading.formats import Unreadable
from fundwright.reading.text import decode
from fundwright.reading.word import check_unpacked_size

_MOST_FILES, _NAME_CHARACTERS = 1_000, 200
_ENCRYPTED, _UTF_8 = 1 << 0, 1 << 11
"""Flags of the ZIP format."""
_PACKAGES = (b"[Content_Types].xml", b"_rels/.rels", b"mimetype")
"""Names of the first file in Office and OpenDocument files, which are ZIP files, too."""
_HEADER_BYTES = 30
"""The length of what is before the name of the first file."""


class ZipReader:
    media_type = "application/zip"
    label = "ZIP"
    suffixes = (".zip",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        is_zip = head.startswith((b"PK\x03\x04", b"PK\x05\x06")) and filename.lower().endswith(self.suffixes)
        return is_zip and not head.startswith(_PACKAGES, _HEADER_BYTES)

    def read(self, content: bytes, filename: str) -> Document:
        check_unpacked_size(content, filename)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not (member.is_dir() or _is_system_file(member.filename))]
            if not members:
                raise Unreadable(t("There are no files in “{filename}”. Choose another one.", filename=filename))
            if len(members) > _MOST_FILES:
                raise Unreadable(
                    t(
                        "There are more than {count} files in “{filename}”. Split them into several ZIP files.",
                        count=_MOST_FILES,
                        filename=filename,
                    )
                )
            if all(member.flag_bits & _ENCRYPTED for member in members):
                raise Unreadable(
                    t("“{filename}” is password-protected. Save a copy without a password and add that.", filename=filename)
                )
            return Document(tuple(Attachment(_name(member), _content(archive, member)) for member in members))


def _is_system_file(name: str) -> bool:
    """What systems and programs leave in folders beside the files of a person."""
    parts = [part for part in name.split("/") if part not in (".", "..")]
    return any(part.startswith((".", "~$", "__MACOSX")) for part in parts) or parts[-1:] in (["Thumbs.db"], ["desktop.ini"])


def _name(member: zipfile.ZipInfo) -> str:
    """The name with its folders. Programs that do not say that it is UTF-8 write it in the encoding of their computer."""
    name = member.filename
    if not member.flag_bits & _UTF_8:
        with suppress(UnicodeEncodeError, Unreadable):
            name = decode(name.encode("cp437"), name)
    return visible_line(without_signs(name), most=_NAME_CHARACTERS)


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Nothing if it is damaged, has a password, or is compressed in a rare way: the other files are read."""
    report_progress()
    with suppress(Exception):  # each way of compression raises its own errors
        return archive.read(member)
    return b""
