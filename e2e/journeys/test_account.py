"""People manage their own accounts and delete them."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from uuid import uuid4

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, NewContext, open_train, sign_in
from e2e.pages.account import AccountPage
from e2e.pages.outbox import Outbox
from e2e.pages.ready import ready, until
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage

NEW = "seven quiet lighthouses"


@pytest.fixture
def email(application: Application) -> str:
    """The email address of a new account."""
    email = f"{uuid4().hex[:8]}@example.org"
    application.add_person(email, PASSWORD, name="Grace Example")
    return email


@pytest.fixture
def own(page: Page, email: str) -> AccountPage:
    """The account page of its owner, not yet open."""
    sign_in(page, email)
    return AccountPage(page)


def test_it_is_reached_from_the_account_menu_where_a_photo_is_shown(own: AccountPage, complaints: list[str]) -> None:
    menu = Shell(own.page).account_menu
    own.page.goto("/dashboard/category")
    ready(own.page)
    menu.click()
    own.page.get_by_role("menuitem", name="Account", exact=True).click()
    expect(own.page.get_by_role("heading", name="Account")).to_be_visible()
    expect(own.page).to_have_title("Account")
    ready(own.page)
    own.upload_photo("me.png", b"<svg/>")
    expect(own.part("Photo")).to_contain_text("The file is not a readable image. Choose a PNG, JPEG, or WebP file.")
    assert [complaint for complaint in complaints if " 422 " not in complaint] == []
    complaints.clear()
    written = io.BytesIO()
    Image.new("RGB", (640, 480), "teal").save(written, "PNG")
    expect(menu).to_have_text("G")
    own.upload_photo("me.png", written.getvalue())
    expect(menu.locator("img")).to_have_js_property("naturalWidth", 256)
    ready(own.page)
    own.part("Photo").get_by_role("button", name="Remove photo").click()
    expect(menu).to_have_text("G")


def test_times_are_those_of_the_chosen_zone(own: AccountPage) -> None:
    page = own.open("security").page
    shown = own.part("Active sessions").get_by_role("time").first
    before = shown.text_content()
    own.open().part("Language and time").get_by_label("Time zone").select_option("Pacific/Kiritimati")
    with page.expect_navigation():
        own.part("Language and time").get_by_role("button", name="Save language and time").click()
    own.open("security")
    moment = shown.get_attribute("datetime")
    expected = page.evaluate(
        "at => new Intl.DateTimeFormat('en', {dateStyle: 'medium', timeStyle: 'short', timeZone: 'Pacific/Kiritimati'}).format(new Date(at))",
        moment,
    )
    assert expected != before
    expect(shown).to_have_text(expected)


@pytest.mark.slow
def test_a_new_password_signs_out_everywhere_else(own: AccountPage, new_context: NewContext, email: str) -> None:
    elsewhere = open_train(new_context().new_page(), email)
    own.open("security").change_password(current="not this one", new=NEW)
    expect(own.part("Password")).to_contain_text("Wrong password.")
    own.change_password(current=PASSWORD, new=NEW)
    expect(own.page.get_by_text("Your password was changed, and all other sessions were ended.")).to_be_visible()
    elsewhere.wait_for_url("**/auth/login*")
    SignInPage(elsewhere).open().sign_in(email, NEW)
    elsewhere.wait_for_url("**/dashboard/train")
    expect(own.part("Password")).to_be_visible()


@pytest.mark.slow
def test_a_new_address_takes_effect_once_it_is_confirmed(own: AccountPage, outbox: Outbox) -> None:
    page, new = own.page, f"{uuid4().hex[:8]}@example.org"
    own.open("security").change_email(new, password=PASSWORD)
    expect(own.part("Email")).to_contain_text(f"If {new} can be used, we sent a link to that address.")
    page.goto(outbox.link_to(new))
    ready(page)
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/auth/login?notice=email-changed")
    expect(page.get_by_text("Your email address was changed. Sign in with the new one.")).to_be_visible()
    ready(page)
    SignInPage(page).sign_in(new, PASSWORD)
    page.wait_for_url("**/dashboard/train")


@pytest.mark.slow
def test_a_copy_of_everything_is_collected_and_saved(own: AccountPage) -> None:
    own.open("data").part("Download my data").get_by_role("button", name="Request a copy").click()
    link = own.part("Download my data").get_by_role("link", name=re.compile("Download ZIP file"))
    with own.page.expect_download() as saved:
        link.click(timeout=60_000)
    assert saved.value.suggested_filename == "fundwright-data.zip"
    with zipfile.ZipFile(Path(saved.value.path())) as archive:
        assert {"account/profile.json", "categories/categories.json", "training/documents.json"} <= set(archive.namelist())


def test_deleting_the_account_deletes_everything(page: Page, email: str) -> None:
    own = AccountPage(open_train(page, email)).open("data")  # with the token in storage
    own.delete(email=email, password=PASSWORD)
    page.wait_for_url("**/auth/login?notice=deleted")
    expect(page.get_by_text("Your account was deleted.")).to_be_visible()
    until(page, "localStorage.getItem('token') === null")
    SignInPage(page).sign_in(email, PASSWORD)
    expect(page.get_by_role("alert").first).to_contain_text("don't match an account")


@pytest.mark.slow
def test_a_token_is_shown_once_and_used(own: AccountPage, page: Page) -> None:
    own.open("tokens")
    form = own.part("New token")
    form.get_by_label("Name").fill("nightly")
    form.get_by_role("button", name="Create token").click()
    secret = page.get_by_text(re.compile("^fwt_.{40,}$")).text_content() or ""
    answer = page.context.request.get("/api/account/profile", headers={"Authorization": f"Bearer {secret}"})
    assert answer.json()["displayName"] == "Grace Example"
    page.reload()
    ready(page)
    expect(page.get_by_text(secret)).to_have_count(0)
    page.get_by_role("button", name="Revoke “nightly”").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("list", name="Your API tokens").get_by_role("listitem")).to_contain_text(
        re.compile("nightly.*Revoked")
    )
    fresh = {"Authorization": f"Bearer {secret}"}
    assert page.context.request.get("/api/account/profile", headers=fresh).status == 401
