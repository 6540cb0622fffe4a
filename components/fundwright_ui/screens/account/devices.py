"""Names of the devices of sessions."""

from __future__ import annotations

from fundwright.authentication.user_agents import device_of
from fundwright.core.messages import t


def device_name(user_agent: str) -> str:
    """Name the browser and the operating system."""
    browser, system = device_of(user_agent)
    if browser and system:
        return t("{browser} on {system}", browser=browser, system=system)
    return browser or system or t("Unknown device")
