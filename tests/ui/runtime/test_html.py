"""The HTML is the same as React's, and typed text never becomes markup."""

import pytest

from fundwright_ui.runtime.diff import Node
from fundwright_ui.runtime.html import embedded_json, to_html


@pytest.mark.parametrize(
    ("node", "html"),
    [
        ({"t": "p", "c": ["<b> & \"x\""]}, "<p>&lt;b&gt; &amp; &quot;x&quot;</p>"),
        ({"t": "p", "c": ["a", {"f": 1, "c": ["b"]}, {"f": 1, "c": [{"f": 1, "c": ["c"]}]}]}, "<p>a<!-- -->b<!-- -->c</p>"),
        ({"t": "p", "c": ["a", {"t": "br"}, "b"]}, "<p>a<br>b</p>"),
        ({"t": "label", "a": {"className": "x", "htmlFor": "y", "key": "z"}}, '<label class="x" for="y"></label>'),
        ({"t": "input", "a": {"disabled": True, "required": False, "tabIndex": 0}}, '<input disabled="" tabindex="0">'),
        ({"t": "input", "a": {"defaultValue": "a", "ack": 4}}, '<input value="a">'),
        ({"t": "input", "a": {"type": "checkbox", "defaultChecked": True}}, '<input type="checkbox" checked="">'),
        ({"t": "textarea", "a": {"defaultValue": "\na<"}}, "<textarea>\n\na&lt;</textarea>"),
        ({"t": "a", "a": {"aria-current": "page", "aria-hidden": False}}, '<a aria-current="page" aria-hidden="false"></a>'),
        ({"t": "svg", "a": {"viewBox": "0 0 1 1", "strokeWidth": 2}}, '<svg viewBox="0 0 1 1" stroke-width="2"></svg>'),
        ({"t": "p", "a": {"style": {"color": "red"}}}, "<p></p>"),
        ({"w": "Chart", "a": {"label": ""}, "c": ["…"]}, '<div data-widget="Chart">…</div>'),
    ],
)  # fmt: skip
def test_a_node_is_written_as_react_writes_it(node: Node, html: str) -> None:
    assert to_html(node) == html


def test_the_chosen_option_is_selected() -> None:
    options: list[Node] = [{"t": "option", "a": {"value": value}, "c": [value]} for value in ("a", "b")]
    html = to_html({"t": "select", "a": {"defaultValue": "b"}, "c": [{"t": "optgroup", "c": options}]})
    assert html == ('<select><optgroup><option value="a">a</option><option value="b" selected="">b</option></optgroup></select>')


def test_embedded_json_cannot_close_its_script() -> None:
    assert "</script>" not in embedded_json({"text": "</script><script>alert(1)</script>"})
