"""The date of a document."""

from __future__ import annotations

from datetime import date

import pytest

from fundwright.reading.dates import date_of

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("text", "filename", "expected"),
    [
        ("Tamarack Flats Excavating\nlast edit 2013-02-11\nRon founded the company in 1998.", "website.md", date(2013, 2, 11)),
        ("TFEC\nServices\nTFEC | rev 4, Aug 2026 | please send PDF", "Cap Stmt 2025.docx", date(2026, 8, 1)),
        ("Equipment\nrev. Mar-26 WC", "list.xlsx", date(2026, 3, 1)),
        ("Form AP-3 rev 2/26", "signed.docx", date(2026, 2, 1)),
        ("About us\nA firm of 9 employees. As of March 2019.\n© 2020 Ferrum", "about.html", date(2019, 3, 1)),
        ("From: A\nDate: Thu, 08 Oct 2026 17:41:09 -0700\nSubject: x", "mail.eml", date(2026, 10, 8)),
        ("WORKSHEET     filled: J. Marsh 07/07/2026", "reps.txt", date(2026, 7, 7)),
        ("Stand: 5. Mai 2021", "profil.txt", date(2021, 5, 5)),
        ("Mis à jour le 12 juillet 2022", "profil.txt", date(2022, 7, 12)),
        ("We have 12 employees.", "FPC_capstmt_2026-Q3.pdf", date(2026, 7, 1)),
        ("We have 12 employees.", "Resumes_keystaff_Oct26.docx", date(2026, 10, 1)),
        ("We have 12 employees.", "one-pager 2020 OLD.md", date(2020, 1, 1)),
        ("Web copy v3, MQ edits 9/30/26\nWe sold that line in 2021.", "copy.docx", date(2026, 9, 30)),
        ("Founded in 1998.\nIn 2024, we built six bridges.\nLicensed until 2031.", "about.md", None),
        ("A hospital that was founded in 1911.", "letter.md", None),
        ("The certificate is valid to 05/2027.\nValid as of May 2027.", "iso.txt", None),
        ("We sold 2019, 2020 and 1.2021 pieces at $2018.", "sales.txt", None),
        ("Rev. 31 Feb 2024", "a.txt", date(2024, 2, 1)),
        ("Draft 10/12, comments MY", "approach.docx", None),
        ("Date: ſep 2020", "a.txt", date(2020, 9, 1)),
        ("Effective: juın 2020", "a.txt", date(2020, 1, 1)),
        ("Capability statement, May 2019\nWe won awards in 2021 and 2022.", "a.txt", date(2019, 5, 1)),
        ("Bridges of 2019\nWe won awards in 2021 and 2022.", "a.txt", None),
        ("", "a.txt", None),
    ],
)
def test_a_document_has_the_date_that_it_states_or_its_name(text: str, filename: str, expected: date | None) -> None:
    assert date_of(text, filename=filename, today=TODAY) == expected


def test_a_date_is_never_in_the_future() -> None:
    assert date_of("rev. Mar-26", filename="plan 2027.txt", today=date(2026, 2, 1)) is None
