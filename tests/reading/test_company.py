from __future__ import annotations

import pytest

from fundwright.reading.company import infer_company, is_of_another
from fundwright.reading.kinds import DocumentKind
from tests.firms import FIRMS, load_firm

ABOUT, NOTICE = DocumentKind.ABOUT_US, DocumentKind.NOTICE


class TestInferCompany:
    @pytest.mark.parametrize("name", FIRMS)
    def test_finds_the_firm_in_its_documents(self, name: str) -> None:
        firm = load_firm(name)
        found = infer_company([(DocumentKind(kind), firm.text(filename)) for filename, kind in firm.kinds.items()])
        assert found.split()[:2] == firm.company.split()[:2] or found.split()[0] == firm.company.split()[0]

    def test_a_label_names_it(self) -> None:
        assert infer_company([(ABOUT, "Legal name: Osprey Consulting, LLC\nUEI: R7TYH2MNC4K8")]) == "Osprey Consulting, LLC"

    def test_a_funder_is_not_the_firm(self) -> None:
        notice = "The Larkin Foundation is a funder. Larkin Foundation Inc. gives awards. Company: Larkin Foundation Inc."
        assert infer_company([(NOTICE, notice)]) == ""

    def test_the_heading_of_a_sidebar_names_nobody(self) -> None:
        about = "COMPANY SNAPSHOT\n\nUEI K7PLM2QRSTU4\n\nLarkspur Facility Care, Inc. has cleaned public buildings since 2009."
        assert infer_company([(ABOUT, about)]) == "Larkspur Facility Care, Inc."

    @pytest.mark.parametrize(
        "title",
        ["Data management and sharing", "Data Management and Sharing Plan", "Facilities and Other Resources", "Specific Aims"],
    )
    def test_the_title_of_a_part_of_an_application_names_nobody(self, title: str) -> None:
        assert infer_company([(ABOUT, f"{title}\n\nAll data are shared within a year.")]) == ""

    def test_a_lab_at_a_university_is_named_after_itself(self) -> None:
        about = (
            "Reyes Lab – Overview and Capabilities\n\nThe Reyes Lab at Harborview State University studies the lungs of children."
        )
        assert infer_company([(ABOUT, "# Data management and sharing\n\nData are shared."), (ABOUT, about)]) == "Reyes Lab"

    def test_no_name_is_inferred_without_evidence(self) -> None:
        assert infer_company([]) == ""
        assert infer_company([(ABOUT, "we build sensors.")]) == ""

    def test_a_preposition_before_a_name_is_not_part_of_it(self) -> None:
        past = "# Past performance of Tidewater Systems LLC\n\nWe ran a service desk."
        assert (
            infer_company([(DocumentKind.PAST_PERFORMANCE, past), (DocumentKind.PAST_PERFORMANCE, f"{past} Twice.")])
            == "Tidewater Systems LLC"
        )


class TestIsOfAnother:
    @pytest.mark.parametrize("name", FIRMS)
    def test_no_firm_in_its_own_documents(self, name: str) -> None:
        firm = load_firm(name)
        assert not [each for each in firm.kinds if is_of_another(firm.text(each), firm.company)]

    @pytest.mark.parametrize(
        "sheet",
        [
            "# Past performance of Tidewater Systems LLC\n\nWe ran a service desk for 9,200 users.",
            "Project: Service desk\nContractor: Tidewater Systems\nValue: $12.4 million",
        ],
    )
    def test_a_sheet_of_another_contractor_says_so(self, sheet: str) -> None:
        assert is_of_another(sheet, "Harbor Light Literacy")
        assert not is_of_another(sheet, "Tidewater Systems LLC")
        assert not is_of_another(sheet, "")
        assert not is_of_another(f"{sheet}\nHarbor Light was the subcontractor.", "Harbor Light Literacy")

    def test_a_title_may_name_the_project_or_the_customer(self) -> None:
        for title in (
            "Past performance: Groundwater database",
            "Past performance of the last five years",
            "Customer: Hollis Cement Co.",
        ):
            assert not is_of_another(f"# {title}\n\nWe replaced a pump.", "Harbor Light Literacy"), title
