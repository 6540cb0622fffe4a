"""Proposes the kind of a document from its title, headings and other short lines, and words.

Each cue is a pattern with points for a kind. It counts once in a title, once in each of the first lines that match, and in the
words by its frequency per thousand. The kind with the most points wins. A document with few cues is assumed to be about us, unless
it addresses others ("the offeror shall").
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from fundwright.language import field_labels, structure, value_patterns
from fundwright.language.schemas import DocumentKind
from fundwright.language.structure import BlockKind

_ABOUT_US = DocumentKind.ABOUT_US
_PAST_PERFORMANCE = DocumentKind.PAST_PERFORMANCE
_RESUME = DocumentKind.RESUME
_PROPOSAL = DocumentKind.PREVIOUS_PROPOSAL
_DATA = DocumentKind.DATA
_NOTICE = DocumentKind.NOTICE
_POLICY = DocumentKind.POLICY

_READ_CHARACTERS = 60_000
_READ_TITLE_LINES = 2
"""The number of first lines that count like a title."""
_LINE_CHARACTERS = 90
_COUNTED_LINES = 3
_MAX_PER_THOUSAND = 24
_MIN_WORDS = 250
"""The minimum length used for frequencies, in words. A single word says little."""
_MIN_POINTS = 1.5
_FIRST_LINE_WEIGHT = 0.8
_FIGURE_POINTS = 1.6
_CALL = (
    r"\b(?:(?:call|request|invitation) for|invites?) (?:[\w-]+ ){0,2}(?:proposals?|applications?|letters of \w+|LOIs?|(?:white|concept) papers?|abstracts?|"
    r"submissions?|information|quot\w+)\b|\b(?:letters?(?: of \w+)?|LOIs?) (?:are )?due\b"
)
_ASKS = re.compile(
    rf"{_CALL}|\b(?:shall|must|eligib\w+|(?:applicants?|offerors?|bidders?|respondents?|proposers?)(?!\s{{0,3}}[.:|])|apply|deadline|solicitation|quotes?|due (?:date|by|no later)|will (?:fund|award|support|be awarded)|"
    r"submit by|award (?:ceiling|floor)|intends? to|intended to|is seeking|seeks|sources? sought|we (?:\W?\w+['’]?\w*\W? ){0,2}(?:fund|seek|invite))\b",
    re.IGNORECASE,
)
"""Phrases that invite, ask, or oblige others."""
_OURSELVES = re.compile(r"\b(?:we|our|us|wir|unser\w*|nous|notre)\b", re.IGNORECASE)
_UNLIKELY_WEIGHT = 0.4
_DONE = re.compile(
    r"\b(?:we|they|our team|I|was|were|has been|have been)(?: have| has)? (?!(?:award|fund|grant|support|sponsor|invit)ed\b)(?:\w{3,}ed|took|built|ran|made|met|cut|bought|wrote|found|won|held|went|did|paid|put|came|gave|kept|taught|led|sold|grew|drove|set)\b",
    re.IGNORECASE,
)
"""Phrases of people who did something themselves and did not just pay for it."""
_REPORTED = re.compile(
    r"\b(?:said|says|announced|told reporters|according to|staff writer|reporters?|correspondent|press release|newswire|analysts?)\b|(?-i:^\W{0,5}[A-Z]{4,20}, [A-Z][\w.]{1,20} ?[-–—] )",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED = re.compile(r"[“\"][^“”\"]*+[”\"]")
_MIN_REPORTED, _REPORT_POINTS = 2, 4.0
"""Phrases of newspapers, which write about others: their “we” is in quotation marks."""
_PLANNED = re.compile(
    r"\b(?:we|project|team) (?:will|propose|plan|want|would)\b|\b(?:objective|aim|task) \d|\bbudget period\b", re.IGNORECASE
)
_ACCOUNT_POINTS, _NO_DATA_WEIGHT = 6.0, 0.6
"""With customer, amount, and dates, it is an account of a project, not a table of data, however many figures it has."""
_COUNT = re.compile(r"\d{1,3}(?:,\d{3})?")
_FIGURE = re.compile(r"[<>≤≥±+/\s-]{0,4}\d[\d.,]*\s?(?!/|(?:19|20)\d\d)[^\W\d_%°µ]{0,10}")


@dataclass(frozen=True)
class _Cue:
    kind: DocumentKind
    points: float
    pattern: re.Pattern[str]


def _cues(kind: DocumentKind, points: float, *patterns: str) -> Iterable[_Cue]:
    return (_Cue(kind, points, re.compile(pattern, re.IGNORECASE)) for pattern in patterns)


_TITLE = (
    *_cues(
        _RESUME,
        6,
        r"\b(?:r[eé]sum[eé]s?|c\.?v\.?|curriculum vitae|bio(?:graphical)? ?sketch(?:es)?|bios?|key (?:personnel|staff)|vitae)\b",
    ),
    *_cues(
        _PAST_PERFORMANCE,
        6,
        r"\bpast perf\w*|\bPPQs?\b|\bCPARS?\b|\bproject (?:sheet|profile|reference|experience)s?\b|\breferences?\b|\bcase stud(?:y|ies)\b|"
        r"\b(?:final|completion) (?:[a-z]+ ){0,2}(?:reports?|narrative)\b|\bclose-?outs?\b|\bproject outcomes?\b|\bgrant reports?\b|\bsuccess stor(?:y|ies)\b|\bproject summary sheet\b|\brelevant experience\b|\bcontract history\b|\bcompleted projects?\b",
    ),
    *_cues(
        _NOTICE,
        6,
        r"\bRF[PIQ]s?\b|\bRFAs?\b|\bP[WA][SR]?\b(?=.*\d|\W*$)|\bPWS\b|\bSOW\b|\bSOO\b|\bNOF[OA]\b|\bBAA\b|\bFOA\b|\bsolicitation\b|"
        r"\bsources sought\b|\bfunding (?:opportunity|announcement)\b|"
        r"\bcombined synopsis\b|\bpresolicitation\b|\bperformance work statement\b|\bstatement of (?:work|objectives)\b|\bamendment\b|"
        r"\bPA[R]?-\d\d-\d+|\bRFA-\w\w-\d\d-\d+|\binvitation (?:for|to) bid\b|\bprogram announcement\b|\bbroad agency announcement\b|"
        r"\bIFB\b|" + _CALL + r"|\bspecial notice\b|\b(?:seed|mini|research|innovation|access) grants?\b|"
        r"\b(?:grants?|fund|funds|foundation|fdn|program)\b.{0,30}\bguide(?:lines?)?\b",
    ),
    *_cues(
        _POLICY,
        6,
        r"\bDF?ARS?\b|\bFAR\b(?! from)|\bCFR\b|\bpolic(?:y|ies)\b|\bhandbook\b|(?<!grant )(?<!fund )(?<!fdn )(?<!foundation )\bguide(?:book|lines?)?\b|\bdirective\b|\bregulations?\b|\bcirculars?\b|"
        r"\bmanual\b|\bterms and conditions\b|\bclauses?\b|\bcompliance requirements\b|\buniform guidance\b|\binstruction(?:s)?\b|\bmemorandum\b|\bcode of conduct\b",
    ),
    *_cues(
        _PROPOSAL,
        6,
        r"\b(?:technical|grant|winning|submitted|final|previous|old|full|cost|management|research) (?:proposal|volume|application|approach)\b|^approach\b|\bproposal\b|"
        r"\b(?:RF[IPQA]|notice|solicitation) response\b|\bresponse to\b|\bspecific aims\b|\bresearch (?:strategy|plan)\b|\bproject (?:narrative|summary|description|abstract)\b|\b(?:white|concept) ?papers?\b|"
        r"\bapplication narrative\b|\babstract\b|\bSBIR\b|\bSTTR\b|\bcover letter\b|\bstatement of interest\b|\bvolume [IV1-4]+\b",
    ),
    *_cues(
        _DATA,
        6,
        r"\bdata ?sheets?\b|\bdata ?sets?\b|\bspec(?:ification)?s?(?: sheet)?\b|\b(?:test|lab(?:oratory)?|monitoring|annual|quarterly|validation|survey|"
        r"evaluation|calibration|progress|performance|technical|study|field|outcomes?) (?:report|results?|data)\b|\breport\b|\bresults\b|\bmeasurements?\b|\btables?\b|\bstatistics\b|"
        r"\bmetrics\b|\bfigures\b|\bprice list\b|\blabor rates\b",
    ),
    *_cues(
        _ABOUT_US,
        6,
        r"\bcapabilit(?:y|ies)\b|\bcap ?stat\w*\b|\b(?:company|organi[sz]ation\w*|corporate|lab|firm|team|institutional|agency|center) (?:profile|overview|info\w*|history|description|data|brochure|background)\b|"
        r"\babout (?:us|the)\b|\bprofile\b|\bfacilities\b|\bbrochure\b|\bone[- ]pager\b|\bwho we are\b|\bcertifications\b|\bmethods and quality\b|"
        r"\bquality (?:assurance|management|control) (?:plan|program|system)\b|\bour (?:company|approach|services|team)\b|\bline card\b",
    ),
)

_LINES = (
    *_cues(
        _RESUME,
        2.2,
        r"^\W*(?:education(?: (?:and|&) training| / training)?|(?:professional |work |relevant |selected )?(?:experience|employment|positions?)(?: history)?|"
        r"work history|publications?|selected publications|honou?rs(?: and awards)?|awards|personal statement|contributions? to science|skills|technical skills|"
        r"positions(?:,| and) .*|professional (?:preparation|summary|affiliations|licenses?.*|memberships?)|appointments|references available.*|"
        r"languages|peer[- ]reviewed publications|teaching|synergistic activities|licenses?(?: and certifications)?|objective|security clearance|"
        r"products|career (?:summary|history)|military service|invited talks|research support|certifications?(?: (?:and|&) (?:licenses|training))?)\W*$",
    ),
    *_cues(
        _RESUME,
        2.0,
        r"^\W*(?:name|eRA COMMONS.*|position title)\s*:",
        r"^\W*(?:[A-Z][\w.'’-]+ ){1,3}[A-Z][\w'’-]+, (?:Ph\.? ?D|M\.?D|P\.?E|M\.?S|MPH|PMP|R\.?N|J\.?D|DrPH|MBA|CPA|Sc\.?D)",
    ),
    *_cues(
        _RESUME,
        1.6,
        r"^\W*(?:education|school|quals?|qualifications|(?:current )?position|certs?|certifications?|clearance|experience|years (?:in|of) \w+|degrees?|licenses?|current position)\s*[|:]",
        r"(?:19|20)\d\d\s*(?:[-–—]|to)\s*(?:present|current|now)\b",
        r"\b(?:B\.?[AS]\.?|M\.?S\.?|Ph\.?D\.?|B\.?Sc|MPH|MBA|A\.A\.S)\W.*\b(?:19|20)\d\d\b",
    ),
    *_cues(
        _PAST_PERFORMANCE,
        1.6,
        r"^\W*(?:contract|award|agreement|grant|task order|subcontract)(?: ?/ ?\w+)? ?(?:no|num|number|#|value|amount|type|title|name|dates?|vehicle)\b",
        r"^\W*(?:customer|client|agency|sponsor|prime(?: contractor)?|owner|end user|(?:contracting|awarding|funding|issuing) (?:agency|activity|source|organi[sz]ation)|funder|grantor)(?: name| agency)?\s*[:|]",
        r"^\W*(?:period of perf\w*|pop|performance period|dates? of (?:service|performance))\b|^\W*(?:(?:project|grant|award|budget) )?(?:period|dates?|term|duration)\s*[:|]",
        r"^\W*(?:(?:total|dollar|award|project|annual|final|original) )?(?:value|amount|budget|award|fee|funding)\s*[:|]",
        r"^\W*(?:role|our role|point of contact|POC|reference|relevance|relevancy|outcomes?|results?|challenges?|what (?:we did|went wrong|did not work)|lessons learned|"
        r"scope(?: of (?:work|services))?|description of (?:work|services)|ratings?|performance (?:rating|evaluation).*|cpars.*)\s*(?:[:|]|$)",
    ),
    *_cues(
        _NOTICE,
        1.8,
        r"^\W*(?:part|section) (?:[1-9IV]+|[A-M])\b[\s:.–-]",
        r"^\W*(?:solicitation|notice|announcement|funding opportunity|opportunity|RF[PQIA]) ?(?:no|num|number|#|id|type|title)\b",
        r"^\W*(?:response|proposals?|applications?|quotes?|offers?|questions?|bids?|key|letter of intent|closing|due|submission) (?:date|dates|due|deadline)\b",
        r"^\W*(?:set[- ]aside|award (?:ceiling|floor|information)|eligib\w+(?: \w+)*|evaluation (?:criteria|factors|of).*|submission (?:instructions|requirements|dates?.*)|"
        r"instructions to (?:offerors|applicants|bidders|vendors).*|background|scope(?: of work)?|place of performance|basis (?:for|of) award|deliverables.*|"
        r"application and submission information|funding opportunity description.*|review (?:and selection|criteria).*|how to (?:apply|respond|submit)|expected number of awards|"
        r"participating organization.*|components of .*|assistance listing.*|requirements?|tasks?|description of (?:the )?(?:requirement|services).*|"
        r"quality assurance surveillance.*|government[- ]furnished.*|purpose of (?:this )?(?:notice|announcement|program).*|questions for (?:industry|respondents))\W*$",
    ),
    *_cues(
        _POLICY,
        1.8,
        r"^\W*(?:52|252)\.\d{3}\b",
        r"^\W*(?:subpart|chapter|§|sec\.|part) ?\d+[.\d-]*\b",
        r"^\W*\d+\.\d{3}(?:-\d+)?\b",
        r"^\W*(?:definitions?|applicability|authorit(?:y|ies)|responsibilities|effective date|policy(?: statement)?|enforcement|exceptions?|prescription|supersedes|"
        r"roles and responsibilities|purpose and scope|references and authorities|procedures?|revision history|cancellation|prohibition.*|disallowed costs|allowable costs|cost principles)\W*$",
    ),
    *_cues(
        _PROPOSAL,
        2.0,
        r"^\W*(?:specific aims?|aim \d.*|significance|innovation|research (?:strategy|plan|design.*)|approach|technical approach|management (?:approach|plan)|staffing(?: plan| approach)?|transition(?:-in)?|"
        r"expected outcomes?|broader impacts?|intellectual merit|project summary.*|project narrative.*|public health relevance.*|budget (?:justification|narrative)|"
        r"work plan|timeline|schedule and milestones|statement of need|need statement|problem statement|evaluation plan|dissemination plan|executive summary|"
        r"understanding of the (?:requirement|problem|work)|proposed (?:solution|approach|work|project).*|sustainability|preliminary (?:data|results)|commercialization plan|"
        r"logic model|goals and objectives|transition plan|risk mitigation|target population|organizational capacity|why (?:us|we))\W*$",
        r"^\W*(?:submitted (?:to|by|in response)|in response to|prepared for|dear )",
    ),
    *_cues(
        _DATA,
        1.6,
        r"^\W*(?:table|figure|fig\.) \d+",
        r"^\W*(?:specifications?|measurement range|accuracy|precision|resolution|operating (?:temperature|range|conditions)|dimensions|weight|power(?: supply| consumption)?|"
        r"sample size|methods?|results?|discussion|limitations|findings|key findings|summary statistics|data dictionary|variables|detection limits?|response rate|"
        r"part numbers?|ordering information|interfaces?|data collection|sampling|test (?:setup|conditions|results|articles?)|parameters?|baseline|indicators?|outputs?)\s*(?:[:|].*)?$",
        r"^(?:[^|,;\t\n]{0,40}[|,;\t]){2,} *[-–+±<>$]?\d[\d.,%]*",
    ),
    *_cues(
        _ABOUT_US,
        2.0,
        r"^\W*(?:core (?:competenc\w+|capabilit\w+)|differentiators?|what sets us apart|why (?:choose )?us|company (?:data|information|profile|overview|facts|snapshot)|"
        r"corporate (?:data|information|overview)|about us|who we are|our (?:mission|history|services|people|clients|story|team|facilities|values)|mission(?: statement)?|"
        r"history|services|what we do|at a glance|codes|NAICS(?: codes?)?|certifications(?: and .*)?|contact(?: us| information)?|facilities(?: and equipment)?|"
        r"equipment|laborator\w+|capabilities|contract vehicles|socio-?economic status|insurance.*|leadership|governance|programs|partners(?:hips)?|quality(?: assurance)?|core facilities)\W*$",
        r"^\W*(?:UEI|CAGE|DUNS|EIN|SAM)\b",
    ),
)

_WORDS = (
    *_cues(
        _NOTICE,
        1.0,
        r"\b(?:offerors?|applicants?|respondents?|vendors?|quoters?|bidders?|contractors?|awardees?|recipients?) (?:\w+ )?(?:shall|must|should|may|will|are|is|who|that)\b",
        r"\bthe government (?:intends|will|may|anticipates|is|reserves|does|has|requires|seeks)\b|\b(?:NIH|HHS|NSF|USDA|EPA|DOE|the agency|the department) (?:intends|anticipates|will fund|is seeking|invites|expects to)\b",
        r"\b(?:this|the) (?:solicitation|notice|announcement|funding opportunity(?: announcement)?|FOA|NOFO|RF[PIAQ]|PWS|procurement|acquisition|requirement)\b",
        r"\bproposals? (?:are|is|shall|must|will|due|received)\b|\bapplications? (?:are|is|must|will|due|received)\b|\bsubmi(?:t|tted|ssion)\b",
        r"\bset[- ]aside\b|\bresponse date\b|\bcontracting officer\b|\bgrants\.gov\b|\bsam\.gov\b|\bcapability statements?\b(?= (?:to|that|must|should|in response))|\bmarket research\b|\baward ceiling\b|"
        r"\beligible (?:applicants|entities)\b|\bthis opportunity\b",
        r"\b(?:NOFOs?|FOAs?|RFAs?|RFPs?|RFQs?|RFIs?|solicitation|presolicitation|sources sought|sole[- ]source|notice of intent|synopsis|program announcement|reissue)\b",
        r"\b(?:invites?|solicits?|encourag(?:es?|ing)|call(?:s|ing)? for|will support|intends to (?:award|issue|support|publish|procure)|will award|(?:is|are|was|be) awarded|expected to be released|seeking (?:a|an|qualified|sources|proposals|applications))\b",
        r"(?-i:\b(?:[RUKPTFGD]\d\d|SB1|UG3/UH3|UM1)\b)|\bclinical trial (?:not allowed|optional|required)\b|\bcooperative agreements?\b|\b(?:an|eligible|prospective|interested) (?:applicant|offeror|part(?:y|ies)|proposer|vendor|quoter)s?\b",
        r"\b(?:the|this|joint) [\w /&()’'-]{0,60}(?:program|initiative|partnership)(?: also)? ?(?:supports?|seeks|encourages|invites|accepts|welcomes|funds|is designed|is intended|considers|aims)\b|\bproposers?\b|\bNSF\b|\bprincipal investigators? (?:must|should|may|are)\b",
        r"\bwe (?:will |do |don['’]t |won['’]t |also |have )?(?:\W?not\W? )?(?:fund(?:ed)?|award(?:ed)?|seek|invite|welcome|are looking for|look for)\b|\b(?:who|how) (?:may|can|to) apply\b|\bsend (?:it )?to\b|"
        + _CALL,
        r"\bamendments? \d+|\bbest value\b|\bplace of performance\b|\bquotes?\b|\bNSNs?\b|\bPSC\b|\bthis (?:requirement|procurement|contract action|synopsis)\b",
    ),
    *_cues(
        _POLICY,
        1.0,
        r"\b(?:FAR|DFARS|CFR|U\.?S\.?C\.?|FMR|AFARS|HHSAR)\s*(?:part |subpart |§ ?)?\d+|\b\d+ (?:CFR|U\.?S\.?C)\b",
        r"\b(?:this|the) (?:clause|subpart|part|policy|handbook|guide|directive|manual|chapter|regulation|circular|instruction)\b",
        r"\bas (?:used|defined|prescribed|required) (?:in|by)\b|\binsert the following\b|\bin accordance with\b|\bpursuant to\b|\bnotwithstanding\b|\bexcept as\b|\bcompl(?:y|iance)\b",
        r"\b(?:recipients?|grantees?|employees?|agencies|institutions?|contractors?|personnel|staff|users?|subrecipients?) (?:\w+ )?(?:shall|must|may not)\b",
        r"\ballowable\b|\bprohibited\b|\bpermitted\b|\bprior approval\b|\bwaivers?\b|\bviolations?\b",
    ),
    *_cues(
        _PROPOSAL,
        1.3,
        r"\bwe (?:propose|will|plan to|aim to|hypothesi[sz]e|request|anticipate|intend)\b|\bwe are (?:pleased to submit|requesting)\b|\bour (?:team )?(?:proposed|proposal|approach|hypothesis|goal|central hypothesis|long[- ]term goal)\b",
        r"\b(?:proposed|proposal|hypothes[ie]s|(?:specific )?aims? (?:\d|is|are|of)|this (?:project|application|proposal|study))\b",
        r"\b(?:project|study|research|team) will\b|\bwill (?:be (?:used|tested|developed|performed|trained|recruited|delivered|conducted|completed|evaluated)|provide|develop|determine|test|identify|train|lead|deliver|perform|staff)\b",
    ),
    *_cues(
        _RESUME,
        1.0,
        r"\b(?:he|she|I|his|her|my) (?:has|have|holds?|led|leads|was|is|managed|directed|earned|served|am|work(?:ed|s)?|oversees|supervis\w+|research|laboratory)\b",
        r"\b(?:Ph\.?D|M\.?S\.?|B\.?S\.?|M\.?A\.?|B\.?A\.?|MBA|PMP|CISSP|P\.E\.|doctorate|bachelor\w*|master'?s?)\b",
        r"\byears of experience\b|\bet al\b|\bAssociate Professor\b|\bAssistant Professor\b|\bpostdoc\w*\b|\breferences available\b",
        r"\b(?:19|20)\d\d ?[-–] ?(?:(?:19|20)\d\d|present)\b",
    ),
    *_cues(
        _PAST_PERFORMANCE,
        0.9,
        r"\b(?:contract|award) (?:value|was worth|number|no\.)|\bperiod of performance\b|\bfirm[ -]fixed[ -]price\b|\bcost[ -]plus\b|\btime and materials\b|\bCPARS\b|\bexceptional\b|\bvery good\b",
        r"\b(?:ahead of|on) (?:schedule|time)\b|\b(?:under|on|within) budget\b|\bno cost overruns?\b|\bthe (?:customer|client|project team)\b|\bprime contractor\b|\bsubcontractor to\b",
        r"\b(?:delivered|completed|installed|replaced|migrated|provided|trained|reduced|designed|repaired|finished|deployed|supported|performed)\b",
    ),
    *_cues(
        _DATA,
        0.8,
        r"\d[\d.,]{0,15} ?(?:%|percent|mg/L|µg|ug/L|mm|cm|nm|kg|°[CF]|Hz|kHz|MHz|dB|NTU|ppm|ppb|V\b|W\b|mA|kWh|psi|mL|mM)",
        r"\b(?:mean|median|standard deviation|SD|CI|confidence interval|n ?= ?\d+|p ?[<=] ?0?\.\d+|RMSE|R²|sensitivity|specificity|baseline|respondents|sampled?|samples|measured)\b",
        r"\b(?:table|figure) \d+\b",
    ),
    *_cues(
        _ABOUT_US,
        1.0,
        r"\b(?:we|our company|the company|our (?:firm|lab|organization|center|team)) (?:are|is|offer|provide|design|build|serve|operate|specialize|have|was|were|employ|maintain|own|hold|make)\b",
        r"\b(?:founded|established|incorporated|headquartered) in\b|\b(?:woman|women|veteran|minority|family|employee)[- ]owned\b|\bsmall business\b|\b8\(a\)|\bHUBZone\b|\bSDVOSB\b|\bWOSB\b|\bEDWOSB\b|\b501\(c\)",
        r"\bISO \d{4,5}|\bCMMI\b|\bcertified\b|\baccredited\b|\blicensed\b|\bemployees\b|\bclients include\b|\bour (?:mission|customers|clients|services|staff|laboratory|facility)\b",
        r"\b(?:UEI|CAGE|DUNS|NAICS)\b",
    ),
)


def propose(*, title: str, filename: str, text: str) -> DocumentKind:
    """Return the most likely kind of a document. `text` is the text that its reader extracted."""
    points = score(title=title, filename=filename, text=text)
    best = max(points, key=lambda kind: points[kind])
    return best if points[best] >= _MIN_POINTS else DocumentKind.ABOUT_US


def score(*, title: str, filename: str, text: str) -> dict[DocumentKind, float]:
    """Return the points of each kind."""
    text = text[:_READ_CHARACTERS]
    lines, figures = _lines_of(text)
    points = dict.fromkeys(DocumentKind, 0.0)
    named = re.sub(r"[_.\-]+", " ", f"{title} {filename}")
    beginning = "\n".join(lines[:_READ_TITLE_LINES])
    for cue in _TITLE:
        if cue.pattern.search(named) or cue.pattern.search(f"{title} {filename}"):
            points[cue.kind] += cue.points
        elif cue.pattern.search(beginning):
            points[cue.kind] += _FIRST_LINE_WEIGHT * cue.points
    for cue in _LINES:
        found = sum(bool(cue.pattern.search(line)) for line in lines)
        points[cue.kind] += cue.points * min(found, _COUNTED_LINES)
    points[_DATA] += _FIGURE_POINTS * min(figures, _COUNTED_LINES)
    thousands = max(len(text.split()), _MIN_WORDS) / 1000
    for cue in _WORDS:
        found = sum(1 for _ in cue.pattern.finditer(text))
        points[cue.kind] += cue.points * math.log2(1 + min(found / thousands, _MAX_PER_THOUSAND))
    asked, planned, done = (sum(1 for _ in pattern.finditer(text)) for pattern in (_ASKS, _PLANNED, _DONE))
    unquoted = _QUOTED.sub(" ", text)
    is_report = sum(1 for _ in _REPORTED.finditer(unquoted)) >= _MIN_REPORTED and not _OURSELVES.search(unquoted)
    is_account = not is_report and points[_NOTICE] < _ACCOUNT_POINTS and max(asked, planned) <= done and _is_paid_for(text)
    if is_report:
        points[_DATA] += _REPORT_POINTS
    if is_account:
        points[_PAST_PERFORMANCE] += _ACCOUNT_POINTS
        points[_DATA] *= _NO_DATA_WEIGHT
    if asked > done or is_report:
        points[_PAST_PERFORMANCE] *= _UNLIKELY_WEIGHT
    if not asked and (is_account or _OURSELVES.search(text)):
        for kind in (_NOTICE, _POLICY):
            points[kind] *= _UNLIKELY_WEIGHT
    return points


def _is_paid_for(text: str) -> bool:
    """Whether the text says who paid, how much, and when, as reports about projects and offers of funding do."""
    is_in_time = (
        value_patterns.PERIOD.search(text)
        or value_patterns.FINISHED.search(text)
        or value_patterns.SINCE.search(text)
        or value_patterns.BEGUN.search(text)
    )
    return bool(is_in_time and value_patterns.MONEY.search(text) and value_patterns.customer_of(text))


def _lines_of(text: str) -> tuple[list[str], int]:
    """Return the short lines, and the number of them with a figure. Labeled values have the form “label: value”, whatever their
    layout."""
    blocks = structure.read(text)
    pairs = [block for block in blocks if block.kind == BlockKind.PAIR]
    starts = {block.start for block in pairs}
    lines: list[str] = []
    offset = 0
    for line in text.splitlines(keepends=True):
        short = line.strip()
        if offset in starts:
            lines += [f"{block.label}: {block.text}" for block in pairs if block.start == offset]
        elif 0 < len(short) <= _LINE_CHARACTERS:
            lines.append(short)
        offset += len(line)
    is_of_something = sum(field_labels.is_known(block.label) for block in pairs) > 1
    rows = sum(1 for block in blocks if block.kind == BlockKind.ROW and any(_COUNT.fullmatch(cell) for cell in block.cells[:-1]))
    figures = 0 if is_of_something else rows + sum(1 for block in pairs if _FIGURE.match(block.text))
    return [line[:_LINE_CHARACTERS] for line in lines], figures
