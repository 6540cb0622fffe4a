"""Browsers' passkey responses, changed in every part: bytes, JSON, and attestation statements."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cbor2
import pytest
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import passkeys
from fundwright.authentication.one_time_secrets import LinkSpent
from fundwright.authentication.passkeys import PasskeyRefused, PasskeyTaken
from fundwright.authentication.schemas import SignInRefused
from fundwright.core.assembly import Core
from tests.authentication.authenticator import Device
from tests.fuzzing.conftest import Fuzz
from tests.fuzzing.test_files import Run, in_a_thread
from tests.fuzzing.texts import Change, changed, changes, json_values
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, with_settings

PARTS = ("clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle")
FORMATS = ("none", "packed", "fido-u2f", "tpm", "apple", "android-key", "android-safetynet", "x", "")


@dataclass(frozen=True)
class Forgery:
    parts: Mapping[str, Sequence[Change]]
    """Changes of bytes before they are encoded as text."""
    names: Sequence[tuple[bool, str, object]]
    """Values in the JSON, within `response` or around it."""
    form: str | None
    statement: object
    """Values in the attestation statement."""


class Forger(Device):
    forgery: Forgery

    def _credential(self, **response: bytes) -> str:
        forgery = self.forgery
        if forgery.form is not None and "attestationObject" in response:
            kept = cbor2.loads(response["attestationObject"])
            response["attestationObject"] = cbor2.dumps({**kept, "fmt": forgery.form, "attStmt": forgery.statement})
        response = {name: changed(value, forgery.parts.get(name, ())) for name, value in response.items()}
        credential: dict[str, Any] = json.loads(super()._credential(**response))
        for is_inner, name, value in forgery.names:
            within = credential["response"] if is_inner else credential
            if isinstance(within, dict):
                within[name] = value
        return json.dumps(credential)


values = st.one_of(json_values(), st.sampled_from(["AAAA", "!", "public-key", b"".hex(), hashlib.sha256(b"").hexdigest(), 2**64]))
statements = st.one_of(
    values,
    st.dictionaries(
        st.sampled_from(["alg", "sig", "x5c", "ver", "certInfo", "pubArea", "response", "ecdaaKeyId"]),
        st.one_of(values, st.binary(max_size=40), st.lists(st.binary(max_size=40), max_size=2)),
        max_size=5,
    ),
)
forgeries = st.builds(
    Forgery,
    st.dictionaries(st.sampled_from(PARTS), st.lists(changes, min_size=1, max_size=3), max_size=2),
    st.lists(
        st.tuples(
            st.booleans(),
            st.sampled_from(["id", "rawId", "type", "response", "transports", "authenticatorAttachment", *PARTS]),
            values,
        ),
        max_size=2,
    ),
    st.one_of(st.none(), st.sampled_from(FORMATS)),
    statements,
)


@pytest.mark.slow
async def test_answers_of_browsers(session: AsyncSession, core: Core, fuzz: Fuzz) -> None:
    public = with_settings(core, public_url="http://localhost:8000")
    actor = await add_account(session, "ada@example.org", name="Ada")

    async def add(forgery: Forgery) -> str:
        device = Forger()
        device.forgery = forgery
        options = await passkeys.start_adding(session, actor, public)
        async with session.begin_nested():
            try:
                made = await passkeys.add(
                    session, actor, public, name="Telephone", credential=device.create(options), client=HERE
                )
                await passkeys.remove(session, actor, public, made.id, client=HERE)
            except (PasskeyRefused, PasskeyTaken, LinkSpent):
                return "not added"
        return "added"

    async def sign_in(forgery: Forgery) -> str:
        options = await passkeys.start_sign_in(session, public)
        device = Forger()
        device.forgery = forgery
        answer = await passkeys.sign_in(session, public, credential=device.get(options), remember=True, client=HERE)
        assert isinstance(answer, SignInRefused)  # the device is unknown, or its answer is forged
        return "refused"

    def work(run: Run[Any]) -> None:
        def check(forgery: Forgery, *, is_new: bool) -> None:
            fuzz.outcomes[run(add(forgery) if is_new else sign_in(forgery))] += 1

        fuzz(check, examples=35, outcomes=("added", "not added", "refused"), forgery=forgeries, is_new=st.booleans())

    await in_a_thread(work)
