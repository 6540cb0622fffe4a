"""The people whose sessions are fuzzed, and Ada's data, which they must neither see nor change."""

from __future__ import annotations

from uuid import uuid4

from fundwright.accounts.schemas import Client, Permission
from fundwright.authentication import api_tokens, one_time_secrets
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import TokenScope
from fundwright.core.assembly import Core
from fundwright.training import adding
from fundwright.training.schemas import PastedText
from tests.access.people import Kind, add_person, granted
from tests.access.test_ids import CANARY, NOT_OWNED, World

PRIVATE_TABLES = ("category", "chunk", "document", "draft", "label", "training_run")
"""Tables in which only the owner changes records."""
_SEEN_BY_ADMINISTRATORS = frozenset(
    (
        "account",
        "feedback",
        "import",
        "invitation",
        "job",
        "payment",
        "photo",
        "post",
        "post slug",
        "premium link",
        "session",
        "workspace",
    )
)
_HERE = Client(address="192.0.2.7")


async def sign_in(core: Core, kind: Kind, *, scope: TokenScope | None = None) -> str:
    """The session token, or with a `scope` the API token, of a new account. The account has its own document if it may
    work."""
    async with core.database.transaction() as session:
        actor = await add_person(session, core, kind, f"{kind}-{uuid4().hex[:8]}@example.org")
        if actor.may(Permission.WORK):
            await adding.add_text(session, actor, core, PastedText(title="Roofs", text="Roofs are repaired."))
        if scope:
            return (await api_tokens.create_api_token(session, actor, core, name="script", scope=scope, lasts_days=1)).secret
        code = await one_time_secrets.new_handover(session, actor.id, remember=True)
        return (await authentication.redeem_handover(session, core, code, client=_HERE)).token


def secrets_of(world: World, *, seen_by: Kind | None) -> list[str]:
    """Ids of Ada's objects that this person must not see, and her name and address if the person does not see other people."""
    sees_others = seen_by is not None and Permission.ADMINISTER in granted(seen_by)
    kinds = (
        world.ids.keys()
        - NOT_OWNED.keys()
        - {"subject", "other notice"}
        - (_SEEN_BY_ADMINISTRATORS if sees_others else set[str]())
    )
    return [*(world.ids[kind] for kind in sorted(kinds)), *(() if sees_others else (CANARY, world.owner.email))]
