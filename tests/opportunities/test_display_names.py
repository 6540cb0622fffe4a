import pytest

from fundwright.opportunities.display_names import (
    agency_name,
    display_title,
    is_only_codes,
    naics_in_words,
    set_aside_name,
    short_agency_name,
    short_set_aside,
    short_type,
)


@pytest.mark.parametrize(
    ("published", "name"),
    [
        ("DEPT OF DEFENSE", "Department of Defense"),
        ("VETERANS AFFAIRS, DEPARTMENT OF", "Department of Veterans Affairs"),
        ("INTERIOR, DEPARTMENT OF THE", "Department of the Interior"),
        ("HEALTH AND HUMAN SERVICES, DEPARTMENT OF", "Department of Health and Human Services"),
        ("SENATE, THE", "The Senate"),
        ("US COAST GUARD", "US Coast Guard"),
        ("DLA AVIATION AT PHILADELPHIA, PA", "DLA Aviation at Philadelphia, PA"),
        ("FA7014 AFDW PK", "FA7014 AFDW PK"),
        ("HHS-AHRQ", "HHS-AHRQ"),
        ("FA3016  502 CONS CL", "FA3016 502 CONS CL"),
        ("NIDCD", "NIDCD"),
        ("DEFENSE HEALTH AGENCY (DHA)", "Defense Health Agency (DHA)"),
        ("National Institutes of Health", "National Institutes of Health"),
        ("", ""),
    ],
)
def test_agencies_are_named_as_people_say_them(published: str, name: str) -> None:
    assert agency_name(published) == name


@pytest.mark.parametrize(
    ("published", "name"),
    [
        ("DEPT OF DEFENSE", "Defense"),
        ("INTERIOR, DEPARTMENT OF THE", "Interior"),
        ("US COAST GUARD", "US Coast Guard"),
        ("NATIONAL AERONAUTICS AND SPACE ADMINISTRATION", "NASA"),
        ("National Institutes of Health", "NIH"),
        ("HEALTH AND HUMAN SERVICES, DEPARTMENT OF", "HHS"),
    ],
)
def test_lists_shorten_the_names_of_departments(published: str, name: str) -> None:
    assert short_agency_name(published) == name


@pytest.mark.parametrize(
    ("published", "name"),
    [
        ("Combined Synopsis/Solicitation", "Combined Synopsis"),
        ("Sources Sought", "Sources Sought"),
        ("Request for Applications", "RFA"),
    ],
)
def test_lists_shorten_long_types(published: str, name: str) -> None:
    assert short_type(published) == name


@pytest.mark.parametrize(
    ("published", "title"),
    [
        ("48--VALVE,SOLENOID", "Valve, Solenoid"),
        ("B533--Potable Water Testing", "Potable Water Testing"),
        ("Z2DA--Install Sinks", "Install Sinks"),
        ("7J--IMT UPS Replacement", "IMT UPS Replacement"),
        ("6515--NX EQ Scanner", "NX EQ Scanner"),
        ("IT--Help Desk", "IT--Help Desk"),
        ("Z--MAINTENANCE DREDGING OF DANA POINT", "Maintenance Dredging of Dana Point"),
        ("SHIPROCK SERVICE UNIT - LED DISPLAY SIGN", "Shiprock Service Unit - LED Display Sign"),
        ("REPAIR HVAC AT VETERAN'S CLINIC, BLDG 12B", "Repair HVAC at Veteran's Clinic, BLDG 12B"),
        ("O'BRIEN LAKE DAM", "O'Brien Lake Dam"),
        ("THE USCGC EAGLE", "The USCGC Eagle"),
        ("SMALL UAVs", "Small UAVs"),
        ("PN: AM2667-2-22", "PN: AM2667-2-22"),
        ("Roof repair - VA clinic", "Roof repair - VA clinic"),
        ("15B51826Q00000009", "15B51826Q00000009"),
        ("Re--use of water", "Re--use of water"),
    ],
)
def test_titles_in_uppercase_are_in_title_case(published: str, title: str) -> None:
    assert display_title(published) == title


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("236220", "236220 · Commercial and Institutional Building Construction"),
        ("5415", "5415 · Computer Systems Design and Related Services"),
        ("511210", "511210 · Information (sector)"),  # of 2017
        ("33", "33 · Manufacturing"),
        ("99", "99"),
        ("", ""),
    ],
)
def test_naics_codes_have_their_title_and_earlier_ones_their_sector(code: str, shown: str) -> None:
    assert naics_in_words(code) == shown


@pytest.mark.parametrize(
    ("code", "name", "short"),
    [
        ("SBA", "Small business", "Small business"),
        ("BICiv", "Buy Indian", "Buy Indian"),
        ("SDVOSBC", "Service-disabled veteran-owned", "SDVOSB"),
        ("EDWOSBSS", "Economically disadvantaged women-owned, sole source", "EDWOSB, sole source"),
        ("XYZ", "XYZ", "XYZ"),
        ("", "", ""),
    ],
)
def test_set_asides_are_in_words_and_shorter_in_lists(code: str, name: str, short: str) -> None:
    assert (set_aside_name(code), short_set_aside(code)) == (name, short)


@pytest.mark.parametrize(
    ("title", "is_code"),
    [
        ("FD2030-26-01615", True),
        ("NSN 5998-01-303-5871", True),
        ("F16_APG68_PN772R023G01", True),
        ("F16_APG68_DualMonitor_PN772R023G01", False),
        ("PR 12345 Valve", False),
        ("Kaiju", False),
        ("N/A", False),
    ],
)
def test_a_title_of_codes_says_nothing(title: str, is_code: bool) -> None:
    assert is_only_codes(title) is is_code
