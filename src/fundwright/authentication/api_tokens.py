"""API tokens, with which programs sign in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs, refuse_support, require_confirmed
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.authentication import emails, repository, throttle
from fundwright.authentication.models import ApiToken
from fundwright.authentication.reauthentication import needs_recent_authentication
from fundwright.authentication.schemas import ApiTokenCreated, ApiTokenRead, TokenScope
from fundwright.authentication.throttle import Budget
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines

API_TOKEN_PREFIX = "fwt_"
_TOUCH_INTERVAL = timedelta(minutes=1)
_MAX_API_TOKENS = 50
CREATED_BY_ONE = (Budget(20, timedelta(minutes=1)), Budget(100, timedelta(hours=1)))
"""How many tokens one account can create, also if it revokes them: each sends an email."""


class TooManyApiTokens(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t("An account can have at most {count} valid API tokens. Revoke one that you don't use.", count=_MAX_API_TOKENS)
        )


@needs(Permission.READ)
@needs_recent_authentication
async def create_api_token(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    *,
    name: str,
    scope: TokenScope,
    lasts_days: int,
    client: Client = COMMAND_LINE,
) -> ApiTokenCreated:
    """Create a token for programs and notify its owner by email. The secret is only in the result. `lasts_days` is 1 to 366.

    Raises Invalid, ReauthenticationRequired, TooManyApiTokens, or OverBudget.
    """
    require_confirmed(actor)
    refuse_support(actor)
    if not 1 <= lasts_days <= 366:
        raise Invalid(t("A token can last 1 to 366 days. Enter a number in this range."))
    await acquire_lock(session, f"api_tokens:{actor.id}")  # two simultaneous requests must not both use the last slot
    if await repository.count_live_api_tokens(session, actor.id) >= _MAX_API_TOKENS:
        raise TooManyApiTokens
    await throttle.spend(session, "api_tokens", actor.id, CREATED_BY_ONE, refusal=_too_many_created)
    secret = API_TOKEN_PREFIX + tokens.new_secret()
    token = ApiToken(
        owner_id=actor.id,
        workspace_id=actor.workspace_id,
        name=accounts.checked_name(name),
        scope=scope,
        prefix=secret[:10],
        digest=tokens.digest(secret),
        expires_at=now() + timedelta(days=lasts_days),
    )
    session.add(token)
    await session.flush()
    await audit.record(session, "api_key.created", actor=actor, subject=token.name, client=client, scope=scope.value)
    link = f"{core.settings.address}/dashboard/user/account?tab=tokens"
    await mail.post(session, core, emails.api_token_created(actor.email, actor.language or "en", name=token.name, link=link))
    return ApiTokenCreated(**ApiTokenRead.model_validate(token).model_dump(), secret=secret)


def _too_many_created(wait: str) -> str:
    return t("You have created too many API tokens in a short time. Try again in {wait}.", wait=wait)


@needs(Permission.READ)
async def list_api_tokens(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[ApiTokenRead]:
    """The actor's own tokens, newest first; or sorted by `name`, `expires_at`, or `last_used_at`."""
    found, total = await repository.page_of_api_tokens(session, actor.id, request)
    items = [ApiTokenRead.model_validate(token) for token in found]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
def export_api_tokens(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the actor's API tokens, without their secrets, as lines of CSV."""
    return csv_lines(
        [
            (t("Name"), lambda token: token.name),
            (t("Scope"), lambda token: token.scope),
            (t("Starts with"), lambda token: token.prefix),
            (t("Created"), lambda token: token.created_at),
            (t("Expires"), lambda token: token.expires_at),
            (t("Last used"), lambda token: token.last_used_at),
            (t("Revoked"), lambda token: token.revoked_at),
        ],
        iterate_all(lambda page: list_api_tokens(session, actor, page), request),
    )


@needs(Permission.READ)
async def revoke_api_token(session: AsyncSession, actor: Actor, token_id: UUID, *, client: Client = COMMAND_LINE) -> ApiTokenRead:
    """Revoke a token of the actor immediately. Raises NotFound."""
    token = await repository.find_api_token(session, actor.id, token_id)
    if token is None:
        raise NotFound(t("The token"))
    token.revoked_at = token.revoked_at or now()
    await audit.record(session, "api_key.revoked", actor=actor, subject=token.name, client=client)
    return ApiTokenRead.model_validate(token)


async def authenticate_api_token(
    session: AsyncSession, secret: str, *, workspace_id: UUID | None = None
) -> tuple[Actor, TokenScope] | None:
    """The owner and scope of this API token, or None if it is unknown, revoked, or expired, or its owner is no longer a member of its
    workspace. `workspace_id` names another workspace of the owner. Raises NotFound if the owner is not a member there."""
    found = await repository.find_live_api_token(session, tokens.digest(secret))
    if found is None:
        return None
    token, account = found
    moment = now()
    if token.last_used_at is None or moment - token.last_used_at > _TOUCH_INTERVAL:
        token.last_used_at = moment
    actor = await accounts.actor_in(session, account, workspace_id or token.workspace_id)
    if actor is None and workspace_id is not None:
        raise NotFound(t("The workspace"))
    return (actor.model_copy(update={"is_program": True}), TokenScope(token.scope)) if actor else None
