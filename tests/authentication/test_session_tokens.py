from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import jwt
import pytest
from starlette.requests import HTTPConnection

from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication import second_factor, session_tokens
from fundwright.authentication.keyring import keyring
from fundwright.authentication.request_authentication import signed_for
from fundwright.core.assembly import Core
from fundwright.core.cookies import cookie_name
from fundwright.core.database import now

_ACTOR = Actor(id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER)


def _sign(core: Core, *, account_id: UUID | None = None, lasts: timedelta = timedelta(hours=1)) -> str:
    holder = _ACTOR.model_copy(update={"id": account_id or _ACTOR.id})
    return session_tokens.sign(core, holder, session_id=uuid4(), issued_at=now(), expires_at=now() + lasts)


class TestSign:
    def test_carries_name_email_role_account_and_the_session(self, core: Core) -> None:
        payload = jwt.decode(_sign(core), options={"verify_signature": False})
        assert set(payload) == {"name", "email", "role", "sub", "sid", "gen", "exp", "iat"}
        assert (payload["name"], payload["email"], payload["role"]) == ("Ada", "ada@example.org", "user")

    def test_names_its_key(self, core: Core) -> None:
        assert jwt.get_unverified_header(_sign(core))["kid"] == keyring(core).newest.id


class TestAuthenticatorSecret:
    async def test_outlives_the_keys_of_sessions(self, committed: Core) -> None:
        factor_id = uuid4()
        before, ring = second_factor._authenticator_secret(committed, factor_id), keyring(committed)
        first = ring.newest
        assert ring.add() != first
        ring.remove(first)
        committed.cache.clear()
        assert second_factor._authenticator_secret(committed, factor_id) == before

    def test_differs_for_each(self, core: Core) -> None:
        assert second_factor._authenticator_secret(core, uuid4()) != second_factor._authenticator_secret(core, uuid4())


class TestRead:
    def test_reads_its_own(self, core: Core) -> None:
        payload = session_tokens.read(core, _sign(core))
        assert payload is not None
        assert payload.email == "ada@example.org"

    def test_refuses_an_expired_one(self, core: Core) -> None:
        assert session_tokens.read(core, _sign(core, lasts=timedelta(seconds=-60))) is None

    @pytest.mark.parametrize("token", ["", "x", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "\u00e9.\u00e9.\u00e9"])
    def test_refuses_garbage(self, core: Core, token: str) -> None:
        assert session_tokens.read(core, token) is None

    def test_refuses_another_key_and_an_unsigned_token(self, core: Core) -> None:
        key = keyring(core).newest
        payload = {"name": "A", "email": "a@b.c", "role": "admin", "sid": str(uuid4()), "iat": 0, "exp": 9_999_999_999}
        headers = {"kid": key.id}
        assert session_tokens.read(core, jwt.encode(payload, b"k" * 32, headers=headers)) is None
        assert session_tokens.read(core, jwt.encode(payload, None, algorithm="none", headers=headers)) is None

    def test_a_token_from_before_the_clock_was_set_back_is_good(self, core: Core) -> None:
        key, in_an_hour = keyring(core).newest, int((now() + timedelta(hours=1)).timestamp())
        payload = {"name": "A", "email": "a@b.c", "role": "user", "sid": str(uuid4()), "iat": in_an_hour, "exp": 9_999_999_999}
        assert session_tokens.read(core, jwt.encode(payload, key.secret, headers={"kid": key.id}))

    @pytest.mark.parametrize("missing", ["role", "email", "sid", "exp", "iat"])
    def test_refuses_a_token_that_lacks_a_claim(self, core: Core, missing: str) -> None:
        key = keyring(core).newest
        payload = {"name": "A", "email": "a@b.c", "role": "user", "sid": str(uuid4()), "iat": 0, "exp": 9_999_999_999}
        del payload[missing]
        assert session_tokens.read(core, jwt.encode(payload, key.secret, headers={"kid": key.id})) is None


class TestSignedFor:
    """Whose requests are counted apart from those of strangers at the same address."""

    def _of(self, core: Core, **headers: str) -> UUID | None:
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        return signed_for(core, HTTPConnection({"type": "http", "headers": raw}))

    def test_knows_the_account_of_a_token_that_we_have_signed(self, core: Core) -> None:
        ada, grace = uuid4(), uuid4()
        first, second = _sign(core, account_id=ada), _sign(core, account_id=grace)
        assert self._of(core, cookie=f"{cookie_name(core.settings)}={first}") == ada
        assert self._of(core, authorization=f"Bearer {second}") == grace, "though it has the email address of the one before"

    def test_knows_nobody_in_a_token_of_an_earlier_release(self, core: Core) -> None:
        key = keyring(core).newest
        payload = {"name": "A", "email": "a@b.c", "role": "user", "sid": str(uuid4()), "iat": 0, "exp": 9_999_999_999}
        token = jwt.encode(payload, key.secret, headers={"kid": key.id})
        assert session_tokens.read(core, token) is not None
        assert self._of(core, authorization=f"Bearer {token}") is None

    def test_knows_nobody_without_one(self, core: Core) -> None:
        claims = jwt.decode(_sign(core), options={"verify_signature": False})
        forged = jwt.encode(claims, b"k" * 32, headers={"kid": keyring(core).newest.id})
        assert self._of(core) is None
        assert self._of(core, cookie=f"{cookie_name(core.settings)}={forged}") is None
        assert self._of(core, cookie=f"{cookie_name(core.settings)}={_sign(core, lasts=timedelta(seconds=-60))}") is None
