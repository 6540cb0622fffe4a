"""How a device is called that somebody is signed in with."""

from __future__ import annotations

from fundwright.authentication.user_agents import device_of
from fundwright.core.messages import t


def device_name(user_agent: str) -> str:
    """Browser and system in words."""
    browser, system = device_of(user_agent)
    if browser and system:
        return t("{browser} on {system}", browser=browser, system=system)
    return browser or system or t("Unknown device")
