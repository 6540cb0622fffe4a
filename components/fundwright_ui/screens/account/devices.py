"""How a device is called that somebody is signed in with."""

from __future__ import annotations

from fundwright.core.messages import t
from fundwright.identity.devices import device_of


def device_name(user_agent: str) -> str:
    """Browser and system in words."""
    browser, system = device_of(user_agent)
    if browser and system:
        return t("{browser} on {system}", browser=browser, system=system)
    return browser or system or t("Unknown device")
