"""Every route, event, and job has a hostile use, or a reason why nobody can stop others with it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.access.table import JOBS, ROUTES, SCREENS, WORLD
from tests.access.test_roles import description
from tests.availability import worst
from tests.availability.attacks import ADDRESSES, ATTACKS, GUESTS, derived_attacks
from tests.availability.table import (
    JOB_REASONS,
    JOBS_OF_ATTACKS,
    REASONS,
    ROUTES_OF_ATTACKS,
    hostile_routes,
    hostile_screens,
    unattacked_jobs,
    unattacked_routes,
)
from tests.soak.installation import PROJECT

IDS = dict.fromkeys(WORLD.values(), "00000000-0000-0000-0000-000000000000")
MAX_BODY_BYTES = 1_000_000

pytestmark = pytest.mark.security(53)


@pytest.fixture
def chance() -> random.Random:
    return random.Random(53)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(each)


class TestRoutes:
    def test_each_has_a_hostile_use_or_a_reason(self) -> None:
        assert unattacked_routes() == []

    def test_none_has_both(self) -> None:
        attacked = {*hostile_routes(), *(route for routes in ROUTES_OF_ATTACKS.values() for route in routes)}
        assert attacked & REASONS.keys() == set()
        assert attacked | REASONS.keys() <= ROUTES.keys()

    def test_the_worst_use_of_each_is_derived_from_its_description(self, core: Core, chance: random.Random) -> None:
        described = description(build_app(core))
        known, paths = described["components"]["schemas"], described["paths"]
        used = [route for route in hostile_routes() if route.partition(" ")[2] in paths]
        assert [route for route in hostile_routes() if route not in used] == []
        for route in used:
            method, path = route.split(" ")
            made = worst.request(route, paths[path][method.lower()], known, IDS, chance)  # raises for an unknown kind of body
            assert "{" not in made.path
            assert len(made.body or b"") <= MAX_BODY_BYTES
            if made.body is not None and any(
                "maxLength" in json.dumps(known[name]) for name in _model(paths[path][method.lower()])
            ):
                assert max(map(len, strings(json.loads(made.body))), default=0) >= 30, route

    def test_each_is_in_an_attack(self, core: Core) -> None:
        attacks = {*ATTACKS, *GUESTS, *ADDRESSES}
        assert ROUTES_OF_ATTACKS.keys() <= attacks
        areas = {name for name in derived_attacks(description(build_app(core))) if name.startswith("routes of ")}
        assert len(areas) > 15


def _model(described: dict[str, object]) -> list[str]:
    found = json.dumps(described.get("requestBody", {})).partition("#/components/schemas/")[2]
    return [found.partition('"')[0]] if found else []


class TestScreens:
    def test_each_is_in_an_attack(self, core: Core) -> None:
        attacks = derived_attacks(description(build_app(core)))
        assert [path for path in hostile_screens() if f"events of {path}" not in attacks] == []
        assert {screen.path for screen in core.plugins.collect("screens")} == SCREENS.keys()


class TestEvents:
    def test_the_worst_data_of_each_is_accepted(self, chance: random.Random) -> None:
        """Data that an event refuses unread stops nobody, and tests nothing."""
        assert len(worst.widget_events()) > 20
        for (widget, event), model in worst.widget_events().items():
            data = worst.payload({"w": widget}, event, IDS, chance)
            assert model.model_validate(data), (widget, event)

    def test_events_of_elements_are_known(self) -> None:
        """A new event, whose data would not be derived."""
        source = "".join(file.read_text() for file in (PROJECT / "components/fundwright_ui").rglob("*.py"))
        found = set(re.findall(r'"(on[A-Z]\w+)": ', source))
        assert {"onClick", "onSubmit"} <= found
        assert found - {event for _, event in worst.widget_events()} - worst.ELEMENT_EVENTS == set()


class TestJobs:
    def test_each_is_in_an_attack_or_has_a_reason(self, core: Core) -> None:
        assert unattacked_jobs() == []
        assert {handler.kind for handler in core.plugins.collect("job_handlers")} <= JOBS.keys()

    def test_none_has_both(self) -> None:
        assert JOBS_OF_ATTACKS.keys() & JOB_REASONS.keys() == set()
        assert JOBS_OF_ATTACKS.keys() | JOB_REASONS.keys() <= JOBS.keys()
        assert set(JOBS_OF_ATTACKS.values()) <= {*ATTACKS, *GUESTS, *ADDRESSES}
