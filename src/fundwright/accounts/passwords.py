"""Password hashing, and the rules for new passwords."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from passlib.context import CryptContext

from fundwright.core.concurrency import give_way
from fundwright.core.errors import Invalid
from fundwright.core.messages import t

MIN_LENGTH = 8
MAX_LENGTH = 1_000
_MEASURED_CHARACTERS = 72  # its time grows with the square of the length
_UNUSABLE = "!"


# A hash of an unknown password with the parameters below: checked if there is no account, so that the time is the same.
_DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$g3BuLaXUes/5fy/FGOPc2w$lMx8aR/uBlhcaM95VMe18pAhWhcRYzvv5I3Waw/fXhc"
_OWN_WORDS = {"fundwright", "password", "admin", "administrator"}


_context = CryptContext(
    schemes=["argon2"],
    argon2__type="ID",
    argon2__memory_cost=19_456,
    argon2__time_cost=2,
    argon2__parallelism=1,
)


async def new_hash(password: str | None, email: str, name: str) -> str:
    """Return the hash of a new password; None means a password that nobody has. Raises WeakPassword."""
    if password is not None:
        await require_acceptable(password, about=(email.partition("@")[0], name))
    return await hash_password(password)


THREADS = 2
_threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="password", initializer=give_way)


class WeakPassword(Invalid):
    """The new password is too short, too long, or too common."""


async def hash_password(password: str | None) -> str:
    """Return the hash to store; None returns one that no password matches."""
    if password is None:
        return _UNUSABLE
    return await asyncio.get_running_loop().run_in_executor(_threads, _context.hash, _normalized(password))


async def check_password(password: str, stored: str | None) -> tuple[bool, str | None]:
    """Return whether the password matches, and a newer hash to store if the present one is outdated.

    `stored` is None if there is no account; exactly one hash is computed in every case.
    """
    return await asyncio.get_running_loop().run_in_executor(_threads, _check, password, stored)


async def require_acceptable(password: str, *, about: tuple[str, ...] = ()) -> None:
    """Raise WeakPassword with what to do. `about` holds words that an attacker tries first, such as the email and name."""
    if len(password) < MIN_LENGTH:
        raise WeakPassword(
            t("The password is too short. Use at least {least} characters. A sentence works well.", least=MIN_LENGTH)
        )
    if len(password) > MAX_LENGTH:
        raise WeakPassword(t("The password is longer than {most} characters. Choose a shorter one.", most=MAX_LENGTH))
    if await asyncio.get_running_loop().run_in_executor(_threads, _is_common, password, about):
        raise WeakPassword(t("That password is easy to guess. Choose another one. A sentence works well."))


async def strength(password: str) -> int:
    """Return how hard it is to guess, from 0 to 4 (zxcvbn's score)."""
    return await asyncio.get_running_loop().run_in_executor(_threads, _score, password)


def _score(password: str) -> int:
    from zxcvbn import zxcvbn  # 67 ms to import, needed only where passwords are chosen

    return zxcvbn(password[:_MEASURED_CHARACTERS])["score"] if password else 0


def _check(password: str, stored: str | None) -> tuple[bool, str | None]:
    is_usable = stored is not None and stored != _UNUSABLE
    # Longer than any password that was ever accepted: cut before hashing, so that the work stays the same.
    is_right, newer = _context.verify_and_update(
        _normalized(password[: MAX_LENGTH + 1]), stored if is_usable and stored else _DUMMY_HASH
    )
    return (is_right, newer) if is_usable and len(password) <= MAX_LENGTH else (False, None)


def _normalized(password: str) -> str:
    """Normalize characters that keyboards encode differently (NIST SP 800-63B, 3.1.1.2)."""
    return unicodedata.normalize("NFKC", password)


def _is_common(password: str, about: tuple[str, ...]) -> bool:
    plain = password.casefold()
    words = {part for phrase in about for part in (phrase.casefold(), *re.split(r"[\W_]+", phrase.casefold())) if len(part) > 3}
    core = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", plain)
    return plain in _common_passwords() or plain in words or core in _OWN_WORDS | words


@cache
def _common_passwords() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # 67 ms to import, needed only where passwords are chosen

    return frozenset(FREQUENCY_LISTS["passwords"])
