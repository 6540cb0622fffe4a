from tests.support.signing_in import ada

__all__ = ["ada"]
