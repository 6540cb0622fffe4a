"""Labels of values in data sheets, project profiles, résumés, and letterheads, in English, German, and French.

A colon, dots, a bar, or a tab is enough to mark a label. If only a dash, a space, or a line break separates label and value, the
label must be a known one.
"""

from __future__ import annotations

import re

_NUMBER = r"(?: ?/.{1,20})?(?: (?:no\.?|nos\.?|number|num\.?|nr\.?|id)| ?#)?"
_KNOWN = (
    # projects
    r"(?:project |contract |program |grant |award |job )?(?:title|name)",
    r"(?:project |contract |building |end )?(?:owner|customer|client|user)(?: name| agency)?|(?:awarding |funding |issuing |contracting |government )?agency|buyer|contracting entity"
    r"|funder|grantor|sponsor|grantmaker|(?:funding |awarding )(?:source|body|organi[sz]ation)|source of (?:support|funding|funds)",
    rf"(?:contract|grant|award|agreement|task order|delivery order|purchase order|po|cooperative agreement|subcontract|idiq){_NUMBER}",
    r"(?:(?:total|final|original|annual|approximate|initial|current|our) ){0,2}(?:(?:contract|award|dollar|project|grant|subcontract) )?(?:value|amount|price|costs?|budget|funding|fee|share)|total award|ceiling",
    r"(?:period|pop|dates?|term|duration)(?: of (?:performance|award|service|contract))?|(?:performance|project|contract|award|grant|budget|funding|service) (?:period|dates|term)"
    r"|(?:award|start|begin(?:ning)?|effective|completion|end|finish) date|(?:date |year )?completed|contract start(?: and end)?(?: dates?)?|start|end|completion",
    r"(?:contract |award |grant )?(?:type|vehicle)|delivery(?: method)?|scope(?: of (?:work|services))?|(?:brief )?description(?: of (?:work|services))?|outcomes?|results?",
    r"(?:customer |client |project |government |technical )?(?:poc|cor|reference|point of contact|contact(?: person)?)|contracting officer(?:'s representative)?|talk to|runs|when|(?:invoiced|obligated|billed)(?: so far| to date)?|place of performance|location",
    # people
    r"(?:full |employee )?name|(?:proposed |current |project |job )?(?:role|position|function)(?: title)?|job title|employer|(?:total )?years(?: of experience| in trade| experience| with firm)?"
    r"|experience|degrees?|education|(?:licen[cs]es?|certifications?|certificates|registrations?|credentials)(?: (?:and|&) (?:licen[cs]es?|certifications?|certificates|registrations?|credentials))?"
    r"|(?:security )?clearance|era commons(?: user)? name|languages?",
    # organizations
    r"uei|unique entity (?:id(?:entifier)?|number)|sam uei|cage(?:/ncage)?(?: code)?|ncage|duns(?: number)?|naics(?: codes?)?|primary naics|psc(?: codes?)?|ein|tin|tax (?:id|status)|sic(?: codes?)?"
    r"|(?:business |company )?(?:size|status|type)|socio-?economic(?: status)?|set-?asides?|bonding(?: capacity)?|(?:federally )?(?:negotiated )?indirect (?:cost )?rate|contract vehicles?|gsa (?:schedule|mas|contract)"
    r"|(?:state )?licen[cs]es?|legal (?:business )?name|founded|established|incorporated|headquarters|employees|facility clearance|insurance",
    r"phone|tel(?:ephone)?|mobile|cell|fax|e-?mail|web(?:site)?|address|mailing address|street address",
    # German and French
    r"auftraggeber(?:in)?|kunde|kundin|auftrags(?:nummer|wert|summe|volumen)|vertrags(?:nummer|wert|art)|projekt(?:titel|name)|laufzeit|zeitraum|ansprechpartner(?:in)?|leistungszeitraum|rolle|funktion"
    r"|telefon|anschrift|ust-?id\w*|gegründet|mitarbeitende|rechtsform",
    r"maître d'ouvrage|donneur d'ordre|bailleur|montant(?: du marché)?|numéro(?: de marché)?|durée|période|intitulé|titre(?: du projet)?|fonction|téléphone|courriel|adresse|siret|siren|effectif",
)
_IS_KNOWN = re.compile("|".join(_KNOWN), re.IGNORECASE)
_IS_ROLE = re.compile(
    r"(?:[^\W\d_]{2,20} ){0,2}(?:director|manager|coordinator|investigator|evaluator|leader?|officer|president|partners?)",
    re.IGNORECASE,
)
"""Roles, which are labels only if a line has several of them."""
_CODE_BESIDE = re.compile(
    r"(?P<label>(?i:uei|unique entity id|cage(?: code)?|duns|ein|naics(?: codes?)?|psc(?: codes?)?))[ ]{1,12}(?P<value>(?=[A-Z]{0,6}\d)[A-Z0-9]{3,12}\b.{0,120})"
)
_CODED = re.compile(
    r"(?P<label>(?i:uei|unique entity id|cage(?: code)?|duns|ein|naics(?: codes?)?|psc(?: codes?)?|sam))(?::[ ]{0,3}|[ ]{1,3})(?P<value>[^\s:].{0,300})"
)
_BETWEEN_CODES = re.compile(r"[ ]{0,3}[;~|·•][ ]{1,3}|[ ]{1,3}/[ ]{1,3}")
_MAX_WORDS = 5
_MAX_CHARACTERS = 400
_IS_POST_BOX = re.compile(r"\s{0,40}P\.?O\.? Box\b", re.IGNORECASE)
_BEGINS_VALUE = re.compile(r"[A-ZÄÖÜÉÀ0-9$€£\"“(]")
_WITH_COLON = re.compile(r"(?:^|[;,.|·•][ ]{1,3})([A-ZÄÖÜÉÀ][\w'’/&#-]{0,20}(?: [\w'’/&#-]{1,20}){0,4}(?<=\w)\.?):\s{1,5}(?=\S)")
_DASHED = re.compile(r"\s{0,40}([A-ZÄÖÜÉÀ][\w .'’/&#]{1,40}?)\s{1,5}[-–—]\s{1,5}(\S.{0,400})")
_SPACED = re.compile(r"\s{0,40}([A-ZÄÖÜÉÀ][\w.'’/&#-]{0,40}(?: [\w.'’/&#-]{1,40}){0,5}) {2,60}(\S.{0,400})")
_BOLD = re.compile(r"\s{0,40}(?:\*\*|__)([A-ZÄÖÜÉÀ][^*_:]{1,40})(?:\*\*|__)\s{1,5}([^\s–—:.-].{0,400})")


def is_known(text: str) -> bool:
    """Whether the text is a known label."""
    return _IS_KNOWN.fullmatch(" ".join(text.split()).strip(" *_.:()")) is not None


def divided(line: str) -> tuple[str, str] | None:
    """Return (label, value) of “Value – $742,000”, of “**Value** $742,000”, and of “VALUE  $742,000” with several spaces."""
    found = _BOLD.fullmatch(line) or _DASHED.fullmatch(line) or _SPACED.fullmatch(line)
    return (found[1].strip(), found[2].strip()) if found and is_known(found[1]) and not is_known(found[2]) else None


def beside(line: str) -> tuple[str, str] | None:
    """Return (label, value) of “Value $742,000”. A line alone is ambiguous: “Contract Management” is not a label and a value."""
    words = line[:_MAX_CHARACTERS].split() if not line.isupper() and not _IS_POST_BOX.match(line) else []
    for count in range(min(_MAX_WORDS, len(words) - 1), 0, -1):
        label, value = " ".join(words[:count]).strip("*_ "), " ".join(words[count:]).strip("*_ ")
        if label[:1].isupper() and not label.endswith((",", ";")) and _BEGINS_VALUE.match(value) and is_known(label):
            return label, value
    return None


def code_beside(line: str) -> tuple[str, str] | None:
    """Return (label, value) of “CAGE 7R2T4”, which is unambiguous anywhere."""
    found = _CODE_BESIDE.fullmatch(line.strip()) if len(line) <= _MAX_CHARACTERS else None
    return (found["label"], found["value"].strip()) if found else None


def several(text: str) -> list[tuple[str, str]]:
    """Return (label, value) pairs of “Customer: City of Holland; Value: $96,400.” and of “UEI R7TYH2MNC4K8 ~ CAGE 9F1Q7”, in order.
    Returns nothing unless there are several, starting at the beginning."""
    if codes := _codes(text):
        return codes
    found = [match for match in _WITH_COLON.finditer(text) if _is_one_of_several(match[1]) or not match.start()]
    if sum(_is_one_of_several(match[1]) for match in found) < 2 or found[0].start():
        return []
    ends = [*(match.start() for match in found[1:]), len(text)]
    values = [text[match.end() : end].strip(" ;,|·•") for match, end in zip(found, ends, strict=True)]
    values[-1] = values[-1].removesuffix(".") if len(values[-1].split(". ")) == 1 else values[-1]
    return [(match[1], value) for match, value in zip(found, values, strict=True) if value]


def _is_one_of_several(label: str) -> bool:
    return is_known(label) or _IS_ROLE.fullmatch(label) is not None


def _codes(text: str) -> list[tuple[str, str]]:
    """Text between two codes that is not a code belongs to the previous one."""
    pairs: list[tuple[str, str]] = []
    for part in _BETWEEN_CODES.split(text):
        if found := _CODED.fullmatch(part.strip()):
            pairs.append((found["label"], found["value"].strip()))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}; {part.strip()}")
        else:
            return []
    return pairs if sum(any(map(str.isdigit, value)) for _, value in pairs) > 1 else []
