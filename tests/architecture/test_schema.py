"""The migrations create the tables that the models describe."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

import fundwright
from fundwright.core.database import Base

NOT_OURS = ("procrastinate_", "alembic_version", "installation_")


def ours(name: str | None, type_: str, _parents: Mapping[str, str | None]) -> bool:
    return not (type_ == "table" and name is not None and name.startswith(NOT_OURS))


def test_migrations_and_models_agree(database_url: str) -> None:
    for module in pkgutil.walk_packages(fundwright.__path__, "fundwright."):
        if module.name.endswith(".models"):
            importlib.import_module(module.name)
    engine = create_engine(make_url(database_url).set(drivername="postgresql+psycopg"))
    options: dict[str, Any] = {"compare_type": True, "compare_server_default": False, "include_name": ours}
    try:
        with engine.connect() as connection:
            differences = compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata)
    finally:
        engine.dispose()
    assert differences == [], differences
