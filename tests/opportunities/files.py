"""Small files in the published formats."""

from __future__ import annotations

import csv
import io
import json

SAM_COLUMNS = [
    "NoticeId",
    "Title",
    "Sol#",
    "Department/Ind.Agency",
    "CGAC",
    "Sub-Tier",
    "FPDS Code",
    "Office",
    "AAC Code",
    "PostedDate",
    "Type",
    "BaseType",
    "ArchiveType",
    "ArchiveDate",
    "SetASideCode",
    "SetASide",
    "ResponseDeadLine",
    "NaicsCode",
    "ClassificationCode",
    "PopStreetAddress",
    "PopCity",
    "PopState",
    "PopZip",
    "PopCountry",
    "Active",
    "AwardNumber",
    "AwardDate",
    "Award$",
    "Awardee",
    "PrimaryContactTitle",
    "PrimaryContactFullname",
    "PrimaryContactEmail",
    "PrimaryContactPhone",
    "PrimaryContactFax",
    "SecondaryContactTitle",
    "SecondaryContactFullname",
    "SecondaryContactEmail",
    "SecondaryContactPhone",
    "SecondaryContactFax",
    "OrganizationType",
    "State",
    "City",
    "ZipCode",
    "CountryCode",
    "AdditionalInfoLink",
    "Link",
    "Description",
]


def sam_row(**values: str) -> dict[str, str]:
    """A row of the bulk file, with other values by column name."""
    row = dict.fromkeys(SAM_COLUMNS, "")
    row.update({"NoticeId": "a" * 32, "Title": "Roof repair", "PostedDate": "2026-03-07 07:16:16.091-05", "Active": "Yes"})
    row.update({"Type": "Solicitation", **values})
    return row


def sam_file(*rows: dict[str, str] | str, encoding: str = "cp1252", separator: str = ",") -> bytes:
    """A bulk file of these rows; strings are inserted unchanged."""
    written = io.StringIO()
    writer = csv.writer(written, quoting=csv.QUOTE_ALL, delimiter=separator, lineterminator="\r\n")
    writer.writerow(SAM_COLUMNS)
    for row in rows:
        if isinstance(row, str):
            written.write(row)
        else:
            writer.writerow([row[name] for name in SAM_COLUMNS])
    return written.getvalue().encode(encoding)


def notice_id(number: int) -> str:
    return f"{number:032x}"


def grants_row(*fields: tuple[str, str], forecast: bool = False) -> str:
    tag = "OpportunityForecastDetail_1_0" if forecast else "OpportunitySynopsisDetail_1_0"
    given = {name for name, _ in fields}
    usual = (("OpportunityID", "1"), ("OpportunityTitle", "Grant"), ("PostDate", "05212018"))
    both = [*(field for field in usual if field[0] not in given), *fields]
    return f"<{tag}>{''.join(f'<{name}>{value}</{name}>' for name, value in both)}</{tag}>\n"


def grants_file(*rows: str) -> bytes:
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<Grants xmlns="http://apply.grants.gov/system/OpportunityDetail-V1.0">\n'
    return (start + "".join(rows) + "</Grants>\n").encode()


def nih_row(**values: object) -> dict[str, object]:
    return {
        "opportunity_id": "1",
        "number": "PAR-26-106",
        "title": "Facilities (C06 Clinical Trial Not Allowed)",
        "post_date": "2026-03-06",
        "close_date": "2028-01-25",
        "status": "posted",
        "abstract": "Shared facilities.",
        **values,
    }


def nih_file(*rows: dict[str, object] | str) -> bytes:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()
