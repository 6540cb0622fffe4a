"""The API of facts."""

from __future__ import annotations

from fundwright.facts.api import router
from tests.facts.conftest import Bench, employees, person
from tests.support.programs import api_of, program

ADDRESS = "/api/facts"


async def test_lists_decides_corrects_adds_and_deletes(bench: Bench) -> None:
    team = bench.team
    await bench.add("2026", employees("31"), person("Ann Ford"))
    await bench.add("2018", employees("12"))
    async with program(api_of(team.core, router), team.ada) as client:
        listed = (await client.get(ADDRESS, params={"kind": "person"})).json()
        (ann,) = listed["items"]
        assert (ann["title"], ann["document"], ann["heading"], ann["record"]) == ("Ann Ford", "2026", "2026", "Ann Ford")
        counts = (await client.get(f"{ADDRESS}/counts")).json()
        assert counts == {"to_decide": {"detail": 2, "person": 1}, "disputed": 2, "accepted": 0}
        decision = {"decision": "accepted", "facts": [{"id": ann["id"], "based_on": ann["changed_at"]}]}
        decided = (await client.post(f"{ADDRESS}/decisions", json=decision)).json()
        assert (await client.post(f"{ADDRESS}/decisions", json=decision)).json() == []
        outdated = await client.post(f"{ADDRESS}/decisions", json={**decision, "decision": "rejected"})
        assert (outdated.status_code, outdated.json()["error"]["code"]) == (409, "FactsChangedMeanwhile")
        one = f"{ADDRESS}/{ann['id']}"
        correction = {"values": {"name": "Anne Ford"}, "based_on": decided[0]["based_on"]}
        corrected = (await client.put(one, json=correction)).json()
        assert (corrected["title"], corrected["read_values"], corrected["is_corrected"]) == (
            "Anne Ford",
            {"name": "Ann Ford"},
            True,
        )
        assert (await client.put(one, json={**correction, "values": {}})).status_code == 422
        assert (await client.delete(one)).status_code == 409
        disputed = (await client.get(ADDRESS, params={"is_disputed": True})).json()
        assert [fact["values"]["value"] for fact in disputed["items"]] == ["31", "12"]
        added = (await client.post(ADDRESS, json={"kind": "contact", "values": {"name": "Bo Lee", "role": "Owner"}})).json()
        assert "Bo Lee" in (await client.get(f"{ADDRESS}/export.csv", params={"state": "all"})).text
        assert (await client.delete(f"{ADDRESS}/{added['id']}")).status_code == 204
        assert (await client.get(f"{ADDRESS}/{added['id']}")).status_code == 404
