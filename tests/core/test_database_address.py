"""Addresses of the database: common ways to write them, several servers, and time limits."""

import pytest
from psycopg.conninfo import conninfo_to_dict

from fundwright.core.database_address import libpq_url, where
from fundwright.core.errors import StartRefused


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("postgresql://ada:a%40b@db:5433/x?sslmode=require", "postgresql://ada:a%40b@db:5433/x?sslmode=require&"),
        ("postgres://ada@db/x", "postgresql://ada@db/x?"),
        ("postgresql+psycopg://ada@db/x", "postgresql://ada@db/x?"),
        ("postgresql://ada@/x?host=/a%20folder", "postgresql://ada@/x?host=/a%20folder&"),
        (
            "postgresql://ada@one:5433,two/x?target_session_attrs=read-write",
            "postgresql://ada@one:5433,two/x?target_session_attrs=read-write&",
        ),
    ],
)
def test_common_ways_to_write_it_are_understood(written: str, read: str) -> None:
    assert libpq_url(written).startswith(read)


def test_a_server_that_vanishes_is_noticed_in_less_than_a_minute() -> None:
    read = conninfo_to_dict(libpq_url("postgresql://ada@db/x"))
    assert read["connect_timeout"] == "5"
    assert read["tcp_user_timeout"] == "30000"
    idle, interval, count = (int(str(read[f"keepalives_{name}"])) for name in ("idle", "interval", "count"))
    assert idle + interval * count <= 60


def test_what_the_address_says_of_time_limits_counts() -> None:
    read = conninfo_to_dict(libpq_url("postgresql://ada@db/x?connect_timeout=20&keepalives_idle=300"))
    assert (read["connect_timeout"], read["keepalives_idle"], read["keepalives_count"]) == ("20", "300", "3")


@pytest.mark.parametrize(
    "written",
    [
        "db.example.org",
        "mysql://ada:hidden@db/x",
        "postgresql://ada:hidden@db",
        "postgresql://ada:hidden@db:port/x",
        "postgresql://ada:hidden@db:1,other:port/x",
        "postgresql://ada:hid@den@db/x",
        "postgresql://ada:hid%zz@db/x",
        "postgresql://ada:hidden@db/x?unknown=1",
    ],
)
def test_anything_else_is_reported_in_one_message_without_the_password(written: str) -> None:
    with pytest.raises(StartRefused, match="Write it as postgresql://user:password@host/database") as refused:
        libpq_url(written)
    assert "hid" not in refused.value.sentence


def test_messages_name_each_server_without_the_password() -> None:
    assert where(libpq_url("postgresql://ada:hidden@one:5433,two/x")) == "at one:5433,two/x"
    assert where(libpq_url("postgresql://ada:hidden@one,two:5433/x")) == "at one,two:5433/x"
    assert where(libpq_url("postgresql://ada@/x?host=/a%20folder")) == "on this machine"
