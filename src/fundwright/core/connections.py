"""The connections to this process: how many there may be in all and from each address, and which of them give way to others."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from ipaddress import IPv6Address, ip_address
from uuid import UUID

import structlog
from pydantic import IPvAnyNetwork
from starlette.requests import HTTPConnection

log = structlog.get_logger()

PLACE = "fundwright.place"
"""The key of a connection's place in the `state` of its requests."""
_OF_ACCOUNT = 64
_FOR_HEALTH_CHECKS = 32
_WARN_EVERY_S = 60.0
_THIS_COMPUTER = frozenset(map(ip_address, ("127.0.0.1", "::1")))
"""From which the system connects to itself. A program may choose another address of 127.0.0.0/8."""


def network_of(address: str) -> str:
    """An IPv6 customer has a whole /64 of addresses: it counts as one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or int(parsed) >> 64)
    return str(parsed)


class Place:
    """What one connection takes of the limits."""

    __slots__ = ("_connections", "account_id", "close", "is_waiting", "network", "party")

    def __init__(self, connections: Connections, network: str, close: Callable[[], None]) -> None:
        self._connections = connections
        self.network = network
        self.close = close
        self.is_waiting = True
        self.account_id: UUID | None = None
        self.party: Hashable = network
        """The party that pays for parsing what arrives: the network, or behind a proxy, the connection itself. Once a person has signed in, their
    account."""

    def wait(self, *, is_waiting: bool) -> None:
        """Whether the connection is idle or its request is arriving, so that closing it would interrupt no work."""
        self.is_waiting = is_waiting
        self._connections.renew(self)

    def sign_in(self, account_id: UUID) -> None:
        self._connections.sign_in(self, account_id)

    def end(self) -> None:
        self._connections.end(self)


class Connections:
    """At most `most` connections, of which strangers at one address may have `most_of_address`. Trusted proxies and this computer may have any
    number.

    At a limit, the stranger's connection that has waited longest is closed, then the one that was opened first. Connections over which a
    valid session came stay, 64 of each account. This computer may always open some more, for health checks.
    """

    def __init__(self, *, most: int, most_of_address: int, trusted: Collection[IPvAnyNetwork] = ()) -> None:
        self._most = most
        self._most_of_address = most_of_address
        self._trusted = trusted
        self._strangers: dict[Place, None] = {}
        self._of_network: dict[str, dict[Place, None]] = {}
        self._others: dict[Place, None] = {}
        self._of_account = Counter[UUID]()
        self._warned_at = -_WARN_EVERY_S

    def __len__(self) -> int:
        return len(self._strangers) + len(self._others)

    def admit(self, address: str, close: Callable[[], None]) -> Place | None:
        """The place of a new connection, or None if there is none. `close` closes the connection at once."""
        is_local, is_exempt = self._is_exempt(address)
        place = Place(self, network_of(address), close)
        if not is_exempt:
            own = self._of_network.get(place.network, {})
            if len(own) >= self._most_of_address and not self._make_room(own, address, only_waiting=True):
                return None
        if len(self) >= self._most and not self._make_room(self._strangers, address):
            most = self._most + (_FOR_HEALTH_CHECKS if is_local else 0)
            if len(self) >= most:
                return None
        if is_exempt:
            place.party = id(place)
            self._others[place] = None
        else:
            self._strangers[place] = self._of_network.setdefault(place.network, {})[place] = None
        return place

    def renew(self, place: Place) -> None:
        """Make the place the one that gives way last."""
        for places in (self._strangers, self._of_network.get(place.network, {})):
            if place in places:
                del places[place]
                places[place] = None

    def sign_in(self, place: Place, account_id: UUID) -> None:
        if place in self._strangers and self._of_account[account_id] < _OF_ACCOUNT:
            self._forget_stranger(place)
            place.account_id = place.party = account_id
            self._of_account[account_id] += 1
            self._others[place] = None

    def end(self, place: Place) -> None:
        if place in self._strangers:
            self._forget_stranger(place)
        elif place in self._others:
            del self._others[place]
            if place.account_id is not None:
                self._of_account[place.account_id] -= 1
                self._of_account += Counter()  # forgets those with none

    def _forget_stranger(self, place: Place) -> None:
        del self._strangers[place]
        own = self._of_network[place.network]
        del own[place]
        if not own:
            del self._of_network[place.network]

    def _make_room(self, places: dict[Place, None], address: str, *, only_waiting: bool = False) -> bool:
        self._warn(address)
        oldest = None if only_waiting else next(iter(places), None)
        found = next((place for place in places if place.is_waiting), oldest)
        if found is not None:
            found.end()
            found.close()
        return found is not None

    def _warn(self, address: str) -> None:
        if time.monotonic() - self._warned_at > _WARN_EVERY_S:
            self._warned_at = time.monotonic()
            log.warning("connections.limit_reached", address=address, connections=len(self))

    def _is_exempt(self, address: str) -> tuple[bool, bool]:
        """Whether it is of this computer, and whether it may have any number of connections."""
        try:
            parsed = ip_address(address)
        except ValueError:
            return False, False
        is_local = parsed in _THIS_COMPUTER
        return is_local, is_local or any(parsed in network for network in self._trusted)


def note_signed_in(connection: HTTPConnection, account_id: UUID) -> None:
    """Keep the connection of this request when others have to give way."""
    place: Place | None = connection.scope.get("state", {}).get(PLACE)
    if place is not None:
        place.sign_in(account_id)
