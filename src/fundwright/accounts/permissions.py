"""The permission that each service requires. docs/roles.md lists them all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from fundwright.accounts.schemas import GRANTED, Actor, Permission, Role
from fundwright.core.errors import FundwrightError, NotAllowed
from fundwright.core.messages import t

P = ParamSpec("P")
R = TypeVar("R")
REFUSALS = {
    Permission.READ: "You don't have permission to view this. Ask an administrator for access.",
    Permission.LABEL: "You don't have permission to review categories. Ask an administrator for access.",
    Permission.WORK: "You have view-only access. Ask an administrator for more.",
    Permission.OVERSEE: "You don't have permission to see other people's activity. Ask an administrator for access.",
    Permission.ADMINISTER: "You don't have permission to administer Fundwright. Ask an administrator for access.",
}


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
    if actor.may(permission):
        return
    if not actor.is_confirmed:
        raise _not_confirmed()
    if permission in GRANTED[actor.role]:
        raise NotAllowed(t("Your role in this workspace does not allow this. Ask an owner of the workspace for another role."))
    raise not_allowed(permission)


def require_confirmed(actor: Actor) -> None:
    """For what every role may do but costs something, such as sending an email. Raises NotAllowed."""
    if not actor.is_confirmed:
        raise _not_confirmed()


def refuse_programs(actor: Actor) -> None:
    """For what requires a person who has signed in. Raises NotForPrograms."""
    if actor.is_program:
        raise NotForPrograms


def refuse_support(actor: Actor) -> None:
    """For what every member of a workspace may do, but not an administrator with support access. Raises NotAllowed."""
    if actor.is_support:
        raise NotAllowed(t("You can only view this workspace with support access. Switch to one of your own workspaces."))


def _not_confirmed() -> NotAllowed:
    return NotAllowed(t("Confirm your email address first: open the link in the confirmation email."))


def not_allowed(permission: Permission) -> NotAllowed:
    """The message for a missing `permission` in the reader's language."""
    return NotAllowed(t(REFUSALS[permission]))


def roles_with(permission: Permission) -> frozenset[Role]:
    """The roles that may open a screen: `screen(..., roles=roles_with(Permission.OVERSEE))`."""
    return frozenset(role for role, granted in GRANTED.items() if permission in granted)
