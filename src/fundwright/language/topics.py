"""Recognizes the topics of headings in English, German, and French."""

from __future__ import annotations

import re
from functools import lru_cache

from fundwright.reading.topics import Topic

_THINGS = (
    r"(?:aircraft|boats?|vessels?|vehicles?|vans?|trucks?|trailers?|drones?|machines?|tools?|instruments?|sensors?|fleet|equipment|labs?|shops?"
    r"|stations?|vaults?|buildings?|hangars?|capacity)"
)
_NAMES: dict[Topic, str] = {
    Topic.CAPABILITIES: (
        r"(?:[\w&-]+ ){0,2}(?:competenc(?:y|ies)|capabilit(?:y|ies)|services|expertise|specialties)|what (?:do |can |does )?(?:we|the [\w-]+)(?: can| also)? (?:do|does|offers?|provides?|makes?|builds?)(?: best| for you| for .{1,20})?|areas of (?:practice|expertise)|expertise"
        r"|(?:our |core |key |primary )?(?:services|products|programs|solutions)(?: (?:and|&) (?:services|products|programs|solutions))?"
        r"|(?:services|products) (?:offered|we offer)|research (?:interests|focus|areas)|technical skills|(?:our )?programs?,? (?:and|&) (?:results|outcomes|impacts?)"
        r"|leistungen|unsere leistungen|leistungsspektrum|(?:kern)?kompetenzen|was wir (?:tun|anbieten)|leistungsangebot"
        r"|(?:nos )?(?:services|prestations|compétences)|domaines de compétences?|savoir-faire|ce que nous faisons"
    ),
    Topic.PAST_PERFORMANCE: (
        r"past performance\w*|(?:relevant|selected|representative|recent|completed|key|past|previous|prior) (?:projects?|contracts?|experience"
        r"|work|clients?|awards)|contract (?:references?|history)|project (?:profiles?|experience|history|references?|summar\w+)"
        r"|track record|(?:completed|ongoing|current|prior|previous|past)(?: (?:and|&) (?:completed|ongoing|current|pending))? (?:research |grant )?(?:support|funding|grants|results|findings|achievements|accomplishments)|grant history|case stud\w+"
        r"|corporate experience|clients? (?:and|&) projects|referenz\w*|projekterfahrung|abgeschlossene projekte"
        r"|références?|réalisations|projets réalisés|expérience pertinente"
    ),
    Topic.DIFFERENTIATORS: (
        r"differentiat\w*|discriminators?|(?:what|how) (?:sets|makes|makes us|distinguishes) .{0,40}|what .{0,30}(?:different|apart|unique)"
        r"|why (?!this|it|these|now|the (?:need|problem)).{1,60}|(?:our |distinctive |competitive |key |unique )?(?:strengths|advantages?)"
        r"|(?:our |the )?(?:competitive )?edge|unique (?:strengths|qualifications|selling).{0,20}|value proposition|was uns .{0,30}|alleinstellung\w*|(?:unsere )?stärken"
        r"|(?:nos )?(?:points forts|atouts)|ce qui nous (?:distingue|différencie)"
    ),
    Topic.PEOPLE: (
        r"(?:key |project |senior )?(?:personnel|staff|people|team|investigators?)(?: members| biograph\w+| qualifications)?|our (?:team|people|staff"
        r"|experts)|leadership(?: team)?|management team|biograph\w+|biographical sketch\w*|bios|(?:team|staff(?:ing)?|personnel|people) (?:and|&) .{0,20}|who we work with"
        r"|schlüsselpersonal|(?:unser )?team|mitarbeit\w+|projektleitung|équipe|notre équipe|personnel clé|direction"
    ),
    Topic.FACILITIES: (
        r"where (?:do )?we (?:work|are|do it|build|operate)(?: .{0,20})?|where(?: it happens| we work)?|(?:our |the )(?:buildings?|space|premises|yard|shops?|labs?|plants?|trucks|machines|tools)"
        r"|(?:our )?(?:facilit\w+|equipment|shop|fleet|laborator(?:y|ies)|infrastructure|instrumentation|capacity|plant|resources|warehouse)"
        r"|(?:our )?(?:facilit\w+|equipment|shop|fleet|laborator(?:y|ies)|resources|field equipment|apparatus|machines|vehicles)(?:,| and| &) .{0,40}|field equipment"
        r"|(?:field |shop |office |laboratory |lab |survey |test |marine |floating |land |heavy |dredging |construction )?(?:equip\.?|equipment|machine|fleet|vessel|vehicle|apparatus|instrument|plant)s? (?:list|inventory|schedule|register)(?: \d{4})?"
        r"|(?:marine|floating|land|heavy|dredging|construction) (?:equipment|plant|fleet)"
        rf"|{_THINGS}(?: list)?(?:(?:,| and| &| /)? {_THINGS}){{1,4}}(?: \w{{3,9}})?(?: \d{{4}})?"
        r"|(?:other |available |institutional )resources|research environment|environment|manufacturing capacity|production facilit\w+|computing"
        r"|ausstattung|räume.{0,30}|standorte?|geräte.{0,20}|labore?|infrastruktur|maschinenpark"
        r"|installations|équipements?|locaux|moyens .{0,20}|infrastructures?"
    ),
    Topic.COMPANY_DATA: (
        r"(?:company|corporate|business|firm|organi[sz]ation\w*|registration|agency) (?:data|information|snapshot|details|facts|identifiers|codes)"
        r"|.{0,30}\b(?:naics|uei|cage|duns)\b.{0,30}|registrations?|(?:certifications?|credentials|licenses)(?: (?:and|&) .{0,30})?|identifiers"
        r"|(?:what|which) (?:numbers|codes) .{1,40}|(?:the )?(?:fine print|paperwork|numbers|vital statistics)(?: .{1,30})?"
        r"|.{0,20}at a glance|(?:contract|contracting) vehicles?|codes|socio-?economic .{0,20}|unternehmensdaten|firmendaten|registrierung\w*"
        r"|zertifi\w+|données .{0,30}|certifications?|immatriculation"
    ),
    Topic.CONTACT: (
        r"contacts?(?: (?:us|information|details|person|data))?|(?:primary |company |our )?point of contact|poc|reach us|(?:talk|write|speak) (?:to|with) us|call us|get in touch|how to reach us|(?:who|whom|how) (?:do you|to|should you|can you|you can) (?:call|contact|ask|write|reach)(?: .{1,20})?"
        r"|kontakt\w*|ansprechpartner\w*|coordonnées|nous contacter|personne de contact"
    ),
    Topic.PROFILE: (
        r"about(?: .{1,60})?|who (?:we are|are we)|(?:company |corporate |organi[sz]ation\w* |firm )?(?:overview|profile|summary|background|introduction|history)"
        r"|(?:our )?(?:mission|story)(?: and .{0,20}| statement)?|über uns|wer wir sind|(?:unternehmens)?profil|porträt|qui sommes-nous|à propos.{0,40}"
        r"|présentation.{0,30}|notre mission"
    ),
    Topic.NEED: (
        r"(?:statement of |community |unmet )?needs?(?: .{0,40})?|(?:background (?:and|&) )?significance(?: .{0,30})?|(?:the )?problem(?: statement| .{0,30})?"
        r"|rationale|burden of .{0,30}|disparit\w+|why (?:it|this) matters|(?:aus)?gangslage|bedarf\w*|problem(?:stellung|beschreibung)|relevanz|besoins?|contexte"
        r"|problématique|enjeux"
    ),
    Topic.AIMS: (
        r"(?:specific |research |study )?(?:aims?|goals?|objectives?)(?: \d.{0,3})?(?:,? (?:and|&) .{0,30})?|project goals?.{0,40}|(?:central |working )?hypothes[ei]s"
        r"|purpose|(?:ziele?|zielsetzung)(?: .{0,30})?|projektziele|objectifs?.{0,30}|buts?"
    ),
    Topic.APPROACH: (
        r"(?:technical |our |research |proposed |project )?(?:approach|method\w*|design)|(?:research|study|project) (?:design|strategy|plan)(?: and methods?)?"
        r"|methods? .{0,30}|.{0,30} (?:methods|methodology)|(?:project |detailed )?work ?plan|timeline|schedule|implementation(?: plan)?|project (?:activities|management)"
        r"|(?:community |youth |family |signature )?programs?(?:,? (?:and|&) (?:services|activities|initiatives|projects))?|programming|programs we (?:run|offer)|(?:program|service) (?:descriptions?|models?|design|components|delivery)"
        r"|activities|transition(?:-in)?(?: plan| approach)?|quality (?:assurance|control)(?: plan)?|how we work|vorgehen\w*|methodik|methoden|arbeits(?:plan|programm)|zeitplan|méthod\w+|démarche"
        r"|plan de travail|calendrier|approche"
    ),
    Topic.OUTCOMES: (
        r"(?:expected|anticipated|projected|intended|planned) (?:outcomes?|results?|impacts?|benefits?)(?: .{0,30})?|(?:program |project )?evaluation(?: .{0,30})?|impact"
        r"|measur\w+ (?:of )?(?:success|results|impact|outcomes)|how (?:we|success|results) .{0,30}(?:measured?|evaluated?)|success (?:measures|criteria|metrics)|performance (?:measures|metrics)|outcome measures|outcomes? (?:and|&) .{0,30}"
        r"|(?:our |program )?results(?: (?:and|&) (?:evaluation|impacts?|outcomes))?|(?:our )?(?:programs?|services|activities),? (?:and|&) (?:results|outcomes|impacts?)"
        r"|erwartete ergebnisse|erfolgs\w+|evaluation|auswertung|wirkung|résultats attendus|évaluation|retombées.{0,20}|impact"
    ),
    Topic.OFFER: (
        r"(?:project |contract |our )?deliverables?(?: .{0,30})?|milestones?(?: .{0,30})?|what we (?:will|propose|would) .{0,20}|proposed (?:solution|services|work|scope)"
        r"|our (?:offer|proposal)|transition(?:-in)?(?: plan| approach)?|service levels?(?: agreements?)?|liefer\w+|(?:unser )?angebot|meilensteine|livrables|notre offre|(?:notre )?proposition"
    ),
    Topic.PLAN: (
        r"what(?:['’]s| is| comes) next(?: .{0,60})?|next steps?(?: .{0,40})?|(?:what|where) we (?:want|plan|are going|hope)(?: .{0,40})?|(?:future|our|strategic) plans?(?: .{0,40})?"
        r"|proposed (?:project|program|work|initiative)s?(?: .{0,40})?|(?:the )?(?:proposal|plan|proposed project)|ausblick|nächste schritte|prochaines étapes|perspectives"
    ),
    Topic.CHALLENGES: (
        r"(?:challenges?|problems|difficulties|obstacles|setbacks|lessons)(?: .{0,60})?|lessons?|what (?:went wrong|we learned)(?: .{0,40})?"
        r"|herausforderung\w*(?: .{0,60})?|schwierigkeiten(?: .{0,60})?|erfahrungen aus .{0,60}|(?:défis|difficultés|leçons)(?: .{0,60})?"
    ),
    Topic.REVIEW: (
        r"(?:[\w&-]+ ){0,3}(?:review(?:er)?s?|panel(?:ist)?s?|evaluators?)(?:['’]s?)? (?:comments?|remarks?|notes|feedback|critiques?|scores?|summary)(?: .{0,60})?"
        r"|summary statement|debrief\w*(?: .{0,60})?|(?:for )?(?:[\w&-]+ ){0,3}(?:office|official|agency) use(?: only)?"
    ),
    Topic.NOT_OFFERED: (
        r"(?:(?:things?|work|services|what)(?: that)? )?we (?:do not|don['’]t|cannot|can['’]t|will not|won['’]t|no longer) .{1,40}|(?:services |work )?not (?:offered|included|provided)"
        r"|exclusions?|out of scope|was wir nicht .{1,40}|ce que nous ne .{1,40}"
    ),
}
_QUALIFIED = (
    r"(?:the|our|own|my|its|key|main|core|primary|principal|major|selected|select|distinctive|distinguishing|special|specific|overall|additional|current|brief"
    r"|die|der|unsere?|wichtigsten?|besonderen?|les|nos|notre|principaux|principales)"
)
"""Words before the name of a section that do not change its meaning."""
_PATTERNS = {topic: re.compile(rf"(?:{_QUALIFIED} ){{0,3}}(?:{names})", re.IGNORECASE) for topic, names in _NAMES.items()}
_NUMBER = re.compile(
    r"(?:(?:section|part|teil|partie|tab)\s)?[\dIVX]{0,4}(?:\.\d{1,2}){0,3}[.):]?\s{1,5}|[A-Z][.):]\s{1,5}", re.IGNORECASE
)
_END = re.compile(r"\s*[(:–—|].*$|\s+-\s.*$|,\s[a-z].*$")
_MAX_CHARACTERS = 120


@lru_cache(maxsize=4_096)
def topics_of(heading: str) -> frozenset[Topic]:
    """Return the topics that a heading names, often none. “3. CORE COMPETENCIES (2026)” names one."""
    text = " ".join(heading[:_MAX_CHARACTERS].split()).strip(" *_#:.•»?").replace(" + ", " and ")
    number = _NUMBER.match(text)
    text = text[number.end() :] if number else text
    whole = _matches(text)
    return whole or _matches(_END.sub("", text))


def _matches(text: str) -> frozenset[Topic]:
    return frozenset(topic for topic, pattern in _PATTERNS.items() if text and pattern.fullmatch(text))
