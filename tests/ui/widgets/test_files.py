"""The drop zone for files."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from fundwright.core.assembly import Core
from fundwright_ui.runtime.html import to_html
from fundwright_ui.testing import mounted
from fundwright_ui.widgets import FileDrop

# web/src/widgets/FileDrop/FileDrop.test.tsx hydrates the same.
PAINTED = (
    '<div data-widget="FileDrop"><div class="fw-drop" role="group" aria-label="Choose files">'
    '<svg class="fw-drop-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true">'
    '<path d="M12 16V5M7.5 9.5 12 5l4.5 4.5M4 16v2.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V16"></path></svg>'
    '<button type="button" class="fw-button fw-button-outlined">Choose files</button><b>Paste text</b>'
    '<p class="fw-hint">PDF up to 20 MB</p>'
    '<input type="file" hidden="" aria-label="Choose files" accept=".pdf,.xml" multiple=""></div></div>'
)


@component
def drop() -> Any:
    return FileDrop(
        label="Choose files",
        hint="PDF up to 20 MB",
        upload_url="/api/training/documents",
        accept=".pdf",
        refusals={".xml": "An .xml file has another format."},
        is_multiple=True,
        max_bytes=1000,
        children=[html.b("Paste text")],
    )


async def test_it_is_painted_as_the_browser_draws_it(core: Core) -> None:
    async with mounted(core, None, drop, is_live=False) as screen:
        assert to_html(screen.view.tree).endswith(PAINTED)
