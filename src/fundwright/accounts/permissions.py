"""The permission that each service requires. docs/roles.md lists them all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from fundwright.accounts.schemas import GRANTED, Actor, Permission, Role
from fundwright.core.errors import FundwrightError, NotAllowed
from fundwright.core.messages import later, t

P = ParamSpec("P")
R = TypeVar("R")
_CONFIRM_FIRST = later("Confirm your email address first: open the link in the confirmation email.")
_NOT_AN_ADMINISTRATOR = later("You don't have permission to administer Fundwright. Ask an administrator for access.")
_ONLY_SUPPORT = later("You can only view this workspace with support access. Switch to one of your own workspaces.")
_ROLE_IN_WORKSPACE = later("Your role in this workspace does not allow this. Ask an owner of the workspace for another role.")


class NotForPrograms(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(t("An API token cannot do this. Sign in with email and password, and use the token of that session."))


def needs(permission: Permission) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Allow a service only for an `actor` with `permission`. The call raises NotAllowed before anything runs."""

    def guard(service: Callable[P, R]) -> Callable[P, R]:
        place = list(inspect.signature(service).parameters).index("actor")

        @wraps(service)
        def guarded(*arguments: P.args, **options: P.kwargs) -> R:
            require(cast(Actor, options["actor"] if "actor" in options else arguments[place]), permission)
            return service(*arguments, **options)

        cast(Any, guarded).permission = permission
        return guarded

    return guard


def require(actor: Actor, permission: Permission) -> None:
    """Raise NotAllowed, in the few places where the permission depends on the data."""
    if not actor.may(permission):
        raise NotAllowed(refusal(actor, permission))


def refusal(actor: Actor, permission: Permission) -> str:
    """Return why the actor lacks the permission, and what to do, in the reader's language."""
    if not actor.is_confirmed:
        return str(_CONFIRM_FIRST)
    if permission not in GRANTED[actor.role]:
        return str(_NOT_AN_ADMINISTRATOR)
    return str(_ONLY_SUPPORT if actor.is_support else _ROLE_IN_WORKSPACE)


def require_confirmed(actor: Actor) -> None:
    """For what every role may do but costs something, such as sending an email. Raises NotAllowed."""
    if not actor.is_confirmed:
        raise NotAllowed(str(_CONFIRM_FIRST))


def refuse_programs(actor: Actor) -> None:
    """For what requires a person who has signed in. Raises NotForPrograms."""
    if actor.is_program:
        raise NotForPrograms


def refuse_support(actor: Actor) -> None:
    """For what every member of a workspace may do, but not an administrator with support access. Raises NotAllowed."""
    if actor.is_support:
        raise NotAllowed(str(_ONLY_SUPPORT))


def not_an_administrator() -> NotAllowed:
    """For an actor who has just lost that role."""
    return NotAllowed(str(_NOT_AN_ADMINISTRATOR))


def roles_with(permission: Permission) -> frozenset[Role]:
    """The roles that may open a screen: `screen(..., roles=roles_with(Permission.ADMINISTER))`."""
    return frozenset(role for role, granted in GRANTED.items() if permission in granted)
