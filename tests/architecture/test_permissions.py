"""Every service enforces its permission."""

from __future__ import annotations

import inspect
from uuid import uuid4

import pytest

from fundwright.accounts.permissions import needs, require
from fundwright.accounts.schemas import GRANTED, Actor, Permission, Role, WorkspaceRole
from fundwright.core.errors import NotAllowed
from scripts.tables import Service, services

SERVICES = list(services())


def actor(role: Role) -> Actor:
    return Actor(id=uuid4(), email="ada@example.org", name="Ada", role=role)


def call(service: Service, role: Role) -> None:
    """Call it as callers do, without running the coroutine. Raises NotAllowed."""
    parameters = inspect.signature(service.function).parameters.values()
    required = [
        each for each in parameters if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    given = {each.name: actor(role) if each.name == "actor" else None for each in required}
    positional = [given.pop(each.name) for each in required if each.kind is each.POSITIONAL_OR_KEYWORD]
    called = service.function(*positional, **given)
    if inspect.iscoroutine(called):
        called.close()


class TestServices:
    def test_each_that_acts_for_someone_states_a_permission(self) -> None:
        assert len(SERVICES) > 50
        assert [service.name for service in SERVICES if service.permission is None] == []

    @pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
    def test_each_refuses_every_other_permission_and_accepts_its_own(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every real role may read, so the test changes the permissions of one role."""
        assert service.permission is not None
        monkeypatch.setitem(GRANTED, Role.USER, frozenset(Permission) - {service.permission})
        with pytest.raises(NotAllowed):
            call(service, Role.USER)
        monkeypatch.setitem(GRANTED, Role.USER, frozenset({service.permission}))
        call(service, Role.USER)


class TestNeeds:
    async def test_lets_those_with_the_permission_pass(self) -> None:
        @needs(Permission.ADMINISTER)
        async def look(actor: Actor, word: str) -> str:
            return word

        assert await look(actor(Role.ADMIN), "seen") == "seen"
        with pytest.raises(NotAllowed, match="You don't have permission to administer Fundwright"):
            await look(actor(Role.USER), "seen")

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"is_confirmed": False}, "Confirm your email address first"),
            ({"workspace_role": WorkspaceRole.REVIEWER}, "Your role in this workspace does not allow this"),
            (
                {"workspace_role": WorkspaceRole.VIEWER, "is_support": True},
                "You can only view this workspace with support access",
            ),
        ],
    )
    def test_says_why_the_actor_is_refused(self, change: dict[str, object], reason: str) -> None:
        with pytest.raises(NotAllowed, match=reason):
            require(actor(Role.ADMIN).model_copy(update=change), Permission.WORK)

    def test_everyone_may_work_in_the_personal_workspace_and_only_administrators_administer(self) -> None:
        assert [role for role in Role if not actor(role).may(Permission.WORK)] == []
        assert [role for role in Role if actor(role).may(Permission.ADMINISTER)] == [Role.ADMIN]
