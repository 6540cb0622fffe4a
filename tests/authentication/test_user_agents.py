from __future__ import annotations

import pytest

from fundwright.authentication.user_agents import device_of

WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", ("Firefox 133", "Linux")),
        (f"{WINDOWS} {WEBKIT} Chrome/131.0.0.0 Safari/537.36", ("Chrome 131", "Windows")),
        (f"{WINDOWS} {WEBKIT} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0", ("Edge 131", "Windows")),
        (f"{MAC} {WEBKIT} Chrome/131.0.0.0 Safari/537.36 OPR/116.0", ("Opera 116", "macOS")),
        (f"{MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15", ("Safari 18", "macOS")),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "Version/18.1 Mobile/15E148 Safari/604.1",
            ("Safari 18", "iPhone"),
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0 Mobile Safari/604.1",
            ("Chrome 131", "iPad"),
        ),
        (f"Mozilla/5.0 (Linux; Android 14; Pixel 8) {WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36", ("Chrome 131", "Android")),
        (
            f"Mozilla/5.0 (Linux; Android 14; SM-S918B) {WEBKIT} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36",
            ("Samsung Internet 27", "Android"),
        ),
        (f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {WEBKIT} Chrome/131.0.0.0 Safari/537.36", ("Chrome 131", "ChromeOS")),
        ("curl/8.11.0", ("curl 8", "")),
        ("", ("", "")),
        ("<script>alert(1)</script>", ("", "")),
    ],
)
def test_names_browser_and_system(user_agent: str, device: tuple[str, str]) -> None:
    assert device_of(user_agent) == device
