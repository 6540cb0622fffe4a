"""Password reset by email: what is revoked, what the holder of the link decides, and when the second factor is required."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import Account, AuditEntry
from fundwright.accounts.passwords import WeakPassword
from fundwright.accounts.schemas import Actor, Client
from fundwright.authentication import api_tokens, email_change, passkeys, password_change, recovery, second_factor
from fundwright.authentication import service as authentication
from fundwright.authentication.models import KnownDevice, Passkey
from fundwright.authentication.one_time_secrets import LinkSpent
from fundwright.authentication.schemas import (
    RecoveryCodes,
    ResetChoices,
    ResetDone,
    SignedIn,
    SignInRefusal,
    SignInRefused,
    TokenScope,
)
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.paging import PageRequest
from tests.authentication.authenticator import Device, code_at
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, browse, with_settings

EMAIL = "ada@example.org"
NEW = "another fine sentence"
CODE_NEEDED = SignInRefused(reason=SignInRefusal.CODE_NEEDED)
WRONG_CODE = SignInRefused(reason=SignInRefusal.WRONG_CODE)


@pytest.fixture
def public(core: Core) -> Core:
    return with_settings(core, public_url="http://localhost:8000")


@pytest.fixture
async def person(session: AsyncSession) -> Actor:
    return await add_account(session, EMAIL, name="Ada Lovelace", password=PASSWORD)


async def link(session: AsyncSession, email: str = EMAIL) -> str:
    return (await recovery.reset_link(session, email=email)).rpartition("/")[2]


async def sign_in(session: AsyncSession, core: Core, password: str = PASSWORD, *, code: str = "") -> SignedIn:
    result = await authentication.sign_in(session, core, email=EMAIL, password=password, code=code, remember=True, client=HERE)
    assert isinstance(result, SignedIn)
    return result


async def add_passkey(session: AsyncSession, actor: Actor, core: Core, name: str) -> UUID:
    options = await passkeys.start_adding(session, actor, core)
    return (await passkeys.add(session, actor, core, name=name, credential=Device().create(options), client=HERE)).id


async def turn_on(session: AsyncSession, actor: Actor, core: Core) -> list[str]:
    begun = await second_factor.start(session, actor, core)
    made = await second_factor.confirm(session, actor, core, code=code_at(begun.secret, now()), client=HERE)
    assert isinstance(made, RecoveryCodes)
    return made.codes


async def reset(session: AsyncSession, core: Core, secret: str, **choices: object) -> ResetDone | SignInRefused:
    chosen = ResetChoices.model_validate(choices)
    return await recovery.reset_password(session, core, secret=secret, password=NEW, client=HERE, choices=chosen)


async def audit(session: AsyncSession) -> list[tuple[str, str]]:
    lines = await session.execute(select(AuditEntry.action, AuditEntry.subject).order_by(AuditEntry.at))
    return [(action, subject) for action, subject in lines]


async def last_email(session: AsyncSession) -> str:
    return (await mail.list_messages(session, PageRequest())).items[0].text


class TestEverything:
    @pytest.mark.security(19, 45)
    async def test_ends_unless_the_owner_keeps_it(self, session: AsyncSession, person: Actor, core: Core) -> None:
        signed_in = await sign_in(session, core)
        token = await api_tokens.create_api_token(session, person, core, name="nightly", scope=TokenScope.WRITE, lasts_days=30)
        await reset(session, core, await link(session))
        assert await authentication.authenticate(session, core, signed_in.token) is None
        assert await api_tokens.authenticate_api_token(session, token.secret) is None
        assert (await audit(session))[-3:] == [
            ("session.all_ended", EMAIL),
            ("api_key.revoked", "nightly"),
            ("password.reset", EMAIL),
        ]
        text = await last_email(session)
        assert "All sessions of the account were ended, and all API tokens were revoked." in text
        assert "Revoked API tokens: “nightly”" in text

    async def test_is_not_said_to_have_ended_if_there_was_nothing(self, session: AsyncSession, person: Actor, core: Core) -> None:
        done = await reset(session, core, await link(session))
        assert isinstance(done, ResetDone)
        assert not done.is_signed_out
        text = await last_email(session)
        assert "sessions" not in text
        assert "tokens" not in text

    async def test_is_kept_when_the_owner_chooses_to(self, session: AsyncSession, person: Actor, core: Core) -> None:
        signed_in = await sign_in(session, core)
        token = await api_tokens.create_api_token(session, person, core, name="nightly", scope=TokenScope.WRITE, lasts_days=30)
        await reset(session, core, await link(session), end_everything=False)
        assert await authentication.authenticate(session, core, signed_in.token)
        assert await api_tokens.authenticate_api_token(session, token.secret)
        assert "The sessions and API tokens of the account were kept." in await last_email(session)
        details = await session.scalar(select(AuditEntry.details).where(AuditEntry.action == "password.reset"))
        assert details == {"everything": "kept"}

    @pytest.mark.security(16)
    @pytest.mark.parametrize("how", ["reset", "reset and kept", "changed"])
    async def test_includes_a_change_of_address_that_someone_asked_for(
        self, session: AsyncSession, person: Actor, core: Core, how: str
    ) -> None:
        await email_change.ask(session, person, core, email="eve@example.org", password=PASSWORD, client=HERE)
        confirm = (await mail.list_messages(session, PageRequest())).items
        secret = next(each.text for each in confirm if "/auth/confirm-email/" in each.text)
        secret = secret.partition("/auth/confirm-email/")[2].split()[0]
        if how == "changed":
            await password_change.change_password(session, person, core, current=PASSWORD, new=NEW, client=HERE)
        else:
            await reset(session, core, await link(session), end_everything=how == "reset")
        with pytest.raises(LinkSpent):
            await email_change.confirm(session, secret=secret, client=HERE)

    @pytest.mark.parametrize("everything", [True, False])
    async def test_includes_the_known_devices_in_any_case(
        self, session: AsyncSession, person: Actor, core: Core, everything: bool
    ) -> None:
        browser = HERE.model_copy(update={"is_browser": True})
        await authentication.sign_in(session, core, email=EMAIL, password=PASSWORD, remember=True, client=browser)
        before = list(await session.scalars(select(KnownDevice.digest)))
        await reset(session, core, await link(session), end_everything=everything)
        assert not set(before) & set(await session.scalars(select(KnownDevice.digest)))


class TestPasskeys:
    async def test_are_named_to_the_holder_of_the_link(self, session: AsyncSession, person: Actor, public: Core) -> None:
        await add_passkey(session, person, public, "Telephone")
        found = await recovery.find_reset(session, await link(session))
        assert found is not None
        assert ([each.name for each in found.passkeys], found.authenticator_since) == (["Telephone"], None)
        assert await recovery.find_reset(session, "guess") is None

    @pytest.mark.security(26, 45)
    async def test_are_removed_by_choice(self, session: AsyncSession, person: Actor, public: Core) -> None:
        kept, removed = [await add_passkey(session, person, public, name) for name in ("Telephone", "Key")]
        await reset(session, public, await link(session), remove_passkeys=[removed])
        assert list(await session.scalars(select(Passkey.id))) == [kept]
        text = await last_email(session)
        assert "Removed passkeys: “Key”" in text
        assert "Passkeys that can still sign in: “Telephone”" in text
        assert ("passkey.removed", "Key") in await audit(session)

    @pytest.mark.security(40)
    async def test_of_another_account_are_not_found(self, session: AsyncSession, person: Actor, public: Core) -> None:
        eve = await add_account(session, "eve@example.org", name="Eve", password=PASSWORD)
        foreign = await add_passkey(session, eve, public, "Hers")
        sentences: list[str] = []
        for id in (foreign, uuid4()):
            secret = await link(session)
            with pytest.raises(NotFound) as refused:
                async with session.begin_nested():
                    await reset(session, public, secret, remove_passkeys=[id])
            sentences.append(refused.value.sentence)
        assert sentences[0] == sentences[1]
        assert list(await session.scalars(select(Passkey.id))) == [foreign]


class TestTwoStepVerification:
    @pytest.mark.security(26)
    async def test_stays_on(self, session: AsyncSession, person: Actor, core: Core) -> None:
        codes = await turn_on(session, person, core)
        await reset(session, core, await link(session))
        refused = await authentication.sign_in(session, core, email=EMAIL, password=NEW, remember=True, client=HERE)
        assert refused == CODE_NEEDED
        await sign_in(session, core, NEW, code=codes[0])

    @pytest.mark.security(26, 45)
    async def test_is_removed_only_with_a_code(self, session: AsyncSession, person: Actor, core: Core) -> None:
        codes = await turn_on(session, person, core)
        secret = await link(session)
        assert await reset(session, core, secret, remove_authenticator=True) == CODE_NEEDED
        assert await reset(session, core, secret, remove_authenticator=True, code="000000") == WRONG_CODE
        assert (await second_factor.read(session, person)).is_on
        await sign_in(session, core, code=codes[1])
        assert isinstance(await reset(session, core, secret, remove_authenticator=True, code=codes[0]), ResetDone)
        await sign_in(session, core, NEW)
        assert "The authenticator app was removed: two-step verification is off." in await last_email(session)
        assert ("second_factor.removed", EMAIL) in await audit(session)

    @pytest.mark.security(26)
    async def test_protects_the_passkeys(self, session: AsyncSession, person: Actor, public: Core) -> None:
        passkey = await add_passkey(session, person, public, "Telephone")
        codes = await turn_on(session, person, public)
        secret = await link(session)
        assert await reset(session, public, secret, remove_passkeys=[passkey]) == CODE_NEEDED
        assert isinstance(await reset(session, public, secret, remove_passkeys=[passkey], code=codes[0]), ResetDone)
        assert list(await session.scalars(select(Passkey))) == []

    @pytest.mark.security(1)
    async def test_counts_wrong_recovery_codes(self, session: AsyncSession, person: Actor, core: Core) -> None:
        codes = await turn_on(session, person, core)
        secret = await link(session)
        for _ in range(4):
            assert await reset(session, core, secret, remove_authenticator=True, code="not a code") == WRONG_CODE
        assert await reset(session, core, secret, remove_authenticator=True, code=codes[0]) == WRONG_CODE
        assert (await second_factor.read(session, person)).is_on
        await sign_in(session, core, code=codes[0])

    async def test_loses_no_code_to_a_weak_password(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            codes = await turn_on(session, ada, committed)
            secret = await link(session)
        choices = ResetChoices(remove_authenticator=True, code=codes[0])

        async def use_weak_password() -> None:
            async with committed.database.transaction() as session:
                await recovery.reset_password(
                    session, committed, secret=secret, password="password", client=HERE, choices=choices
                )

        with pytest.raises(WeakPassword):
            await use_weak_password()
        async with committed.database.transaction() as session:
            assert await recovery.find_reset(session, secret)
            assert (await second_factor.read(session, ada)).recovery_codes == 10


class TestUnconfirmedAccount:
    @pytest.mark.security(19)
    async def test_keeps_nothing_of_the_earlier_registration(self, session: AsyncSession, person: Actor, public: Core) -> None:
        signed_in = await sign_in(session, public)
        token = await api_tokens.create_api_token(session, person, public, name="nightly", scope=TokenScope.WRITE, lasts_days=30)
        await add_passkey(session, person, public, "Telephone")
        await turn_on(session, person, public)
        await session.execute(update(Account).values(verified_at=None))
        session.expire_all()
        assert isinstance(await reset(session, public, await link(session), end_everything=False), ResetDone)
        assert await authentication.authenticate(session, public, signed_in.token) is None
        assert await api_tokens.authenticate_api_token(session, token.secret) is None
        assert list(await session.scalars(select(Passkey))) == []
        await sign_in(session, public, NEW)


class TestWrongPasswordsOfStrangers:
    @pytest.mark.security(2)
    async def test_do_not_keep_the_owner_from_signing_in_after_a_reset(
        self, session: AsyncSession, person: Actor, core: Core
    ) -> None:
        done = await reset(session, core, await link(session))
        assert isinstance(done, ResetDone)
        for _ in range(4):
            await authentication.sign_in(session, core, email=EMAIL, password="wrong", remember=True, client=HERE)
        banned = await authentication.sign_in(session, core, email=EMAIL, password=NEW, remember=True, client=HERE)
        assert banned == SignInRefused(reason=SignInRefusal.THROTTLED)
        owner = Client(address="192.0.2.7", device=tokens.digest(done.device))
        assert isinstance(
            await authentication.sign_in(session, core, email=EMAIL, password=NEW, remember=True, client=owner), SignedIn
        )


@pytest.mark.usefixtures("ada")
class TestApi:
    @pytest.mark.security(2, 19, 26)
    async def test_takes_the_choices(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            codes = await turn_on(session, ada, committed)
            token = await api_tokens.create_api_token(
                session, ada, committed, name="nightly", scope=TokenScope.READ, lasts_days=1
            )
            secret = await link(session)
        async with browse(committed, same_origin=False) as program:
            found = await program.post("/api/account/reset-choices", json={"link": secret})
            assert (found.json()["passkeys"], found.json()["authenticator_since"] is None) == ([], False)
            assert (await program.post("/api/account/reset-choices", json={"link": "guess"})).status_code == 410
            form = {"link": secret, "password": NEW, "remove_authenticator": True}
            needed = await program.post("/api/account/confirm-reset", json=form)
            assert (needed.status_code, needed.json()["error"]["code"]) == (403, "CodeNeeded")
            wrong = await program.post("/api/account/confirm-reset", json={**form, "code": "000000"})
            assert (wrong.status_code, wrong.json()["error"]["code"]) == (403, "WrongCode")
            assert (await program.post("/api/account/confirm-reset", json={**form, "code": codes[0]})).status_code == 204
            async with browse(committed) as stranger:
                for _ in range(4):
                    await stranger.post("/signin", json={"email": EMAIL, "password": "wrong"})
            answer = await program.post("/signin", json={"email": EMAIL, "password": NEW})
            assert answer.json()["flag"] == "success"
        async with committed.database.transaction() as session:
            assert await api_tokens.authenticate_api_token(session, token.secret) is None
