"""Invalid settings are reported in one sentence."""

import pytest

from fundwright.core.errors import StartRefused
from fundwright.core.settings import Settings


class TestRead:
    @pytest.mark.parametrize(
        ("name", "value", "reason"),
        [
            ("FUNDWRIGHT_PORT", "eighty", "should be a valid integer"),
            ("FUNDWRIGHT_PORT", "70000", "less than or equal to 65535"),
            ("FUNDWRIGHT_LOG_FORMAT", "xml", "'console' or 'json'"),
            ("FUNDWRIGHT_PUBLIC_URL", "funding.example.org", "should be an address such as https://"),
            ("FUNDWRIGHT_PUBLIC_URL", "https://a.example/?x=1", "should be an address such as https://"),
            ("FUNDWRIGHT_ANALYTICS_URL", "file:///etc/passwd", "should be an address such as https://"),
            ("FUNDWRIGHT_CONTACT_EMAIL", "the help desk", "should be an email address such as"),
            ("FUNDWRIGHT_TRUSTED_PROXIES", '["*"]', "not a valid IPv4 or IPv6 network"),
            ("FUNDWRIGHT_ALLOWED_ORIGINS", "https://example.org", "should be JSON"),
        ],
    )
    def test_an_invalid_value_is_refused(self, monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str) -> None:
        monkeypatch.setenv(name, value)
        with pytest.raises(StartRefused, match=f"^The setting {name} cannot be used: .*{reason}.*Correct it"):
            Settings.read()

    def test_an_empty_variable_counts_as_unset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DATABASE_URL", "")
        monkeypatch.setenv("FUNDWRIGHT_PORT", "")
        settings = Settings.read()
        assert (settings.database_url, settings.port) == (None, 8000)
