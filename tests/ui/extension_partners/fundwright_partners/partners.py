"""Teaming partners: a table, a form in a dialog, and a job that counts the notices that name them."""

from typing import Annotated, ClassVar
from uuid import uuid4

import sqlalchemy as sa
from pydantic import BaseModel, Field
from reactpy import use_state

import fundwright_ui as ui
from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.jobs import JobHandler, JobPayload, JobRun, jobs_topic

partner = sa.table("partner", *map(sa.column, ("id", "owner_id", "name", "cage", "notices")))
opportunity = sa.table("opportunity", sa.column("title"))


class NewPartner(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=80)]
    cage: Annotated[str | None, Field(pattern="^[A-Z0-9]{5}$", description="Use the five characters of the CAGE code.")] = None


class CountNotices(JobPayload):
    job_kind: ClassVar[str] = "count-partner-notices"


async def count_notices(run: JobRun[CountNotices, Actor]) -> None:
    async with run.transaction() as session:
        found = await session.execute(sa.select(partner.c.id, partner.c.name).where(partner.c.owner_id == run.actor.id))
        partners = found.all()
    for done, (id, name) in enumerate(partners, start=1):
        count = sa.select(sa.func.count()).select_from(opportunity).where(opportunity.c.title.icontains(name, autoescape=True))
        async with run.transaction() as session:
            await session.execute(sa.update(partner).where(partner.c.id == id).values(notices=count.scalar_subquery()))
        await run.progress(done, len(partners), f"{done} of {len(partners)} partners")


HANDLER = JobHandler(CountNotices, count_notices, acting_with(Permission.READ))


class Fold(ui.Widget):
    """A part of the page that can be collapsed."""

    title: str
    children: ui.Slot = ()


@ui.screen("/dashboard/partners", "Partners")
def partners_screen():
    actor, core = ui.use_actor(), ui.use_connection().core
    is_adding, set_adding = use_state(False)

    async def read(session):
        return (await session.execute(sa.select(partner).where(partner.c.owner_id == actor.id).order_by(partner.c.name))).all()

    async def add(session, new: NewPartner):
        await session.execute(sa.insert(partner).values(id=uuid4(), owner_id=actor.id, **new.model_dump()))

    async def count(session):
        await core.jobs.enqueue(session, CountNotices(), title="Count notices", owner_id=actor.workspace_id, account_id=actor.id)

    def added():
        set_adding(False)
        found.reload()

    found = ui.use_query(read, key=[actor.id], topics=[jobs_topic(actor.id)])
    adding = ui.use_action(add, success="The partner was added.", then=added)
    counting = ui.use_action(count)
    columns = [ui.Column(field="name", label="Name"), ui.Column(field="cage", label="CAGE code")]
    columns.append(ui.Column(field="notices", label="Notices", kind="number"))
    rows = [ui.Row(id=str(each.id), cells=dict(each._mapping)) for each in found.value or ()]
    fields = [ui.text_field("name", "Name", required=True), ui.text_field("cage", "CAGE code", help="Optional.")]
    return ui.page(
        "Partners",
        Fold(title="Notices that name them", children=[ui.job_progress(CountNotices), ui.button("Count", on_click=counting)]),
        ui.data_table(label="Partners", columns=columns, rows=rows, empty_text="No partners yet."),
        ui.form_dialog(
            "New partner", *fields, is_open=is_adding, on_submit=adding, on_close=lambda: set_adding(False), model=NewPartner
        ),
        actions=[ui.button("Add partner", on_click=lambda: set_adding(True))],
    )
