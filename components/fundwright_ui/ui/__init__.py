"""The building blocks of screens: plain elements with the classes of `web/src/theme`, readable before any script runs.

```python
return page(
    t("Category"),
    section(t("New category"), form(text_field("name", t("Name"), required=True), submit=t("Create"), on_submit=creating)),
    empty(t("No categories yet. Create one above."), icon_name="category") if not found.value else category_list(found.value),
    actions=[button(t("Run again"), on_click=running, is_busy=running.is_running)],
)
```

Classes (prefix `fw-`): page, page-header, page-title, page-subtitle, page-actions, section, section-header, card, card-header,
card-title, card-subtitle, card-body, card-actions, form, form-row, form-actions, field, label, label-required, input, hint,
field-error, checkbox, button (-contained, -soft, -outlined, -danger, -small, -block), icon-button, menu, link, chip, chips,
alert (-error, -warning, -info, -success), empty, problem, loading, progress, definitions, tabs, tab, pagination, icon, row, stack.
"""

from __future__ import annotations

from fundwright_ui.ui.buttons import button, icon_button, link_button, menu, text_link
from fundwright_ui.ui.categories import category_chip, category_color, confidence_chip
from fundwright_ui.ui.display import Color, Tab, chip, definition_list, facts, pagination, progress, tabs
from fundwright_ui.ui.feedback import alert, empty, loading, problem
from fundwright_ui.ui.filters import filter_chip, fixed_filter
from fundwright_ui.ui.forms import Fields, Option, checkbox, form, select_field, sending_field, text_area, text_field
from fundwright_ui.ui.icons import Icon, icon
from fundwright_ui.ui.layout import beside, card, columns, disclosure, grid, main_column, page, row, section, side_panel, stack
from fundwright_ui.ui.moments import moment
from fundwright_ui.ui.rows import list_row, more_rows, row_actions

__all__ = [
    "Color",
    "Fields",
    "Icon",
    "Option",
    "Tab",
    "alert",
    "beside",
    "button",
    "card",
    "category_chip",
    "category_color",
    "checkbox",
    "chip",
    "columns",
    "confidence_chip",
    "definition_list",
    "disclosure",
    "empty",
    "facts",
    "filter_chip",
    "fixed_filter",
    "form",
    "grid",
    "icon",
    "icon_button",
    "link_button",
    "list_row",
    "loading",
    "main_column",
    "menu",
    "moment",
    "more_rows",
    "page",
    "pagination",
    "problem",
    "progress",
    "row",
    "row_actions",
    "section",
    "select_field",
    "sending_field",
    "side_panel",
    "stack",
    "tabs",
    "text_area",
    "text_field",
    "text_link",
]
