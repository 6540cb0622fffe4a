"""A virtual authenticator for passkeys, which Chromium emulates."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

_ADD = """async (name) => {
  const send = (path, body) =>
    fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) });
  const { options } = await (await send("/api/account/passkeys/options")).json();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
  const credential = await navigator.credentials.create({ publicKey });
  return (await send("/api/account/passkeys", { name, credential: JSON.stringify(credential) })).status;
}"""


class Device:
    """Connected to the browser of `page` as long as the page is open."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._session.send("WebAuthn.enable")
        options: dict[str, Any] = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
        }
        self._id = self._session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]

    def verify(self, *, is_right: bool) -> None:
        """Whether user verification succeeds from now on."""
        self._session.send("WebAuthn.setUserVerified", {"authenticatorId": self._id, "isUserVerified": is_right})

    def add_passkey(self, name: str) -> int:
        """Create a passkey for the signed-in person; returns the HTTP status."""
        return self._page.evaluate(_ADD, name)
