"""The page as screens know it, with the product's own types."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from fundwright.accounts.schemas import Actor, Client
from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright_ui.runtime import connection

Connection = connection.Connection[Core, Actor, Client]


def use_connection() -> Connection:
    """The connection of the page this component is shown on."""
    return cast(Connection, connection.use_connection())


def use_actor() -> Actor:
    """Return the signed-in actor. Only for screens of guarded areas; public screens read `use_connection().actor`."""
    return actor_of(use_connection())


def actor_of(connection: Connection) -> Actor:
    """Return the actor as of now, for work that is kept after the render, such as Undo: the role may have changed since then."""
    actor = connection.actor
    if actor is None:
        raise RuntimeError("Nobody is signed in here: this component belongs on a screen of a guarded area.")
    return actor


def id_in(text: str) -> UUID | None:
    """The id in a parameter of the address, if it has one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def parse_id(text: str, what: str) -> UUID:
    """Parse an id from a part of an address or a form field. Raises NotFound, naming `what`."""
    id = id_in(text)
    if id is None:
        raise NotFound(what)
    return id
