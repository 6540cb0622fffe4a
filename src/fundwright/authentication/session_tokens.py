"""Signed session tokens."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import jwt
from jwt.types import Options
from pydantic import BaseModel, ConfigDict, ValidationError

from fundwright.accounts.schemas import Actor
from fundwright.authentication.keyring import keyring
from fundwright.core.assembly import Core

_ALGORITHM = "HS256"
_LEEWAY_S = 10


class TokenPayload(BaseModel):
    """The content of a session token: the specification's name, email, and role, the account, the session, and the number of the token in
    the session, from 0."""

    model_config = ConfigDict(frozen=True)

    name: str
    email: str
    role: str
    sub: UUID | None = None
    """The account. None in tokens of earlier releases."""
    sid: UUID
    gen: int = 0
    exp: int
    iat: int


def sign(core: Core, holder: Actor, *, session_id: UUID, generation: int = 0, issued_at: datetime, expires_at: datetime) -> str:
    key = keyring(core).newest
    payload = {
        "name": holder.name,
        "email": holder.email,
        "role": holder.role.value,
        "sub": str(holder.id),
        "sid": str(session_id),
        "gen": generation,
        "iat": int(issued_at.timestamp()),
        "exp": int(expires_at.timestamp()),
    }
    return jwt.encode(payload, key.secret, algorithm=_ALGORITHM, headers={"kid": key.id})


def read(core: Core, token: str) -> TokenPayload | None:
    """The content of the token, or None if it is not ours, was changed, has expired, or lacks a claim."""
    try:
        key = keyring(core).find(str(jwt.get_unverified_header(token).get("kid")))
        if key is None:
            return None
        # A token issued in the future is from before the clock was set back. Rejecting it would sign everyone out.
        options: Options = {"require": ["exp", "iat"], "verify_iat": False}
        payload = jwt.decode(token, key.secret, algorithms=[_ALGORITHM], leeway=_LEEWAY_S, options=options)
        return TokenPayload.model_validate(payload)
    except (jwt.PyJWTError, ValidationError, ValueError):
        return None
