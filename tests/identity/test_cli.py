"""The commands as scripts call them: in processes of their own, on one data folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.identity.conftest import PASSWORD


@pytest.fixture
def fundwright(database_url: str, tmp_path: Path) -> Any:
    def call(*arguments: str, stdin: str = "", succeeds: bool = True) -> Any:
        done = subprocess.run(
            [sys.executable, "-c", "from fundwright.cli import main; main()", "--data", str(tmp_path), *arguments],
            input=stdin, capture_output=True, text=True, check=False, env={**os.environ, "DATABASE_URL": database_url},
        )  # fmt: skip
        assert (done.returncode == 0) is succeeds, done.stderr
        if not succeeds:
            return done.stderr
        return json.loads(done.stdout.splitlines()[-1]) if "--json" in arguments else done.stdout

    return call


@pytest.mark.slow
class TestUser:
    def test_is_added_listed_disabled_and_reset(self, fundwright: Any) -> None:
        added = fundwright(
            "user", "add", "Ada@example.org", "--role", "admin", "--name", "Ada", "--password-stdin", "--json",
            stdin=PASSWORD + "\n",
        )  # fmt: skip
        assert (added["email"], added["role"], added["name"], added["link"]) == ("ada@example.org", "admin", "Ada", None)
        again = fundwright("user", "add", "ada@example.org", "--password-stdin", stdin=PASSWORD, succeeds=False)
        assert again.strip() == "There already exists an account with the given email address."
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

    def test_is_invited_by_a_link(self, fundwright: Any) -> None:
        invited = fundwright("user", "invite", "Grace@example.org", "--role", "viewer", "--json")
        assert (invited["email"], invited["role"]) == ("grace@example.org", "viewer")
        assert invited["link"].startswith("http://127.0.0.1:8000/auth/register/team/")
        assert invited["link"] in fundwright("mail")
        assert fundwright("user", "list", "--json")["users"] == []

    def test_a_weak_password_is_one_sentence(self, fundwright: Any) -> None:
        said = fundwright("user", "add", "ada@example.org", "--password-stdin", stdin="password\n", succeeds=False)
        assert said.count("\n") == 1
        assert "Choose another one" in said


@pytest.mark.slow
class TestToken:
    def test_is_created_listed_and_revoked(self, fundwright: Any) -> None:
        fundwright("user", "add", "ada@example.org", "--password-stdin", stdin=PASSWORD)
        made = fundwright("token", "create", "nightly", "--scope", "write", "--json")
        assert made["secret"].startswith("fwt_")
        assert [token["name"] for token in fundwright("token", "list", "--json")["tokens"]] == ["nightly"]
        assert fundwright("token", "revoke", made["id"], "--json")["revoked_at"]


@pytest.mark.slow
class TestKeys:
    def test_are_listed_changed_and_retired(self, fundwright: Any) -> None:
        (first,) = fundwright("keys", "list", "--json")["keys"]
        made = fundwright("keys", "rotate", "--json")
        assert [key["id"] for key in fundwright("keys", "list", "--json")["keys"]] == [first["id"], made["id"]]
        assert fundwright("keys", "list").splitlines()[-1].endswith("signs")
        assert fundwright("keys", "retire", first["id"], "--json") == {"id": first["id"]}
        assert "keys rotate" in fundwright("keys", "retire", made["id"], succeeds=False)
