from __future__ import annotations

import pytest

from fundwright.authentication import emails
from fundwright.core.messages import Language


@pytest.mark.parametrize(
    ("language", "names"),
    [("en", "“CI”, “Sync”"), ("de", "„CI“, „Sync“"), ("fr", "«\u00a0CI\u00a0», «\u00a0Sync\u00a0»")],
)
def test_names_are_quoted_as_in_the_language_of_the_email(language: Language, names: str) -> None:
    ended = emails.Ended(is_everything=True, sessions=True, api_tokens=("CI", "Sync"), passkeys=(), authenticator=False)
    email = emails.password_reset("ada@example.org", language, ended=ended, passkeys_kept=(), link="https://example.org")
    assert names in email.text
