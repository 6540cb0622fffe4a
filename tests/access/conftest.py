from tests.support.signing_in import ada, visitor
from tests.ui.login.conftest import open_page

__all__ = ["ada", "open_page", "visitor"]
