"""The page of a deleted item says so, to people and to programs."""

from __future__ import annotations

import httpx
import pytest

from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.support.accounts import add_account


@pytest.mark.parametrize("id", ["00000000-0000-0000-0000-000000000001", "nonsense"])
@pytest.mark.parametrize(
    ("path", "back"),
    [
        ("/dashboard/history", "/dashboard/history"),
        ("/dashboard/passage", "/dashboard/train"),
        ("/dashboard/train", "/dashboard/train"),
        ("/dashboard/sam", "/dashboard/sam"),
        ("/dashboard/nih", "/dashboard/nih"),
        ("/generate/slug", "/generate/index"),
        ("/dashboard/blog", "/dashboard/blog/list"),
        ("/dashboard/freepremium", "/dashboard/freepremium"),
        ("/dashboard/payment/history", "/dashboard/payment/history"),
        ("/dashboard/subscription", "/dashboard/subscription"),
        ("/dashboard/users", "/dashboard/users"),
    ],
)
async def test_it_answers_404_with_a_way_back(committed: Core, path: str, back: str, id: str) -> None:
    async with committed.database.transaction() as session:
        await add_account(session, "ada@example.org", name="Ada", role=Role.ADMIN, password="a quiet harbor")
    transport = httpx.ASGITransport(build_app(committed))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post("/signin", json={"email": "ada@example.org", "password": "a quiet harbor"})
        client.headers["authorization"] = f"Bearer {answer.json()['token']}"
        page = await client.get(f"{path}/{id}/edit" if path == "/dashboard/blog" else f"{path}/{id}")
    main = page.text.split("<main", 1)[1].split("</main>", 1)[0]
    assert page.status_code == 404
    assert f'href="{back}"' in main
