from tests.support.signing_in import ada, visitor

__all__ = ["ada", "visitor"]
