"""Compiles the message catalogs before the tests, so that a changed translation is seen."""

from scripts.setup import message_catalogs


def pytest_configure() -> None:
    message_catalogs()
