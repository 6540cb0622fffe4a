"""The socket's own protocol: compression that costs memory only while it works."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory


class FrugalWebSocket(WebSocketsSansIOProtocol):
    """Compresses each message by itself. uvicorn remembers earlier ones, at 45 kB for each open page, with a window of 4 kB;
    a window of 32 kB that is given back makes large messages smaller, and small ones are small anyway."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn.available_extensions = [
            ServerPerMessageDeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True)
        ]
