"""The API of the pipeline."""

from __future__ import annotations

from fundwright.pipeline.api import router
from tests.pipeline.conftest import Harbor
from tests.support.programs import api_of, program

ADDRESS = "/api/pipeline"


async def test_adds_moves_changes_lists_and_removes(harbor: Harbor) -> None:
    sent = {"opportunity_id": str(harbor.notices[0].id), "probability": 50, "value": 1_000}
    async with program(api_of(harbor.core, router), harbor.eve) as client:
        added = (await client.post(ADDRESS, json=sent)).json()
        one = f"{ADDRESS}/{added['id']}"
        moved = await client.put(f"{one}/stage", json={"stage": "preparing", "based_on": added["revision"]})
        assert (moved.status_code, moved.json()["stage"], len(moved.json()["moves"])) == (200, "preparing", 2)
        refused = await client.put(f"{one}/stage", json={"stage": "no_go", "based_on": moved.json()["revision"]})
        assert (refused.status_code, refused.json()["error"]["message"]) == (422, "Enter the reason for “No-go”.")
        outdated = await client.put(one, json={"probability": 60, "based_on": added["revision"]})
        assert outdated.status_code == 409
        changed = await client.put(one, json={"probability": 60, "based_on": moved.json()["revision"]})
        assert (changed.json()["probability"], changed.json()["value"]) == (60, None)
        assert (await client.put(one, json={"probability": 101, "based_on": 3})).status_code == 422
        listed = (await client.get(ADDRESS, params={"stage": "preparing", "lead": "none"})).json()
        assert [each["id"] for each in listed["items"]] == [added["id"]] == [(await client.get(one)).json()["id"]]
        totals = (await client.get(f"{ADDRESS}/totals")).json()
        assert [(total["stage"], total["count"]) for total in totals if total["count"]] == [("preparing", 1)]
        assert added["number"] in (await client.get(f"{ADDRESS}/export.csv")).text
        assert (await client.delete(one)).status_code == 204
        assert (await client.get(one)).status_code == 404
