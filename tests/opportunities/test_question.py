import pytest

from fundwright.opportunities.question import number_key, parse


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
            ("541512 cloud sdvosb", "541512 cloud sdvosb", "541512 sdvosb", "", True),
            ('"unfinished phrase', "unfinished phrase", '"unfinished phrase', "", False),
        ],
    )
    def test_tells_conditions_from_words(self, text: str, words: str, required: str, excluded: str, is_open: bool) -> None:
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

    def test_the_or_of_a_sentence_is_no_condition(self) -> None:
        assert parse("a spectrometer or flow cytometer -used").text == "a spectrometer flow cytometer -used"

    def test_a_whole_number_has_no_close_matches(self) -> None:
        assert not parse("W912DY-25-R-0015").is_open
        assert parse("CH-47F").is_open


def test_number_key_drops_case_and_signs() -> None:
    assert number_key("w912dy-25-r-0015 ") == "W912DY25R0015"
