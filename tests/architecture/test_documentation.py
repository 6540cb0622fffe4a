"""The documentation agrees with the code."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer.main

import fundwright_ui
from fundwright import hooks
from fundwright.accounts import photos
from fundwright.activity import schemas as activity
from fundwright.asking import answering
from fundwright.authentication import api_tokens, sessions, throttle
from fundwright.cli import app
from fundwright.content import schemas as content_schemas
from fundwright.content import service as content
from fundwright.conversation import schemas as conversation
from fundwright.conversation import service as conversation_service
from fundwright.core import edge, health, job_leases, jobs, sweeping, web
from fundwright.core.plugins import GROUP
from fundwright.core.settings import Settings
from fundwright.fit import scoring as fit
from fundwright.generation import claims, editing
from fundwright.generation import schemas as generation_schemas
from fundwright.insights import schemas as insights
from fundwright.language import retrieval
from fundwright.notifications import schemas as notifications
from fundwright.notifications import service as notifying
from fundwright.notifications import unsubscribing
from fundwright.opportunities import importing
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.repository import scoring
from fundwright.pipeline import service as pipeline
from fundwright.reading import archives, recognition, text, word
from fundwright.sharing import opening
from fundwright.templates import schemas as template_schemas
from fundwright.templates import service as templates
from fundwright.training import api as training_api
from fundwright.training import chunking, extraction, pictures
from fundwright.training.repository import searching
from fundwright.trash import schemas as trash
from fundwright.workspaces import additions, support
from fundwright_ui import extension
from fundwright_ui.product import host
from fundwright_ui.runtime import connection, outbox, painted, session, stream
from scripts import tables
from tests.architecture.tree import PROJECT, nodes, python, texts
from tests.support.python_path import python_path

PAGES = sorted(path for path in texts() if path.suffix == ".md" and (path.parts[0] == "docs" or len(path.parts) == 1))
EXTENDING = (PROJECT / "docs/extending.md").read_text()
SCREENS = (PROJECT / "docs/screens.md").read_text()


def hook_names(module: ModuleType) -> list[str]:
    return [name for name, value in vars(module).items() if hasattr(value, f"{GROUP}_spec")]


class TestTables:
    @pytest.mark.parametrize("path", tables.TABLES, ids=lambda path: path.name)
    def test_each_says_what_the_code_declares(self, path: Path) -> None:
        assert path.read_text() == tables.page(path), "Run `make fix`."

    def test_every_setting_says_what_it_does(self) -> None:
        assert [name for name, field in Settings.model_fields.items() if not field.description] == []


class TestHooks:
    def test_there_are_hooks(self) -> None:
        assert len(hook_names(hooks)) >= 6
        assert len(hook_names(extension)) >= 2

    @pytest.mark.parametrize("name", [*hook_names(hooks), *hook_names(extension)])
    def test_each_has_a_section_with_an_example(self, name: str) -> None:
        section = re.search(rf"^### `{name}`\n(.*?)(?=^##|\Z)", EXTENDING, re.MULTILINE | re.DOTALL)
        assert section, f"docs/extending.md has no section on `{name}`."
        assert f"def {name}(" in section[1], f"docs/extending.md shows no example of `{name}`."

    def test_the_types_of_the_examples_are_right(self, tmp_path: Path) -> None:
        examples = re.findall(r"```python\n(.*?)```", EXTENDING, re.DOTALL)
        assert examples
        for number, example in enumerate(examples):
            (tmp_path / f"example_{number}.py").write_text(example)
        paths = [PROJECT / "src", PROJECT / "components", BELL, PARTNERS]
        options = [f"--search-path={path}" for path in paths]
        command = [
            sys.executable,
            "-m",
            "pyrefly",
            "check",
            f"--python-interpreter-path={sys.executable}",
            *options,
            str(tmp_path),
        ]
        checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout


def published(package: Path, *kinds: str) -> list[Path]:
    return sorted(path for path in package.rglob("*") if path.suffix in kinds and path.read_text())


BELL, PARTNERS = PROJECT / "tests/ui/extension", PROJECT / "tests/ui/extension_partners"


class TestWholePackage:
    """The packages in docs/extending.md are those that e2e/journeys/test_extension.py and tests/ui/runtime/test_whole_screen.py
    use."""

    @pytest.mark.parametrize(
        ("package", "file"),
        [(BELL, file) for file in published(BELL, ".py", ".tsx", ".toml", ".json")]
        + [(PARTNERS, file) for file in published(PARTNERS, ".py", ".tsx")],
        ids=lambda path: path.name,
    )
    def test_each_file_is_shown_as_it_is(self, package: Path, file: Path) -> None:
        kind = file.suffix.removeprefix(".").replace("py", "python")
        shown = f"`{file.relative_to(package)}`\n\n```{kind}\n{file.read_text()}```\n"
        assert shown in EXTENDING, f"docs/extending.md shows {file.name} with another content."

    @pytest.mark.parametrize(
        ("files", "most"),
        [
            (published(BELL, ".py"), 60),
            (published(BELL, ".tsx"), 20),
            ([PARTNERS / "fundwright_partners/partners.py"], 90),
            (published(PARTNERS, ".tsx"), 30),
        ],
    )
    def test_it_is_small(self, files: list[Path], most: int) -> None:
        assert 0 < sum(len(file.read_text().splitlines()) for file in files) <= most

    @pytest.mark.parametrize(("folder", "script"), [(BELL, "bell"), (PARTNERS, "fold")], ids=["bell", "partners"])
    @pytest.mark.slow
    def test_its_types_and_its_script_follow_from_its_sources(self, tmp_path: Path, folder: Path, script: str) -> None:
        package = tmp_path / "extension"
        shutil.copytree(folder, package)
        (tmp_path / "node_modules").symlink_to(PROJECT / "node_modules")
        (sources,) = package.glob("fundwright_*")
        written = {name: (sources / name).read_text() for name in ("widgets.d.ts", f"{script}.js")}
        for name in written:
            (sources / name).unlink()
        environment = {**os.environ, **python_path(package)}
        for command in (
            [sys.executable, "-m", "fundwright_ui.widgets.typescript", f"{sources.name}.plugin"],
            [str(PROJECT / "node_modules/.bin/tsc")],
        ):
            subprocess.run(command, cwd=package, env=environment, check=True)
        assert {name: (sources / name).read_text() for name in written} == written


class TestPublicNames:
    @pytest.mark.parametrize("name", fundwright_ui.__all__)
    def test_each_says_what_it_does_and_is_in_the_documentation(self, name: str) -> None:
        assert (getattr(fundwright_ui, name).__doc__ or "").strip(), f"{name} has no docstring."
        assert re.search(rf"`{name}\b", SCREENS), f"docs/screens.md does not name {name}."

    def test_importing_it_costs_the_command_line_nothing(self) -> None:
        program = (
            "import sys, fundwright_ui.plugin; from fundwright_ui import SidebarEntry, WebModule; print('reactpy' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "False"


class TestPageObjects:
    def test_they_import_playwright_alone(self) -> None:
        """docs/scripting.md recommends them for use by others."""
        allowed = {*sys.stdlib_module_names, "playwright"}
        wrong = [
            f"{path}: {name}"
            for path, tree in python("e2e/pages")
            for node in nodes(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
            if name.partition(".")[0] not in allowed and not name.startswith("e2e.pages")
        ]
        assert wrong == []


class TestLinks:
    @pytest.mark.parametrize("document", PAGES, ids=str)
    def test_each_leads_to_a_file(self, document: Path) -> None:
        path = PROJECT / document
        targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)", path.read_text())
        assert [target for target in targets if not (path.parent / target).exists()] == []

    def test_every_page_is_in_the_index(self) -> None:
        indexes = {"docs": "index.md", "docs/decisions": "README.md"}
        assert [
            str(page)
            for page in PAGES
            if (index := indexes.get(page.parent.as_posix()))
            and page.name != index
            and f"({page.name})" not in (PROJECT / page.parent / index).read_text()
        ] == []

    def test_decisions_are_numbered_without_gaps(self) -> None:
        numbers = [int(page.name[:4]) for page in PAGES if page.parent.name == "decisions" and page.name != "README.md"]
        assert numbers == list(range(1, len(numbers) + 1))


IN_WORDS = {"a minute": 60.0, "eleven": 11.0}


class TestFigures:
    def test_no_page_counts_the_promises(self) -> None:
        """The number went stale on two pages at once; `make security` lists them."""
        counted = re.compile(r"\b\d+ (?:security )?promises\b")
        assert [str(page) for page in PAGES if page.name != "CHANGELOG.md" and counted.search((PROJECT / page).read_text())] == []

    def test_the_crashes_of_a_job_are_those_of_the_code(self) -> None:
        page = (PROJECT / "docs/running.md").read_text()
        assert re.findall(r"A job that ends its process (\S+) times", page) == [str(jobs._MAX_ATTEMPTS)]

    @pytest.mark.parametrize(
        ("page", "sentence", "figure"),
        [
            ("account.md", r"WebP file of at most (\d+) MB", photos.MAX_BYTES / 1_000_000),
            ("account.md", r"An account has at most (\d+) valid tokens", api_tokens._MAX_API_TOKENS),
            ("account.md", r"cropped to a square of (\d+) pixels", photos._SIDE_PIXELS),
            ("account.md", r"and can create (\d+) a minute", api_tokens.CREATED_BY_ONE[0].most),
            ("account.md", r"a minute and (\d+) an hour", api_tokens.CREATED_BY_ONE[1].most),
            ("blog.md", r"newest first, (eleven) per page", content_schemas.BLOG_STEP),
            ("blog.md", r"An account can send (\d+) messages within 24 hours", content._FEEDBACK_PER_DAY),
            ("drafting.md", r"A section can have at most ([\d,]+) characters", generation_schemas._MAX_CHARACTERS),
            ("drafting.md", r"The first ([\d,]+) characters of a draft are checked", claims._MAX_CHECKED_CHARACTERS),
            ("drafting.md", r"a draft has at most (\d+) sections", editing._MAX_SECTIONS),
            ("drafting.md", r"Rows with more than (\d+) values", claims.MAX_VALUES),
            ("drafting.md", r"A workspace can make up to (\d+) of its own", templates.MOST_TEMPLATES),
            ("drafting.md", r"a description, and up to (\d+) sections", template_schemas.MOST_SECTIONS),
            ("drafting.md", r"- up to (\d+) questions", template_schemas.MOST_QUESTIONS),
            ("drafting.md", r"The first (\d+) claims of a section", claims._MAX_CLAIMS),
            ("fit.md", r"not eligible scores at most (\d+)", fit.MOST_IF_INELIGIBLE),
            ("fit.md", r"open to all \((\d+)% if only a part", fit._PART_OF_SET_ASIDE * 100),
            ("fit.md", r"\((\d+)% in the same industry group", fit.SAME_GROUP * 100),
            ("fit.md", r"industry group, (\d+)% in the same sector", fit.SAME_SECTOR * 100),
            ("fit.md", r"\| (\d+) days or more \|", fit.ENOUGH_DAYS),
            ("glossary.md", r"restored for (\d+) days", trash.KEPT.days),
            ("glossary.md", r"deleted in the last (\d+) days", trash.KEPT.days),
            ("importing.md", r"needs more than (\d+) MB of memory", importing.LIMITS.memory_bytes / 1_000_000),
            ("importing.md", r"returns nothing for (\d+) minutes", importing.LIMITS.silent_seconds / 60),
            ("importing.md", r"kept as text, with the first (\d+) and", opportunities._REPORTED_REJECTIONS),
            ("insights.md", r"a period of at most (\d+) days", insights.KEPT_DAYS),
            ("insights.md", r"deleted after (\d+) days", insights.KEPT_DAYS),
            ("insights.md", r"each of the next (\d+) weeks", opportunities._SHOWN_WEEKS),
            ("notifications.md", r"It is deleted after (\d+) days", notifications.KEPT.days),
            ("notifications.md", r"The link is valid for (\d+) days", unsubscribing._VALID.days),
            ("notifications.md", r"An account can cause (\d+) notifications a minute", notifying.TOLD_BY_ONE[0].most),
            ("notifications.md", r"a minute and (\d+) an hour for others", notifying.TOLD_BY_ONE[1].most),
            ("pipeline.md", r"sorted by due date, (\d+) at first in each", pipeline.SHOWN),
            ("running.md", r"no email has waited for more than (\d+) minutes", health._MOST_WAITING_MAIL_S / 60),
            ("running.md", r"its result is valid for (\d+) seconds", health._READINESS_LASTS_S),
            ("running.md", r"no more heartbeats. After (a minute), another worker takes its jobs", job_leases.LEASE_S),
            ("running.md", r"ends such a job after (\d+) seconds", job_leases.STALLED_S),
            ("running.md", r"At most (\d+) requests of each account", edge._MOST_ARRIVING),
            ("running.md", r"opens (\d+) pages at a time", host._PAGES_AT_ONCE),
            ("running.md", r"at most (\d+) of one account, so", host._PAGES_OF_EACH),
            ("running.md", r"a page of a PDF document to show \| (\d+) seconds", pictures.LIMITS.total_seconds),
            (
                "running.md",
                r"a page of a PDF document to show \| \d+ seconds \| (\d+) MB",
                pictures.LIMITS.memory_bytes / 1_000_000,
            ),
            ("running.md", r"a profile photo \| (\d+) seconds", photos.LIMITS.total_seconds),
            ("running.md", r"a profile photo \| \d+ seconds \| (\d+) MB", photos.LIMITS.memory_bytes / 1_000_000),
            ("running.md", r"a document to train \| \d+ minutes; (\d+) minute without", extraction.LIMITS.silent_seconds / 60),
            ("runtime-protocol.md", r"on up to (\d+) s", connection._LONGEST_RETRY_S),
            (
                "runtime-protocol.md",
                r"The server keeps unconfirmed frames, at most (\d+) MB",
                outbox._MAX_KEPT_BYTES / 1_000_000,
            ),
            ("runtime-protocol.md", r"At most (\d+) handlers of a page run", session._MAX_HANDLERS_AT_ONCE),
            ("runtime-protocol.md", r"has been running for (\d+) ms", session._HEAD_START_S * 1_000),
            ("runtime-protocol.md", r"\| a frame of the page \| ([\d ]+) characters", session._MAX_FRAME_CHARACTERS),
            ("runtime-protocol.md", r"\| events of a page \| (\d+) waiting", session._MAX_WAITING_EVENTS),
            ("runtime-protocol.md", r"for the page to receive them \| ([\d ]+) \|", session._MAX_UNSENT_FRAMES),
            ("runtime-protocol.md", r"for the server to read them \| ([\d ]+), with 8 MB", stream._MAX_WAITING_FRAMES),
            ("runtime-protocol.md", r"read them \| 1 000, with (\d+) MB of memory", stream._MAX_WAITING_BYTES / 1_000_000),
            ("runtime-protocol.md", r"that are waiting \| (\d+) MB per session", stream._MAX_WAITING_BYTES_OF_OWNER / 1_000_000),
            ("runtime-protocol.md", r"signed out; (\d+) MB and 64 MB in all", stream._MAX_WAITING_BYTES_OF_SESSIONS / 1_000_000),
            ("runtime-protocol.md", r"128 MB and (\d+) MB in all", stream._MAX_WAITING_BYTES_OF_VISITORS / 1_000_000),
            ("runtime-protocol.md", r"that wait for their socket \| (\d+) per account", painted._MAX_PAGES_PER_ACCOUNT),
            ("runtime-protocol.md", r"per account, (\d+) in all, 10 s each", painted._MAX_PAGES),
            ("runtime-protocol.md", r"in all, (\d+) s each, documents", painted._KEPT_S),
            ("runtime-protocol.md", r"one per line; up to (\d+) of them", stream._MAX_FRAMES_OF_POST),
            ("runtime-protocol.md", r"a comment every (\d+) s,", stream._COMMENT_EVERY_S),
            ("runtime-protocol.md", r"the rate is (\d+) kB per second", stream._FORWARDED_BYTES_PER_S / 1_000),
            ("runtime-protocol.md", r"earlier ones are more than (\d+) s ahead", stream._MAX_FORWARDING_DEBT_S),
            ("scripting.md", r"A request body can have up to (\d+) MB", web._MAX_BODY_BYTES / 1_000_000),
            ("scripting.md", r"pasted text for training can have up to (\d+) MB", training_api._MAX_TEXT_BYTES / 1_000_000),
            ("searching.md", r"When more than ([\d,]+) notices have all of your words", scoring.MOST_COUNTED),
            ("sharing.md", r"plain text of up to ([\d,]+) characters", conversation.MOST_CHARACTERS_OF_GUESTS),
            ("sharing.md", r"at most (\d+) in ten minutes for each link", opening._COMMENT_LIMITS[0]),
            ("sharing.md", r"for each link and (\d+) for each network address", opening._COMMENT_LIMITS[1]),
            ("sharing.md", r"network address, and (\d+) for each link", conversation_service.MOST_OF_GUESTS),
            ("signing-in.md", r"the rest of it after (\d+) days", sweeping._KEPT.days),
            ("signing-in.md", r"wrong code within (\d+) minutes", throttle.WINDOW.seconds / 60),
            ("signing-in.md", r"pauses codes for (\d+) minutes", throttle.BAN.seconds / 60),
            ("signing-in.md", r"wrong password within (\d+) minutes", throttle.WINDOW.seconds / 60),
            ("signing-in.md", r"account with a password for (\d+) minutes", throttle.BAN.seconds / 60),
            ("signing-in.md", r"An account has at most (\d+) known devices", sessions._MAX_KNOWN_DEVICES),
            ("training.md", r"is larger than (\d+) MB when unpacked", word._MAX_UNPACKED_BYTES / 1_000_000),
            ("training.md", r"to more than (\d+) MB of text or HTML", text._MAX_TEXT_BYTES / 1_000_000),
            ("training.md", r"an XML part of more than (\d+) MB", word._MAX_PART_BYTES / 1_000_000),
            ("training.md", r"that takes more than (\d+) minutes", extraction.LIMITS.total_seconds / 60),
            ("training.md", r"needs more than (\d+) GB of memory", extraction.LIMITS.memory_bytes / 1_000_000_000),
            ("training.md", r"contains more than (\d+) MB of text", extraction.LIMITS.output_bytes / 1_000_000),
            ("training.md", r"No passage is longer than ([\d,]+) characters", chunking.MAX_CHARACTERS),
            ("training.md", r"Accounts with up to ([\d,]+) passages are searched exactly", searching._EXACT_LIMIT),
            ("training.md", r"At most (\d+) pages of a document are recognized", recognition._MOST_PICTURES),
            ("training.md", r"and none after (\d+) seconds", recognition._MOST_S),
            ("training.md", r"more than ([\d,]+) files in a ZIP file", archives._MOST_FILES),
            ("training.md", r"passages of about (\d+) words along", chunking._WORDS),
            ("training.md", r"an overlap of about (\d+) words", chunking._OVERLAP_WORDS),
            ("training.md", r"Two searches return the best (\d+) passages each", retrieval.DEPTH),
            ("training.md", r"with a weight of (\d+)% for words", retrieval.PASSAGE_WORDS * 100),
            ("training.md", r"In accounts with more than ([\d,]+) passages", searching._CANDIDATES),
            ("training.md", r"with a score of less than ([\d.]+) of 2", answering.MIN_SCORE),
            ("trash.md", r"where they stay for (\d+) days", trash.KEPT.days),
            ("trash.md", r"in the trash for (\d+) days", trash.KEPT.days),
            ("trash.md", r"the deletion after (\d+) days", trash.KEPT.days),
            ("workspaces.md", r"Entries are removed after (\d+) days", activity.KEPT.days),
            ("workspaces.md", r"Comments are plain text of up to ([\d,]+) characters", conversation.MOST_CHARACTERS),
            ("workspaces.md", r"At most (\d+) invitations are sent to an address", throttle.EMAILS_PER_ACCOUNT),
            ("workspaces.md", r"in 10 minutes, and (\d+) from a network address", throttle.EMAILS_PER_ADDRESS),
            ("workspaces.md", r"write or change (\d+) comments a minute", conversation_service.WRITTEN_BY_ONE[0].most),
            ("workspaces.md", r"comments a minute and (\d+) an hour", conversation_service.WRITTEN_BY_ONE[1].most),
            ("workspaces.md", r"at most ([\d,]+) tasks,", additions.MOST_ADDED),
            ("workspaces.md", r"An account can add ([\d,]+) of them in an hour", additions.ADDED_BY_ONE[0].most),
            ("workspaces.md", r"grant support access (\d+) times in an hour", support.GRANTED_BY_ONE[0].most),
        ],
    )
    def test_a_limit_is_that_of_the_code(self, page: str, sentence: str, figure: float) -> None:
        words = " ".join((PROJECT / "docs" / page).read_text(encoding="utf-8").split())
        found = {IN_WORDS[each] if each in IN_WORDS else float(re.sub("[, ]", "", each)) for each in re.findall(sentence, words)}
        assert found == {figure}

    def test_no_page_counts_parts_of_the_code(self) -> None:
        """Such as tests, routes, and screens: nobody updates these numbers."""
        counted = re.compile(
            r"\b\d[\d,]* "
            r"(?:tests|mutants|routes|screens|widgets|migrations|slices|hooks|job kinds|decisions|modules|contracts of imports)\b",
            re.IGNORECASE,
        )
        pages = [page for page in PAGES if page.name != "CHANGELOG.md" and page.parent.name != "decisions"]
        found = {str(page): each for page in pages if (each := counted.findall((PROJECT / page).read_text(encoding="utf-8")))}
        assert found == {}


class TestNamedParts:
    @pytest.mark.parametrize(
        "document", [page for page in PAGES if page.name != "CHANGELOG.md" and page.parent.name != "decisions"], ids=str
    )
    def test_make_targets_and_commands_exist(self, document: Path) -> None:
        text = (PROJECT / document).read_text()
        targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
        named = set(re.findall(r"(?:`|^|&& )make ([a-z-]+)", text, re.MULTILINE))
        assert named - targets == set()
        commands = typer.main.get_group(app).commands
        called = set(re.findall(r"(?:`|^|\$ )fundwright(?: --data \S+| --user \S+)* ([a-z-]+)", text, re.MULTILINE))
        assert called - commands.keys() == set()

    def test_files_in_the_map_of_the_code_exist(self) -> None:
        page = (PROJECT / "docs/architecture.md").read_text()
        named = set(re.findall(r"`((?:[\w.-]+/)*[\w-]+(?:\.(?:py|ts|tsx|md|toml)|/))`", page))
        assert len(named) > 40
        places = "\n".join(f"/{path}\n" for path in texts())
        assert [name for name in sorted(named) if f"/{name}" not in places] == []

    def test_ten_behaviors_have_their_place(self) -> None:
        _, _, table = (PROJECT / "docs/architecture.md").read_text().partition("## Where ten behaviors live")
        rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ") and "---" not in line][1:]
        assert len(rows) == 10
        assert all(re.search(r"`[\w/]+\.(?:py|ts)`", where) for _, where in rows)
