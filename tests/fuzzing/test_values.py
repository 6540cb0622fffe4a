"""Single untrusted values: dates, amounts, addresses, hosts, tokens, cells. Each is read, or rejected as documented."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import uuid4

from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from structlog.testing import capture_logs

from fundwright.accounts.schemas import Actor, Role
from fundwright.accounts.service import is_email, normalize_email
from fundwright.authentication import session_tokens
from fundwright.core.assembly import Core
from fundwright.core.database_address import libpq_url
from fundwright.core.edge import KnownHosts, UntrustedProxy
from fundwright.core.errors import Invalid, NotFound, StartRefused
from fundwright.core.fetch import may_reach
from fundwright.core.logs import masked
from fundwright.core.messages import LANGUAGES, using_language
from fundwright.core.spreadsheets import csv_line
from fundwright.core.web import requested_language
from fundwright.opportunities import reading
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.opportunities.washington import moment
from fundwright.reading.sentences import spans_of
from fundwright_ui import plugin
from fundwright_ui.hooks import query_in_address
from fundwright_ui.product import parse_id
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.frames import read_frame
from fundwright_ui.runtime.router import Found, Redirect, Router, safe_next
from fundwright_ui.ui.money import ParsedCents, money_text
from tests.fuzzing.conftest import Fuzz
from tests.fuzzing.texts import json_texts, mutated, texts
from tests.support.addresses import address_with

SIGNED_IN = Actor(id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER)
DATES = (
    "2026-03-07 07:16:16.091-05",
    "2026-03-23T17:00:00",
    "2026-03-23",
    "03232026",
    "03/23/2026",
    "2026-W10-5",
    "0001-01-01T00:00+23:59",
)
AMOUNTS = (
    "1,250,000.00",
    "$1.5",
    "1e999999",
    "-0",
    "NaN",
    "sNaN",
    "Infinity",
    "1_000",
    "１２",
    "0." + "9" * 40,
    "1.234,50",
    "1'000",
)
ADDRESSES = (
    "/", "/dashboard/train?q=x", "/dashboard/sam?page=2&sort=-due_at", "/auth/login?next=/dashboard/train", "/auth/login?next=//evil.example",
    "//evil.example", "/\\evil.example", "//[", "/generate/slug/%ff%2f..", "/dashboard/sam/00000000-0000-0000-0000-000000000000", "?q=%00",
    "/auth/verify/a%40example.org", "https://evil.example/dashboard/train", "/blog/x#part",
)  # fmt: skip
HOSTS = (
    "localhost",
    "localhost:8000",
    "127.0.0.1:80",
    "[::1]:8000",
    "[::1",
    "evil.example",
    "a.localhost.",
    "[v1.a]",
    "user@localhost",
    "１.2.3.4",
)
EMAILS = ("ada@example.org", "Ada+x@Example.ORG ", "ada@xn--a.example", "a@b", "ada@example.org\nbcc: eve@example.org")
DATABASES = ("postgresql://user:p%40ss@host:5432/name?sslmode=require", "postgresql+psycopg://h/n", "postgres:///n?host=/run")


def test_dates_and_amounts_of_published_files(fuzz: Fuzz) -> None:
    def check(text: str, value: object, *, is_end: bool) -> None:
        found = moment(text, end_of_day=is_end)
        assert found is None or (found.tzinfo is UTC and found.year in range(1899, 2203))
        for each in (text, value):
            amount, count = reading.amount(each), reading.count(each)
            assert amount is None or (amount.is_finite() and abs(amount) <= 10**15 and amount.as_tuple().exponent == -2)
            assert count is None or 0 <= count <= 10**9

    values = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.lists(st.integers()), texts(*AMOUNTS))
    fuzz(check, examples=100, text=texts(*DATES, *AMOUNTS), value=values, is_end=st.booleans())


class Price(BaseModel):
    cents: Annotated[int, ParsedCents]


def test_amounts_that_people_type(fuzz: Fuzz) -> None:
    def check(text: str, language: Any, cents: int) -> None:
        with using_language(language):
            with suppress(ValidationError):
                assert Price.model_validate({"cents": text}).cents < 10**100
            assert Price.model_validate({"cents": money_text(cents)}).cents == cents

    fuzz(check, examples=70, text=texts(*AMOUNTS), language=st.sampled_from(sorted(LANGUAGES)), cents=st.integers(0, 10**11))


def test_addresses_lead_to_screens_of_ours(fuzz: Fuzz) -> None:
    router = Router(plugin.screens(), ProductHost.addresses, redirects={"/": "/dashboard/train"})

    def check(address: str, actor: Actor | None) -> None:
        found = router.route(address, actor)
        if isinstance(found, Redirect):
            assert is_ours(found.path), found.path
        else:
            assert isinstance(found, Found)
            again = router.route(found.location.address, actor)
            assert isinstance(again, Found)
            assert again.screen is found.screen
            query_in_address(OpportunityQuery, address_with(found.location.query))
        assert is_ours(safe_next(address))
        with suppress(NotFound):
            parse_id(address, "The draft")

    fuzz(check, examples=100, address=texts(*ADDRESSES), actor=st.sampled_from([None, SIGNED_IN]))


def is_ours(path: str) -> bool:
    """As browsers interpret it: they ignore tabs and line breaks, and treat a backslash as a slash."""
    read = "".join(character for character in path if character not in "\t\r\n").replace("\\", "/")
    return read.startswith("/") and not read.startswith("//") and not urlsplit(read).netloc


async def test_hosts_and_senders(fuzz: Fuzz) -> None:
    passed = list[bool]()

    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        passed.append(True)

    def check(host: bytes, peer: str, kind: str, forwarded: bytes) -> None:
        passed.clear()
        sent = list[Any]()

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            raise AssertionError

        headers = [
            (b"host", host),
            (b"x-forwarded-for", forwarded),
            (b"accept-language", forwarded),
            (b"cookie", b"language=" + host),
        ]
        scope = {"type": kind, "path": "/", "headers": headers, "client": (peer, 1), "method": "GET", "query_string": b""}
        guarded = UntrustedProxy(KnownHosts(app, names={"localhost", "fw.example"}), trusted=[])
        running = guarded(scope, receive, send)
        with capture_logs(), suppress(StopIteration):
            running.send(None)
        assert bool(passed) != bool(sent)
        if kind == "http":
            assert requested_language(Request(scope)) in LANGUAGES
        if passed and host:  # a host name ends where a path could begin, and may follow a user name
            name = re.split(r"[/?#]", re.sub(r"[\t\r\n]", "", host.decode("latin-1")))[0].rpartition("@")[2]
            assert re.fullmatch(r"(?is)(?:|localhost|fw\.example|.*\.localhost|\[[^]]*\]|[\d.]+)\.?(?::.*)?", name), name
            fuzz.outcomes["known"] += 1

    as_bytes = texts(*HOSTS).map(lambda text: text.encode("latin-1", errors="replace"))
    fuzz(check, examples=70, host=as_bytes, peer=texts(*HOSTS), kind=st.sampled_from(["http", "websocket"]), forwarded=as_bytes)


def test_network_addresses(fuzz: Fuzz) -> None:
    def check(number: int, *, is_wide: bool) -> None:
        address = ip_address(number.to_bytes(16 if is_wide else 4, "big")) if is_wide or number < 2**32 else ip_address(number)
        if may_reach(address, is_configured=False):
            assert address.is_global or str(address).startswith(("64:ff9b::", "2002:", "::ffff:"))
        assert not may_reach(address, is_configured=False) or may_reach(address, is_configured=True)

    fuzz(check, examples=70, number=st.one_of(st.integers(0, 2**32 - 1), st.integers(0, 2**128 - 1)), is_wide=st.booleans())


def test_settings_that_are_addresses(fuzz: Fuzz) -> None:
    def check(text: str) -> None:
        with suppress(StartRefused):
            assert libpq_url(text).startswith("postgresql://")

    fuzz(check, examples=70, text=texts(*DATABASES))


def test_email_addresses(fuzz: Fuzz) -> None:
    def check(text: str) -> None:
        try:
            plain = normalize_email(text)
        except Invalid:
            assert not is_email(text)
        else:
            assert plain.isascii()
            assert plain.isprintable()
            assert normalize_email(plain) == plain

    fuzz(check, examples=70, text=texts(*EMAILS))


def test_session_tokens(core: Core, fuzz: Fuzz) -> None:
    now = datetime.now(UTC)
    own = session_tokens.sign(core, SIGNED_IN, session_id=uuid4(), issued_at=now, expires_at=now + timedelta(days=1))
    header, payload, signature = own.split(".")

    def check(token: str) -> None:
        found = session_tokens.read(core, token)
        assert found is None or token.rstrip("=").startswith(f"{header}.{payload}.")

    none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0"
    shapes = (
        own,
        f"{none}.{payload}.",
        f"{none}.{payload}.{signature}",
        f"{header}.bnVsbA.{signature}",
        "W10.W10.W10",
        "bnVsbA.bnVsbA.x",
        "fwt_x",
    )
    fuzz(check, examples=70, token=texts(*shapes))


def test_cells_of_spreadsheets(fuzz: Fuzz) -> None:
    def check(values: list[object]) -> None:
        (row,) = csv.reader(io.StringIO(csv_line(values), newline=""))
        assert len(row) == len(values)
        assert not any(cell.lstrip()[:1] in tuple("=+-@") and cell.lstrip() for cell in row)

    cells = st.one_of(
        st.none(), st.booleans(), texts("=1+1", "\t=cmd", "\u200b=x", "＝x", '"=x"', "-1", "a\r\nb").filter(bool), st.datetimes()
    )
    fuzz(check, examples=70, values=st.lists(st.one_of(cells, st.lists(cells, max_size=3)), min_size=2, max_size=4))


def test_lines_of_the_log(fuzz: Fuzz) -> None:
    secret = "c0ffee-secret"

    def check(before: str, after: str) -> None:
        for text in (
            f"{before} token={secret} {after}",
            f"{before}/auth/confirm-reset/{secret}",
            f"{before} fwt_{secret} {after}",
        ):
            assert secret not in masked(text)

    fuzz(check, examples=35, before=st.text(max_size=30), after=st.text(max_size=30))


def test_frames(fuzz: Fuzz) -> None:
    def check(text: str) -> None:
        frame = read_frame(text)
        if frame is not None:
            frame.model_dump_json()

    frames = (
        '{"type": "event", "seq": 7, "received": 12, "target": "a", "data": {}}',
        '{"type": "hello", "path": "/\\ud83d", "hash": null}',
    )
    fuzz(check, examples=100, text=st.one_of(texts(*frames), json_texts(), mutated(*frames)))


def test_sentences(fuzz: Fuzz) -> None:
    def check(text: str) -> None:
        spans = spans_of(text)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert [start for start, _ in spans] == sorted({start for start, _ in spans})
        outside = "".join(
            text[end:start] for (_, end), (start, _) in zip([(0, 0), *spans], [*spans, (len(text), 0)], strict=True)
        )
        assert not outside.strip()

    fuzz(
        check,
        examples=70,
        text=texts("Mr. Smith et al. (2024) wrote 3.5 pages. “Why?” he asked.\n\n- a\n- b", "U.S. Army. 1.2.3 Scope! \u2028x"),
    )
