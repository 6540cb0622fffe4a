"""Software versions of a person's devices: an authenticator app, and one that stores passkeys."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import struct
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import cbor2
import pyotp
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

_PRESENT, _VERIFIED, _WITH_KEY = 0x01, 0x04, 0x40


def code_at(secret: str, moment: datetime, *, steps: int = 0) -> str:
    """The code that an authenticator app shows."""
    return pyotp.TOTP(secret).at(moment + timedelta(seconds=30 * steps))


@dataclass
class Device:
    """Stores one passkey. `origin` is the origin of the browser's page."""

    origin: str = "http://localhost:8000"
    counts: bool = True
    verifies: bool = True
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    user: bytes = b""
    count: int = 0
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: str) -> str:
        """The result of `navigator.credentials.create`."""
        asked = json.loads(options)
        self.user = _bytes(asked["user"]["id"])
        public = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: public.x.to_bytes(32, "big"), -3: public.y.to_bytes(32, "big")}
        kept = bytes(16) + struct.pack(">H", len(self.id)) + self.id + cbor2.dumps(cose)
        data = self._data(asked["rp"]["id"], _WITH_KEY) + kept
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", asked["challenge"])
        return self._credential(clientDataJSON=client, attestationObject=attestation)

    def get(self, options: str) -> str:
        """The result of `navigator.credentials.get`."""
        asked = json.loads(options)
        self.count += self.counts
        data = self._data(asked["rpId"], 0)
        client = self._client("webauthn.get", asked["challenge"])
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._credential(clientDataJSON=client, authenticatorData=data, signature=signature, userHandle=self.user)

    def _data(self, party: str, flags: int) -> bytes:
        flags |= _PRESENT | (_VERIFIED if self.verifies else 0)
        return hashlib.sha256(party.encode()).digest() + struct.pack(">BI", flags, self.count)

    def _client(self, type: str, challenge: str) -> bytes:
        return json.dumps({"type": type, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()

    def _credential(self, **response: bytes) -> str:
        said: dict[str, Any] = {name: _text(value) for name, value in response.items()}
        return json.dumps({"id": _text(self.id), "rawId": _text(self.id), "type": "public-key", "response": said})


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
