from tests.support.signing_in import ada
from tests.ui.conftest import open_page
from tests.workspaces.test_service import bob

__all__ = ["ada", "bob", "open_page"]
