"""Replies in emails: what they quote of other messages is no statement of theirs, and what they forward is."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from fundwright.reading.document import Quote, walk
from fundwright.reading.formats import read
from fundwright.reading.lines import Aside, lines_of
from fundwright.reading.plugin import document_readers
from tests.support.outlook import written_msg

_READERS = list(document_readers())
_OWN, _QUOTED, _OLDER = "We hold 12 patents.", "You hold 77 patents.", "They hold 99 patents."
_OUTLOOK_WEB = (
    "<div id=appendonsend></div><hr style='width:98%' tabindex=-1><div id=divRplyFwdMsg dir=ltr><font><b>From:</b> Ann Lee &lt;ann@x.example&gt;<br>"
    "<b>Sent:</b> Monday, April 6, 2026 9:00 AM<br><b>To:</b> Bo Hay<br><b>Subject:</b> Patents</font></div><div><p>You hold 77 patents.</p></div>"
)
_OUTLOOK_DESKTOP = (
    "<div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in'><p class=MsoNormal><b>Von:</b> Ann Lee &lt;ann@x.example&gt; <br>"
    "<b>Gesendet:</b> Montag, 6. April 2026 09:00<br><b>An:</b> Bo Hay<br><b>Betreff:</b> Patente</p></div></div><p>You hold 77 patents.</p>"
)
_GMAIL = '<div class="gmail_quote"><div dir="ltr" class="gmail_attr">{}<br></div>{}</div>'
_GMAIL_FORWARD = "---------- Forwarded message ---------<br>From: <b>Ann Lee</b> &lt;ann@x.example&gt;<br>Date: Mon, Apr 6, 2026 at 9:00 AM<br>Subject: Patents<br>To: Bo Hay"

REPLIES = {
    "Gmail": f"{_OWN}\n\nOn Mon, Apr 6, 2026 at 9:00 AM Ann Lee <ann.lee@office.example>\nwrote:\n\n> {_QUOTED}\n>\n> > {_OLDER}\n",
    "Gmail, German": f"{_OWN}\n\nAm Mo., 6. Apr. 2026 um 09:00 Uhr schrieb Ann Lee <\nann@x.example>:\n\n> {_QUOTED}\n",
    "Apple Mail, French": f"{_OWN}\n\n> Le 6 avr. 2026 à 09:00, Ann Lee <ann@x.example> a écrit :\n> \n> {_QUOTED}\n",
    "answers between": f"> Who are you?\n{_OWN}\n> {_QUOTED}\n>> {_OLDER}\nWe build boats.\n",
    "Thunderbird, answer below": f"On 4/6/26 09:00, Ann Lee wrote:\n> {_QUOTED}\n\n{_OWN}\n",
    "Outlook": f"{_OWN}\r\n\r\n-----Original Message-----\r\nFrom: Ann Lee <ann@x.example>\r\nSent: Monday, April 6, 2026 9:00 AM\r\nTo: Bo Hay\r\nSubject: Patents\r\n\r\n{_QUOTED}\r\n",
    "Outlook, German": f"{_OWN}\n\n________________________________\nVon: Ann Lee\nGesendet: Montag, 6. April 2026 09:00\nAn: Bo Hay\nBetreff: Patente\n\n{_QUOTED}\n",
    "Outlook, French": f"{_OWN}\n\nDe : Ann Lee\nEnvoyé : lundi 6 avril 2026 09:00\nÀ : Bo Hay\nObjet : Brevets\n\n{_QUOTED}\n",
    "Outlook, bold": f"{_OWN}\n\n*From:* Ann Lee <ann@x.example>\n*Sent:* Monday, April 6, 2026 9:00 AM\n*To:* Bo Hay\n*Subject:* Patents\n\n{_QUOTED}\n",
    "without signs": f"{_OWN}\n\nAnn Lee <ann@x.example> schrieb am 06.04.2026 09:00:\n\n{_QUOTED}\n\n{_OLDER}\n",
}  # fmt: skip
HTML_REPLIES = {
    "Outlook on the web": f"<div>{_OWN}</div>{_OUTLOOK_WEB}",
    "Outlook, German": f"<div class=WordSection1><p class=MsoNormal>{_OWN}</p>{_OUTLOOK_DESKTOP}</div>",
    "Gmail": f"<div dir=ltr>{_OWN}</div><br>" + _GMAIL.format("On Mon, Apr 6, 2026 at 9:00 AM Ann Lee &lt;<a href=x>ann@x.example</a>&gt; wrote:", f'<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex"><div>{_QUOTED}</div></blockquote>'),
    "Apple Mail": f"<body>{_OWN}<br><div><br><blockquote type=cite><div>On Apr 6, 2026, at 9:00 AM, Ann Lee wrote:</div><br><div>{_QUOTED}</div></blockquote></div></body>",
    "Thunderbird, answer below": f"<div class=moz-cite-prefix>Le 06/04/2026 à 09:00, Ann Lee a écrit :</div><blockquote type=cite cite='mid:1'><p>{_QUOTED}</p><blockquote type=cite>{_OLDER}</blockquote></blockquote><p>{_OWN}</p>",
    "Gmail, answers between": f"<div class=gmail_quote><div class=gmail_attr>On Mon, Apr 6, 2026 at 9:00 AM Ann Lee &lt;ann@x.example&gt; wrote:</div><blockquote class=gmail_quote>{_QUOTED}</blockquote><div>{_OWN}</div><blockquote class=gmail_quote>{_OLDER}</blockquote></div>",
    "Outlook on the web, renamed": f"<div>{_OWN}</div><div id=x_appendonsend></div><p>{_QUOTED}</p>",
    "Outlook's copy of Gmail": f"<div>{_OWN}</div><blockquote style='border:none;border-left:solid #CCCCCC 1.0pt;padding:0in 0in 0in 6.0pt'>{_QUOTED}</blockquote>",
    "a thin border": f"<div>{_OWN}</div><blockquote style='border-left: 0.75pt solid gray'>{_QUOTED}</blockquote>",
    "in a table for layout": f"<table><tr><td><p>{_OWN}</p><blockquote>{_QUOTED}</blockquote></td></tr></table>",
    "a table that is quoted": f"<p>{_OWN}</p><blockquote><table><tr><th>Item<th>Amount<th>Year<tr><td>Patents<td>77 patents<td>2020<tr><td>Boats<td>5<td>2021</table></blockquote>",
}  # fmt: skip
FORWARDED = {
    "Gmail": f"See below.\n\n---------- Forwarded message ---------\nFrom: Ann Lee <ann@x.example>\nDate: Mon, Apr 6, 2026 at 9:00 AM\nSubject: Patents\nTo: Bo Hay\n\n{_OWN}\n",
    "Apple Mail": f"> Anfang der weitergeleiteten Nachricht:\n> \n> Von: Ann Lee <ann@x.example>\n> Betreff: Patente\n> Datum: 6. April 2026 um 09:00\n> An: Bo Hay\n> \n> {_OWN}\n>> {_QUOTED}\n",
    "Thunderbird": f"-------- Message transféré --------\nSujet : Brevets\nDate : Mon, 6 Apr 2026\nDe : Ann Lee\nPour : Bo Hay\n\n{_OWN}\n\n-----Original Message-----\nFrom: Bo\nSent: Friday\nTo: Ann\n\n{_QUOTED}\n",
}  # fmt: skip
HTML_FORWARDED = {
    "Gmail": "<div>See below.</div>" + _GMAIL.format(_GMAIL_FORWARD, f"<div>{_OWN}</div><blockquote>{_QUOTED}</blockquote>"),
    "Apple Mail": f"See.<div><br><blockquote type=cite><div>Begin forwarded message:</div><br><div><b>From: </b>Ann Lee<br></div><div><b>Date: </b>April 6, 2026<br></div><div><b>To: </b>Bo<br></div><br><div>{_OWN}</div><blockquote type=cite>{_QUOTED}</blockquote></blockquote></div>",
    "Gmail's indent": f"<p>We say:</p><blockquote style='margin:0 0 0 40px;border:none;padding:0px'>{_OWN}</blockquote>",
}  # fmt: skip
NOT_QUOTED = {
    "a comparison": f"{_OWN}\n\n> 99.9 percent uptime\n",
    "an announcement": f"{_OWN}\n\nOn our first project, the Navy wrote:\n\nGood work in 99 days.\n",
    "a list of contacts": f"{_OWN}\n\nFrom: the north\nTo: the 99 lakes\n\nThey hold 99 patents.\n",
    "a German sentence": f"{_OWN}\n\nAm Ende schrieb sie: 99 Punkte.\n",
    "what an officer wrote": f'{_OWN}\n\nThe program officer (joe@agency.gov) wrote:\n\n"Good work."\n\nWe carry 99 boats.\n',
    "what an officer wrote, on a day": f'{_OWN}\nThe program officer (joe@agency.gov) wrote on June 3, 2026:\n"Good work."\nWe carry 99 boats.\n',
    "a trip": f"{_OWN}\n\nFrom: Boston, MA\nDate: June 3, 2026\nTo: Denver, CO\n\nWe carry 99 boats.\n",
}


def _message(text: str = "", html: str = "", subject: str = "Re: Patents") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "bo@x.example", "ann@x.example", subject
    message["MIME-Version"] = "1.0"
    if text:
        message.set_content(text)
    if html:
        message.set_content(f"<html>{html}</html>", subtype="html")
    return message.as_bytes()


def _texts(content: bytes, name: str = "a.eml") -> tuple[str, str]:
    """What the message states, and what it quotes."""
    lines = lines_of(read(_READERS, content, name), with_asides=True)
    stated, quoted = ("\n".join(line.text for line in lines if line.aside is aside) for aside in (None, Aside.QUOTE))
    return stated, quoted


_REPLIES = [pytest.param(_message(text), id=f"text: {name}") for name, text in REPLIES.items()] + [
    pytest.param(_message(html=html), id=f"HTML: {name}") for name, html in HTML_REPLIES.items()
]
_FORWARDED = [pytest.param(_message(text, subject="Fwd: Patents"), id=f"text: {name}") for name, text in FORWARDED.items()] + [
    pytest.param(_message(html=html, subject="Patents"), id=f"HTML: {name}") for name, html in HTML_FORWARDED.items()
]


@pytest.mark.parametrize("content", _REPLIES)
def test_of_others_are_no_statements(content: bytes) -> None:
    stated, quoted = _texts(content)
    assert _OWN in stated
    assert not any(each in stated for each in ("77", "99", "wrote", "schrieb", "écrit", "Ann Lee"))
    assert "77" in quoted
    assert _OWN not in quoted


@pytest.mark.parametrize("content", _FORWARDED)
def test_that_are_forwarded_are_statements(content: bytes) -> None:
    stated, quoted = _texts(content)
    assert _OWN in stated
    assert "77" not in stated
    assert _OWN not in quoted


@pytest.mark.parametrize(
    "subject", ["FW: Patents", "WG: Patente", "TR : Brevets", "[EXTERNAL] FW: Patents", "[board] [x] Fwd: Patents"]
)
@pytest.mark.parametrize("html", [f"<div>See.</div>{_OUTLOOK_WEB}", _OUTLOOK_DESKTOP])
def test_that_outlook_forwards_are_known_by_the_subject(subject: str, html: str) -> None:
    content = _message(html=f"{html}{_OUTLOOK_WEB.replace('77', '99')}", subject=subject)
    stated, quoted = _texts(content)
    assert _QUOTED in stated
    assert "99" not in stated
    assert "99" in quoted


@pytest.mark.parametrize("text", NOT_QUOTED.values(), ids=NOT_QUOTED)
def test_are_told_from_texts_that_look_like_them(text: str) -> None:
    stated, quoted = _texts(_message(text, subject="Patents"))
    assert "99" in stated
    assert not quoted


def test_are_quoted_in_messages_of_outlook() -> None:
    properties = {0x37: "RE: Patents", 0x0C1A: "Bo", 0x0C1F: "bo@x.example"}
    for content in (
        written_msg(properties, f"<html><div>{_OWN}</div>{_OUTLOOK_WEB}</html>".encode()),
        written_msg(properties | {0x1000: REPLIES["Outlook"]}),
    ):
        stated, quoted = _texts(content, "a.msg")
        assert (_OWN in stated, "77" in stated, "77" in quoted) == (True, False, True)


def test_may_have_style_sheets_and_boxes() -> None:
    style = "<style>.gone { display: none }</style>"
    page = f"<p>{_OWN}</p>{_OUTLOOK_WEB}{style}<p class=gone>Secret.</p><p>☐ HUBZone</p>"
    stated, quoted = _texts(_message(html=page))
    assert stated.endswith(_OWN)
    assert "Secret" not in quoted
    stated, quoted = _texts(_message(f"{_OWN}\n[ ] HUBZone certified\n> [ ] 77 patents\n"))
    assert stated.endswith(_OWN)
    assert "77" in quoted


def test_have_no_signs_of_a_quotation_in_the_viewer() -> None:
    document = read(_READERS, _message(REPLIES["Gmail"]), "a.eml")
    (quote,) = (block for block in walk(document.blocks) if isinstance(block, Quote))
    assert [line.text for line in lines_of(read(_READERS, _message(REPLIES["Gmail"]), "a.eml"), with_asides=True)][-2:] == [
        _QUOTED,
        _OLDER,
    ]
    assert len(quote.blocks) == 3
