"""Signed session tokens and one-way digests of secrets."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import jwt
from pydantic import BaseModel, ConfigDict, ValidationError

from fundwright.core.assembly import Core
from fundwright.identity.schemas import Actor

_ALGORITHM = "HS256"
_LEEWAY_S = 10
API_TOKEN_PREFIX = "fwt_"


class TokenPayload(BaseModel):
    """What a session token carries: the specification's name, email and role, and the session it names."""

    model_config = ConfigDict(frozen=True)

    name: str
    email: str
    role: str
    sid: UUID
    exp: int
    iat: int


@dataclass(frozen=True)
class SigningKey:
    id: str
    secret: bytes

    def sign(self, actor: Actor, *, session_id: UUID, issued_at: datetime, expires_at: datetime) -> str:
        payload: dict[str, Any] = {
            "name": actor.name,
            "email": actor.email,
            "role": actor.role.value,
            "sid": str(session_id),
            "iat": int(issued_at.timestamp()),
            "exp": int(expires_at.timestamp()),
        }
        return jwt.encode(payload, self.secret, algorithm=_ALGORITHM, headers={"kid": self.id})

    def read(self, token: str) -> TokenPayload | None:
        """What the token says, or None when it is not ours, has been changed, has expired or lacks a claim."""
        try:
            if jwt.get_unverified_header(token).get("kid") != self.id:
                return None
            payload = jwt.decode(
                token, self.secret, algorithms=[_ALGORITHM], leeway=_LEEWAY_S, options={"require": ["exp", "iat"]}
            )
            return TokenPayload.model_validate(payload)
        except (jwt.PyJWTError, ValidationError, ValueError):
            return None


def signing_key(core: Core) -> SigningKey:
    """The installation's key, made at the first start and kept in the data folder for the owner's eyes only."""
    if __name__ not in core.cache:
        secret = _read_or_make(core.settings.data / "keys" / "session.key")
        core.cache[__name__] = SigningKey(id=hashlib.sha256(secret).hexdigest()[:12], secret=secret)
    return core.cache[__name__]


def authenticator_secret(core: Core, factor_id: UUID) -> bytes:
    """The secret that an authenticator app shares with us. It has a key of its own: the one of sessions may change."""
    key = core.cache.get("second_factor.key")
    if key is None:
        key = core.cache["second_factor.key"] = _read_or_make(core.settings.data / "keys" / "second_factor.key")
    return hmac.digest(key, factor_id.bytes, "sha256")[:20]


def _read_or_make(path: Path) -> bytes:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        handle, name = tempfile.mkstemp(dir=path.parent)  # mode 0600
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(name, path)  # fails when another process was first: then its key is the one
        except FileExistsError:
            pass
        finally:
            Path(name).unlink()
    return path.read_bytes()


def new_secret() -> str:
    """256 random bits, safe in a URL."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What is kept of a random secret. It has enough entropy that a plain hash cannot be searched."""
    return hashlib.sha256(secret.encode()).hexdigest()
