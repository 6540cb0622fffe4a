"""Random secrets and one-way digests of them."""

from __future__ import annotations

import hashlib
import secrets


def new_secret() -> str:
    """256 random bits, safe in a URL."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """The digest of a random secret. The secret has enough entropy that a plain hash cannot be searched."""
    return hashlib.sha256(secret.encode()).hexdigest()
