"""Passkeys are added, used once per challenge, bound to the configured address, and removed."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import account_changes
from fundwright.accounts.models import Account, AuditEntry
from fundwright.accounts.schemas import Actor
from fundwright.authentication import api_tokens, passkeys, second_factor
from fundwright.authentication import service as authentication
from fundwright.authentication.models import AccountSession, OneTimeSecret
from fundwright.authentication.one_time_secrets import LinkSpent
from fundwright.authentication.passkeys import NoHostName, PasskeyRefused, PasskeyTaken, RelyingParty, TooManyPasskeys
from fundwright.authentication.reauthentication import ReauthenticationRequired
from fundwright.authentication.schemas import PasskeyRead, SecondStep, SignedIn, SignInRefusal, SignInRefused, TokenScope
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.paging import PageRequest
from tests.authentication.authenticator import Device, code_at
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, browse, with_settings

ADDRESS = "http://localhost:8000"
WRONG = SignInRefused(reason=SignInRefusal.WRONG_PASSKEY)


@pytest.fixture
def public(core: Core) -> Core:
    return with_settings(core, public_url=ADDRESS)


@pytest.fixture
async def person(session: AsyncSession) -> Actor:
    return await add_account(session, "ada@example.org", name="Ada", password=PASSWORD)


async def add(session: AsyncSession, actor: Actor, core: Core, device: Device, name: str = "Telephone") -> PasskeyRead:
    options = await passkeys.start_adding(session, actor, core)
    return await passkeys.add(session, actor, core, name=name, credential=device.create(options), client=HERE)


async def sign_in(session: AsyncSession, core: Core, device: Device) -> str | SignInRefused:
    options = await passkeys.start_sign_in(session, core)
    return await passkeys.sign_in(session, core, credential=device.get(options), remember=True, client=HERE)


class TestRelyingParty:
    @pytest.mark.parametrize(
        ("url", "party"),
        [
            ("https://fund.example.org", RelyingParty("fund.example.org", "https://fund.example.org")),
            ("https://Fund.example.org:443/app", RelyingParty("fund.example.org", "https://fund.example.org")),
            ("https://fund.example.org:8443", RelyingParty("fund.example.org", "https://fund.example.org:8443")),
            ("http://localhost:8000", RelyingParty("localhost", "http://localhost:8000")),
            ("http://fund.example.org", None),
            ("http://127.0.0.1:8000", None),
            ("https://192.0.2.1", None),
            ("https://[2001:db8::1]", None),
            (None, None),
        ],
    )
    def test_follows_from_the_configured_address(self, core: Core, url: str | None, party: RelyingParty | None) -> None:
        assert passkeys.relying_party(with_settings(core, public_url=url).settings) == party


class TestAdding:
    @pytest.mark.security(26, 45)
    async def test_keeps_it_under_its_name_and_notifies_the_owner(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        made = await add(session, person, public, Device())
        assert (made.name, made.last_used_at) == ("Telephone", None)
        assert await passkeys.list_passkeys(session, person) == [made]
        (message,) = (await mail.list_messages(session, PageRequest())).items
        assert (message.subject, "Telephone" in message.text) == ("A passkey was added", True)
        line = await session.scalar(select(AuditEntry).where(AuditEntry.action == "passkey.added"))
        assert line is not None and line.subject == "Telephone"

    async def test_asks_for_one_that_finds_its_account_and_checks_who_holds_it(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        device = Device()
        await add(session, person, public, device)
        asked = json.loads(await passkeys.start_adding(session, person, public))
        assert asked["rp"]["id"] == "localhost"
        assert asked["authenticatorSelection"] == {
            "residentKey": "required", "requireResidentKey": True, "userVerification": "required",
        }  # fmt: skip
        assert len(asked["excludeCredentials"]) == 1

    async def test_accepts_no_answer_from_another_site_or_without_a_check_of_the_person(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        for device in (Device(origin="https://evil.example"), Device(verifies=False)):
            with pytest.raises(PasskeyRefused):
                await add(session, person, public, device)

    async def test_accepts_a_challenge_once_and_from_whom_it_was_made_for(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        eve = await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        credential = Device().create(await passkeys.start_adding(session, person, public))
        with pytest.raises(PasskeyRefused):
            async with session.begin_nested():
                await passkeys.add(session, eve, public, name="Mine", credential=credential, client=HERE)
        await passkeys.add(session, person, public, name="Mine", credential=credential, client=HERE)
        with pytest.raises(PasskeyRefused):
            await passkeys.add(session, person, public, name="Mine", credential=credential, client=HERE)

    async def test_rejects_a_registered_key(self, session: AsyncSession, person: Actor, public: Core) -> None:
        device = Device()
        await add(session, person, public, device)
        with pytest.raises(PasskeyTaken):
            await add(session, person, public, device)

    @pytest.mark.parametrize(
        "credential", ["", "null", "[]", "{}", '{"id": "a", "rawId": "a", "type": "public-key", "response": {}}']
    )
    async def test_rejects_malformed_responses(self, session: AsyncSession, person: Actor, public: Core, credential: str) -> None:
        with pytest.raises(PasskeyRefused):
            await passkeys.add(session, person, public, name="Mine", credential=credential, client=HERE)
        refused = await passkeys.sign_in(session, public, credential=credential, remember=True, client=HERE)
        assert refused == WRONG

    async def test_has_a_limit(self, session: AsyncSession, person: Actor, public: Core, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(passkeys, "_MAX_PASSKEYS", 1)
        await add(session, person, public, Device())
        with pytest.raises(TooManyPasskeys):
            await passkeys.start_adding(session, person, public)

    async def test_explains_where_passkeys_are_impossible(self, session: AsyncSession, person: Actor, core: Core) -> None:
        with pytest.raises(NoHostName, match="FUNDWRIGHT_PUBLIC_URL"):
            await passkeys.start_adding(session, person, core)


class TestSigningIn:
    @pytest.mark.security(17)
    async def test_needs_no_password_and_no_second_step(self, session: AsyncSession, person: Actor, public: Core) -> None:
        device = Device()
        await add(session, person, public, device)
        begun = await second_factor.start(session, person, public)
        await second_factor.confirm(session, person, public, code=code_at(begun.secret, now()), client=HERE)
        code = await sign_in(session, public, device)
        assert isinstance(code, str)
        signed_in = await authentication.redeem_handover(session, public, code, client=HERE)
        assert signed_in.actor.email == person.email
        (seen,) = await passkeys.list_passkeys(session, person)
        assert seen.last_used_at is not None

    async def test_accepts_each_challenge_once_and_within_five_minutes(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        device = Device(counts=False)
        await add(session, person, public, device)
        answer = device.get(await passkeys.start_sign_in(session, public))
        assert isinstance(await passkeys.sign_in(session, public, credential=answer, remember=True, client=HERE), str)
        assert await passkeys.sign_in(session, public, credential=answer, remember=True, client=HERE) == WRONG
        late = device.get(await passkeys.start_sign_in(session, public))
        until = await session.scalar(select(OneTimeSecret.expires_at).where(OneTimeSecret.purpose == "passkey.sign_in"))
        assert until is not None and until - now() <= timedelta(minutes=5)
        await session.execute(update(OneTimeSecret).values(expires_at=now() - timedelta(seconds=1)))
        assert await passkeys.sign_in(session, public, credential=late, remember=True, client=HERE) == WRONG

    async def test_refuses_another_key_another_site_and_an_old_count(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        device = Device()
        await add(session, person, public, device)
        assert await sign_in(session, public, Device(id=device.id, user=device.user)) == WRONG
        assert await sign_in(session, public, Device()) == WRONG
        device.origin = "https://evil.example"
        assert await sign_in(session, public, device) == WRONG
        device.origin, device.verifies = ADDRESS, False
        assert await sign_in(session, public, device) == WRONG
        device.verifies = True
        assert isinstance(await sign_in(session, public, device), str)
        device.count = 0  # a copy of the key
        assert await sign_in(session, public, device) == WRONG

    async def test_a_challenge_is_valid_only_for_its_purpose(self, session: AsyncSession, person: Actor, public: Core) -> None:
        device = Device()
        await add(session, person, public, device)
        answer = device.get(await passkeys.start_reauthentication(session, person, public))
        assert await passkeys.sign_in(session, public, credential=answer, remember=True, client=HERE) == WRONG

    @pytest.mark.security(20)
    @pytest.mark.security(2)
    async def test_is_not_blocked_by_wrong_passwords_of_strangers(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        device = Device()
        await add(session, person, public, device)
        for _ in range(4):
            await authentication.sign_in(session, public, email=person.email, password="wrong", remember=True, client=HERE)
        paused = await authentication.sign_in(session, public, email=person.email, password=PASSWORD, remember=True, client=HERE)
        assert paused == SignInRefused(reason=SignInRefusal.THROTTLED)
        assert isinstance(await sign_in(session, public, device), str)

    async def test_a_disabled_or_unconfirmed_account_stays_closed(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        device = Device()
        await add(session, person, public, device)
        await session.execute(update(Account).values(verified_at=None))
        session.expire_all()
        assert await sign_in(session, public, device) == SignInRefused(reason=SignInRefusal.UNVERIFIED)
        await account_changes.disable_account(session, public, email=person.email)
        assert await sign_in(session, public, device) == WRONG

    async def test_as_the_second_step_it_is_of_the_same_account(self, session: AsyncSession, person: Actor, public: Core) -> None:
        eve = await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        mine, foreign = Device(), Device()
        await add(session, person, public, mine)
        await add(session, eve, public, foreign)
        begun = await second_factor.start(session, person, public)
        await second_factor.confirm(session, person, public, code=code_at(begun.secret, now()), client=HERE)
        step = await authentication.sign_in_by_socket(
            session, public, email=person.email, password=PASSWORD, remember=False, client=HERE
        )
        assert isinstance(step, SecondStep)

        async def answer(device: Device) -> str | SignInRefused:
            options = await passkeys.start_sign_in(session, public, pending=step.pending)
            assert len(json.loads(options)["allowCredentials"]) == 1
            return await passkeys.sign_in(
                session, public, credential=device.get(options), remember=True, client=HERE, pending=step.pending
            )

        assert await answer(foreign) == WRONG
        code = await answer(mine)
        assert isinstance(code, str)
        assert (await authentication.redeem_handover(session, public, code, client=HERE)).max_age_s is None
        with pytest.raises(LinkSpent):
            await passkeys.start_sign_in(session, public, pending=step.pending)


class TestReauthentication:
    async def test_a_passkey_of_the_actor_is_accepted(self, session: AsyncSession, person: Actor, public: Core) -> None:
        device, other = Device(), Device()
        await add(session, person, public, device)
        eve = await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        await add(session, eve, public, other)
        signed_in = await authentication.sign_in(
            session, public, email=person.email, password=PASSWORD, remember=True, client=HERE
        )
        assert isinstance(signed_in, SignedIn)
        actor = signed_in.actor
        await session.execute(update(AccountSession).values(reauthenticated_until=now()))
        for wrong in (other, device):
            refused = await passkeys.reauthenticate_by_passkey(
                session,
                actor,
                public,
                credential=wrong.get(await passkeys.start_reauthentication(session, actor, public)),
                client=HERE,
            )
            if wrong is other:
                assert refused == WRONG
                with pytest.raises(ReauthenticationRequired):
                    await api_tokens.create_api_token(session, actor, public, name="n", scope=TokenScope.READ, lasts_days=1)
        await api_tokens.create_api_token(session, actor, public, name="n", scope=TokenScope.READ, lasts_days=1)


class TestRemoving:
    async def test_it_no_longer_signs_in_and_the_owner_is_notified(
        self, session: AsyncSession, person: Actor, public: Core
    ) -> None:
        device = Device()
        made = await add(session, person, public, device)
        await passkeys.remove(session, person, public, made.id, client=HERE)
        assert await passkeys.list_passkeys(session, person) == []
        assert await sign_in(session, public, device) == WRONG
        assert "A passkey was removed" in [each.subject for each in (await mail.list_messages(session, PageRequest())).items]

    @pytest.mark.security(40)
    async def test_another_users_is_not_found(self, session: AsyncSession, person: Actor, public: Core) -> None:
        eve = await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        made = await add(session, person, public, Device())
        with pytest.raises(NotFound):
            await passkeys.remove(session, eve, public, made.id, client=HERE)


class TestApi:
    async def test_adds_signs_in_and_removes(self, committed: Core, ada: Actor) -> None:
        public, device = with_settings(committed, public_url=ADDRESS), Device()
        async with browse(public, base_url=ADDRESS) as visitor:
            await visitor.post("/signin", json={"email": ada.email, "password": PASSWORD})
            options = (await visitor.post("/api/account/passkeys/options")).json()["options"]
            form = {"name": "Telephone", "credential": device.create(options)}
            assert (await visitor.post("/api/account/passkeys", json=form)).status_code == 201
        async with browse(public, base_url=ADDRESS) as stranger:
            options = (await stranger.post("/api/account/login/passkey-options")).json()["options"]
            answer = device.get(options)
            signed_in = await stranger.post("/api/account/login/passkey", json={"credential": answer})
            assert signed_in.json()["user"]["email"] == ada.email
            again = await stranger.post("/api/account/login/passkey", json={"credential": answer})
            assert again.status_code == 403
            (listed,) = (await stranger.get("/api/account/passkeys")).json()
            assert (await stranger.delete(f"/api/account/passkeys/{listed['id']}")).status_code == 204
            assert (await stranger.get("/api/account/passkeys")).json() == []
