"""The addresses of the database, as operators write them and as libpq reads them."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from fundwright.core.errors import StartRefused

_TIME_LIMITS = {
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server that vanishes without closing its connections is noticed within a minute. By default, that takes many minutes while
data is being sent, and two hours on a connection that only listens."""
_SCHEMES = ("postgresql", "postgres")


def libpq_url(address: str, setting: str = "DATABASE_URL") -> str:
    """Convert the address of a server, or of several with commas between them, to the form that libpq reads; `postgres://` and
    SQLAlchemy's `postgresql+driver://` are accepted.

    Adds the time limits that the address does not set. Raises StartRefused, which names the `setting` and does not repeat the address:
    it may contain a password.
    """
    scheme, separator, rest = address.partition("://")
    with suppress(ValueError, psycopg.ProgrammingError):
        url = f"postgresql://{rest}"
        read = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        ports = read.get("port", "").split(",")
        if (
            separator
            and scheme.partition("+")[0] in _SCHEMES
            and read.get("dbname")
            and "@" not in read.get("host", "")
            and all(not port or 0 < int(port) < 65_536 for port in ports)
        ):
            limits = urlencode({name: limit for name, limit in _TIME_LIMITS.items() if name not in read})
            return f"{url}{'&' if '?' in url else '?'}{limits}" if limits else url
    raise StartRefused(
        f"{setting} is not the address of a PostgreSQL database. Write it as postgresql://user:password@host/database, with "
        "special characters in the password as %XX (%40 for an @)."
    )


def where(url: str) -> str:
    """The place of a database in messages, such as `at db.example.org:5432/fundwright`, without accounts and passwords."""
    address = conninfo_to_dict(url)
    hosts, ports = (str(address.get(name) or "").split(",") for name in ("host", "port"))
    if all(host.startswith("/") or not host for host in hosts):
        return "on this machine"
    ports *= len(hosts) if len(ports) == 1 else 1
    places = (f"{host}:{port}" if port else host for host, port in zip(hosts, ports, strict=False))
    return f"at {','.join(places)}/{address['dbname']}"
