"""What accepted facts state in a form that can be compared."""

from __future__ import annotations

import pytest

from fundwright.facts.organization import AcceptedFact, organization_of
from fundwright.facts.schemas import Organization
from fundwright.reading.facts import FactField, FactKind, FactStatus


def detail(label: str, value: str, status: FactStatus = FactStatus.CURRENT) -> AcceptedFact:
    return AcceptedFact(FactKind.DETAIL, {FactField.LABEL: label, FactField.VALUE: value}, status)


def certified(name: str, status: FactStatus = FactStatus.CURRENT) -> AcceptedFact:
    return AcceptedFact(FactKind.CERTIFICATION, {FactField.NAME: name}, status)


@pytest.mark.parametrize(
    ("facts", "stated"),
    [
        ([detail("NAICS codes", "541511 (Custom Computer Programming); 541512, 999999")], {"naics_codes": ("541511", "541512")}),
        ([detail("Primary NAICS", "541511"), detail("NAICS", "541511")], {"naics_codes": ("541511",)}),
        ([detail("NAICS", "541511", FactStatus.ENDED)], {}),
        ([detail("Unique Entity ID (SAM)", "QW3RTY789LP2")], {"uei": "QW3RTY789LP2"}),
        ([detail("CAGE Code", "7ABC1 (active)")], {"cage_code": "7ABC1"}),
        ([detail("Legal business name", "Harbor Light LLC"), detail("Legal status", "LLC")], {"name": "Harbor Light LLC"}),
        ([detail("Headquarters", "12 Pier Road, Toledo, OH"), detail("Office address", "1 Bay St")], {"address": "12 Pier Road, Toledo, OH"}),
        ([detail("Email address", "info@harbor.example")], {}),
        ([certified("8(a)"), certified("HUBZone", FactStatus.ENDED)], {"certifications": ("8(a)",), "not_held": ("HUBZone",)}),
        ([certified("SDVOSB", FactStatus.OF_OTHERS)], {}),
        ([detail("Socioeconomic status", "WOSB, small business")], {"certifications": ("WOSB, small business",)}),
        ([detail("8(a) certified", "Yes")], {"certifications": ("8(a) certified",)}),
        ([detail("HUBZone certified", "No")], {"not_held": ("HUBZone certified",)}),
        ([detail("Certifications", "None")], {"certifications": ("None",)}),
        ([detail("Employees", "31")], {}),
    ],
)  # fmt: skip
def test_is_found_by_what_labels_mean(facts: list[AcceptedFact], stated: dict[str, object]) -> None:
    assert organization_of(facts) == Organization.model_validate(stated)
