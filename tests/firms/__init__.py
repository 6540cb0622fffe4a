"""Invented organizations: their documents, and what a draft must and must not contain. See README.md."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
FIRMS = (
    "brightwater",
    "northgate",
    "hallberg",
    "ironpeak",
    "riverbend",
    "tallgrass",
    "prairie",
    "halvorsen",
    "cutlergap",
    "dutra",
    "kittredge",
    "amaro",
    "larkspur",
    "coldbrook",
)


IN_FILES = (
    "tamarack",
    "corvane",
    "millstreet",
    "ferrumpoint",
    "lydiastone",
    "mercybanks",
    "marshalldale",
    "ellishill",
    "lindenquist",
    "saltlick",
    "burrowstone",
    "fenwort",
    "plumbline",
    "switchgrass",
    "stonecrop",
    "lockhouse",
    "greerlow",
    "coteau",
    "quillwort",
    "hitch",
    "halvard",
    "tsemaak",
    "ockerman",
    "whitlatch",
    "orrendale",
    "oylebrook",
    "secondaxle",
    "vantosk",
)
"""Organizations with documents of all formats, and with questions."""


@dataclass(frozen=True)
class ExpectedSection:
    """The required content of a section of a draft. `gaps` are the indexes of the questions that no document answers; `near` is
    close to an answer to such a question, so it is shown for a person to judge."""

    facts: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    gap: bool = False
    gaps: tuple[int, ...] = ()
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class Firm:
    name: str
    company: str
    kinds: dict[str, str]
    """Kind of each file, by name."""
    opportunity: dict[str, str]
    never: tuple[str, ...]
    sections: dict[tuple[str, str], ExpectedSection] = field(repr=False)
    """By template and heading."""

    def path(self, filename: str) -> Path:
        return _FOLDER / self.name / filename

    def text(self, filename: str) -> str:
        return self.path(filename).read_text(encoding="utf-8")


def load_firm(name: str) -> Firm:
    told: dict[str, Any] = tomllib.loads((_FOLDER / name / "firm.toml").read_text(encoding="utf-8"))
    templates = {key: value for key, value in told.items() if key not in ("company", "kinds", "opportunity", "never")}
    return Firm(
        name=name,
        company=told["company"],
        kinds=told["kinds"],
        opportunity=told["opportunity"],
        never=tuple(told["never"]["everywhere"]),
        sections={
            (template, heading): ExpectedSection(
                facts=tuple(expected.get("facts", ())),
                never=tuple(expected.get("never", ())),
                gap=expected.get("gap", False),
                gaps=tuple(expected.get("gaps", ())),
                near=tuple(expected.get("near", ())),
            )
            for template, sections in templates.items()
            for heading, expected in sections.items()
        },
    )
