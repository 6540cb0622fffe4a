"""The built files of the web client, compressed at build time and cached indefinitely under their hashed names."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))


class Assets:
    """Serves `GET {base}/assets/…` from `folder` and `others`. Files are kept in memory after their first use: a few megabytes."""

    def __init__(self, folder: Path, others: Mapping[str, bytes] | None = None) -> None:
        self._folder = folder.resolve()
        self._contents = {self._folder / name: content for name, content in (others or {}).items()}

    async def respond(self, request: Request) -> Response:
        try:
            path = (self._folder / request.path_params["path"]).resolve()
            is_there = path.is_relative_to(self._folder) and (path in self._contents or path.is_file())
        except (OSError, ValueError):  # not a valid file name, for example too long
            raise HTTPException(404) from None
        if not is_there:
            raise HTTPException(404)
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        }
        accepted = {part.split(";")[0].strip() for part in request.headers.get("accept-encoding", "").split(",")}
        media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        for encoding, suffix in _ENCODINGS:
            packed = path.with_name(path.name + suffix)
            if encoding in accepted and packed.is_file():
                return Response(self._read(packed), media_type=media_type, headers=headers | {"Content-Encoding": encoding})
        return Response(self._read(path), media_type=media_type, headers=headers)

    def _read(self, path: Path) -> bytes:
        if path not in self._contents:
            self._contents[path] = path.read_bytes()
        return self._contents[path]
