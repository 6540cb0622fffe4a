from tests.support.signing_in import ada, visitor
from tests.ui.conftest import open_page

__all__ = ["ada", "open_page", "visitor"]
