from __future__ import annotations

import pytest

from fundwright.accounts import passwords
from fundwright.accounts.passwords import WeakPassword


@pytest.mark.usefixtures("full_hashes")
class TestHashing:
    @pytest.mark.security(14)
    async def test_uses_argon2id_with_the_owasp_parameters(self) -> None:
        assert (await passwords.hash_password("a gentle rain")).startswith("$argon2id$v=19$m=19456,t=2,p=1$")

    @pytest.mark.security(14)
    async def test_replaces_a_hash_with_weaker_parameters(self) -> None:
        from passlib.hash import argon2

        weak: str = argon2.using(type="ID", memory_cost=8_192, rounds=1, parallelism=1).hash("a gentle rain")

        is_right, newer = await passwords.check_password("a gentle rain", weak)

        assert is_right
        assert newer is not None
        assert await passwords.check_password("a gentle rain", newer) == (True, None)

    @pytest.mark.security(10)
    async def test_neither_cuts_nor_folds_a_long_password(self) -> None:
        long = "x" * 71 + "Yz" + "w" * 60
        stored = await passwords.hash_password(long)

        assert (await passwords.check_password(long, stored))[0]
        assert not (await passwords.check_password(long[:-1], stored))[0]
        assert not (await passwords.check_password(long[:72], stored))[0]
        assert not (await passwords.check_password(long.lower(), stored))[0]

    async def test_takes_characters_that_keyboards_encode_differently_as_one(self) -> None:
        stored = await passwords.hash_password("caf\u00e9 au lait")
        assert (await passwords.check_password("cafe\u0301 au lait", stored))[0]

    @pytest.mark.security(5)
    @pytest.mark.parametrize("stored", [None, "!"])
    async def test_computes_a_hash_even_without_an_account(self, stored: str | None) -> None:
        assert await passwords.check_password("anything", stored) == (False, None)
        assert passwords._context.needs_update(passwords._DUMMY_HASH) is False

    @pytest.mark.parametrize("password", ["", "a\0b", "\ud83d\ude00" * 3, "x" * 100_000])
    async def test_survives_any_text(self, password: str) -> None:
        stored = await passwords.hash_password("a gentle rain")
        assert await passwords.check_password(password.encode("utf-16", "surrogatepass").decode("utf-16"), stored) == (
            False,
            None,
        )


class TestAcceptable:
    @pytest.mark.security(10)
    @pytest.mark.parametrize("length", [8, 15, 64, 1_000])
    async def test_accepts_8_to_1000_characters(self, length: int) -> None:
        await passwords.require_acceptable("q" + "~" * (length - 2) + "z")

    @pytest.mark.security(10)
    @pytest.mark.parametrize(("length", "advice"), [(0, "Use at least 8"), (7, "Use at least 8"), (1_001, "longer than 1,000")])
    async def test_refuses_other_lengths(self, length: int, advice: str) -> None:
        with pytest.raises(WeakPassword, match=advice):
            await passwords.require_acceptable("~" * length)

    @pytest.mark.security(11)
    @pytest.mark.parametrize("password", ["only small letters here", "48151623420815", "ALL CAPITALS", "пароль для меня"])
    async def test_has_no_rules_about_kinds_of_characters(self, password: str) -> None:
        await passwords.require_acceptable(password)

    @pytest.mark.security(12)
    @pytest.mark.parametrize(
        "password", ["password", "12345678", "Baseball", "iloveyou", "PASSWORD1", "fundwright", "Fundwright2026!"]
    )
    async def test_refuses_common_passwords(self, password: str) -> None:
        with pytest.raises(WeakPassword):
            await passwords.require_acceptable(password)

    @pytest.mark.security(12)
    @pytest.mark.parametrize("password", ["lovelace", "Lovelace1815", "ada.lovelace"])
    async def test_refuses_the_owner_s_own_name(self, password: str) -> None:
        with pytest.raises(WeakPassword):
            await passwords.require_acceptable(password, about=("ada.lovelace", "Ada Lovelace"))
