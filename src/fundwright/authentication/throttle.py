"""Throttling of sign-in attempts, rate limits for emails and comments, and the budgets of accounts, counted in the database: per account or link,
and per network address."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import repository
from fundwright.core.connections import network_of
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import nt, t

WINDOW = timedelta(minutes=2)
BAN = timedelta(minutes=5)
FAILURES_PER_ACCOUNT = 4
FAILURES_PER_SHARED = 100

# Many people can share one address; this stops one machine from trying one password on many accounts.
FAILURES_PER_ADDRESS = 30
EMAILS_WINDOW = timedelta(minutes=10)
EMAILS_PER_ACCOUNT = 5
EMAILS_PER_ADDRESS = 20


class TooManyTries(FundwrightError):
    status = 429

    def __init__(self) -> None:
        super().__init__(t("Too many requests. Try again in 10 minutes."))


class Budget(NamedTuple):
    """How much an account may do in a period, which begins with the first that counts."""

    most: int
    period: timedelta


class OverBudget(FundwrightError):
    """The account has used up a budget. Nothing was saved; `retry_after_s` is when the budget is full again."""

    status = 429

    def __init__(self, sentence: str, wait: timedelta) -> None:
        super().__init__(sentence)
        self.retry_after_s = math.ceil(wait.total_seconds())


@dataclass(frozen=True)
class Attempt:
    """One sign-in, counted against the email it names and the address it comes from, or against the known place it is made at.

    Wrong codes have their own counters: the right password, which is entered first, must not reset them.
    """

    email: str
    address: str
    factor: Literal["password", "app_code", "recovery_code"] = "password"
    place: str = ""
    """A known device, a session, or a one-time link of the account. It has its own counter, so other people cannot cause a ban there:
    otherwise, four wrong passwords every five minutes would lock the owner out permanently.

    Codes of an authenticator app are counted once for the whole account: they are short enough to be guessed, and anyone who reads
    the owner's email can get any number of links and known devices."""
    is_shared: bool = False
    """Many people enter the same password, such as that of a share link. Each network address has its own counter, so that nobody keeps the
    others out, and all together have a higher limit."""

    @property
    def subjects(self) -> tuple[str, str]:
        email = hashlib.sha256(self.email.encode()).hexdigest()
        address = hashlib.sha256(network_of(self.address).encode()).hexdigest()
        return f"{self._kind}account:{email}", f"{self._kind}address:{address}"

    @property
    def _kind(self) -> str:
        return "" if self.factor == "password" else "code:"

    @property
    def limits(self) -> tuple[tuple[str, int], ...]:
        """Subjects and their limits, always in this order, so that two attempts cannot deadlock."""
        account, address = self.subjects
        if self.place and self.factor == "app_code":
            return ((account, FAILURES_PER_ACCOUNT),)
        if self.place:
            return ((f"{self._kind}place:{self.place}", FAILURES_PER_ACCOUNT),)
        if self.is_shared:
            pair = hashlib.sha256(f"{account} {address}".encode()).hexdigest()
            return (f"shared:{pair}", FAILURES_PER_ACCOUNT), (account, FAILURES_PER_SHARED), (address, FAILURES_PER_ADDRESS)
        return (account, FAILURES_PER_ACCOUNT), (address, FAILURES_PER_ADDRESS)


async def is_banned(session: AsyncSession, attempt: Attempt) -> bool:
    """Reads the counters without a lock, before any work is done on the attempt."""
    throttles = await repository.list_throttles(session, [subject for subject, _ in attempt.limits])
    moment = now()
    return any(_lasts(throttle.banned_until, moment, BAN) for throttle in throttles)


async def count_refused(session: AsyncSession, attempt: Attempt) -> int:
    """Count an attempt during a ban; returns how many the ban has refused."""
    return await repository.count_refused(session, [subject for subject, _ in attempt.limits])


async def record_attempt(session: AsyncSession, attempt: Attempt, *, is_right: bool) -> bool:
    """Count the outcome of an attempt. Returns False if a ban has begun in the meantime; then even a right password is refused.

    The counters stay locked until the transaction ends, so that only the allowed number of simultaneous attempts counts.
    """
    moment = now()
    throttles = [(await repository.lock_throttle(session, subject, window=WINDOW), limit) for subject, limit in attempt.limits]
    if any(_lasts(throttle.banned_until, moment, BAN) for throttle, _ in throttles):
        return False
    for throttle, limit in throttles:
        if not _lasts(throttle.window_ends_at, moment, WINDOW):
            throttle.failures, throttle.window_ends_at = 0, moment + WINDOW
        if is_right:
            continue
        throttle.failures += 1
        if throttle.failures >= limit:
            throttle.failures, throttle.refused, throttle.banned_until = 0, 0, moment + BAN
            throttle.forget_at = moment + BAN
    if is_right:
        throttles[0][0].failures = 0
    else:
        await repository.forget_old_throttles(session)
    return True


async def enforce_rate_limit(
    session: AsyncSession,
    purpose: str,
    *,
    subject: str,
    address: str,
    limits: tuple[int, int] | None = None,
) -> None:
    """Count a request against its subject, such as an email address, and its network address, which have these `limits`, or those of
    emails. Raises TooManyTries.

    A refused request does not count, because the refusal rolls back.
    """
    most = limits or (EMAILS_PER_ACCOUNT, EMAILS_PER_ADDRESS)
    for counter, limit in zip(Attempt(subject, address).subjects, most, strict=True):
        if await _count(session, f"{purpose}:{counter}", Budget(limit, EMAILS_WINDOW), 1) is not None:
            raise TooManyTries
    await repository.forget_old_throttles(session)


async def refuse_limited(session: AsyncSession, purpose: str, *, subject: str, address: str, limits: tuple[int, int]) -> None:
    """Raise TooManyTries if `enforce_rate_limit` would, without counting the request and without a lock."""
    of_counter = {
        f"{purpose}:{counter}": limit for counter, limit in zip(Attempt(subject, address).subjects, limits, strict=True)
    }
    moment = now()
    for asked in await repository.list_throttles(session, list(of_counter)):
        if asked.failures >= of_counter[asked.subject] and _lasts(asked.window_ends_at, moment, EMAILS_WINDOW):
            raise TooManyTries


async def spend(
    session: AsyncSession,
    purpose: str,
    account_id: UUID,
    budgets: Sequence[Budget],
    *,
    amount: int = 1,
    refusal: Callable[[str], str],
) -> None:
    """Count what an account does against its budgets, across all processes. Raises OverBudget with the sentence that `refusal` returns for
    the time to wait.

    What begins within a budget may exceed it: one comment can mention more people than the budget allows, and the next one has to wait.
    A refused request does not count, because the refusal rolls back.
    """
    for budget in budgets:
        subject = f"{purpose}:{budget.period.total_seconds():.0f}:{account_id}"
        wait = await _count(session, subject, budget, amount)
        if wait is not None:
            raise OverBudget(refusal(_in_words(wait)), wait)
    await repository.forget_old_throttles(session)


async def _count(session: AsyncSession, subject: str, budget: Budget, amount: int) -> timedelta | None:
    """Returns how long the budget stays used up, or None if the amount was counted. The counter stays locked until the transaction ends."""
    counter = await repository.lock_throttle(session, subject, window=budget.period)
    moment = now()
    if not _lasts(counter.window_ends_at, moment, budget.period):
        counter.failures, counter.window_ends_at = 0, moment + budget.period
    if counter.failures >= budget.most:
        return counter.window_ends_at - moment
    counter.failures += amount
    return None


def _in_words(wait: timedelta) -> str:
    seconds = math.ceil(wait.total_seconds())
    minutes = math.ceil(seconds / 60)
    return nt("{n} minute", "{n} minutes", minutes) if minutes > 1 else nt("{n} second", "{n} seconds", seconds)


def _lasts(until: datetime | None, moment: datetime, longest: timedelta) -> bool:
    """Whether a period of at most `longest` has not ended yet. If its end is much farther away, the clock has been set back, and nobody
    should stay locked out until it has caught up. Up to twice `longest` is accepted, because the clocks of several machines differ."""
    return until is not None and moment < until <= moment + 2 * longest
