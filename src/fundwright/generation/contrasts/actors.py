"""Detects someone else’s work, role, or share presented as ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fundwright.generation.contrasts.clauses import UNLIKE, Match
from fundwright.generation.contrasts.neighbors import is_amount, is_name, nearest
from fundwright.generation.contrasts.pair import MAX_PLACES, ROLES, Pair
from fundwright.generation.normalizing import MONTHS, Text, Token, listed, stems

AWARDS = stems(
    "award prize medal honor winner win certification certified accredited accreditation registered licensed recipient named iso cmmc "
    "hubzone sdvosb edwosb wosb nadcap fellow doctorate"
)
_OTHERS = stems("partner subcontractor sponsor customer client vendor supplier district agency contractor association")
"""Words for other people and organizations."""
AGENTS = stems(
    "partner subcontractor sponsor customer client vendor supplier district agency contractor association department university college "
    "hospital foundation county city state tribe government council board staff crew volunteer nurse engineer student collaborator laboratory "
    "firm company center office team unit family owner landlord library librarian teacher investigator analyst inspector ministry service "
    "bureau fund grantee applicant employer manufacturer pilot physician committee panel consultant regulator commission individual resident "
    "utility operator"
)
"""Words for people and organizations that can act."""
_OURS = stems("crew staff team engineer nurse analyst pilot unit office laboratory teacher center inspector operator")
"""Words for people who are ours unless the source says otherwise."""
_PRONOUNS = frozenset(listed("we our us ours it its he she his her they their this these that those i my"))
_LEGAL_FORMS = frozenset(listed("llc inc corp co ltd company corporation"))


def contradictions(pair: Pair) -> dict[str, bool]:
    is_first_plain = not (len(pair.claim.tokens) > 1 and pair.claim.tokens[1].is_name)
    missing = pair.missing_tokens
    return {
        "names": any(
            token.is_name and not token.is_measure and not (is_first_plain and token is pair.claim.tokens[0]) for token in missing
        ),
        "roles": any(token.key in ROLES | AWARDS for token in missing if token.word != "led"),
        "swapped": (
            _is_swapped(pair, is_amount)
            or _is_swapped(pair, is_name)
            or _is_done_by_others(pair)
            or _is_role_of_others(pair)
            or _is_compared_otherwise(pair)
        ),
        "agent": any(_is_agent_other(pair, match) for match in pair.matches),
    }


def _is_swapped(pair: Pair, is_anchor: Callable[[Token], bool]) -> bool:
    """Whether two words have swapped numbers (or names): “12 for A and 37 for B” for “37 for A and 12 for B”."""
    once = {key for key, places in pair.claim.places.items() if len(places) == 1 and key in pair.source.places}
    in_claim = nearest(pair.claim, is_anchor, once, 6, is_claim=True)
    in_source = (
        nearest(pair.source, is_anchor, {key for keys in in_claim.values() for key in keys}, 14, of=in_claim) if in_claim else {}
    )
    wrong: set[tuple[str, str]] = set()
    for word, keys in in_claim.items():
        others = in_source.get(word, set())
        if others and not keys & others:
            wrong.update((key, other) for key in keys for other in others)
    return any((other, key) in wrong and not _are_listed(pair, key, other) for key, other in wrong)


def _are_listed(pair: Pair, first: str, second: str) -> bool:
    """Whether the claim has only names, commas, and “and” between two words: the order of a list does not matter."""
    start, end = sorted((pair.claim.places[first][0], pair.claim.places[second][0]))
    return all(token.is_name or not token.is_content for token in pair.claim.tokens[start + 1 : end])


def _is_role_of_others(pair: Pair) -> bool:
    """Whether the claim gives a role to one name, and the source gives it to a name that is not in the claim."""
    in_claim = nearest(pair.claim, is_name, None, 6, is_claim=True)
    claimed = ROLES & in_claim.keys()
    in_source = nearest(pair.source, is_name, None, 6, of=claimed) if claimed else {}
    for role in in_source:
        if (
            not in_claim[role] & in_source[role]
            and not in_source[role] & pair.claim.places.keys()
            and in_claim[role] <= pair.source.places.keys()
        ):
            return True
    return False


def _is_compared_otherwise(pair: Pair) -> bool:
    """“B … more than A” for “A … more than B”, and “A … to B” for “B … to A”."""
    for word, is_object in (("than", lambda token: token.is_content), ("to", is_name)):
        in_claim, in_source = _objects(pair.claim, word, is_object), _objects(pair.source, word, is_object)
        if (
            in_claim
            and in_source
            and not in_claim & in_source
            and in_claim <= pair.source.places.keys()
            and in_source & pair.claim.places.keys()
        ):
            return True
    return False


def _objects(text: Text, word: str, is_object: Callable[[Token], bool]) -> set[str]:
    """Return up to three words after each `word`."""
    found: set[str] = set()
    for place in text.places.get(word, [])[:MAX_PLACES]:
        following = text.around(place, 0, 4)[1:]
        if following and following[0].value is None:
            found.update(token.key for token in following if is_object(token) and token.value is None)
    return found


def _is_done_by_others(pair: Pair) -> bool:
    """Whether the source names someone else as the actor who is not in the claim, or appears there only as the recipient."""
    agent = _agent(pair)
    keys = {token.key for token in agent} - pair.known.places.keys()
    claimed = [place for place, token in enumerate(pair.claim.tokens) if token.key in keys]
    if not claimed:
        return bool(keys)
    return any(token.word in ("to", "for") for token in pair.claim.tokens[max(0, claimed[0] - 2) : claimed[0]])


def _agent(pair: Pair) -> list[Token]:
    """Return the actor in the source sentence that shares most words with the claim: the words after “by”, or at the beginning."""
    keys = {token.key for token in pair.claim.content} - pair.known.places.keys()
    best = pair.source.nearest_sentence(keys)
    for place, token in enumerate(best):
        if token.word == "by":
            agent = [other for other in best[place + 1 : place + 5] if other.is_content][:2]
            done = [other for other in best[:place] if other.is_content][-1:]
            is_somebody = bool(agent) and not agent[0].is_measure and (agent[0].is_name or agent[0].key in _OTHERS)
            if is_somebody and done and done[0].key in pair.claim.places:
                return agent
    if len(best) < 4 or pair.source.text[best[0].end : best[0].end + 1] == ":" or pair.source.is_row(best):
        return []
    opening = [token for token in best[:4] if token.is_content][:2]
    return opening if any(token.key in _OTHERS and not token.word.endswith("ed") for token in opening) else []


def _is_agent_other(pair: Pair, match: Match) -> bool:
    """Whether the source names an actor that is not in the claim."""
    tokens = [pair.source.tokens[place] for place in match.clause.places]
    if pair.source.is_row(tokens):
        return False
    shared = {pair.source.tokens[place].start for place in match.shared if _is_agent(pair, pair.source.tokens[place])}
    first = next((place for place, token in enumerate(tokens) if token.start in shared), 0)
    compared = UNLIKE.match(match.clause.text)
    begin = tokens[0].start + compared.end() if compared else 0
    opening = [
        token
        for place, token in enumerate(tokens[:first])
        if token.start >= begin and not _is_label(pair, token) and _may_act(pair, tokens, place)
    ]
    in_claim = next((place for place, token in enumerate(match.tokens) if token.is_content and match.clause.has(token)), 0)
    is_somebody = any(token.word in ("we", "our", "us", "ours") for token in match.tokens) or any(
        token.key in pair.known.places or token.key in AGENTS or (token.is_name and token.is_content)
        for token in match.tokens[:in_claim]
    )
    if not is_somebody:
        return False
    if not any(token.key in AGENTS for token in match.tokens[:in_claim]):
        opening = [token for token in opening if token.key not in _OURS]
    if any(token.key in AGENTS for token in opening) or (opening and first <= 5):
        return True
    for place, token in enumerate(tokens):
        if token.word == "by" and pair.is_close(match.clause.places[place], match, 3):
            after = [other for other in tokens[place + 1 : place + 5] if other.key in AGENTS or is_name(other)]
            if after and not any(other.key in pair.keys or other.key in pair.known.places for other in after):
                return True
    return False


def _may_act(pair: Pair, tokens: Sequence[Token], place: int) -> bool:
    """Whether a token at the beginning of a source clause names someone who is not in the claim."""
    token = tokens[place]
    if token.key in pair.known.places or token.word in _PRONOUNS or token.word in _LEGAL_FORMS or _is_agent_named(pair, token):
        return False
    following = tokens[place + 1] if place + 1 < len(tokens) else token
    is_named = is_name(token) and token.key not in MONTHS and (place > 0 or following.is_name) and following.key not in pair.keys
    return token.key in AGENTS or is_named


def _is_label(pair: Pair, token: Token) -> bool:
    return pair.source.text[token.end : token.end + 1] == ":"


def _is_agent_named(pair: Pair, token: Token) -> bool:
    return token.key in pair.keys and _is_agent(pair, token)


def _is_agent(pair: Pair, token: Token) -> bool:
    """Whether the claim has the token as more than a recipient (“for …”) or an owner (“…'s”)."""
    for place in pair.claim.places.get(token.key, ()):
        before = {other.word for other in pair.claim.tokens[max(0, place - 2) : place]}
        end = pair.claim.tokens[place].end
        if not before & {"for", "to"} and pair.claim.text[end : end + 2] not in ("'s", "’s"):
            return True
    return False
