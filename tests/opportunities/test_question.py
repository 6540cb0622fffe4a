import pytest

from fundwright.opportunities.question import intended_word, is_named, number_key, parse, spelled_words, with_words


class TestParse:
    @pytest.mark.parametrize(
        ("text", "words", "required", "excluded", "is_open"),
        [
            ("water quality sensors", "water quality sensors", "", "", True),
            ('"water quality" sensors -army -navy', "water quality sensors", '"water quality"', "army or navy", True),
            ('"water quality"', "water quality", '"water quality"', "", False),
            ("-army", "", "", "army", False),
            ('dam -"hoover dam"', "dam", "", '"hoover dam"', True),
            ("ultrasound or x-ray -vet", "ultrasound x-ray", "ultrasound or x-ray", "vet", False),
            ("ultrasound OR x-ray", "ultrasound x-ray", "ultrasound OR x-ray", "", False),
            ("or", "or", "", "", True),
            ("a spectrometer or flow cytometer", "a spectrometer flow cytometer", "", "", True),
            ("a spectrometer OR flow cytometer", "a spectrometer flow cytometer", "a spectrometer OR flow cytometer", "", False),
            ("541512", "541512", "541512", "", False),
            ("541512 cloud hubzone", "541512 cloud hubzone", "541512 hubzone", "", True),
            ("541512 cloud SDVOSB", "541512 cloud SDVOSB", "541512 SDVOSB or 541512 sdvosbc or 541512 sdvosbs", "", True),
            ("wosb " * 50, ("wosb " * 50).strip(), ("wosb " * 50).strip(), "", False),
            ('"unfinished phrase', "unfinished phrase", '"unfinished phrase', "", False),
        ],
    )
    def test_distinguishes_conditions_from_words(
        self, text: str, words: str, required: str, excluded: str, is_open: bool
    ) -> None:
        question = parse(text)
        found = (question.words, question.required, question.excluded, question.is_open)
        assert found == (words, required, excluded, is_open)

    @pytest.mark.parametrize(
        ("text", "number"),
        [
            ("W912DY-25-R-0015", "W912DY25R0015"),
            ("W912DY 25 R 0015", "W912DY25R0015"),
            ("fa820126r0001", "FA820126R0001"),
            ("PAR-26-106", "PAR26106"),
            ("5 axis milling machine", ""),
            ("CH-47F", "CH47F"),
            ("dams", ""),
            ("F-35", ""),
        ],
    )
    def test_knows_a_number_however_it_is_typed(self, text: str, number: str) -> None:
        assert parse(text).number == number

    def test_finds_numbers_among_words(self) -> None:
        question = parse("dredging W912DY 25 R 0015 in Alaska")
        assert "W912DY25R0015" in question.numbers
        assert question.is_open
        assert parse("repair -PAR-26-106").numbers == ()

    def test_codes_have_no_meaning(self) -> None:
        assert parse("541512 cloud HUBZone").topic == "cloud"
        assert parse("541512").topic == ""
        assert parse("541512").number == ""

    @pytest.mark.parametrize(
        ("text", "topic"),
        [
            ("agency needs a contractor to run its 24/7 service desk", "24/7 service desk"),
            ("harmful algal bloom detection research funding", "harmful algal bloom detection research"),
            ("We are looking for funding for the restoration of wetlands", "restoration of wetlands"),
            ("the restoration of wetlands", "the restoration of wetlands"),
            ("small grants for rural schools", "small grants for rural schools"),
            ("funding opportunities", "funding opportunities"),
        ],
    )
    def test_what_is_stated_about_any_notice_is_not_a_topic(self, text: str, topic: str) -> None:
        assert parse(text).topic == topic
        assert parse(text).words == text

    def test_the_or_of_a_sentence_is_not_a_condition(self) -> None:
        assert parse("a spectrometer or flow cytometer -used").text == "a spectrometer flow cytometer -used"

    def test_a_whole_number_has_no_close_matches(self) -> None:
        assert not parse("W912DY-25-R-0015").is_open
        assert parse("CH-47F").is_open


class TestSpelling:
    def test_looks_at_plain_words_only(self) -> None:
        text = 'Janitoral services "gruonds" -army DEVSECOPS DevSecOps hubzone 541512 CH-47F roof'
        assert spelled_words(text) == {"janitoral": "Janitoral", "services": "services"}

    @pytest.mark.parametrize(
        ("word", "notices", "expected"),
        [
            ("janitoral", 0, "janitorial"),
            ("janitoral", 10, "janitorial"),
            ("metabolisim", 0, "metabolism"),
            ("plubming", 0, "plumbing"),
            ("maintenence", 0, "maintenance"),
            ("calibraton", 0, "calibration"),
            ("diabetis", 0, "diabetes"),
            ("securty", 0, "security"),
            ("assesment", 0, "assessment"),
            ("mechancal", 0, "mechanical"),
            ("router", 5, None),  # a real word, though a rare one
            ("plumbing", 0, None),
            ("zebrafish", 0, None),
            ("influensa", 0, "influenza"),
            ("tracr", 0, None),
            ("devsecops", 0, None),
            ("nitrification", 0, None),
            ("cathodic", 0, None),
            ("catholoc", 0, "catholic"),
        ],
    )
    def test_corrects_a_word_to_the_nearest_known_one(self, word: str, notices: int, expected: str | None) -> None:
        known = {
            "janitorial": 300,
            "janitor": 9,
            "metabolism": 4,
            "plumbing": 80,
            "maintenance": 900,
            "maintain": 30,
            "calibration": 60,
            "diabetes": 60,
            "security": 700,
            "assessment": 200,
            "mechanical": 200,
            "outer": 500,
        }
        known |= {"develops": 90, "notification": 90, "influences": 90, "influenza": 3, "tractor": 40, "catholic": 9}
        assert intended_word(word, known, notices=notices) == expected

    def test_of_several_as_near_it_takes_the_most_frequent(self) -> None:
        assert intended_word("bridgs", {"bridge": 50, "bridges": 9}, notices=0) == "bridges"
        assert intended_word("batting", {"betting": 3, "bitting": 30}, notices=0) == "bitting"

    def test_leaves_the_rest_of_the_text_alone(self) -> None:
        assert with_words('Janitoral "Janitoral" -Janitoral', {"Janitoral": "janitorial"}) == 'janitorial "Janitoral" -Janitoral'


def test_number_key_drops_case_and_signs() -> None:
    assert number_key("w912dy-25-r-0015 ") == "W912DY25R0015"


class TestAgencies:
    @pytest.mark.parametrize(
        ("text", "agency", "expected"),
        [
            ("CDC chronic disease prevention", "CENTERS FOR DISEASE CONTROL AND PREVENTION", True),
            ("CDC chronic disease prevention", "HHS-CDC-HHSCDCERA", True),
            ("keep a VA clinic running", "VETERANS AFFAIRS, DEPARTMENT OF", True),
            ("NOAA buoys", "NATIONAL OCEANIC AND ATMOSPHERIC ADMINISTRATION", True),
            ("DISA circuits", "DEFENSE INFORMATION SYSTEMS AGENCY (DISA)", True),
            ("army hosting", "DEPT OF THE ARMY", True),
            ("Air Force hosting", "DEPT OF THE AIR FORCE", True),
            ("force protection", "DEPT OF THE AIR FORCE", False),
            ("the va clinic", "VETERANS AFFAIRS, DEPARTMENT OF", False),
            ("energy storage", "ENERGY, DEPARTMENT OF", False),
            ("EPA grants", "Department of Education", False),
        ],
    )
    def test_are_named_by_initials_codes_and_services(self, text: str, agency: str, *, expected: bool) -> None:
        assert is_named(agency, parse(text)) is expected

    def test_abbreviations_are_spelled_out_for_their_meaning(self) -> None:
        asked = parse("IT and RMF")
        assert asked.words == "information technology and RMF"
        assert asked.topic == "IT information technology and RMF risk management framework"
