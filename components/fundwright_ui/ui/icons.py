"""Icons as inline SVG, so that they are part of first paint. Paths: Material Icons, Apache-2.0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.errors import StartRefused

_PATHS = {
    "add": "M19 13h-6v6h-2v-6H5v-2h6V5h2v6h6z",
    "analyze": "M5 9.2h3V19H5zM10.6 5h2.8v14h-2.8zm5.6 8H19v6h-2.8z",
    "arrow_back": "M20 11H7.83l5.59-5.59L12 4l-8 8 8 8 1.41-1.41L7.83 13H20z",
    "arrow_down": "m20 12-1.41-1.41L13 16.17V4h-2v12.17l-5.58-5.59L4 12l8 8z",
    "arrow_up": "m4 12 1.41 1.41L11 7.83V20h2V7.83l5.58 5.59L20 12l-8-8z",
    "audit": "M14 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8zm2 16H8v-2h8zm0-4H8v-2h8zm-3-5V3.5L18.5 9z",
    "blog": "M3 18h12v-2H3zM3 6v2h18V6zm0 7h18v-2H3z",
    "bookmark": "M17 3H7a2 2 0 0 0-2 2v16l7-3 7 3V5a2 2 0 0 0-2-2zm0 15-5-2.2L7 18V5h10z",
    "category": "m12 2-5.5 9h11zM17.5 13a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM3 21.5h8v-8H3z",
    "check": "M9 16.17 4.83 12l-1.42 1.41L9 19 21 7l-1.41-1.41z",
    "chevron_left": "M15.41 7.41 14 6l-6 6 6 6 1.41-1.41L10.83 12z",
    "chevron_right": "M10 6 8.59 7.41 13.17 12l-4.58 4.59L10 18l6-6z",
    "circle": "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
    "close": "M19 6.41 17.59 5 12 10.59 6.41 5 5 6.41 10.59 12 5 17.59 6.41 19 12 13.41 17.59 19 19 17.59 13.41 12z",
    "columns": "M14.67 5v14H9.33V5zm1 14H21V5h-5.33zm-7.34 0V5H3v14z",
    "dashboard": "M3 13h8V3H3zm0 8h8v-6H3zm10 0h8V11h-8zm0-18v6h8V3z",
    "delete": "M6 19a2 2 0 0 0 2 2h8a2 2 0 0 0 2-2V7H6zM19 4h-3.5l-1-1h-5l-1 1H5v2h14z",
    "download": "M19 9h-4V3H9v6H5l7 7zM5 18v2h14v-2z",
    "edit": "M3 17.25V21h3.75L17.81 9.94l-3.75-3.75zM20.71 7.04a1 1 0 0 0 0-1.41l-2.34-2.34a1 1 0 0 0-1.41 0l-1.83 1.83 3.75 3.75z",
    "expand_more": "M16.59 8.59 12 13.17 7.41 8.59 6 10l6 6 6-6z",
    "feedback": "M20 2H4a2 2 0 0 0-2 2v18l4-4h14a2 2 0 0 0 2-2V4a2 2 0 0 0-2-2zM6 9h12v2H6zm8 5H6v-2h8zm4-6H6V6h12z",
    "filter": "M10 18h4v-2h-4zM3 6v2h18V6zm3 7h12v-2H6z",
    "generate": "M9 11.24V7.5a2.5 2.5 0 0 1 5 0v3.74A4.5 4.5 0 1 0 7 7.5c0 1.5.8 2.9 2 3.74zM18.84 15.87l-4.54-2.26H13v-6a1.5 1.5 0 0 0-3 0v10.74l-3.43-.72-.79.8 4.94 4.94c.27.27.65.44 1.06.44h6.79l1.05-6.4z",
    "help": "M11 18h2v-2h-2zm1-16a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 18a8 8 0 1 1 0-16 8 8 0 0 1 0 16zm0-14a4 4 0 0 0-4 4h2a2 2 0 1 1 4 0c0 2-3 1.75-3 5h2c0-2.25 3-2.5 3-5a4 4 0 0 0-4-4z",
    "history": "M13 3a9 9 0 0 0-9 9H1l4 4 4-4H6a7 7 0 1 1 2.05 4.95l-1.42 1.42A9 9 0 1 0 13 3zm-1 5v5l4.28 2.54.72-1.21-3.5-2.08V8z",
    "link": "M3.9 12A3.1 3.1 0 0 1 7 8.9h4V7H7a5 5 0 0 0 0 10h4v-1.9H7A3.1 3.1 0 0 1 3.9 12zM8 13h8v-2H8zm9-6h-4v1.9h4a3.1 3.1 0 1 1 0 6.2h-4V17h4a5 5 0 0 0 0-10z",
    "lock": "M18 8h-1V6A5 5 0 0 0 7 6v2H6a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V10a2 2 0 0 0-2-2zM9 6a3 3 0 0 1 6 0v2H9zm3 11a2 2 0 1 1 0-4 2 2 0 0 1 0 4z",
    "mail": "M20 4H4a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V6a2 2 0 0 0-2-2zm0 4-8 5-8-5V6l8 5 8-5z",
    "more": "M6 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4m6 0a2 2 0 1 0 0 4 2 2 0 0 0 0-4m6 0a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
    "menu": "M3 18h18v-2H3zm0-5h18v-2H3zm0-7v2h18V6z",
    "notifications": "M12 22a2 2 0 0 0 2-2h-4a2 2 0 0 0 2 2zm6-6v-5c0-3.07-1.63-5.64-4.5-6.32V4a1.5 1.5 0 0 0-3 0v.68C7.64 5.36 6 7.92 6 11v5l-2 2v1h16v-1z",
    "opportunities": "M20 6h-4V4a2 2 0 0 0-2-2h-4a2 2 0 0 0-2 2v2H4a2 2 0 0 0-2 2v11a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2zm-6 0h-4V4h4z",
    "payment": "M20 4H4a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V6a2 2 0 0 0-2-2zm0 14H4v-6h16zm0-10H4V6h16z",
    "people": "M16 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-8 0a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm0 2c-2.33 0-7 1.17-7 3.5V19h14v-2.5C15 14.17 10.33 13 8 13zm8 0-.97.05A4.2 4.2 0 0 1 17 16.5V19h6v-2.5c0-2.33-4.67-3.5-7-3.5z",
    "pipeline": "M3 4h4.5v16H3zm6.75 0h4.5v11h-4.5zM16.5 4H21v7h-4.5z",
    "refresh": "M17.65 6.35A8 8 0 1 0 19.73 14h-2.08A6 6 0 1 1 12 6c1.66 0 3.14.69 4.22 1.78L13 11h7V4z",
    "search": "M15.5 14h-.79l-.28-.27a6.5 6.5 0 1 0-.7.7l.27.28v.79l5 4.99L20.49 19zm-6 0a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9z",
    "settings": "M19.14 12.94a7 7 0 0 0 0-1.88l2.03-1.58-1.92-3.32-2.39.96a7 7 0 0 0-1.62-.94L14.88 3h-3.84l-.36 3.18a7 7 0 0 0-1.62.94l-2.39-.96-1.92 3.32 2.03 1.58a7 7 0 0 0 0 1.88l-2.03 1.58 1.92 3.32 2.39-.96c.5.38 1.03.7 1.62.94l.36 3.18h3.84l.36-3.18a7 7 0 0 0 1.62-.94l2.39.96 1.92-3.32zM12.96 15.6a3.6 3.6 0 1 1 0-7.2 3.6 3.6 0 0 1 0 7.2z",
    "star": "M12 17.27 18.18 21l-1.64-7.03L22 9.24l-7.19-.61L12 2 9.19 8.63 2 9.24l5.46 4.73L5.82 21z",
    "stop": "M6 6h12v12H6z",
    "train": "M5 13.18v4L12 21l7-3.82v-4L12 17zM12 3 1 9l11 6 9-4.91V17h2V9z",
    "upload": "M9 16h6v-6h4l-7-7-7 7h4zm-4 2h14v2H5z",
    "visibility": "M12 4.5C7 4.5 2.73 7.61 1 12c1.73 4.39 6 7.5 11 7.5s9.27-3.11 11-7.5c-1.73-4.39-6-7.5-11-7.5zM12 17a5 5 0 1 1 0-10 5 5 0 0 1 0 10zm0-8a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
    "visibility_off": "M12 7a5 5 0 0 1 4.82 6.32l2.92 2.92A11.8 11.8 0 0 0 23 12c-1.73-4.39-6-7.5-11-7.5-1.4 0-2.74.25-3.98.7l2.16 2.16A5 5 0 0 1 12 7zM2 4.27l2.74 2.74A11.8 11.8 0 0 0 1 12c1.73 4.39 6 7.5 11 7.5 1.55 0 3.03-.3 4.38-.84L19.73 22 21 20.73 3.27 3zM7.53 9.8l1.55 1.55a3 3 0 0 0 3.57 3.57l1.55 1.55A5 5 0 0 1 7.53 9.8z",
    "watch": "M12 6a9.77 9.77 0 0 1 8.82 5.5 9.77 9.77 0 0 1-17.64 0A9.77 9.77 0 0 1 12 6m0-2C7 4 2.73 7.11 1 11.5 2.73 15.89 7 19 12 19s9.27-3.11 11-7.5C21.27 7.11 17 4 12 4m0 5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5m0-2a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9",
}  # fmt: skip


_added: dict[str, str] = {}


@dataclass(frozen=True)
class Icon:
    """An icon of a package: `path` is the `d` of an SVG path in a square of 24 by 24 units."""

    name: str
    path: str


def use_icons(icons: Iterable[Icon]) -> None:
    """Register the icons of packages. Raises StartRefused for a name that is taken."""
    _added.clear()
    for each in icons:
        if each.name in _PATHS or each.name in _added:
            raise StartRefused(f"There already is an icon {each.name}. Rename the package's icon, and start again.")
        _added[each.name] = each.path


def icon(name: str, *, small: bool = False) -> VdomDict:
    """A decorative icon; an unknown name shows a dot. Names: see `_PATHS`, and the hook `icons` for those of packages."""
    return html.svg(
        {
            "className": "fw-icon fw-icon-small" if small else "fw-icon",
            "viewBox": "0 0 24 24",
            "fill": "currentColor",
            "aria-hidden": "true",
        },
        html.path({"d": _PATHS.get(name) or _added.get(name) or _PATHS["circle"]}),
    )
