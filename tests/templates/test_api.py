from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from fundwright.templates import api
from tests.support.programs import api_of, program
from tests.templates.conftest import RECORD, Office


@pytest.fixture
async def ada(office: Office) -> AsyncIterator[httpx.AsyncClient]:
    async with program(api_of(office.core, api.router), office.ada) as client:
        yield client


NEW = {"title": "Safety plan", "description": "Two pages", "sections": [RECORD]}


async def test_a_template_is_made_changed_downloaded_and_deleted(ada: httpx.AsyncClient) -> None:
    made = await ada.post("/api/templates", json=NEW)
    assert (made.status_code, made.json()["headings"], made.json()["is_own"]) == (201, ["Record"], True)
    path = f"/api/templates/{made.json()['name']}"
    saved = await ada.put(path, json=NEW | {"title": "Safety program", "based_on": made.json()["changed_at"]})
    assert (saved.status_code, saved.json()["title"]) == (200, "Safety program")
    outdated = await ada.put(path, json=NEW | {"based_on": made.json()["changed_at"]})
    assert (outdated.status_code, outdated.json()["error"]["code"]) == (409, "TemplateChangedMeanwhile")
    file = await ada.get(f"{path}/file")
    assert file.headers["content-disposition"] == "attachment; filename*=UTF-8''Safety%20program.json"
    assert file.json() == {
        "title": "Safety program",
        "description": "Two pages",
        "sections": [{"heading": "Record", "questions": [{"ask": "What is our safety record?"}], "words": 200}],
    }
    assert (await ada.post("/api/templates", json=file.json())).status_code == 409  # the title is taken
    assert (await ada.delete(path)).status_code == 204
    assert (await ada.get(path)).status_code == 404
    assert (await ada.post("/api/templates", json=file.json())).status_code == 201


async def test_an_included_template_is_read_and_copied_but_not_changed(ada: httpx.AsyncClient) -> None:
    included = await ada.get("/api/templates/cover-letter")
    assert (included.json()["is_own"], included.json()["is_letter"]) == (False, True)
    copied = await ada.post("/api/templates/cover-letter/copies", json={})
    assert (copied.json()["title"], copied.json()["sections"]) == ("Cover letter (2)", included.json()["sections"])
    assert (await ada.delete("/api/templates/cover-letter")).status_code == 422
    listed = (await ada.get("/api/templates", params={"is_own": True})).json()
    assert [row["title"] for row in listed["items"]] == ["Cover letter (2)"]
    assert "Cover letter (2)" in (await ada.get("/api/templates/export.csv")).text


async def test_errors_name_the_path_of_what_is_wrong(ada: httpx.AsyncClient) -> None:
    refused = await ada.post("/api/templates", json=NEW | {"sections": [RECORD, {"heading": "A", "words": 5}]})
    assert refused.status_code == 422
    assert "sections.1.words" in refused.json()["error"]["message"]
    braces = await ada.post("/api/templates", json=NEW | {"sections": [{"heading": "A", "opening": "{company.name}"}]})
    assert "Braces are only for placeholders: {date}" in braces.json()["error"]["message"]
