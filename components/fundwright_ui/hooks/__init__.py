"""Hooks for screens: queries, actions, live updates, rows, and the address. `fundwright_ui.product` has those
that know Fundwright, such as `use_actor`.

```python
@component
def categories_screen() -> VdomDict:
    actor = use_actor()
    found = use_query(lambda session: service.list_categories(session, actor), key=[actor.id])

    async def create(session: AsyncSession, form: NewCategory) -> None:
        await service.create(session, actor, name=form.name)

    creating = use_action(create, success=t("The category was created."), then=found.reload)
```
"""

from __future__ import annotations

from fundwright_ui.hooks.action import Action, use_action
from fundwright_ui.hooks.live import use_live
from fundwright_ui.hooks.query import Query, use_query
from fundwright_ui.hooks.rows import Row, Rows, use_rows
from fundwright_ui.hooks.unchanged import use_unchanged
from fundwright_ui.hooks.url import UrlState, is_valid, query_in_address, use_url_state
from fundwright_ui.runtime.layout import UNCHANGED

__all__ = [
    "UNCHANGED",
    "Action",
    "Query",
    "Row",
    "Rows",
    "UrlState",
    "is_valid",
    "query_in_address",
    "use_action",
    "use_live",
    "use_query",
    "use_rows",
    "use_unchanged",
    "use_url_state",
]
