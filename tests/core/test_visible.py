"""Names, titles, and texts that people can see."""

import pytest

from fundwright.core.visible import without_links


class TestWithoutLinks:
    @pytest.mark.parametrize(
        "text",
        [
            "Ada Example, Ph.D., of the U.S. Army",
            "1.2 million at 10:30",
            "v2.0",
            "PWS 3.1.2.4 and C.3.1.2.1",
            "10@$5.00",
            "(.NET)",
            "v1.2.3",
            "Wait … what",
            "Ready. Set.",
            "A/B: C",
            "Sign @ noon",
            "…",
        ],
    )
    def test_other_texts_stay(self, text: str) -> None:
        assert without_links(text) == text

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("https://evil.example/x", "https: //evil. example/x"),
            ("WWW.EVIL.EXAMPLE", "WWW. EVIL. EXAMPLE"),
            ("evil\u3002example", "evil\u3002 example"),
            ("cafe\u0301.com/pay", "cafe\u0301. com/pay"),
            ("ev\u200dil\u200d.c\u0301om", "ev\u200dil\u200d. c\u0301om"),
            ("evil\ufe0f.com", "evil\ufe0f. com"),
            ("203.0.113.5/pay", "203. 0.113.5/pay"),
            ("http://[2001:db8::1]/x", "http: //[2001:db8::1]/x"),
            ("mailto:eve@evil.example", "mailto:eve@ evil. example"),
            ("ada@example.org.evil.example", "ada@ example. org. evil. example"),
            ("ada@example.org, or eve.ada@example.org", "ada@example.org, or eve. ada@ example. org"),
        ],
    )
    def test_an_address_has_spaces(self, text: str, shown: str) -> None:
        assert without_links(text, keep=["ada@example.org"]) == shown
