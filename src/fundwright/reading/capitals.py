"""Texts in capitals in their usual spelling."""

from __future__ import annotations

import re

_SMALL_WORDS = frozenset("a an and as at by for from in of on or the to with".split())  # noqa: SIM905
_SHORT_WORDS = frozenset(
    """
    act add ago aid air all arm art ash ave bag bar bay bed big box bus buy can cap car cup cut dam day dig dog dry ear egg end eye
    fan far few fin fir fit fix fly fog fox gap gas get gun gym her his hot hub ice inc its jar jaw jet job key kit lab law leg lid
    lip lot low man map mat max may mid mix mud net new non not now nut off oil old one our out own pad pan pay peg per pig pin pod
    pot pre pro raw ray red rib rig par rim rio rip rod row rug run sea see set six ski sky sub sun tab tap tax tee ten tie tip ton
    top tow toy tri tub tug two up use van vet via war way web wet win yes zoo do go if is no so st be it we
    me my you who why how
    """.split()  # noqa: SIM905
)
"""Of up to three letters. Others that are that short are nearly always abbreviations."""
_ACRONYMS = frozenset(
    """
    acec adpe aftac asme brac catv cbrn cctv cjis cmop cpap darpa dhhs docx dsra duns epri esri fema fisma fouo gsar hazwoper hvac
    icbm idiq isbn issn jofoc jtac matoc mcas mlrs mrap naics nasa nato navair navfac navsea navsup navwar ncats nccih nhgri nhlbi niaaa
    niaid niams nibib nichd nida nidcd nidcr niddk niehs nigms niin nimh nimhd ninds ninr nist nmfs nnsy noaa norad oconus osha
    pfas pmel rfid satcom satoc scada scif sdvosb sewp socom spawar suas swat unicor usace usaf usag usaid usar uscg uscgc uscis
    usda usfs usfws usgs usmc usns usss vamc viii visn voip vosb wosb
    barda cfr conops cv dhs dod doj epa faa fda gsa hhs nih nsf rfi rfp rfq sbir sttr uei usaid usps va
    """.split()  # noqa: SIM905
)
"""Beside those without a vowel, and the short ones, which count only where all words are in capitals."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_VOWEL = re.compile(r"[AEIOUY]")
_MOST_LOWER = 2
"""Lower-case letters in a text that counts as capitals, such as the one in UAVs."""


def without_capitals(text: str) -> str:
    """In title case, if it is in capitals. Sentence case would need to know which words are names."""
    letters = [letter for letter in text if letter.isalpha()]
    if sum(map(str.islower, letters)) > _MOST_LOWER or len(letters) <= _MOST_LOWER:
        return text
    spaced = re.sub(r",(?=[^\W\d_])", ", ", text)
    first = _WORD.search(spaced)

    def written(word: re.Match[str]) -> str:
        lower = word[0].lower()
        if lower in _SMALL_WORDS and first is not None and word.start() != first.start():
            return lower
        if _is_abbreviation(word[0]):
            return word[0]
        return word[0].title() if word[0][1:2] in ("'", "’") else word[0].capitalize()  # O'Brien, but Veteran's

    return _WORD.sub(written, spaced)


def title_of_words(words: str) -> str:
    """A text with abbreviations that are written like words, such as the name of a file, in their usual spelling: “cv whitfield” is
    “CV Whitfield”, and “Usda Sbir” is “USDA SBIR”. Other texts stay as they are."""
    if not any(word.lower() in _ACRONYMS for word in _WORD.findall(words)):
        return words
    if words.islower():
        return without_capitals(words.upper())
    return _WORD.sub(lambda word: word[0].upper() if word[0].istitle() and word[0].lower() in _ACRONYMS else word[0], words)


def capitalized(words: str) -> str:
    """In title case, if it is several words in lower case, such as the name of a file. Those without a vowel are abbreviations."""
    if not words.islower() or " " not in words:
        return words
    first = _WORD.search(words)

    def written(word: re.Match[str]) -> str:
        is_first = first is not None and word.start() == first.start()
        if any(map(str.isdigit, word[0])) or (word[0] in _SMALL_WORDS and not is_first):
            return word[0]
        return word[0].capitalize() if _VOWEL.search(word[0].upper()) or word[0] in _SHORT_WORDS else word[0].upper()

    return _WORD.sub(written, words)


def _is_abbreviation(word: str) -> bool:
    lower = word.lower()
    if any(map(str.isdigit, word)) or not word.isupper():
        return True
    if len(word) <= 3:
        return lower not in _SHORT_WORDS and lower not in _SMALL_WORDS
    return lower in _ACRONYMS or not _VOWEL.search(word)
