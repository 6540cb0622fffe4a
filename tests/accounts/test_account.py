"""People manage their own accounts."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, locale_data, preferences, profile
from fundwright.accounts.passwords import WeakPassword
from fundwright.accounts.schemas import Actor, AuditQuery, LocaleChange, ProfileChange, Role
from fundwright.authentication import api_tokens, email_change, password_change, recovery, throttle
from fundwright.authentication import service as authentication
from fundwright.authentication.one_time_secrets import LinkSpent
from fundwright.authentication.schemas import SignedIn, SignInRefusal, SignInRefused, TokenScope
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid, NotAllowed
from fundwright.core.mail import MailMessage
from fundwright.core.paging import PageRequest
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD

NEW = "seven quiet lighthouses"


@pytest.fixture
async def ada(session: AsyncSession) -> Actor:
    return await add_account(session, "ada@example.org", name="Ada Byron", password=PASSWORD)


async def sign_in(session: AsyncSession, core: Core, *, email: str = "ada@example.org", password: str = PASSWORD) -> SignedIn:
    result = await authentication.sign_in(session, core, email=email, password=password, remember=True, client=HERE)
    assert isinstance(result, SignedIn)
    return result


async def sent_messages(session: AsyncSession) -> list[MailMessage]:
    """Oldest first."""
    return (await mail.list_messages(session, PageRequest())).items[::-1]


async def actions(session: AsyncSession) -> list[str]:
    root = await add_account(session, role=Role.ADMIN)
    return [line.action for line in (await audit.list_audit(session, root, AuditQuery(sort="at"))).items]


class TestChangeProfile:
    async def test_saves_given_fields_and_clears_the_others(self, session: AsyncSession, ada: Actor) -> None:
        said = {"displayName": " Ada  King ", "phoneNumber": "+44 20 7946 0000", "country": "GB", "isPublic": "on"}
        changed = await profile.change_profile(session, ada, ProfileChange.model_validate(said))
        assert (changed.display_name, changed.phone_number, changed.country, changed.is_public) == (
            "Ada King", "+44 20 7946 0000", "GB", True,
        )  # fmt: skip
        changed = await profile.change_profile(session, ada, ProfileChange(display_name="Ada"))
        assert (changed.phone_number, changed.country, changed.is_public) == (None, None, False)
        assert await profile.get_profile(session, ada) == changed

    @pytest.mark.parametrize("number", ["call me", "12", "+" * 9, "1" * 21, "555 <b>0100</b>"])
    def test_refuses_invalid_phone_numbers(self, number: str) -> None:
        with pytest.raises(ValidationError, match="Enter a phone number such as"):
            ProfileChange(display_name="Ada", phone_number=number)

    @pytest.mark.parametrize("number", ["+1 202 555 0100", "(202) 555-0100 ext. 12", "030/1234567", "+49.30.123456"])
    def test_accepts_numbers_as_people_write_them(self, number: str) -> None:
        assert ProfileChange(display_name="Ada", phone_number=number).phone_number == number

    @pytest.mark.parametrize("code", ["XX", "EU", "de", "ZZ"])
    def test_refuses_an_unknown_country(self, code: str) -> None:
        with pytest.raises(ValidationError, match="Choose a country"):
            ProfileChange(display_name="Ada", country=code)

    def test_line_breaks_are_kept(self) -> None:
        change = ProfileChange(display_name="Ada\nByron\x00", about="  One\r\n\n\n\ntwo \x00 ", city="Lon\ndon")
        assert (change.display_name, change.about, change.city) == ("Ada Byron", "One\n\ntwo", "Lon don")


class TestChangeLocale:
    async def test_follows_the_account(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        await preferences.change_locale(session, ada, LocaleChange(language="fr", time_zone="Europe/Paris"))
        actor = (await sign_in(session, core)).actor
        assert (actor.language, actor.time_zone) == ("fr", "Europe/Paris")
        await preferences.change_locale(session, ada, LocaleChange.model_validate({"language": "", "timeZone": ""}))
        actor = (await sign_in(session, core)).actor
        assert (actor.language, actor.time_zone) == (None, None)

    async def test_refuses_an_unknown_time_zone(self, session: AsyncSession, ada: Actor) -> None:
        with pytest.raises(Invalid, match="Mars/Olympus is not a time zone"):
            await preferences.change_locale(session, ada, LocaleChange(time_zone="Mars/Olympus"))


class TestPlaces:
    def test_countries_are_those_of_iso_3166_and_kosovo(self) -> None:
        assert len(locale_data.country_codes()) == 250

    def test_countries_are_in_the_order_of_the_language(self) -> None:
        names = [name for _, name in locale_data.countries("de")]
        assert names.index("Österreich") < names.index("Pakistan")
        assert dict(locale_data.countries("fr"))["US"] == "États-Unis"

    def test_zones_are_places(self) -> None:
        zones = locale_data.time_zones()
        assert zones[0] == "UTC"
        assert {"Europe/Berlin", "America/New_York", "Asia/Kolkata"} < set(zones)
        assert not [zone for zone in zones if zone.startswith(("Etc/", "US/"))]


class TestChangePassword:
    @pytest.mark.security(13, 19, 26, 45)
    async def test_requires_the_current_one_and_ends_every_other_session(
        self, session: AsyncSession, core: Core, ada: Actor
    ) -> None:
        here, elsewhere = await sign_in(session, core), await sign_in(session, core)
        refused = await password_change.change_password(session, here.actor, core, current="wrong", new=NEW, client=HERE)
        assert refused == SignInRefused(reason=SignInRefusal.WRONG_PASSWORD)
        assert await sent_messages(session) == []
        assert await password_change.change_password(session, here.actor, core, current=PASSWORD, new=NEW, client=HERE) is None
        assert await authentication.authenticate(session, core, here.token)
        assert await authentication.authenticate(session, core, elsewhere.token) is None
        await sign_in(session, core, password=NEW)
        (message,) = await sent_messages(session)
        assert (message.recipient, message.subject) == ("ada@example.org", "Your password was changed")
        assert "password.changed" in await actions(session)

    @pytest.mark.security(1, 13)
    async def test_is_throttled_like_a_sign_in(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        for _ in range(throttle.FAILURES_PER_ACCOUNT):
            await password_change.change_password(session, ada, core, current="wrong", new=NEW, client=HERE)
        refused = await password_change.change_password(session, ada, core, current=PASSWORD, new=NEW, client=HERE)
        assert refused == SignInRefused(reason=SignInRefusal.THROTTLED)
        with pytest.raises(NotAllowed, match="Wait 5 minutes"):
            password_change.check_password_accepted(refused)

    async def test_has_the_rules_of_registration(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        with pytest.raises(WeakPassword):
            await password_change.change_password(session, ada, core, current=PASSWORD, new="password1", client=HERE)
        with pytest.raises(Invalid, match="your current password"):
            await password_change.change_password(session, ada, core, current=PASSWORD, new=PASSWORD, client=HERE)

    @pytest.mark.security(16)
    async def test_revokes_open_reset_links(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        link = (await recovery.reset_link(session, email=ada.email)).rpartition("/")[2]
        await password_change.change_password(session, ada, core, current=PASSWORD, new=NEW, client=HERE)
        assert not await recovery.find_reset(session, link)


class TestEndOtherSessions:
    @pytest.mark.security(24)
    async def test_keeps_the_one_that_asks(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        here, elsewhere = await sign_in(session, core), await sign_in(session, core)
        await authentication.end_other_sessions(session, here.actor, client=HERE)
        assert [each.id for each in (await authentication.list_sessions(session, ada, PageRequest())).items] == [
            here.actor.session_id
        ]
        assert await authentication.authenticate(session, core, elsewhere.token) is None


class TestCreateApiToken:
    @pytest.mark.security(26, 44)
    async def test_notifies_the_owner_without_the_secret(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        made = await api_tokens.create_api_token(
            session, ada, core, name="nightly", scope=TokenScope.READ, lasts_days=30, client=HERE
        )
        (message,) = await sent_messages(session)
        assert (message.recipient, "“nightly”" in message.text, made.secret in message.text) == ("ada@example.org", True, False)


class TestEmailChange:
    async def ask(self, session: AsyncSession, ada: Actor, core: Core, email: str = "new@example.org") -> str:
        """The secret of the link that was sent."""
        assert await email_change.ask(session, ada, core, email=email, password=PASSWORD, client=HERE) is None
        return (await sent_messages(session))[-2].text.partition("/auth/confirm-email/")[2].split()[0]

    @pytest.mark.security(16, 26, 45)
    async def test_takes_effect_once_the_new_address_is_confirmed(self, session: AsyncSession, core: Core, ada: Actor) -> None:
        before = await sign_in(session, core)
        reset = (await recovery.reset_link(session, email=ada.email)).rpartition("/")[2]
        secret = await self.ask(session, ada, core, " NEW@example.org")
        link, notice = await sent_messages(session)
        assert (link.recipient, notice.recipient) == ("new@example.org", "ada@example.org")
        assert "new@example.org" in notice.text
        assert secret not in notice.text
        assert await email_change.address_to_confirm(session, secret) == "new@example.org"
        await sign_in(session, core)
        assert (await email_change.confirm(session, secret=secret, client=HERE)).email == "new@example.org"
        assert await authentication.authenticate(session, core, before.token) is None
        assert not await recovery.find_reset(session, reset)
        assert (await sign_in(session, core, email="new@example.org")).actor.id == ada.id
        assert {"email.change_asked", "email.changed"} <= set(await actions(session))

    @pytest.mark.security(16)
    async def test_a_link_works_once_and_not_after_a_newer_one(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        first, second = await self.ask(session, ada, core), await self.ask(session, ada, core, "other@example.org")
        with pytest.raises(LinkSpent, match="request a new one under Account"):
            await email_change.confirm(session, secret=first, client=HERE)
        await email_change.confirm(session, secret=second, client=HERE)
        with pytest.raises(LinkSpent):
            await email_change.confirm(session, secret=second, client=HERE)

    @pytest.mark.security(7)
    async def test_answers_the_same_for_a_taken_address_and_notifies_its_owner(
        self, session: AsyncSession, core: Core, ada: Actor
    ) -> None:
        await add_account(session, "eve@example.org")
        assert await email_change.ask(session, ada, core, email="eve@example.org", password=PASSWORD, client=HERE) is None
        told, notice = await sent_messages(session)
        assert (told.recipient, told.subject) == ("eve@example.org", "You already have an account")
        assert ("/auth/confirm-email/" in told.text, notice.recipient) == (False, "ada@example.org")

    async def test_an_address_that_was_registered_meanwhile_stays_its_owner_s(
        self, session: AsyncSession, core: Core, ada: Actor
    ) -> None:
        secret = await self.ask(session, ada, core)
        await add_account(session, "new@example.org")
        with pytest.raises(LinkSpent):
            await email_change.confirm(session, secret=secret, client=HERE)
        await sign_in(session, core)

    async def test_needs_the_password(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        refused = await email_change.ask(session, ada, core, email="new@example.org", password="wrong", client=HERE)
        assert refused == SignInRefused(reason=SignInRefusal.WRONG_PASSWORD)
        assert await sent_messages(session) == []

    @pytest.mark.parametrize(("email", "sentence"), [("ada@", "must be a valid"), ("ADA@example.org", "your current address")])
    async def test_refuses_what_would_be_no_change(
        self, session: AsyncSession, ada: Actor, core: Core, email: str, sentence: str
    ) -> None:
        with pytest.raises(Invalid, match=sentence):
            await email_change.ask(session, ada, core, email=email, password=PASSWORD, client=HERE)

    async def test_emails_are_in_the_language_of_the_account(self, session: AsyncSession, ada: Actor, core: Core) -> None:
        await preferences.change_locale(session, ada, LocaleChange(language="de"))
        await self.ask(session, ada, core)
        assert [message.subject for message in await sent_messages(session)] == [
            "Bestätigen Sie Ihre neue E-Mail-Adresse", "Ihre E-Mail-Adresse soll geändert werden",
        ]  # fmt: skip
