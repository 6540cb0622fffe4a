"""Every page view is reported once."""

from __future__ import annotations

from tests.ui.runtime.conftest import Server


class TestFirstPaint:
    async def test_says_the_pattern_of_the_path_and_who_it_was(self, server: Server) -> None:
        await server.get("/echo/secret?word=hidden")
        await server.get("/private", token=await server.sign_in())
        assert server.views == [("/echo/{word}", None, "en"), ("/private", server.actor.email, "en")]

    async def test_a_redirect_is_not_a_view(self, server: Server) -> None:
        await server.get("/private")
        assert server.views == []

    async def test_nor_is_a_question_for_the_headers(self, server: Server) -> None:
        async with server.client() as http:
            await http.head("/public")
        assert server.views == []


class TestTheSocket:
    async def test_a_move_to_another_path_is_a_view(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            assert server.views == []  # the document was
            await client.go("/echo/word")
            await client.go("/echo/word?page=2")
            await client.go("/echo/other")
        assert server.views == [("/echo/{word}", None, "en")] * 2

    async def test_a_move_that_is_refused_is_a_view_of_where_it_leads(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/echo/word")
            await client.go("/private")
        assert server.views == [("/auth/login", None, "en")]
