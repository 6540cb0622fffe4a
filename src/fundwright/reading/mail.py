"""Reads emails with their attachments: EML, and MSG of Outlook. What they quote of other messages is marked."""

from __future__ import annotations

import email
import email.policy
import io
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Attachment, Block, Document, Paragraph, plain, without_signs
from fundwright.reading.formats import OLE
from fundwright.reading.html import blocks_of_html, decode_html
from fundwright.reading.lines import lines_of
from fundwright.reading.quotes import Envelope, blocks_of_text
from fundwright.reading.text import decode

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_FIRST = (
    b"from:",
    b"return-path:",
    b"received:",
    b"delivered-to:",
    b"message-id:",
    b"mime-version:",
    b"date:",
    b"subject:",
    b"to:",
    b"x-",
)
_MESSAGE_CLASS = "__substg1.0_001A".encode("utf-16-le")


class EmailReader:
    media_type = "message/rfc822"
    label = "EML"
    suffixes = (".eml",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        start = head.lower()
        is_message = start.startswith(_FIRST) and b"\nfrom:" in b"\n" + start
        return is_message and (b"\nmime-version:" in b"\n" + start or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        message = email.message_from_bytes(content, _class=EmailMessage, policy=email.policy.default)
        headers = [_named(name, value) for name in _HEADERS if (value := _header(message, name))]
        first = {
            part.get_content_type(): part
            for part in reversed(list(message.walk()))
            if not part.is_attachment() and not part.get_filename()
        }
        bodies = [
            list(_body(first[kind], filename, Envelope(_header(message, "Subject"))))
            for kind in ("text/html", "text/plain")
            if kind in first
        ]
        longest = max(
            bodies,
            key=lambda blocks: sum(len(line.text) for line in lines_of(Document(tuple(blocks)), with_asides=True)),
            default=[],
        )
        attached = [_attachment(part) for part in message.iter_attachments() if part not in first.values()]
        return Document((*headers, *longest, *attached), _header(message, "Subject"))


class OutlookReader:
    media_type = "application/vnd.ms-outlook"
    label = "MSG"
    suffixes = (".msg",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(OLE) and (filename.lower().endswith(self.suffixes) or _MESSAGE_CLASS in head)

    def read(self, content: bytes, filename: str) -> Document:
        from oxmsg import Message

        message = Message.load(io.BytesIO(content))
        to = ", ".join(f"{each.name} <{each.email_address}>" for each in message.recipients)
        sent = message.sent_date
        named = {"From": message.sender, "To": to, "Date": sent.isoformat(" ") if sent else "", "Subject": message.subject}
        headers = [_named(name, without_signs(value)) for name, value in named.items() if value]
        html, text = message.html_body, without_signs(message.body or "")
        envelope = Envelope(without_signs(message.subject or ""))
        blocks = (
            blocks_of_html(html, envelope=envelope) if html else with_boxes(list(blocks_of_text(text.splitlines(), envelope)))
        )
        attached = [Attachment(without_signs(each.file_name or ""), each.file_bytes or b"") for each in message.attachments]
        return Document((*headers, *blocks, *attached), without_signs(message.subject or ""))


def _named(name: str, value: str) -> Paragraph:
    return Paragraph(plain(f"{name}: {value}"))


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(without_signs(str(message.get(name, ""))).split())
    except Exception:  # headers are often malformed, and the standard library raises anything
        return ""


def _body(part: Any, filename: str, envelope: Envelope) -> Iterator[Block]:
    content = part.get_payload(decode=True) or b""
    if part.get_content_type() == "text/html":
        yield from blocks_of_html(decode_html(content, filename, part.get_content_charset()), envelope=envelope)
        return
    lines = without_signs(decode(content, filename, part.get_content_charset())).splitlines()
    yield from with_boxes(list(blocks_of_text(lines, envelope)))


def _attachment(part: Any) -> Attachment:
    if part.get_content_type() == "message/rfc822":
        content = part.get_content().as_bytes()
        return Attachment(without_signs(part.get_filename() or "message.eml"), content)
    return Attachment(without_signs(part.get_filename() or ""), part.get_payload(decode=True) or b"")
