"""Addresses, guards, and redirects."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from reactpy import component, html

from fundwright.accounts.schemas import Actor, Role
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.router import Found, Redirect, Router, Screen, safe_next


@component
def blank() -> Any:
    return html.p("x")


def actor(role: Role = Role.USER, email: str = "ada@example.org") -> Actor:
    return Actor(id=uuid4(), email=email, name="Ada", role=role)


ROUTER = Router(
    [
        Screen("/generate/slug/{token}", "Draft", blank, area="generate"),
        Screen("/dashboard/train", "Train", blank),
        Screen("/dashboard/blog/list", "Blog", blank, roles=frozenset({"admin"})),
        Screen("/auth/login", "Login", blank, area="public", away_when_signed_in="/"),
        Screen("/404", "Not found", blank, area="public", status=404),
    ],
    ProductHost.addresses,
    redirects={"/": "/dashboard/train"},
    may_open=lambda actor: actor.email != "unknown@unknown.com",
)


class TestRoute:
    def test_parameters_and_query_are_read(self) -> None:
        found = ROUTER.route("/generate/slug/a%2Fb?page=2&empty=", actor())
        assert isinstance(found, Found)
        assert found.location.params == {"token": "a/b"}
        assert found.location.query == {"page": "2", "empty": ""}

    def test_a_slash_at_the_end_changes_nothing(self) -> None:
        assert isinstance(ROUTER.route("/dashboard/train/", actor()), Found)

    def test_a_parameter_is_one_step_of_the_path(self) -> None:
        assert ROUTER.route("/generate/slug/a/b", actor()) == Redirect("/404")

    def test_redirects_come_first_and_unknown_paths_lead_to_404(self) -> None:
        assert ROUTER.route("/", None) == Redirect("/dashboard/train")
        assert ROUTER.route("/nowhere", actor()) == Redirect("/404")


class TestGuard:
    def test_a_stranger_is_sent_to_login_and_the_way_back_is_kept(self) -> None:
        assert ROUTER.route("/dashboard/train?a=b", None) == Redirect("/auth/login?next=%2Fdashboard%2Ftrain%3Fa%3Db")

    def test_the_placeholder_address_is_a_stranger(self) -> None:
        assert isinstance(ROUTER.route("/dashboard/train", actor(email="unknown@unknown.com")), Redirect)

    def test_another_role_does_not_learn_that_the_screen_exists(self) -> None:
        assert ROUTER.route("/dashboard/blog/list", actor()) == Redirect("/404")
        assert isinstance(ROUTER.route("/dashboard/blog/list", actor(Role.ADMIN)), Found)

    def test_a_signed_in_user_is_sent_back_where_they_came_from(self) -> None:
        assert ROUTER.route("/auth/login", actor()) == Redirect("/")
        assert ROUTER.route("/auth/login?next=%2Fdashboard%2Ftrain", actor()) == Redirect("/dashboard/train")


@pytest.mark.security(38)
@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", None, "/a\nb", "\t//evil"]
)
def test_the_way_back_stays_inside(path: str | None) -> None:
    assert safe_next(path, default="/home") == "/home"
