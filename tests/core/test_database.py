"""Addresses of servers, as people write them, and what a failed statement tells."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.database import libpq_url
from fundwright.core.errors import StartRefused, UnusableText


class TestAddress:
    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ("postgresql://ada:a%40b@db:5433/x?sslmode=require", "postgresql://ada:a%40b@db:5433/x?sslmode=require"),
            ("postgres://ada@db/x", "postgresql://ada@db/x"),
            ("postgresql+psycopg://ada@db/x", "postgresql://ada@db/x"),
            ("postgresql://ada@/x?host=/a%20folder", "postgresql://ada@/x?host=/a%20folder"),
        ],
    )
    def test_common_ways_to_write_it_are_understood(self, written: str, read: str) -> None:
        assert libpq_url(written) == read

    @pytest.mark.parametrize(
        "written",
        [
            "db.example.org",
            "mysql://ada:hidden@db/x",
            "postgresql://ada:hidden@db",
            "postgresql://ada:hidden@db:port/x",
            "postgresql://ada:hid@den@db/x",
            "postgresql://ada:hid%zz@db/x",
            "postgresql://ada:hidden@db/x?unknown=1",
        ],
    )
    def test_anything_else_is_one_sentence_without_the_password(self, written: str) -> None:
        with pytest.raises(StartRefused, match="Write it as postgresql://user:password@host/database") as refused:
            libpq_url(written)
        assert "hid" not in refused.value.sentence


class TestFailures:
    @pytest.mark.parametrize("statement", ["SELECT CAST(:value AS text)", "SELECT CAST(:value AS jsonb)"])
    async def test_a_character_that_cannot_be_kept_is_named(self, core: Core, statement: str) -> None:
        value = "a\0b" if "text" in statement else '"a\\u0000b"'
        with pytest.raises(UnusableText):
            async with core.database.transaction() as session:
                await session.execute(text(statement), {"value": value})

    @pytest.mark.security(46)
    async def test_a_failed_statement_does_not_tell_its_values(self, session: AsyncSession) -> None:
        """They would stand in the log: hashes of passwords, digests of tokens, what people wrote."""
        with pytest.raises(DBAPIError) as failed:
            await session.execute(text("SELECT 1 FROM account WHERE password_hash = :hash"), {"hash": b"a-digest"})
        assert "a-digest" not in str(failed.value)
