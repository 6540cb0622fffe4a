"""The parts that a package can register on the server: routes, tables, settings, translations, icons, and health checks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from fastapi import APIRouter
from httpx import ASGITransport, AsyncClient
from pydantic import Field
from pydantic_settings import SettingsConfigDict
from sqlalchemy import text

from fundwright import hooks
from fundwright.accounts.dependencies import CurrentActor
from fundwright.core.assembly import Core, open_core
from fundwright.core.errors import Invalid, StartRefused
from fundwright.core.health import HealthCheck
from fundwright.core.messages import t, using_language
from fundwright.core.migrations import Migrations
from fundwright.core.plugins import Plugins, hookimpl
from fundwright.core.settings import PackageSettings
from fundwright.core.web import CoreDep
from fundwright_ui import Icon, extension, icon
from fundwright_ui.app import build_app
from tests.support.cores import settings_of

Open = Callable[..., Any]

REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = {down}


def upgrade():
    {statement}
"""
FIRST = REVISION.format(revision="0001", down=None, statement='op.create_table("ring", sa.Column("times", sa.Integer))')
SECOND = REVISION.format(revision="0002", down='"0001"', statement='op.add_column("ring", sa.Column("by", sa.Text))')
GERMAN = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

msgid "Ring the bell"
msgstr "Glocke läuten"

msgid "Cancel"
msgstr "Etwas anderes"
"""


@pytest.fixture
def open_with(database_url: str, tmp_path: Path) -> Open:
    """A Core with these packages and its own database."""

    @asynccontextmanager
    async def opened(*packages: object, **settings: Any) -> AsyncIterator[Core]:
        plugins = Plugins([hooks, extension])
        for package in packages:
            plugins.register(package)
        given = settings_of(database_url, tmp_path).model_copy(update=settings)
        async with open_core(given, plugins) as core:
            yield core

    return opened


@asynccontextmanager
async def browse(core: Core) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(transport=ASGITransport(build_app(core)), base_url="http://localhost") as client:
        yield client


class Routes:
    router = APIRouter()

    @router.get("/api/bell/rings")
    async def count(_core: CoreDep) -> int:  # noqa: N805
        return 7

    @router.get("/api/bell/own")
    async def own(actor: CurrentActor) -> str:  # noqa: N805
        return actor.name

    @hookimpl
    def api_routers(self) -> list[APIRouter]:
        return [self.router]


async def test_what_a_package_keeps_open_is_closed_before_the_services(open_with: Open) -> None:
    noted: list[bool] = []

    async def close(core: Core) -> None:
        async with core.database.reading() as session:
            noted.append(await session.scalar(text("SELECT true")))

    async with open_with() as core:
        core.closing.push_async_callback(close, core)
        assert not noted
    assert noted == [True]


class TestRoutes:
    async def test_are_answered_and_described(self, open_with: Open) -> None:
        async with open_with(Routes()) as core, browse(core) as client:
            assert (await client.get("/api/bell/rings")).json() == 7
            assert (await client.get("/api/bell/own")).status_code == 401
            assert "/api/bell/rings" in (await client.get("/api/openapi.json")).json()["paths"]

    async def test_are_closed_in_maintenance_except_for_health(self, open_with: Open) -> None:
        async with open_with(Routes(), maintenance="Until noon.") as core, browse(core) as client:
            assert (await client.get("/api/bell/rings")).status_code == 503
            assert (await client.get("/api/health")).status_code == 200

    async def test_two_of_one_address_stop_the_start(self, open_with: Open) -> None:
        async with open_with(Routes(), Routes()) as core:
            with pytest.raises(StartRefused, match="Two packages register the API route GET /api/bell/rings"):
                build_app(core)


class Tables:
    def __init__(self, folder: Path, name: str = "bell") -> None:
        self.folder, self.name = folder, name

    @hookimpl
    def migrations(self) -> list[Migrations]:
        return [Migrations(self.name, self.folder)]


@pytest.fixture
def revisions(tmp_path: Path) -> Path:
    folder = tmp_path / "100% of a bell, migrations"
    folder.mkdir()
    (folder / "v0001_ring.py").write_text(FIRST)
    return folder


class TestMigrations:
    async def test_run_at_the_start_and_later_ones_at_a_later_start(
        self, open_with: Open, revisions: Path, database_url: str
    ) -> None:
        own = "SELECT version_num FROM alembic_version"
        with psycopg.connect(database_url, autocommit=True) as connection:
            before = connection.execute(own).fetchall()
            async with open_with(Tables(revisions)):
                connection.execute("INSERT INTO ring (times) VALUES (3)")
            (revisions / "v0002_by.py").write_text(SECOND)
            async with open_with():
                pass  # without the package, its table stays
            async with open_with(Tables(revisions)):
                assert connection.execute('SELECT times, "by" FROM ring').fetchall() == [(3, None)]
            assert connection.execute("SELECT version_num FROM alembic_version_bell").fetchall() == [("0002",)]
            assert connection.execute(own).fetchall() == before

    async def test_tables_of_a_newer_version_stop_the_start(self, open_with: Open, revisions: Path) -> None:
        (revisions / "v0002_by.py").write_text(SECOND)
        async with open_with(Tables(revisions)):
            pass
        (revisions / "v0002_by.py").unlink()
        with pytest.raises(StartRefused, match=r"a newer version of the package bell \(schema 0002\)"):
            async with open_with(Tables(revisions)):
                pass

    @pytest.mark.parametrize("names", [["bell", "bell"], ["a-bell"]])
    async def test_a_name_that_is_taken_or_unusable_stops_the_start(
        self, open_with: Open, revisions: Path, names: list[str]
    ) -> None:
        with pytest.raises(StartRefused, match=f"The name {names[0]} of a package's migrations cannot be used"):
            async with open_with(*(Tables(revisions, name) for name in names)):
                pass


class BellSettings(PackageSettings):
    model_config = SettingsConfigDict(env_prefix="BELL_")

    most: int = Field(default=5, ge=1, description="Most rings at once.")


class WithSettings:
    @hookimpl
    def settings(self) -> list[type[PackageSettings]]:
        return [BellSettings]


class TestSettings:
    async def test_are_read_at_the_start(self, open_with: Open, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BELL_MOST", "9")
        async with open_with(WithSettings()) as core:
            assert core.settings_of(BellSettings).most == 9

    async def test_an_invalid_value_is_reported(self, open_with: Open, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BELL_MOST", "0")
        with pytest.raises(StartRefused, match="The setting BELL_MOST cannot be used: .*greater than or equal to 1"):
            async with open_with(WithSettings()):
                pass


class TestCatalogs:
    async def test_translate_what_fundwright_does_not_say(self, open_with: Open, tmp_path: Path) -> None:
        folder = tmp_path / "locales/de/LC_MESSAGES"
        folder.mkdir(parents=True)
        with (folder / "messages.mo").open("wb") as file:
            write_mo(file, read_po(StringIO(GERMAN)))

        class Translated:
            @hookimpl
            def catalogs(self) -> list[Path]:
                return [tmp_path / "locales"]

        with using_language("de"):
            async with open_with(Translated()):
                assert (t("Ring the bell"), t("Cancel")) == ("Glocke läuten", "Abbrechen")
            async with open_with():
                assert t("Ring the bell") == "Ring the bell"


class TestIcons:
    async def test_are_drawn_and_a_name_that_is_taken_stops_the_start(self, open_with: Open) -> None:
        class Drawn:
            names = ("bell",)

            @hookimpl
            def icons(self) -> list[Icon]:
                return [Icon(name, "M1 2h3z") for name in self.names]

        drawn = Drawn()
        async with open_with(drawn) as core:
            build_app(core)
            assert "M1 2h3z" in str(icon("bell"))
            for names in (("bell", "bell"), ("star",)):
                drawn.names = names
                with pytest.raises(StartRefused, match=f"There already is an icon {names[-1]}"):
                    build_app(core)


class TestHealthChecks:
    async def test_one_that_fails_is_named_but_only_the_log_says_why(self, open_with: Open) -> None:
        failing: list[Exception] = []

        async def check(_core: Core) -> None:
            for error in failing:
                raise error

        class Checked:
            @hookimpl
            def health_checks(self) -> list[HealthCheck]:
                return [HealthCheck("bell", check)]

        async with open_with(Checked()) as core, browse(core) as client:
            assert (await client.get("/api/health")).json() == {"status": "ok"}
            failing.append(Invalid("The password is 7."))
            answer = await client.get("/api/health")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "CheckFailed")
        assert "“bell”" in answer.text and "password" not in answer.text
