"""Two people in one workspace, each in a browser of their own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, NewContext, open_train
from e2e.pages.ready import ready
from e2e.pages.train import TrainPage

OWNER, MEMBER = "harbor@example.org", "pilot@example.org"
SENTENCE = "The harbor ferry Marisol carries forty-two passengers."


def switcher(page: Page, name: str) -> None:
    expect(page.get_by_role("button", name=f"Workspace: {name}")).to_be_visible()


@pytest.mark.slow
def test_what_one_adds_answers_the_other_until_it_is_restricted_or_that_person_is_removed(
    application: Application, new_context: NewContext, complaints: list[str]
) -> None:
    for email, name in ((OWNER, "Harbor Owner"), (MEMBER, "Pilot Member")):
        application.add_person(email, PASSWORD, name=name)
    owner, member = open_train(new_context().new_page(), OWNER), open_train(new_context().new_page(), MEMBER)

    owner.get_by_role("button", name="Workspace: Personal").click()
    owner.get_by_role("menuitem", name="New workspace").click()
    owner.get_by_label("Name of the workspace").fill("Harbor")
    owner.get_by_role("button", name="Create workspace").click()
    switcher(owner, "Harbor")
    owner.get_by_role("button", name="Invite", exact=True).click()
    owner.get_by_role("textbox", name="Email").fill(MEMBER)
    owner.get_by_role("button", name="Create invitation").click()
    link = owner.get_by_text("/workspaces/join/").inner_text()

    member.goto(link)
    ready(member)
    member.get_by_role("button", name="Join workspace").click()
    switcher(member, "Harbor")
    ready(member)
    harbor = member.url
    other_tab = member.context.new_page()
    other_tab.goto("/dashboard/train")
    ready(other_tab)
    other_tab.get_by_role("button", name="Workspace: Harbor").click()
    other_tab.get_by_role("menuitemradio", name="Personal").click()
    switcher(other_tab, "Personal")
    member.reload()
    switcher(member, "Harbor")
    ready(member)
    training = TrainPage(member)
    form = training.open_text()
    form.get_by_label("Title").fill("Fleet")
    form.get_by_label("Text").fill(SENTENCE)
    form.get_by_role("button", name="Add").click()
    training.wait_until_processed()

    owner.goto("/dashboard/train")
    ready(owner)
    TrainPage(owner).ask("How many passengers does the Marisol carry?")
    answer = owner.get_by_role("main").get_by_text("forty-two passengers")
    expect(answer.first).to_be_visible()

    member.get_by_role("row").filter(has_text="Fleet").click()
    member.wait_for_url("**document=**")
    other_tab.reload()
    switcher(other_tab, "Personal")
    other_tab.goto(member.url.partition("&w=")[0])
    expect(other_tab.get_by_text("You are now in the workspace “Harbor”.")).to_be_visible()
    switcher(other_tab, "Harbor")
    other_tab.close()
    for choice in ("Only chosen members", "Everyone in the workspace"):
        member.get_by_role("button", name="Who can see this").click()
        member.get_by_role("dialog").get_by_role("radio", name=choice).check()
        member.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(member.get_by_role("dialog")).to_have_count(0)
        if choice == "Only chosen members":
            expect(member.get_by_role("row").filter(has_text="Fleet")).to_contain_text("Restricted")
            expect(owner.get_by_text("Your documents don't answer this")).to_be_visible()
            expect(owner.get_by_text("Fleet")).to_have_count(0)
    expect(answer.first).to_be_visible()

    owner.goto("/dashboard/workspace")
    ready(owner)
    owner.get_by_role("row").filter(has_text="Pilot Member").click()
    owner.get_by_role("button", name="Remove from workspace").click()
    owner.get_by_role("dialog").get_by_role("button", name="Remove from workspace").click()
    switcher(member, "Personal")
    expect(member.get_by_text("Fleet")).to_have_count(0)
    assert member.url != harbor
    member.goto(harbor)
    member.get_by_role("link", name="Go to home").click()
    switcher(member, "Personal")
    assert [complaint for complaint in complaints if "404 (Not Found)" not in complaint] == []
    complaints.clear()
