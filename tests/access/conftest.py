from tests.screens_login.conftest import open_page
from tests.support.signing_in import ada, visitor

__all__ = ["ada", "open_page", "visitor"]
