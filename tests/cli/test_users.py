"""The commands as scripts call them, but in this process: starting one takes two seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fundwright.cli import app
from fundwright.cli.context import ADDRESS_FILE
from fundwright.core import logs
from fundwright.core.errors import FundwrightError
from tests.support.signing_in import PASSWORD


@pytest.fixture
def fundwright(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns the output of the command, parsed if it is JSON, or the error message if it is expected to fail."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setattr(logs, "configure", lambda **_: None)  # it would be that of every later test

    def call(*arguments: str, stdin: str = "", succeeds: bool = True) -> Any:
        done = CliRunner().invoke(app, ["--data", str(tmp_path), *arguments], input=stdin)
        if not succeeds:
            assert isinstance(done.exception, FundwrightError), done.stderr
            return done.exception.sentence
        assert done.exit_code == 0, done.exception or done.stderr
        return json.loads(done.stdout.splitlines()[-1]) if "--json" in arguments else done.stdout

    return call


class TestUser:
    def test_is_added_listed_disabled_and_reset(self, fundwright: Any) -> None:
        added = fundwright(
            "user", "add", "Ada@example.org", "--role", "admin", "--name", "Ada", "--password-stdin", "--json",
            stdin=PASSWORD + "\n",
        )  # fmt: skip
        assert (added["email"], added["role"], added["name"], added["link"]) == ("ada@example.org", "admin", "Ada", None)
        again = fundwright("user", "add", "ada@example.org", "--password-stdin", stdin=PASSWORD, succeeds=False)
        assert again == "There already exists an account with the given email address."
        reset = fundwright("user", "reset", "ada@example.org", "--json")
        assert reset["link"].startswith("http://127.0.0.1:8000/auth/confirm-reset/")
        assert fundwright("user", "disable", "ada@example.org", "--json")["disabled_at"]
        assert [user["email"] for user in fundwright("user", "list", "--json")["users"]] == ["ada@example.org"]

    def test_loses_a_second_factor(self, fundwright: Any) -> None:
        fundwright("user", "add", "ada@example.org", "--password-stdin", stdin=PASSWORD)
        assert fundwright("user", "remove-second-factor", "Ada@example.org", "--json") == {"email": "ada@example.org"}
        assert "was not found" in fundwright("user", "remove-second-factor", "nobody@example.org", succeeds=False)

    def test_without_a_password_gets_a_link(self, fundwright: Any) -> None:
        assert "/auth/confirm-reset/" in fundwright("user", "add", "ada@example.org")

    def test_links_have_the_address_that_is_served_unless_there_is_a_public_one(
        self, fundwright: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / ADDRESS_FILE).write_text("http://127.0.0.1:8181")
        assert "http://127.0.0.1:8181/auth/confirm-reset/" in fundwright("user", "add", "ada@example.org")
        invited = fundwright("user", "invite", "grace@example.org", "--json")
        assert invited["link"].startswith("http://127.0.0.1:8181/auth/register/team/")
        monkeypatch.setenv("FUNDWRIGHT_PUBLIC_URL", "https://funding.example.org")
        assert fundwright("user", "reset", "ada@example.org", "--json")["link"].startswith("https://funding.example.org/auth/")

    def test_is_invited_by_a_link(self, fundwright: Any) -> None:
        invited = fundwright("user", "invite", "Grace@example.org", "--role", "admin", "--json")
        assert (invited["email"], invited["role"]) == ("grace@example.org", "admin")
        assert invited["link"].startswith("http://127.0.0.1:8000/auth/register/team/")
        assert invited["link"] in fundwright("mail")
        assert fundwright("user", "list", "--json")["users"] == []

    def test_a_weak_password_is_reported_in_one_message(self, fundwright: Any) -> None:
        said = fundwright("user", "add", "ada@example.org", "--password-stdin", stdin="password\n", succeeds=False)
        assert "\n" not in said
        assert "Choose another one" in said


class TestToken:
    def test_is_created_listed_and_revoked(self, fundwright: Any) -> None:
        fundwright("user", "add", "ada@example.org", "--password-stdin", stdin=PASSWORD)
        made = fundwright("token", "create", "nightly", "--scope", "write", "--json")
        assert made["secret"].startswith("fwt_")
        assert [token["name"] for token in fundwright("token", "list", "--json")["tokens"]] == ["nightly"]
        assert fundwright("token", "revoke", made["id"], "--json")["revoked_at"]


class TestKeys:
    def test_are_listed_changed_and_retired(self, fundwright: Any) -> None:
        (first,) = fundwright("keys", "list", "--json")["keys"]
        made = fundwright("keys", "rotate", "--json")
        assert [key["id"] for key in fundwright("keys", "list", "--json")["keys"]] == [first["id"], made["id"]]
        assert fundwright("keys", "list").splitlines()[-1].endswith("signs")
        assert fundwright("keys", "retire", first["id"], "--json") == {"id": first["id"]}
        assert "keys rotate" in fundwright("keys", "retire", made["id"], succeeds=False)
