"""What style sheets of pages say about which text is seen: their simple rules, for an element, a class, or an id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import INVISIBLE_POINTS, Mark

Style = Mapping[str, str]
"""Values by the names of their properties."""
_SIMPLE = re.compile(r"[\w-]{0,60}(?:[.#][\w-]{1,200})?")
_LONGEST_SELECTOR = 1_000
_STATE = re.compile(r":[\w-]{1,40}(?:\([^()]{0,200}\))?|\[[^\[\]]{0,200}\]")
_NAME = re.compile(r"[.#]?[\w-]{1,200}")
_WHITE = re.compile(r"#fff(?:fff)?|white|rgba?\(\s{0,9}255[\s,]{1,9}255[\s,]{1,9}255\s{0,9}(?:[,/]\s{0,9}1(?:\.0)?\s{0,9})?\)")
_NO_COLOR = re.compile(r"(?:none|transparent|inherit|initial|unset|revert|0 0|repeat|no-repeat|scroll|\s)*")
_SIZE = re.compile(r"(-?\d{0,9}(?:\.\d{1,9})?)(px|pt|em|rem|%|vw|vh)?")
_POINTS = {"px": 0.75, "pt": 1.0, "em": 12.0, "rem": 12.0, "%": 0.12, "vw": 9.0, "vh": 6.0, None: 0.75}
"""About as many as a unit has, for text and pages of common sizes."""
_FAR_POINTS = -300
_PLACED = ("absolute", "fixed")
_SIDES = ("left", "top", "right", "bottom")
_HIDING = ("display", "visibility", "opacity", "text-indent", *_SIDES)
_COLORING = ("background", "background-color", "background-image", "text-shadow")
_STRIKING = ("text-decoration", "text-decoration-line")
_READ = frozenset((*_HIDING, *_COLORING, *_STRIKING, "position", "color", "font-size"))
"""All properties that are read."""
_IMPORTANT = re.compile(r"\s?!\s?important$")
_MAYBE_ELEMENT, _MAYBE_NAME, _ATTRIBUTE = 2, 8, 9
"""How much declarations count beside those of `_level`: those whose selectors may name an element, or a class or an id, and an attribute."""


def style_of(declared: str) -> dict[str, str]:
    """The properties in an attribute or a rule that say what is seen."""
    parts = (each.lower().partition(":") for each in declared.split(";"))
    return {name: " ".join(value.split()) for each, colon, value in parts if colon and (name := each.strip()) in _READ}


def mark_in(style: Style) -> Mark | None:
    """The mark of all text in an element with this style."""
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return Mark.HIDDEN
    if _points(style.get("opacity", "")) == 0:
        return Mark.HIDDEN
    is_placed = style.get("position") in _PLACED
    places = [style.get("text-indent", ""), *(style.get(side, "") for side in _SIDES if is_placed)]
    if any((place := _points(each)) is not None and place <= _FAR_POINTS for each in places):
        return Mark.HIDDEN
    return Mark.STRUCK if any("line-through" in style.get(each, "") for each in _STRIKING) else None


def is_tiny(style: Style, *, around: bool) -> bool:
    """Whether text is too small to be seen. `around` says whether text around it is."""
    size = style.get("font-size", "")
    points = _points(size)
    is_relative = points is None or (size.endswith(("%", "em")) and not size.endswith("rem"))
    return around if points is None else points <= INVISIBLE_POINTS or (is_relative and around)


def is_white(style: Style) -> bool | None:
    """None if the style has no color."""
    color = style.get("color", "inherit")
    return None if color in ("inherit", "unset", "currentcolor") else bool(_WHITE.fullmatch(color))


def is_colored(style: Style) -> bool:
    """Whether a style sets a background that is not white, or a shadow that shows white text."""
    values = (style.get(each, "") for each in _COLORING)
    return any(not _NO_COLOR.fullmatch(_WHITE.sub("", value)) for value in values)


def _points(size: str) -> float | None:
    found = _SIZE.fullmatch(size)
    return float(found[1]) * _POINTS[found[2]] if found and found[1] not in ("", "-") else None


def _shows(name: str, value: str) -> bool:
    """Whether a property shows text that its other values hide."""
    style = {"position": "absolute", name: value}
    match name:
        case "color":
            return is_white(style) is False
        case "font-size":
            return not is_tiny(style, around=True)
        case "position":
            return value not in _PLACED
        case _:
            return name in _HIDING and mark_in(style) is None


class _Declaration(NamedTuple):
    """Of two that set the same property, the greater one holds."""

    is_important: bool
    level: int
    order: int
    value: str


_Declarations = dict[str, _Declaration]
"""By the names of their properties."""


def _declarations(style: Style, level: int, order: int = 0) -> _Declarations:
    return {
        name: _Declaration(bool(_IMPORTANT.search(value)), level, order, _IMPORTANT.sub("", value))
        for name, value in style.items()
    }


def _merge(into: _Declarations, others: _Declarations) -> None:
    for name, other in others.items():
        into[name] = max(into.get(name, other), other)


class StyleSheet:
    """The rules of the style sheets in a page."""

    def __init__(self, root: Any) -> None:
        source = "\n".join(
            style.text or "" for style in root.iter("style") if style.get("media", "").strip().casefold() != "print"
        )
        self._rules = dict[str, _Declarations]()
        self._coloring = set[str]()
        """The names in the last parts of all selectors whose rules set a background."""
        self._is_elsewhere = "@import" in source or any(
            ("stylesheet" in each.get("rel", "").lower() and each.tag == "link")
            or (each.tag == "script" and "src" in each.attrib)
            for each in root.iter("link", "script")
        )
        """Whether classes may have rules in other files."""
        for order, (selectors, declared, is_conditional) in enumerate(_rules(source)):
            report_progress()
            style = style_of(declared)
            showing = {name: value for name, value in style.items() if _shows(name, _IMPORTANT.sub("", value))}
            for selector in map(str.strip, selectors.lower().split(",")):
                if _SIMPLE.fullmatch(selector) and not is_conditional:
                    self._add(selector, style, _level(selector), order)
                elif showing:
                    self._add_showing(selector, showing, order, is_conditional=is_conditional)
                if is_colored(style):
                    self._coloring |= _last_names(selector)

    def _add(self, selector: str, style: Style, level: int, order: int) -> None:
        _merge(self._rules.setdefault(selector, {}), _declarations(style, level, order))

    def _add_showing(self, selector: str, style: Style, order: int, *, is_conditional: bool) -> None:
        """Add what shows the elements that a rule may be for. What others hide is not believed, because it may not hold."""
        for name in _last_names(selector):
            if name[0] in ".#":
                self._add(name, style, _MAYBE_NAME, order)
            elif not is_conditional:  # unlike “* {color: black}” for printing
                self._add(name, style, _MAYBE_ELEMENT, order)

    def style(self, element: Any) -> dict[str, str]:
        """The style of an element: what its attribute says comes before what its id, its classes, and its name say."""
        found: _Declarations = {}
        for name in ("*", *_names(element)):
            _merge(found, self._rules.get(name, {}))
        _merge(found, _declarations(style_of(element.get("style", "")), _ATTRIBUTE))
        return {name: declaration.value for name, declaration in found.items()}

    def may_color(self, element: Any, style: Style) -> bool:
        """Whether the background of an element may not be white."""
        is_elsewhere = (self._is_elsewhere and "class" in element.attrib) or "*" in self._coloring
        is_set = "bgcolor" in element.attrib or "background" in element.attrib
        return is_set or is_elsewhere or is_colored(style) or not self._coloring.isdisjoint(_names(element))


def _rules(source: str) -> Iterator[tuple[str, str, bool]]:
    """The selectors and declarations of rules, and whether these are in another rule, such as one for printing."""
    first, *others = source.split("/*")
    depth = 0
    for part in (first + "".join(other.partition("*/")[2] for other in others)).split("}"):
        head, brace, declared = part.rpartition("{")
        opened = part.count("{")
        selectors = head.rpartition("{")[2].rpartition(";")[2].strip()
        if brace and not selectors.startswith("@"):
            yield selectors, declared, depth + opened > 1
        depth = max(0, depth + opened - 1)


def _level(selector: str) -> int:
    """How much a simple selector counts: an id more than a class, and a class more than the name of an element."""
    return 6 * ("#" in selector) + 3 * ("." in selector) + (selector[:1] not in (".", "#"))


def _last_names(selector: str) -> set[str]:
    last = (_STATE.sub("", selector[-_LONGEST_SELECTOR:]).replace(">", " ").replace("+", " ").replace("~", " ").split() or [""])[
        -1
    ]
    names = _NAME.findall(last)
    return set(names[1:] if len(names) > 1 and names[0][0] not in ".#" else names or ["*"])


def _names(element: Any) -> Iterator[str]:
    """The simple selectors that name an element."""
    tag = element.tag
    names = [f".{name}" for name in element.get("class", "").lower().split()]
    names += [f"#{element.get('id', '').lower()}"] if "id" in element.attrib else []
    yield tag
    for name in names:
        yield name
        yield f"{tag}{name}"
