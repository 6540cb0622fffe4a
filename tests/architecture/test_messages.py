"""The catalogues say in every language what the sources say in English."""

from __future__ import annotations

import pytest

from scripts import messages


@pytest.mark.parametrize("language", messages.TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    assert messages.problems(language) == [], "Run `python -m scripts.messages` and translate what is missing."


def test_messages_come_from_both_halves_and_from_data() -> None:
    said = {path for _, path in messages.messages()}
    assert {
        "components/fundwright_ui/login/sign_in.py",
        "components/fundwright_ui/plugin.py",
        "components/fundwright_ui/sidebar/entries.py",
        "src/fundwright/generation/templates.py",
        "web/src/widgets/FileDrop/FileDrop.tsx",
    } <= said
