"""Command forms that external scripts rely on, with a server running on the same data folder."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import typer.core
import typer.main
from docx import Document
from typer.testing import CliRunner

from e2e.pages.polling import eventually
from fundwright.cli import app
from fundwright.cli.context import load_plugins
from fundwright.core import logs
from fundwright.core.postgres import EmbeddedPostgres
from fundwright.training import adding
from tests.opportunities.files import grants_file, grants_row, nih_row, notice_id, sam_file, sam_row

pytestmark = pytest.mark.slow

_PROJECT = Path(__file__).parents[2]
_EMAIL, _PASSWORD = "ada@example.org", "correct horse battery staple 7"
_PROFILE = (
    "# Capability profile\n\n## Services\n\nWe offer roof repair services and have the technical capabilities to replace "
    "shingles, gutters and flashing on occupied buildings.\n"
)


class Shell:
    """Runs `fundwright` on one data folder, in a separate process where that matters."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.environment = {**os.environ, "FUNDWRIGHT_MODELS": str(_PROJECT / "var/models")}
        self.environment.pop("DATABASE_URL", None)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "fundwright", "--data", str(self.data), *arguments]

    def run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self.command(*arguments), input=stdin, capture_output=True, check=False, env=self.environment, timeout=60
        )

    def answer(self, *arguments: str, stdin: bytes = b"") -> Any:
        """The JSON object in the last line of a successful command."""
        done = self.run(*arguments, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout.decode().splitlines()[-1])

    def quick(self, *arguments: str, stdin: bytes = b"") -> Any:
        """Like `answer`, but in this process, which saves two seconds."""
        given = ["--data", str(self.data), *arguments, "--json"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(logs, "configure", lambda **_: None)  # it would be that of every later test
            done = CliRunner().invoke(app, given, input=stdin, env={**self.environment, "DATABASE_URL": None})
        assert done.exit_code == 0, done.exception or done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def refusal(self, *arguments: str, stdin: bytes = b"") -> str:
        """The error message of a failed command."""
        done = self.run(*arguments, stdin=stdin)
        said = done.stderr.decode()
        assert done.returncode == 1, said
        assert said.count("\n") == 1, said
        assert re.fullmatch(r"\S.*[.…]", said.strip()), said
        return said.strip()


def counts(report: dict[str, int]) -> tuple[int, int, int, int]:
    return report["new"], report["changed"], report["unchanged"], report["rejected"]


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A data folder with a running server and one account."""
    shell = Shell(tmp_path_factory.mktemp("data"))
    log = shell.data / "server.log"
    with log.open("w") as errors:
        server = subprocess.Popen(
            shell.command("serve", "--port", str(free_port())), stdout=subprocess.PIPE, stderr=errors, env=shell.environment
        )
    assert server.stdout
    try:
        for line in server.stdout:
            if b"Fundwright is at" in line:
                break
        else:
            pytest.fail(f"The server ended ({server.wait()}): {log.read_text()}")
        added = shell.quick(
            "user", "add", _EMAIL, "--role", "user", "--name", "Ada", "--password-stdin", stdin=f"{_PASSWORD}\n".encode()
        )
        assert (added["email"], added["name"], added["role"]) == (_EMAIL, "Ada", "user")
        yield shell
        assert server.poll() is None, "the server ended while the commands ran"
    finally:
        server.terminate()
        server.wait(timeout=20)


class TestImport:
    def test_sam_from_a_path_packed_and_from_standard_input(self, shell: Shell, tmp_path: Path) -> None:
        content = sam_file(*(sam_row(NoticeId=notice_id(number), **{"Sol#": f"W91-{number}"}) for number in range(3)))
        path, packed = tmp_path / "sam.csv", tmp_path / "sam.csv.gz"
        path.write_bytes(content)
        packed.write_bytes(gzip.compress(content))
        assert counts(shell.quick("import", "sam", str(path))) == (3, 0, 0, 0)
        assert counts(shell.quick("import", "sam", str(packed))) == (0, 0, 3, 0)
        assert counts(shell.quick("import", "sam", "-", stdin=content)) == (0, 0, 3, 0)

    def test_needs_no_account_and_is_in_the_audit_trail(self, tmp_path: Path) -> None:
        shell, path = Shell(tmp_path / "data"), tmp_path / "sam.csv"
        path.write_bytes(sam_file(sam_row(NoticeId=notice_id(60))))
        assert shell.quick("import", "sam", str(path))["new"] == 1
        with EmbeddedPostgres(shell.data).use() as url, psycopg.connect(url) as connection:
            line = "SELECT actor_email, subject, address FROM audit_entry WHERE action = 'import.started'"
            assert connection.execute(line).fetchall() == [(None, "sam.csv", "command line")]

    def test_grants_and_nih(self, shell: Shell, tmp_path: Path) -> None:
        grants, nih = tmp_path / "grants.xml", tmp_path / "nih.jsonl"
        grants.write_bytes(grants_file(grants_row(("OpportunityID", "351001"))))
        nih.write_text(json.dumps(nih_row(opportunity_id="nih-1", number="PAR-26-199")) + "\n")
        assert shell.quick("import", "grants", str(grants))["new"] == 1
        assert shell.quick("import", "nih", str(nih))["new"] == 1

    def test_unreadable_rows_are_listed_and_the_rest_is_imported(self, shell: Shell, tmp_path: Path) -> None:
        path = tmp_path / "mixed.csv"
        read = sam_row(NoticeId=notice_id(50), ResponseDeadLine="when ready")
        path.write_bytes(sam_file(read, sam_row(NoticeId=notice_id(51), PostedDate="soon")))
        done = shell.run("import", "sam", str(path))
        assert done.returncode == 0
        assert "mixed.csv: 1 new, 0 changed, 0 unchanged, 1 rejected." in done.stdout.decode()
        assert "mixed.csv, line 3, column PostedDate: " in done.stdout.decode()
        assert "1 deadline is not a date and was kept as text: line 2 “when ready”" in done.stdout.decode()

    def test_a_file_of_which_nothing_can_be_read_fails(self, shell: Shell, tmp_path: Path) -> None:
        path, broken = tmp_path / "sam.csv", tmp_path / "broken.jsonl"
        path.write_bytes(sam_file(sam_row(NoticeId=notice_id(52), PostedDate="soon")))
        done = shell.run("import", "sam", str(path), "--json")
        assert done.returncode == 1
        (rejection,) = json.loads(done.stdout.decode().splitlines()[-1])["rejections"]
        assert (rejection["line"], rejection["column"]) == (2, "PostedDate")
        broken.write_text("not JSON\n")
        assert shell.refusal("import", "sam", str(broken)).startswith("broken.jsonl: This is not a SAM.gov bulk file")
        assert shell.refusal("import", "nih", str(broken)).startswith(
            "broken.jsonl: This file does not contain one JSON object per line"
        )

    def test_an_interrupted_one_stops_says_how_to_continue_and_the_same_command_does(self, tmp_path: Path) -> None:
        shell, path = Shell(tmp_path / "data"), tmp_path / "long.csv"
        shell.quick("user", "add", _EMAIL, "--role", "user", "--name", "Ada", "--password-stdin", stdin=f"{_PASSWORD}\n".encode())
        path.write_bytes(sam_file(*(sam_row(NoticeId=notice_id(1_000 + number), Title="Pier") for number in range(20_000))))
        query = "SELECT j.state, r.new FROM job j JOIN import_run r ON r.job_id = j.id WHERE r.filename = 'long.csv'"
        with (
            EmbeddedPostgres(shell.data).use() as url,
            psycopg.connect(url, autocommit=True) as connection,
            subprocess.Popen(shell.command("import", "sam", str(path)), stderr=subprocess.PIPE, env=shell.environment) as process,
        ):

            def has_begun() -> bool | None:
                assert process.poll() is None
                return bool((connection.execute(query).fetchone() or ("", 0))[1]) or None

            eventually(has_begun)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=20)[1].decode()
            state, new = connection.execute(query).fetchone() or ("", 0)
        assert process.returncode == 130
        assert said == "\nCanceled. Opportunities imported so far were kept. Run the command again to import the rest.\n"
        assert (state, 0 < new < 20_000) == ("canceled", True)
        assert counts(shell.quick("import", "sam", str(path))) == (20_000 - new, 0, new, 0)

    def test_a_missing_file_is_reported_in_one_message(self, shell: Shell, tmp_path: Path) -> None:
        assert "There is no file" in shell.refusal("import", "sam", str(tmp_path / "none.csv"), "--json")

    def test_a_name_that_is_not_utf_8_is_shown_with_replacement_characters(self, shell: Shell, tmp_path: Path) -> None:
        path = os.fsencode(tmp_path / "sam-") + b"\xff\n.csv"
        Path(os.fsdecode(path)).write_bytes(sam_file(sam_row(NoticeId=notice_id(61))))
        done = shell.run("import", "sam", os.fsdecode(path))
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout.decode().startswith("sam-\ufffd\ufffd.csv: 1 new, 0 changed, 0 unchanged, 0 rejected.\n")
        assert not [
            kept for kept in (shell.data / "files").rglob("*") if kept.is_file() and kept.read_bytes().startswith(b"NoticeId")
        ]


class TestMainJob:
    def test_train_names_what_is_not_a_file(self, shell: Shell, tmp_path: Path) -> None:
        done = shell.run("train", str(tmp_path / "nowhere.pdf"), str(tmp_path))
        said = done.stdout.decode()
        assert done.returncode == 1
        assert "nowhere.pdf. Check the name" in said
        assert "is a folder. Specify the files in it" in said
        assert "Trained" not in said

    def test_train_search_draft_and_categorize(self, shell: Shell, tmp_path: Path) -> None:
        profile, broken = tmp_path / "profile.md", tmp_path / "broken.pdf"
        profile.write_text(_PROFILE)
        broken.write_bytes(b"%PDF-1.4 nothing")
        trained = shell.answer("train", str(profile), str(broken))
        assert (trained["documents"], trained["chunks"]) == (1, 1)
        assert [failure["title"] for failure in trained["failed"]] == ["broken"]
        assert "broken.pdf" in trained["failed"][0]["reason"]
        assert trained["run_id"]
        (passage,) = shell.answer("search", "roof repair")["answers"]
        assert "replace shingles" in " ".join(passage["text"].split())
        assert {"document_title", "score", "page"} <= passage.keys()
        assert passage["document_title"] == "Capability profile"
        nothing = shell.run("search", "quasar spectroscopy of distant galaxies").stdout.decode()
        assert nothing.startswith("Your documents don't answer this. Closest:\n\nCapability profile\n")

        shell.quick("import", "sam", "-", stdin=sam_file(sam_row(NoticeId=notice_id(77), **{"Sol#": "W91-77"})))
        start = ("draft", "--opportunity", notice_id(77), "--template", "capability-statement")
        assert "There is no document named “prices”" in shell.refusal(*start, "--document", "prices", "--json")
        assert "There is no folder" in shell.refusal(*start, "--output", str(tmp_path / "no/draft.docx"), "--json")
        file = tmp_path / "draft.docx"
        written = shell.answer(*start, "--document", "capability profile", "--company", "Hill Roofing LLC", "--output", str(file))
        assert any("We offer roof repair services" in paragraph.text for paragraph in Document(str(file)).paragraphs)
        assert written["state"] == "finished"
        assert "We offer roof repair services" in written["text"]
        assert [citation["number"] for citation in written["citations"]] == [1]
        assert [section["heading"] for section in written["sections"]][:2] == ["Core competencies", "Past performance"]
        assert {"id", "slug", "title", "writer", "open"} <= written.keys()
        poem = shell.refusal("draft", "--opportunity", "w91-77", "--template", "poem", "--json")
        assert "Choose one of these: capability-statement" in poem
        listed = shell.answer("templates", "list")["templates"]
        assert [each["name"] for each in listed] == ["capability-statement", "project-summary", "cover-letter"]
        assert {"labeled", "kept", "unchanged", "abstained"} <= shell.answer("categorize").keys()

    def test_fit_says_what_counts_and_what_is_unknown(self, shell: Shell) -> None:
        shell.quick("import", "sam", "-", stdin=sam_file(sam_row(NoticeId=notice_id(78), **{"Sol#": "W91-78"})))
        scored = shell.quick("fit", "w91-78")
        assert "The notice has no NAICS code." in [part["reason"] for part in scored["parts"]]
        said = shell.run("fit", "w91-78").stdout.decode()
        first = "No score yet" if scored["score"] is None else f"{scored['score']} of 100"
        assert said.startswith(f"{first}\nNAICS code: not counted. The notice has no NAICS code.\n")

    def test_an_impossible_action_is_reported_in_one_message(self, shell: Shell) -> None:
        draft = ("draft", "--json", "--opportunity")
        assert "There is no opportunity “W00”" in shell.refusal(*draft, "W00", "--template", "cover-letter")
        unknown = shell.refusal("--user", "bob@example.org", "search", "roofs", "--json")
        assert unknown.startswith("There is no account bob@example.org. Add it with")


def special_files(folder: Path) -> dict[str, str]:
    """Paths that are not regular files, and the end of each error message."""
    os.mkfifo(folder / "pipe.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    return {
        str(folder / "pipe.csv"): "pipe.csv is a pipe or a device. Save its content to a file and specify that file.",
        "/dev/zero": "/dev/zero is a pipe or a device. Save its content to a file and specify that file.",
        str(folder / "loop.csv"): "loop.csv cannot be read: Too many levels of symbolic links. Check the name and try again.",
        str(folder / ("x" * 256)): "cannot be read: File name too long. Check the name and try again.",
        str(folder / "gone-\udcff\x1b.csv"): "gone-\ufffd\ufffd.csv. Check the name and try again.",
        str(folder): "is a folder. Specify the files in it instead.",
    }


class TestSpecialFiles:
    def test_are_refused_by_import_with_one_message(self, shell: Shell, tmp_path: Path) -> None:
        for name, said in special_files(tmp_path).items():
            assert shell.refusal("import", "sam", name).endswith(said)

    def test_are_named_by_train_and_the_rest_continues(self, shell: Shell, tmp_path: Path) -> None:
        refused = special_files(tmp_path)
        good = tmp_path / "good-\udcff.md"
        good.write_text("# Piers\n\nWe repair piers, jetties and mooring posts.\n")
        answered = shell.answer("train", *refused, str(good))
        assert answered["documents"] == 1
        for failure, said in zip(answered["failed"], refused.values(), strict=True):
            assert failure["reason"].endswith(said)


class TestToken:
    def test_create(self, shell: Shell) -> None:
        assert shell.quick("token", "create", "nightly", "--scope", "write")["secret"].startswith("fwt_")


class TestPipeline:
    def test_adds_moves_and_lists(self, shell: Shell, tmp_path: Path) -> None:
        number = "PIPE-26-R-0001"
        file = tmp_path / "pipeline.csv"
        file.write_bytes(sam_file(sam_row(NoticeId="b" * 32, **{"Sol#": number})))
        shell.quick("import", "sam", str(file))
        added = shell.quick("pipeline", "add", number, "--probability", "40", "--value", "1000")
        assert (added["stage"], added["weighted_value"]) == ("identified", 400)
        assert shell.refusal("pipeline", "move", number, "lost") == "Enter the reason for “Lost”."
        assert shell.quick("pipeline", "move", number, "lost", "--reason", "Price")["reason"] == "Price"
        assert [each["id"] for each in shell.quick("pipeline", "list", "--stage", "lost")["pursuits"]] == [added["id"]]
        assert shell.refusal("pipeline", "move", number, "won", "--reason", "x" * 2_001).startswith("Enter a reason of at most")
        refused = shell.run("pipeline", "add", number, "--value", str(10**12 + 1))
        assert refused.returncode == 2 and b"Traceback" not in refused.stderr


class TestTasks:
    def test_adds_lists_and_finishes(self, shell: Shell) -> None:
        added = shell.quick("tasks", "add", "Price the option years", "--due", "2026-12-01")
        assert (added["due_on"], added["is_own"], added["is_done"]) == ("2026-12-01", True, False)
        assert added["id"] in [each["id"] for each in shell.quick("tasks", "list")["tasks"]]
        assert shell.quick("tasks", "done", added["id"])["is_done"]
        assert added["id"] not in [each["id"] for each in shell.quick("tasks", "list")["tasks"]]
        assert added["id"] in [each["id"] for each in shell.quick("tasks", "list", "--everyone", "--state", "done")["tasks"]]
        assert shell.refusal("tasks", "add", " ")


class TestFacts:
    def test_lists_and_decides(self, shell: Shell) -> None:
        assert shell.quick("facts", "list") == {"facts": []}
        assert (
            shell.refusal("facts", "accept", str(uuid4()))
            == "The fact was not found. It may have been removed. Go back to the list and try again."
        )


class TestHelp:
    def test_of_training_names_all_formats(self) -> None:
        shown = " ".join(CliRunner().invoke(app, ["train", "--help"]).stdout.split())
        assert shown.endswith(f"Formats of files: {', '.join(each.label for each in adding.list_formats(load_plugins()))}.")

    @pytest.mark.parametrize("group", [(), ("user",), ("token",), ("pipeline",), ("tasks",), ("templates",), ("facts",)])
    def test_every_command_says_what_it_does_and_what_it_takes(self, group: tuple[str, ...]) -> None:
        command = typer.main.get_group(app)
        for name in group:
            inner = command.commands[name]
            assert isinstance(inner, typer.core.TyperGroup)
            command = inner
        for name, one in command.commands.items():
            assert re.match(r"[A-Z].+\.", one.help or ""), name
            for parameter in one.params:
                if parameter.name not in ("install_completion", "help"):
                    assert re.match(r"\w.+\.", getattr(parameter, "help", "")), f"{name} {parameter.name}"
