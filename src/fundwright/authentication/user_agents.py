"""Browser and system of a user agent."""

from __future__ import annotations

import re

# The first match counts: most browsers also name those that they imitate.
_BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/(\d+)"),
    ("Opera", r"(?:OPR|OPiOS)/(\d+)"),
    ("Samsung Internet", r"SamsungBrowser/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:Chrome|CriOS)/(\d+)"),
    ("Safari", r"Version/(\d+)[\d.]* (?:Mobile/\w+ )?Safari/"),
    ("curl", r"^curl/(\d+)"),
    ("Python", r"^(?:python-requests|python-httpx|Python-urllib|aiohttp)/(\d+)"),
)


_SYSTEMS = (
    ("iPad", r"iPad"),
    ("iPhone", r"iPhone|iPod"),
    ("Android", r"Android"),
    ("Windows", r"Windows"),
    ("macOS", r"Mac OS X|Macintosh"),
    ("ChromeOS", r"CrOS"),
    ("Linux", r"Linux|X11"),
)


def device_of(user_agent: str) -> tuple[str, str]:
    """Browser with its major version, and system, such as ("Firefox 133", "Linux"); "" if unknown."""
    return _browser(user_agent), next((name for name, pattern in _SYSTEMS if re.search(pattern, user_agent)), "")


def _browser(user_agent: str) -> str:
    for name, pattern in _BROWSERS:
        if found := re.search(pattern, user_agent):
            return f"{name} {found[1]}"
    return ""
