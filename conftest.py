"""Compiles the message catalogs before the tests, so that changed translations take effect."""

from scripts.setup import message_catalogs


def pytest_configure() -> None:
    message_catalogs()
