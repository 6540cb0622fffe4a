"""The panel Share, and the list of share links."""

from __future__ import annotations

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.generation import service as generation
from fundwright.sharing.schemas import ShareState
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.screens.opportunities.sam import sam_screen
from fundwright_ui.screens.sharing.links import share_links_screen
from fundwright_ui.testing import mounted
from tests.sharing.conftest import Office, do

PATH = "/dashboard/share-links"


class TestPanel:
    async def test_a_draft_is_shared_and_the_link_is_shown_once(self, office: Office) -> None:
        draft = await do(office.core, lambda session: generation.get_draft(session, office.ada, office.draft_id))
        path = f"/generate/slug/{draft.slug}"
        async with mounted(office.core, office.ada, draft_screen, path=path, params={"token": draft.slug}) as screen:
            await screen.click("button", "Share")
            await screen.type("For", "Grace Hopper")
            await screen.type("Expires after (days)", "7")
            await screen.check("Watermark with the name and the date")
            await screen.submit("New share link")
            await screen.expect(lambda: "Send this link to Grace Hopper." in screen.text)
            await screen.expect(lambda: "not opened yet" in screen.text)
        (link,) = await office.all()
        assert (link.has_watermark, link.shows_titles, link.has_password) == (True, False, False)
        assert (link.expires_at - link.created_at).days == 7

    async def test_a_list_is_shared_as_it_is_filtered(self, office: Office) -> None:
        async with mounted(office.core, office.ada, sam_screen, path="/dashboard/sam?q=roof&open=share") as screen:
            await screen.expect(lambda: screen.has("form", "New share link"))
            await screen.type("For", "Grace Hopper")
            await screen.type("Title of the page", "Roofs")
            await screen.submit("New share link")
            await screen.expect(lambda: "Send this link to Grace Hopper." in screen.text)
        (link,) = await office.all()
        assert (link.title, link.draft_id) == ("Roofs", None)

    async def test_viewers_are_not_offered_it(self, office: Office) -> None:
        draft = await do(office.core, lambda session: generation.get_draft(session, office.ada, office.draft_id))
        viewer = office.ada.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        path = f"/generate/slug/{draft.slug}"
        async with mounted(office.core, viewer, draft_screen, path=f"{path}?open=share", params={"token": draft.slug}) as screen:
            assert (
                screen.has("button", "Export") and not screen.has("button", "Share") and "without an account" not in screen.text
            )


class TestLinks:
    async def test_a_link_is_revoked_from_the_list(self, office: Office) -> None:
        link = await office.share()
        async with mounted(office.core, office.ada, share_links_screen, path=f"{PATH}?open={link.id}") as screen:
            await screen.click("button", "Revoke the link for Grace Hopper")
            await screen.emit("ConfirmDialog", "onConfirm")
            await screen.expect(lambda: "Ended" in screen.text)
        assert (await office.listed(link)).state is ShareState.ENDED

    async def test_without_links_it_says_how_to_create_one(self, office: Office) -> None:
        async with mounted(office.core, office.ada, share_links_screen, path=PATH) as screen:
            assert "choose Share" in screen.text
        viewer = office.ada.model_copy(update={"workspace_role": WorkspaceRole.VIEWER, "workspace_id": office.draft_id})
        async with mounted(office.core, viewer, share_links_screen, path=PATH) as screen:
            assert "You can only view this workspace." in screen.text
