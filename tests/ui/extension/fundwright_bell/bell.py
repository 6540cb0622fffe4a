"""A bell that notifies everyone who has the page open."""

from typing import Annotated

from pydantic import Field
from reactpy import html, use_state

from fundwright.core import live
from fundwright_ui import On, Props, Widget, button, page, screen, use_action, use_actor, use_live


class Pulled(Props):
    times: Annotated[int, Field(ge=1, le=5)]


class BellPull(Widget):
    """Lets a person choose how often to ring."""

    label: str
    on_pulled: On[Pulled] = None


@screen("/dashboard/bell", "Bell")
def bell_screen():
    actor = use_actor()
    heard, set_heard = use_state("Nobody has rung yet.")

    async def ring(session, pulled: Pulled):
        await live.publish(session, "bell", {"by": actor.name, "times": pulled.times})

    use_live("bell", lambda rung: set_heard(f"{rung['by']} rang {rung['times']} times."))
    pull = BellPull(label="Ring", on_pulled=use_action(ring), fallback=[button("Ring", disabled=True)])
    return page("Bell", html.p({"role": "status"}, heard), pull)
