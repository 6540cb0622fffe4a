from __future__ import annotations

import json

import pytest
from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict
from typer.testing import CliRunner

from fundwright import cli
from fundwright.cli import settings
from fundwright.cli.context import load_plugins
from fundwright.core.plugins import Plugins, hookimpl
from fundwright.core.settings import PackageSettings


class BellSettings(PackageSettings):
    model_config = SettingsConfigDict(env_prefix="BELL_")

    most: int = 5
    key: SecretStr = SecretStr("")


class WithSettings:
    @hookimpl
    def settings(self) -> list[type[PackageSettings]]:
        return [BellSettings]


def plugins() -> Plugins:
    found = load_plugins()
    found.register(WithSettings())
    return found


def test_all_are_listed_those_of_packages_too_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "load_plugins", plugins)
    monkeypatch.setenv("FUNDWRIGHT_PORT", "9123")
    monkeypatch.setenv("BELL_MOST", "7")
    monkeypatch.setenv("BELL_KEY", "do-not-tell")
    done = CliRunner().invoke(cli.app, ["settings", "--json"])
    found = json.loads(done.output)
    assert (found["FUNDWRIGHT_PORT"], found["BELL_MOST"], found["BELL_KEY"]) == (9123, 7, "(secret)")
    lines = CliRunner().invoke(cli.app, ["settings"]).output
    assert "FUNDWRIGHT_PORT=9123\n" in lines and "do-not-tell" not in lines
