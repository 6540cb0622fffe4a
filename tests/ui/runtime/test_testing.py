"""The example test in docs/screens.md works without a browser and is fast."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from reactpy import component, html, use_state

from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright_ui.hooks import use_live
from fundwright_ui.testing import mounted

SCREENS = Path(__file__).parents[3] / "docs/screens.md"


def documented_test() -> Any:
    """The test in the section on testing, as published."""
    section = SCREENS.read_text().partition("## Testing a screen")[2]
    example = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert example
    names: dict[str, Any] = {}
    exec(compile(example[1], str(SCREENS), "exec"), names)
    return names["test_it_greets"]


class TestDocumentedExample:
    async def test_it_passes(self, core: Core) -> None:
        await documented_test()(core)


@component
def listening(topic: str) -> Any:
    heard, set_heard = use_state("silence")
    use_live(topic, lambda payload: set_heard(payload["word"]))
    return html.div(html.p({"role": "status"}, heard), html.p("Beside it"))


class TestExpect:
    async def test_it_waits_for_what_comes_automatically(self, core: Core) -> None:
        topic = f"test:{uuid4()}"
        async with mounted(core, None, lambda: listening(topic)) as shown:
            async with core.database.transaction() as session:
                await live.publish(session, topic, {"word": "a voice"})
            await shown.expect("a voice")
            await shown.expect(lambda: shown.find("status").text == "a voice")

    async def test_it_says_what_is_shown_instead(self, core: Core) -> None:
        async with mounted(core, None, lambda: listening("nothing")) as shown:
            with pytest.raises(AssertionError, match="'a voice' did not come within 0.05 s. Shown: 'silence Beside it'"):
                await shown.expect("a voice", timeout_s=0.05)


class TestFindText:
    async def test_it_is_the_innermost_element(self, core: Core) -> None:
        async with mounted(core, None, lambda: listening("nothing")) as shown:
            assert shown.find_text("sil").role == "status"
            with pytest.raises(AssertionError, match="0 elements show 'noise'"):
                shown.find_text("noise")
