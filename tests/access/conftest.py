from tests.screens_login.conftest import open_page

__all__ = ["open_page"]
