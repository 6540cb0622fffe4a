from __future__ import annotations

import json
from collections.abc import AsyncIterator
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.asking import api as asking
from fundwright.core.assembly import Core
from fundwright.training import api
from tests.support.programs import api_of, program_of_new_account

FERRY = b"# Boats\n\nThe harbor ferry carries forty passengers across the bay every hour of the day."


@pytest.fixture
def app(committed: Core) -> FastAPI:
    return api_of(committed, api.router, asking.router)


@pytest.fixture
async def ada(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with program_of_new_account(app, "ada@example.org") as client:
        yield client


async def upload(client: httpx.AsyncClient, content: bytes = FERRY, name: str = "boats.md") -> httpx.Response:
    return await client.post("/api/training/documents", files={"file": (name, content)})


class TestDocuments:
    async def test_upload_list_and_remove(self, ada: httpx.AsyncClient) -> None:
        answer = await upload(ada)
        assert answer.status_code == 201
        document = answer.json()
        assert (document["title"], document["media_type"], document["state"]) == ("boats", "text/markdown", "waiting")
        listed = (await ada.get("/api/training/documents", params={"sort": "-title"})).json()
        assert (listed["total"], listed["items"][0]["id"]) == (1, document["id"])
        assert (await ada.delete(f"/api/training/documents/{document['id']}")).status_code == 204
        assert (await ada.get(f"/api/training/documents/{document['id']}")).status_code == 404

    async def test_the_kind_is_chosen(self, ada: httpx.AsyncClient) -> None:
        document = (await upload(ada)).json()
        assert (document["kind"], document["is_kind_chosen"]) == ("about_us", False)
        path = f"/api/training/documents/{document['id']}/kind"
        chosen = (await ada.put(path, json={"kind": "policy"})).json()
        assert (chosen["kind"], chosen["is_kind_chosen"]) == ("policy", True)
        assert (await ada.put(path, json={"kind": "poem"})).status_code == 422

    async def test_the_date_is_chosen_and_taken_away(self, ada: httpx.AsyncClient) -> None:
        document = (await upload(ada)).json()
        path = f"/api/training/documents/{document['id']}/date"
        for dated in ("2019-03-01", None):
            chosen = (await ada.put(path, json={"dated": dated})).json()
            assert (chosen["dated"], chosen["is_date_chosen"]) == (dated, True)
        assert (await ada.put(path, json={"dated": "someday"})).status_code == 422

    async def test_drafts_are_told_to_use_it_and_no_longer(self, ada: httpx.AsyncClient) -> None:
        path = f"/api/training/documents/{(await upload(ada)).json()['id']}/use"
        assert (await ada.put(path)).json()["is_always_used"]
        assert not (await ada.delete(path)).json()["is_always_used"]

    async def test_it_is_renamed_unless_another_has_the_title(self, ada: httpx.AsyncClient) -> None:
        document, other = (await upload(ada)).json(), (await upload(ada, b"Other words.", "other.md")).json()
        path = f"/api/training/documents/{document['id']}/title"
        assert (await ada.put(path, json={"title": " Our boats "})).json()["title"] == "Our boats"
        assert (await ada.put(path, json={"title": other["title"]})).status_code == 409
        assert (await ada.put(path, json={"title": " "})).status_code == 422
        assert (await ada.get(f"/api/training/documents/{document['id']}")).json()["title"] == "Our boats"

    async def test_the_original_is_downloaded_and_never_shown(self, ada: httpx.AsyncClient) -> None:
        content = b"<html><body><p>We build boats.</p><script>alert(1)</script></body></html>"
        document = (await upload(ada, content, "boats.html")).json()
        answer = await ada.get(f"/api/training/documents/{document['id']}/file")
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-disposition"] == 'attachment; filename="boats.html"'
        assert answer.headers["x-content-type-options"] == "nosniff"

    async def test_the_same_content_again_is_a_conflict(self, ada: httpx.AsyncClient) -> None:
        await upload(ada)
        answer = await upload(ada, name="again.md")
        assert answer.status_code == 409
        assert "“boats”" in answer.json()["error"]["message"]

    async def test_an_unreadable_file_is_explained(self, ada: httpx.AsyncClient) -> None:
        answer = await upload(ada, b"GIF89a\x00\x00", "picture.gif")
        assert answer.status_code == 422
        assert "picture.gif" in answer.json()["error"]["message"]

    async def test_pasted_text(self, ada: httpx.AsyncClient) -> None:
        assert (await ada.post("/api/training/texts", json={"title": "Notes", "text": "Some text."})).status_code == 201
        assert (await ada.post("/api/training/texts", json={"title": "", "text": "x"})).status_code == 422

    @pytest.mark.parametrize("title", ["\u200b", " \u2060\ufeff ", "\u202e\u2066", "\u3164\u2800", "\u0301"])
    async def test_a_title_that_nobody_could_see_is_refused(self, ada: httpx.AsyncClient, title: str) -> None:
        path = f"/api/training/documents/{(await upload(ada)).json()['id']}/title"
        answers = [
            await ada.put(path, json={"title": title}),
            await ada.post("/api/training/texts", json={"title": title, "text": "Some text."}),
            await upload(ada, b"Other words.", f"{title}.md"),
        ]
        assert [answer.status_code for answer in answers] == [422] * 3
        assert [answer.json()["error"]["message"] for answer in answers] == [
            "The title has no visible characters. Enter another title.",
            "The title has no visible characters. Enter another title.",
            "The file name has no visible characters. Rename the file and add it again.",
        ]
        listed = (await ada.get("/api/training/documents")).json()
        assert [document["title"] for document in listed["items"]] == ["boats"]

    async def test_hidden_characters_of_a_title_are_removed(self, ada: httpx.AsyncClient) -> None:
        assert (await ada.post("/api/training/texts", json={"title": "\x01\x7f", "text": "Some text."})).status_code == 422
        pasted = {"title": "\u202eOur\x07 \u200bbo\u00adats\n2026\u2066 ", "text": "Some text."}
        document = (await ada.post("/api/training/texts", json=pasted)).json()
        assert document["title"] == "Our boats 2026"
        assert (await upload(ada, b"Other words.", "a family 👩\u200d👧.md")).json()["title"] == "A Family 👩\u200d👧"

    async def test_a_long_text(self, ada: httpx.AsyncClient) -> None:
        """In JSON, a character may take six bytes."""
        line = "Der Fährmann überquert täglich den größten Fluß. "
        text = line * (2_000_000 // len(line))
        content = json.dumps({"title": "Notes", "text": text})
        assert len(content) > 2_000_000
        answer = await ada.post("/api/training/texts", content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 201

    @pytest.mark.security(42)
    async def test_strangers_and_viewers_send_no_long_texts(self, app: FastAPI, ada: httpx.AsyncClient) -> None:
        taken = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal taken
            while True:
                taken += 1
                yield b"[]," * 10_000

        answer = await ada.post("/api/training/texts", content=endless(), headers={"Authorization": "Bearer x"})
        assert (answer.status_code, taken) == (401, 0)
        async with program_of_new_account(app, "vera@example.org", role=WorkspaceRole.VIEWER) as vera:
            answer = await vera.post("/api/training/texts", content=endless())
        assert (answer.status_code, taken) == (403, 0)
        assert (await ada.post("/api/training/texts", content=endless())).status_code == 413

    async def test_what_is_wrong_with_a_text_is_named(self, ada: httpx.AsyncClient) -> None:
        answer = await ada.post("/api/training/texts", json={"title": "Notes", "text": ["x"]})
        assert (answer.status_code, answer.json()["problems"][0]["where"]) == (422, ["body", "text"])
        assert (await ada.post("/api/training/texts", content=b"{")).status_code == 422

    async def test_viewers_only_read(self, app: FastAPI) -> None:
        async with program_of_new_account(app, "vera@example.org", role=WorkspaceRole.VIEWER) as vera:
            assert (await upload(vera)).status_code == 403
            assert (await vera.get("/api/training/documents")).status_code == 200

    @pytest.mark.security(40)
    async def test_a_stranger_finds_nothing(self, app: FastAPI, ada: httpx.AsyncClient) -> None:
        document = (await upload(ada)).json()
        run = (await ada.post("/api/training/runs", json={})).json()
        async with program_of_new_account(app, "eve@example.org") as eve:
            for method, path in (
                ("GET", f"documents/{document['id']}"),
                ("DELETE", f"documents/{document['id']}"),
                ("GET", f"runs/{run['id']}"),
                ("PUT", f"runs/{run['id']}/cancellation"),
                ("POST", f"runs/{run['id']}/repetitions"),
                ("GET", f"runs/{run['id']}/documents"),
                ("GET", f"runs/{run['id']}/documents/export.csv"),
                ("GET", f"runs/{run['id']}/failures"),
                ("GET", f"runs/{run['id']}/failures/export.csv"),
            ):
                assert (await eve.request(method, f"/api/training/{path}")).status_code == 404


class TestRuns:
    async def test_start_watch_and_ask(self, committed: Core, ada: httpx.AsyncClient) -> None:
        await upload(ada)
        started = await ada.post("/api/training/runs", json={})
        assert started.status_code == 202
        await committed.jobs._run(UUID(started.json()["job_id"]), reraise=True)
        run = (await ada.get(f"/api/training/runs/{started.json()['id']}")).json()
        assert (run["state"], run["documents"], run["chunks"]) == ("succeeded", 1, 1)
        documents = f"/api/training/runs/{started.json()['id']}/documents"
        assert [each["title"] for each in (await ada.get(documents)).json()["items"]] == ["boats"]
        assert (await ada.get(documents, params={"page": 2})).json()["items"] == []
        assert [line.split(",")[0] for line in (await ada.get(f"{documents}/export.csv")).text.splitlines()[1:]] == ["boats"]
        passages = (await ada.get("/api/answers", params={"query": "How many passengers does the ferry carry?"})).json()[
            "answers"
        ]
        assert passages[0]["document_title"] == "boats"
        shown = (await ada.get(f"/api/training/passages/{passages[0]['id']}")).json()
        assert "forty passengers" in shown["text"]
        assert (await ada.get("/api/training/runs")).json()["total"] == 1
        assert (await ada.get("/api/training/models")).json()["embedder_id"] == "minilm-l6-v2-int8"

    async def test_what_was_not_trained_is_paged_and_exported(self, committed: Core, ada: httpx.AsyncClient) -> None:
        for name in ("boats", "bread", "rowing"):
            document = (await upload(ada, name.encode(), f"{name}.txt")).json()
            committed.files.path(document["sha256"]).unlink()
        started = (await ada.post("/api/training/runs", json={})).json()
        await committed.jobs._run(UUID(started["job_id"]), reraise=True)
        failures = f"/api/training/runs/{started['id']}/failures"
        page = (await ada.get(failures, params={"page": 2, "page_size": 2})).json()
        assert (page["total"], [failure["title"] for failure in page["items"]]) == (3, ["rowing"])
        lines = (await ada.get(f"{failures}/export.csv", params={"sort": "-title"})).text.splitlines()
        assert [line.split(",")[0] for line in lines] == ["Title", "rowing", "bread", "boats"]

    async def test_a_question_that_nothing_fits_finds_nothing(self, committed: Core, ada: httpx.AsyncClient) -> None:
        await upload(ada)
        started = await ada.post("/api/training/runs", json={})
        await committed.jobs._run(UUID(started.json()["job_id"]), reraise=True)
        asked = {"query": "quasar spectroscopy of distant galaxies"}
        refused = (await ada.get("/api/answers", params=asked)).json()
        assert refused["answers"] == []
        assert [each["document_title"] for each in refused["closest"]] == ["boats"]
        exported = await ada.get("/api/answers/export.csv", params=asked)
        assert len(exported.text.splitlines()) == 1

    async def test_nothing_to_train_is_refused(self, ada: httpx.AsyncClient) -> None:
        answer = await ada.post("/api/training/runs", json={})
        assert answer.status_code == 422
        assert "Add a document" in answer.json()["error"]["message"]
