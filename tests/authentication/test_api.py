from __future__ import annotations

import asyncio
import re
import sys
from datetime import timedelta
from uuid import UUID

import httpx
import pytest
from sqlalchemy import func, select, text, update

from fundwright.access import account_changes
from fundwright.accounts import api, commands
from fundwright.accounts import service as accounts
from fundwright.accounts.dependencies import CurrentActor
from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, Permission, Role
from fundwright.authentication import api_tokens, throttle
from fundwright.authentication import service as authentication
from fundwright.authentication.models import SignInThrottle
from fundwright.authentication.schemas import TokenScope
from fundwright.core import cookies
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.jobs import Job, JobRun, JobState
from fundwright.core.mail import Mail, list_messages
from fundwright.core.paging import PageRequest
from fundwright.core.web import DbSession
from tests.support.accounts import add_account
from tests.support.jobs import Trial, ended, trial, working
from tests.support.polling import eventually
from tests.support.signing_in import HERE, PASSWORD, browse, build, with_settings
from tests.support.statements import statements, waits

_FORM = {"email": "ada@example.org", "password": PASSWORD}
_IS_BANNED = """
import asyncio, sys
from fundwright.core.database import Database
from fundwright.authentication.throttle import Attempt, is_banned

async def main():
    async with Database(sys.argv[1]).reading() as session:
        print(await is_banned(session, Attempt("ada@example.org", "192.0.2.99")))

asyncio.run(main())
"""
_CROSS = {"sec-fetch-site": "cross-site", "origin": "https://evil.example"}


async def _sign_in(visitor: httpx.AsyncClient, **changes: object) -> str:
    answer = (await visitor.post("/signin", json={**_FORM, **changes})).json()
    assert answer["flag"] == "success"
    return answer["token"]


async def _sent_text(core: Core) -> str | None:
    async with core.database.transaction() as session:
        return await session.scalar(select(Mail.text))


class TestTurns:
    @pytest.mark.usefixtures("ada")
    async def test_many_requests_of_one_account_leave_connections_to_others(self, committed: Core) -> None:
        go_on, begun = asyncio.Event(), list[str]()
        app = build(committed)

        @app.get("/slow")
        async def slow(session: DbSession, actor: CurrentActor) -> None:
            await session.execute(text("SELECT 1"))
            begun.append(actor.email)
            await go_on.wait()

        async with committed.database.transaction() as session:
            grace = await add_account(session, "grace@example.org", name="Grace")
            her_token = await api_tokens.create_api_token(
                session, grace, committed, name="x", scope=TokenScope.READ, lasts_days=1
            )
            account = await accounts.get_account(session, "ada@example.org")
            his_token = await api_tokens.create_api_token(
                session, accounts.actor_of(account), committed, name="x", scope=TokenScope.READ, lasts_days=1
            )
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://fundwright.test") as program:

            async def ask(secret: str) -> int:
                return (await program.get("/slow", headers={"Authorization": f"Bearer {secret}"})).status_code

            waiting = [asyncio.create_task(ask(his_token.secret)) for _ in range(30)]
            await eventually(lambda: begun)
            waiting.append(asyncio.create_task(ask(her_token.secret)))
            await eventually(lambda: "grace@example.org" in begun)
            assert begun.count("ada@example.org") <= 4
            go_on.set()
            assert await asyncio.gather(*waiting) == [200] * 31


@pytest.mark.usefixtures("ada")
class TestLanguage:
    async def test_the_one_chosen_for_the_account_applies(self, visitor: httpx.AsyncClient) -> None:
        await _sign_in(visitor)
        nothing = "/api/account/sessions/00000000-0000-0000-0000-000000000000"
        assert "not found" in (await visitor.delete(nothing)).json()["error"]["message"]
        await visitor.put("/api/account/language", json={"language": "de"})
        assert "nicht gefunden" in (await visitor.delete(nothing)).json()["error"]["message"]


@pytest.mark.usefixtures("ada")
class TestSignIn:
    async def test_answers_flag_and_token_and_sets_the_cookie(self, visitor: httpx.AsyncClient) -> None:
        answer = await visitor.post("/signin", json=_FORM)
        assert answer.status_code == 200
        assert answer.json()["flag"] == "success"
        assert answer.json()["error"] is None
        assert visitor.cookies["session"] == answer.json()["token"]
        assert answer.headers["cache-control"] == "no-store"

    @pytest.mark.security(25)
    async def test_the_cookie_is_for_the_server_alone(self, visitor: httpx.AsyncClient) -> None:
        cookie = (await visitor.post("/signin", json=_FORM)).headers["set-cookie"]
        assert cookie.startswith("session=")
        assert {"HttpOnly", "Path=/", "SameSite=lax", "Max-Age=432000"} <= set(cookie.split("; "))
        brief = (await visitor.post("/signin", json={**_FORM, "remember": False})).headers["set-cookie"]
        assert "Max-Age" not in brief
        assert "expires" not in brief.lower()

    @pytest.mark.security(25)
    async def test_the_cookie_is_bound_to_the_host_over_https(self, committed: Core) -> None:
        secure = with_settings(committed, public_url="https://fundwright.test")
        async with browse(secure, base_url="https://fundwright.test") as visitor:
            cookie = (await visitor.post("/signin", json=_FORM)).headers["set-cookie"]
            assert cookie.startswith("__Host-session=")
            assert "Secure" in cookie.split("; ")
            assert "Domain" not in cookie
            assert (await visitor.get("/probe")).status_code == 200

    @pytest.mark.parametrize("changes", [{"password": "wrong"}, {"email": "nobody@example.org"}, {"email": "", "password": ""}])
    async def test_answers_the_same_for_every_refusal(self, visitor: httpx.AsyncClient, changes: dict[str, str]) -> None:
        answer = await visitor.post("/signin", json={**_FORM, **changes})
        assert answer.status_code == 200
        assert answer.json() == {
            "flag": "error",
            "token": None,
            "error": "That email and password don't match an account. Check both and try again. "
            "After several wrong attempts, you'll have to wait 5 minutes.",
        }
        assert "set-cookie" not in answer.headers

    @pytest.mark.security(1, 3)
    async def test_refuses_the_right_password_with_the_same_text_after_four_wrong_ones(
        self, committed: Core, visitor: httpx.AsyncClient
    ) -> None:
        wrong = [(await visitor.post("/signin", json={**_FORM, "password": "wrong"})).json() for _ in range(4)]
        assert (await visitor.post("/signin", json=_FORM)).json() == wrong[0]
        async with browse(committed, address="192.0.2.99") as elsewhere:  # a second worker, another address
            assert (await elsewhere.post("/signin", json=_FORM)).json() == wrong[0]

    @pytest.mark.security(3)
    async def test_a_ban_holds_in_another_process(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        for _ in range(4):
            await visitor.post("/signin", json={**_FORM, "password": "wrong"})
        url = committed.database.url
        other = await asyncio.create_subprocess_exec(sys.executable, "-c", _IS_BANNED, url, stdout=asyncio.subprocess.PIPE)
        assert await other.communicate() == (b"True\n", None)

    @pytest.mark.security(4)
    async def test_does_not_believe_a_forged_address(
        self, committed: Core, visitor: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(throttle, "FAILURES_PER_ADDRESS", 6)
        for number in range(6):
            headers = {"x-forwarded-for": f"203.0.113.{number}", "forwarded": f"for=203.0.113.{number}", "x-real-ip": "1.2.3.4"}
            await visitor.post("/signin", json={"email": f"n{number}@example.org", "password": "x"}, headers=headers)
        forged = await visitor.post("/signin", json=_FORM, headers={"x-forwarded-for": "203.0.113.200"})
        assert forged.json()["flag"] == "error"
        async with browse(committed, address="192.0.2.99") as elsewhere:
            assert (await elsewhere.post("/signin", json=_FORM)).json()["flag"] == "success"

    @pytest.mark.security(17)
    async def test_a_planted_session_is_replaced(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        async with committed.database.transaction() as session:
            await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        async with browse(committed) as attacker:
            planted = await _sign_in(attacker, email="eve@example.org")
            visitor.cookies.set("session", planted)
            visitor.cookies.delete("session")
            await visitor.post("/signin", json=_FORM, headers={"cookie": f"session={planted}"})
            assert visitor.cookies["session"] != planted
            assert (await visitor.get("/probe")).json()["email"] == "ada@example.org"
            assert (await attacker.get("/probe")).json()["email"] == "eve@example.org"

    @pytest.mark.security(37)
    async def test_refuses_another_site_s_page(self, visitor: httpx.AsyncClient) -> None:
        assert (await visitor.post("/signin", json=_FORM, headers=_CROSS)).status_code == 403

    async def test_refuses_a_very_long_password(self, visitor: httpx.AsyncClient) -> None:
        assert (await visitor.post("/signin", json={**_FORM, "password": "x" * 20_000})).status_code == 422


@pytest.mark.usefixtures("ada")
class TestLogin:
    async def test_answers_the_token_and_the_user(self, visitor: httpx.AsyncClient, ada: Actor) -> None:
        answer = (await visitor.post("/api/account/login", json=_FORM)).json()
        assert answer["user"] == {
            "id": str(ada.id), "displayName": "Ada Lovelace", "email": "ada@example.org", "photoURL": None,
            "phoneNumber": None, "country": None, "address": None, "state": None, "city": None, "zipCode": None,
            "about": None, "role": "user", "isPublic": False,
        }  # fmt: skip
        mine = await visitor.get("/api/account/my-account", headers={"authorization": f"Bearer {answer['accessToken']}"})
        assert mine.json() == {"user": answer["user"]}

    async def test_says_when_nobody_has_the_email(self, visitor: httpx.AsyncClient) -> None:
        answer = await visitor.post("/api/account/login", json={**_FORM, "email": "nobody@example.org"})
        assert answer.status_code == 400
        assert answer.json()["message"] == "There is no user corresponding to the email address."
        assert answer.json()["error"]["message"] == answer.json()["message"]

    async def test_says_when_the_password_is_wrong(self, visitor: httpx.AsyncClient) -> None:
        answer = await visitor.post("/api/account/login", json={**_FORM, "password": "wrong"})
        assert (answer.status_code, answer.json()["message"]) == (400, "Wrong password")

    @pytest.mark.security(1)
    async def test_is_throttled_like_the_form(self, visitor: httpx.AsyncClient) -> None:
        for _ in range(4):
            await visitor.post("/api/account/login", json={**_FORM, "password": "wrong"})
        wrong = await visitor.post("/api/account/login", json={**_FORM, "password": "wrong"})
        right = await visitor.post("/api/account/login", json=_FORM)
        assert (right.status_code, right.json()) == (429, wrong.json())


class TestRegister:
    _NEW = {"email": "New@example.org", "password": PASSWORD, "firstName": "Grace", "lastName": "Hopper"}

    async def test_is_by_invitation(self, visitor: httpx.AsyncClient) -> None:
        answer = await visitor.post("/api/account/register", json=self._NEW)
        assert answer.status_code == 403
        assert "by invitation" in answer.json()["message"]

    async def test_creates_an_account_where_the_installation_is_open(self, committed: Core) -> None:
        async with browse(with_settings(committed, open_registration=True)) as visitor:
            answer = (await visitor.post("/api/account/register", json=self._NEW)).json()
            assert (answer["user"]["displayName"], answer["user"]["role"]) == ("Grace Hopper", "user")
            assert (await visitor.get("/probe")).json()["email"] == "new@example.org"

    async def test_says_when_the_email_is_taken(self, committed: Core, ada: Actor) -> None:
        async with browse(with_settings(committed, open_registration=True)) as visitor:
            answer = await visitor.post("/api/account/register", json={**self._NEW, "email": ada.email.upper()})
            assert answer.status_code == 400
            assert answer.json()["message"] == "There already exists an account with the given email address."

    async def test_refuses_a_weak_password_and_leaves_nothing_behind(self, committed: Core) -> None:
        async with browse(with_settings(committed, open_registration=True)) as visitor:
            answer = await visitor.post("/api/account/register", json={**self._NEW, "password": "password"})
            assert answer.status_code == 422
        async with committed.database.transaction() as session:
            assert await commands.list_accounts(session) == []


@pytest.mark.usefixtures("ada")
class TestMyAccount:
    async def test_requires_a_bearer_token(self, visitor: httpx.AsyncClient) -> None:
        await _sign_in(visitor)
        answer = await visitor.get("/api/account/my-account")
        assert (answer.status_code, answer.json()["message"]) == (401, "Authorization token missing")

    @pytest.mark.parametrize("token", ["x", "a.b.c", "fwt_unknown", "eyJhbGciOiJub25lIn0.e30."])
    async def test_refuses_a_bad_one(self, visitor: httpx.AsyncClient, token: str) -> None:
        answer = await visitor.get("/api/account/my-account", headers={"authorization": f"Bearer {token}"})
        assert (answer.status_code, answer.json()["message"]) == (401, "Invalid authorization token")

    @pytest.mark.security(18)
    async def test_refuses_one_that_has_signed_out(self, visitor: httpx.AsyncClient) -> None:
        token = await _sign_in(visitor)
        await visitor.delete("/session")
        answer = await visitor.get("/api/account/my-account", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 401


@pytest.mark.usefixtures("ada")
class TestSession:
    @pytest.mark.security(34)
    async def test_turns_a_code_into_the_cookie_once(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        async with committed.database.transaction() as session:
            code = await authentication.sign_in_by_socket(session, committed, **_FORM, remember=True, client=HERE)
        answer = await visitor.post("/session", json={"code": code})
        assert answer.json() == {"token": visitor.cookies["session"], "remember": True}
        assert (await visitor.get("/probe")).json()["email"] == "ada@example.org"
        assert (await visitor.post("/session", json={"code": code})).status_code == 410

    async def test_turns_a_kept_token_into_the_cookie(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        token = await _sign_in(visitor)
        async with browse(committed) as later:
            assert (await later.post("/session", json={"token": token})).json() == {"token": token, "remember": True}
            assert (await later.get("/probe")).status_code == 200

    @pytest.mark.parametrize("form", [{}, {"token": ""}, {"token": "x"}, {"code": "x"}])
    async def test_refuses_anything_else(self, visitor: httpx.AsyncClient, form: dict[str, str]) -> None:
        answer = await visitor.post("/session", json=form)
        assert answer.status_code in (401, 410)
        assert "set-cookie" not in answer.headers

    @pytest.mark.security(37)
    async def test_refuses_another_site_s_page(self, visitor: httpx.AsyncClient) -> None:
        token = await _sign_in(visitor)
        assert (await visitor.post("/session", json={"token": token}, headers=_CROSS)).status_code == 403
        assert (await visitor.delete("/session", headers=_CROSS)).status_code == 403
        assert (await visitor.get("/probe")).status_code == 200

    @pytest.mark.security(18)
    async def test_signing_out_ends_it_on_the_server(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        copied = await _sign_in(visitor)
        answer = await visitor.delete("/session")
        assert answer.status_code == 204
        assert "session" not in visitor.cookies
        async with browse(committed) as thief:
            thief.cookies.set("session", copied)
            assert (await thief.get("/probe")).status_code == 401
            assert (await thief.delete("/session")).status_code == 204


@pytest.mark.usefixtures("ada")
class TestCurrentActor:
    @pytest.mark.security(37)
    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ({"sec-fetch-site": "same-origin"}, 200),
            ({"sec-fetch-site": "cross-site"}, 403),
            ({"sec-fetch-site": "same-site"}, 403),
            ({"sec-fetch-site": "cross-site", "x-requested-with": "fetch"}, 403),
            ({"origin": "http://fundwright.test"}, 200),
            ({"origin": "https://evil.example"}, 403),
            ({"origin": "null"}, 403),
            ({"origin": "https://evil.example", "x-requested-with": "fetch"}, 403),
            ({"x-requested-with": "fetch"}, 200),
            ({}, 403),
        ],
    )
    async def test_a_change_by_cookie_must_come_from_our_page(
        self, committed: Core, headers: dict[str, str], status: int
    ) -> None:
        async with browse(committed, same_origin=False) as program:
            await _sign_in(program)
            assert (await program.post("/probe", headers=headers)).status_code == status

    @pytest.mark.security(37)
    async def test_the_origin_is_the_configured_one_behind_a_proxy(self, committed: Core) -> None:
        proxied = with_settings(committed, public_url="http://public.test", allowed_origins=["http://other.test"])
        async with browse(proxied, same_origin=False) as program:
            await _sign_in(program)
            for origin, status in (("public", 200), ("other", 200), ("fundwright", 403)):
                answer = await program.post("/probe", headers={"origin": f"http://{origin}.test"})
                assert answer.status_code == status

    async def test_a_bearer_token_needs_no_origin(self, committed: Core) -> None:
        async with browse(committed, same_origin=False) as program:
            token = await _sign_in(program)
            program.cookies.clear()
            assert (await program.post("/probe", headers={"authorization": f"bearer {token}"})).status_code == 200
            assert (await program.post("/probe")).json()["error"]["message"] == "Authorization token missing"

    @pytest.mark.security(44)
    async def test_a_reading_api_token_cannot_change_anything(
        self, committed: Core, visitor: httpx.AsyncClient, ada: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            made = {
                scope: await api_tokens.create_api_token(session, ada, committed, name=scope, scope=scope, lasts_days=1)
                for scope in TokenScope
            }
        reading = {"authorization": f"Bearer {made[TokenScope.READ].secret}"}
        writing = {"authorization": f"Bearer {made[TokenScope.WRITE].secret}"}
        assert (await visitor.get("/probe", headers=reading)).json()["session_id"] is None
        assert (await visitor.post("/probe", headers=reading)).status_code == 403
        assert (await visitor.post("/probe", headers=writing)).status_code == 200

    @pytest.mark.security(21)
    async def test_a_role_change_counts_from_the_next_request_on(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        await _sign_in(visitor)
        async with committed.database.transaction() as session:
            await account_changes.change_role(session, committed, email="ada@example.org", role=Role.ADMIN)
        assert (await visitor.get("/probe")).status_code == 401

    @pytest.mark.security(47)
    async def test_nobody_gets_in_when_the_database_is_away(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        token = await _sign_in(visitor)
        await committed.database.engine.dispose()
        away = with_settings(committed)
        object.__setattr__(away, "database", type(committed.database)("postgresql://nobody@127.0.0.1:1/nothing"))
        async with browse(away) as stranded:
            stranded.cookies.set("session", token)
            assert (await stranded.get("/probe")).status_code == 503
            answer = await stranded.post("/signin", json=_FORM)
            assert answer.status_code == 503
            assert "127.0.0.1" not in answer.text
            assert "set-cookie" not in answer.headers


@pytest.mark.usefixtures("ada")
class TestOwnThings:
    async def test_lists_and_ends_sessions(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        await _sign_in(visitor)
        async with browse(committed) as other:
            await _sign_in(other)
            listed = (await visitor.get("/api/account/sessions")).json()["items"]
            assert len(listed) == 2
            mine = (await visitor.get("/probe")).json()["session_id"]
            (others,) = [row["id"] for row in listed if row["id"] != mine]
            assert (await visitor.delete(f"/api/account/sessions/{others}")).status_code == 204
            assert (await other.get("/probe")).status_code == 401

    @pytest.mark.security(44)
    async def test_creates_lists_and_revokes_api_tokens(self, visitor: httpx.AsyncClient) -> None:
        await _sign_in(visitor)
        made = (await visitor.post("/api/account/tokens", json={"name": "nightly"})).json()
        assert made["secret"].startswith(made["prefix"])
        (listed,) = (await visitor.get("/api/account/tokens")).json()["items"]
        assert "secret" not in listed
        assert "digest" not in listed
        headers = {"authorization": f"Bearer {made['secret']}"}
        assert (await visitor.get("/probe", headers=headers)).status_code == 200
        await visitor.delete(f"/api/account/tokens/{made['id']}")
        assert (await visitor.get("/probe", headers=headers)).status_code == 401

    async def test_accepts_only_supported_languages(self, visitor: httpx.AsyncClient) -> None:
        await _sign_in(visitor)
        assert (await visitor.put("/api/account/language", json={"language": "xx"})).status_code == 422
        assert (await visitor.put("/api/account/language", json={"language": "fr"})).status_code == 204
        assert (await visitor.get("/probe")).json()["language"] == "fr"

    @pytest.mark.security(40)
    async def test_other_people_find_nothing(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        await _sign_in(visitor)
        made = (await visitor.post("/api/account/tokens", json={"name": "nightly"})).json()
        mine = (await visitor.get("/api/account/sessions")).json()["items"][0]["id"]
        async with committed.database.transaction() as session:
            await add_account(session, "eve@example.org", name="Eve", role=Role.ADMIN, password=PASSWORD)
        async with browse(committed) as eve:
            await _sign_in(eve, email="eve@example.org")
            assert (await eve.delete(f"/api/account/tokens/{made['id']}")).status_code == 404
            assert (await eve.delete(f"/api/account/sessions/{mine}")).status_code == 404
            assert (await eve.get("/api/account/tokens")).json()["items"] == []


class TestCookieName:
    def test_depends_on_the_public_address_only(self, core: Core) -> None:
        assert cookies.cookie_name(core.settings) == "session"
        assert cookies.cookie_name(with_settings(core, public_url="http://a.test").settings) == "session"
        assert cookies.cookie_name(with_settings(core, public_url="https://a.test").settings) == "__Host-session"


class TestEmails:
    """Requests without signing in do not reveal which addresses have an account."""

    _ASKED = ("/api/account/reset-password", "/api/account/resend-verification")

    @staticmethod
    async def _ask(visitor: httpx.AsyncClient, path: str, email: str, **headers: str) -> tuple[int, str]:
        answer = await visitor.post(path, json={"email": email}, headers=headers)
        return answer.status_code, answer.text

    @pytest.mark.security(7)
    @pytest.mark.parametrize("path", _ASKED)
    async def test_the_answer_and_the_work_are_the_same_for_known_and_unknown_addresses(
        self, committed: Core, visitor: httpx.AsyncClient, ada: Actor, path: str
    ) -> None:
        work: list[tuple[list[str], set[float]]] = []
        for email in (ada.email, "nobody@example.org"):
            with statements(committed.database.engine.sync_engine) as sent, waits() as waited:
                assert await self._ask(visitor, path, email) == (202, "null")
            assert sent
            work.append((sent, set(waited)))
        assert work[0] == work[1]

    @pytest.mark.security(7)
    async def test_registering_says_the_same_where_errors_are_uniform(self, committed: Core, ada: Actor) -> None:
        form = {"password": PASSWORD, "firstName": "Grace", "lastName": "Hopper"}
        answers: list[httpx.Response] = []
        delays: list[set[float]] = []
        async with browse(with_settings(committed, open_registration=True, uniform_errors=True)) as visitor:
            for email in (ada.email, "g@b.org"):
                with waits() as waited:
                    answers.append(await visitor.post("/api/account/register", json={**form, "email": email}))
                delays.append(set(waited))
        assert delays[0] == delays[1]
        assert answers[0].status_code == answers[1].status_code == 202
        assert answers[0].json() == answers[1].json()
        assert not any("set-cookie" in answer.headers for answer in answers)

    @pytest.mark.parametrize("path", _ASKED)
    async def test_are_written_once_though_the_job_is_killed_before_its_end_is_recorded(
        self, committed: Core, visitor: httpx.AsyncClient, path: str
    ) -> None:
        async with committed.database.transaction() as session:
            await accounts.add_account(
                session, email="eve@example.org", name="Eve", role=Role.USER, password=PASSWORD, is_verified=False
            )
        await self._ask(visitor, path, "eve@example.org")
        for _ in range(2):
            async with committed.database.transaction() as session:
                job_id = await session.scalar(update(Job).values(state=JobState.RUNNING).returning(Job.id))
            assert job_id is not None
            await committed.jobs._run(job_id, reraise=True)
        async with committed.database.transaction() as session:
            assert (await list_messages(session, PageRequest())).total == 1

    @pytest.mark.security(16)
    async def test_their_links_lead_to_the_configured_host(self, committed: Core, ada: Actor) -> None:
        object.__setattr__(committed, "settings", with_settings(committed, public_url="https://fundwright.example/app").settings)
        async with browse(committed, base_url="https://evil.example") as visitor:
            headers = {"x-forwarded-host": "evil.example", "origin": "https://fundwright.example"}
            assert (await self._ask(visitor, self._ASKED[0], ada.email, **headers))[0] == 202
        async with working(committed.jobs):
            await eventually(lambda: _sent_text(committed))
        text = await _sent_text(committed)
        assert text is not None and "https://fundwright.example/app/auth/confirm-reset/" in text
        assert re.findall(r"https?://(?!fundwright\.example/app/)", text) == []

    async def test_do_not_wait_for_long_jobs(self, committed: Core, visitor: httpx.AsyncClient, ada: Actor) -> None:
        running, may_end = list[UUID](), asyncio.Event()

        async def wait(run: JobRun[Trial, None]) -> None:
            running.append(run.id)
            await may_end.wait()

        committed.jobs.register(trial(wait))
        async with committed.database.transaction() as session:
            added = [await committed.jobs.enqueue(session, Trial(), title="Long", owner_id=ada.id) for _ in range(3)]
        async with working(committed.jobs):
            await eventually(lambda: len(running) == 2)
            assert (await self._ask(visitor, self._ASKED[0], ada.email))[0] == 202
            await eventually(lambda: _sent_text(committed))
            assert len(running) == 2
            may_end.set()
            for job in added:
                await ended(committed.jobs, job.id)

    @pytest.mark.security(8)
    @pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org"])
    async def test_can_be_asked_for_five_times_in_ten_minutes(
        self, committed: Core, visitor: httpx.AsyncClient, ada: Actor, email: str
    ) -> None:
        path, before = self._ASKED[0], now()
        assert {await self._ask(visitor, path, email) for _ in range(5)} == {(202, "null")}
        assert (await self._ask(visitor, path, email))[0] == 429
        assert (await self._ask(visitor, path, email.upper()))[0] == 429
        async with browse(committed, address="192.0.2.99") as elsewhere:  # the limit is per mailbox, not per sender
            assert (await self._ask(elsewhere, path, email))[0] == 429
        async with committed.database.transaction() as session:
            earliest = await session.scalar(select(func.min(SignInThrottle.window_ends_at)))
            assert earliest is not None and earliest >= before + timedelta(minutes=10)
            await session.execute(update(SignInThrottle).values(window_ends_at=now() - timedelta(seconds=1)))
        assert (await self._ask(visitor, path, email))[0] == 202

    @pytest.mark.security(8)
    async def test_one_machine_cannot_flood_many_mailboxes(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        path = self._ASKED[0]
        assert {(await self._ask(visitor, path, f"n{number}@example.org"))[0] for number in range(20)} == {202}
        assert (await self._ask(visitor, path, "n20@example.org"))[0] == 429
        assert (await self._ask(visitor, path, "n21@example.org", **{"x-forwarded-for": "203.0.113.9"}))[0] == 429
        async with browse(committed, address="192.0.2.99") as elsewhere:
            assert (await self._ask(elsewhere, path, "n21@example.org"))[0] == 202

    @pytest.mark.security(7, 8)
    @pytest.mark.parametrize("uniform_errors", [False, True])
    async def test_registering_an_address_is_counted_whether_it_has_an_account_or_not(
        self, committed: Core, ada: Actor, uniform_errors: bool
    ) -> None:
        form = {"password": PASSWORD, "firstName": "Grace", "lastName": "Hopper"}
        core = with_settings(committed, open_registration=True, uniform_errors=uniform_errors)
        async with browse(core) as visitor:
            for email in (ada.email, "grace@example.org"):
                asked = [await visitor.post("/api/account/register", json={**form, "email": email}) for _ in range(6)]
                assert [answer.status_code == 429 for answer in asked] == [False] * 5 + [True]
            others = [await visitor.post("/api/account/register", json={**form, "email": f"n{n}@b.org"}) for n in range(11)]
            assert [answer.status_code == 429 for answer in others] == [False] * 10 + [True]

    @pytest.mark.security(26, 44)
    @pytest.mark.parametrize(
        ("method", "path", "form"),
        [
            ("DELETE", "/api/account/sessions", None),
            ("PUT", "/api/account/password", {"current": PASSWORD, "new": "another gentle rain of otters"}),
            ("POST", "/api/account/email", {"email": "new@example.org", "password": PASSWORD}),
            ("POST", "/api/account/data", None),
            ("GET", "/api/account/data/archive", None),
        ],
    )
    async def test_a_token_does_not_take_the_account_over(
        self, committed: Core, ada: Actor, method: str, path: str, form: dict[str, str] | None
    ) -> None:
        async with committed.database.transaction() as session:
            token = await api_tokens.create_api_token(session, ada, committed, name="x", scope=TokenScope.WRITE, lasts_days=9)
            app = build(committed)
            app.include_router(api.router)
        headers = {"authorization": f"Bearer {token.secret}"}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://fundwright.test", headers=headers
        ) as program:
            answer = await program.request(method, path, json=form)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "NotForPrograms")

    async def test_an_account_that_is_not_confirmed_only_reads(self, committed: Core) -> None:
        form = {"email": "eve@example.org", "password": PASSWORD, "firstName": "Eve", "lastName": "E"}
        async with browse(with_settings(committed, open_registration=True)) as visitor:
            assert (await visitor.post("/api/account/register", json=form)).status_code == 200
            refused = await visitor.post("/api/account/tokens", json={"name": "x", "scope": "write", "lasts_days": 9})
            assert (refused.status_code, "Confirm your email address first" in refused.text) == (403, True)
            assert (await visitor.get("/probe")).json()["is_confirmed"] is False
        async with committed.database.transaction() as session:
            assert list(await session.scalars(select(Job.kind))) == []
            actor = accounts.actor_of(await accounts.get_account(session, "eve@example.org"))
            assert [permission for permission in Permission if actor.may(permission)] == [Permission.READ]
            await accounts.confirm(session, committed, await accounts.get_account(session, actor.email))
            confirmed = accounts.actor_of(await accounts.get_account(session, "eve@example.org"))
            assert confirmed.may(Permission.WORK)

    @pytest.mark.security(45)
    async def test_refusals_during_a_ban_are_counted_instead_of_recorded_one_by_one(
        self, committed: Core, visitor: httpx.AsyncClient, ada: Actor
    ) -> None:
        for _ in range(16):
            await visitor.post("/signin", json={**_FORM, "password": "wrong"})
        async with committed.database.transaction() as session:
            details = list(await session.scalars(select(AuditEntry.details).order_by(AuditEntry.at)))
        assert details[1:] == [{"reason": "wrong_password"}] * 4 + [{"reason": "throttled", "tries": n} for n in ("1", "10")]

    @pytest.mark.security(45)
    async def test_what_was_typed_as_an_unknown_address_is_not_kept(self, committed: Core, visitor: httpx.AsyncClient) -> None:
        typed = "correct horse battery"
        for _ in range(2):
            await visitor.post("/signin", json={"email": typed, "password": "x"})
        await self._ask(visitor, self._ASKED[0], "someone@example.org")
        async with committed.database.transaction() as session:
            subjects = list(await session.scalars(select(AuditEntry.subject).order_by(AuditEntry.at)))
        assert len(subjects) == 3 and subjects[0] == subjects[1] != subjects[2]
        assert all(subject.startswith("unknown address ") for subject in subjects)

    @pytest.mark.security(47)
    async def test_nobody_gets_in_unconfirmed_when_mail_is_down(self, committed: Core) -> None:
        down = {"open_registration": True, "uniform_errors": True, "smtp_host": "127.0.0.1", "smtp_port": 1}
        object.__setattr__(committed, "settings", with_settings(committed, **down).settings)
        form = {"email": "grace@example.org", "password": PASSWORD}

        async def failure() -> str:
            async with committed.database.transaction() as session:
                return "".join((await session.execute(text("SELECT error FROM mail"))).scalars().all())

        async with browse(committed) as visitor:
            assert (
                await visitor.post("/api/account/register", json={**form, "firstName": "Grace", "lastName": "H"})
            ).status_code == 202
            async with working(committed.jobs):
                assert "127.0.0.1" in await eventually(failure)
            assert (await visitor.post("/signin", json=form)).json()["flag"] == "error"
            assert (await visitor.post("/api/account/login", json=form)).status_code == 403
            assert "session" not in visitor.cookies
