"""Frames for the browser, kept until it acknowledges them."""

from __future__ import annotations

from sys import getsizeof

_MAX_KEPT_BYTES = 1_000_000
"""In memory, where one emoji makes every character take four bytes. An account can have 50 pages."""


class Outbox:
    """Both sides count the frames and acknowledge only the count, because frames arrive in order or the connection is lost."""

    def __init__(self) -> None:
        self._kept: list[str] = []  # an empty deque takes 0.8 kB
        self._kept_bytes = 0
        self._forgotten = 0
        self._sent = 0

    def add(self, frame: str) -> None:
        self._kept.append(frame)
        self._kept_bytes += getsizeof(frame)
        while self._kept_bytes > _MAX_KEPT_BYTES and self._forgotten < self._sent:
            self._forget()

    def take(self) -> str | None:
        """The next frame to send; None if all have been sent."""
        position = self._sent - self._forgotten
        if position == len(self._kept):
            return None
        self._sent += 1
        return self._kept[position]

    def confirm(self, count: int) -> None:
        """Drop the first `count` frames, which the browser has received."""
        while self._forgotten < min(count, self._sent):
            self._forget()

    def can_rewind(self, count: int) -> bool:
        """Whether everything after the first `count` frames is still kept."""
        return self._forgotten <= count <= self._sent

    def rewind(self, count: int) -> None:
        """Resend everything after the first `count` frames, which the browser has received."""
        self.confirm(count)
        self._sent = count

    def _forget(self) -> None:
        self._kept_bytes -= getsizeof(self._kept.pop(0))
        self._forgotten += 1
