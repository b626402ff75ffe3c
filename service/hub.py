"""What is told to everybody who listens: numbered messages, kept for a while, never waited for.

A listener keeps its own place in one shared list. A slow one falls off the end of it and starts over from the whole
state, so that neither memory nor the table depends on how fast anybody reads.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections import deque
from typing import Any

Json = dict[str, Any]
KEPT = 256


class Hub:
    """Publishes from any thread to listeners in an event loop."""

    def __init__(self, kept: int = KEPT) -> None:
        self.epoch = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._seq = 0
        self._kept: deque[tuple[int, str]] = deque(maxlen=kept)
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    @property
    def seq(self) -> int:
        """The number of the last message."""
        with self._lock:
            return self._seq

    def publish(self, message: Json) -> int:
        """Number a message, keep it, and wake the listeners."""
        with self._lock:
            self._seq += 1
            text = json.dumps({**message, "epoch": self.epoch, "seq": self._seq}, ensure_ascii=False, allow_nan=False)
            self._kept.append((self._seq, text))
            waiting = list(self._waiting)
            seq = self._seq
        for loop, event in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)
        return seq

    def since(self, after: int) -> list[tuple[int, str]] | None:
        """The messages after a number; None if some of them are no longer kept, or the number is from the future."""
        with self._lock:
            if after > self._seq:
                return None
            first = self._kept[0][0] if self._kept else self._seq + 1
            if after < first - 1:
                return None
            return [entry for entry in self._kept if entry[0] > after]

    def join(self) -> tuple[asyncio.AbstractEventLoop, asyncio.Event]:
        """Start to listen from the running loop; the event is set at each message."""
        place = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.add(place)
        return place

    def leave(self, place: tuple[asyncio.AbstractEventLoop, asyncio.Event]) -> None:
        """Stop listening."""
        with self._lock:
            self._waiting.discard(place)

    @property
    def listeners(self) -> int:
        """How many listen."""
        with self._lock:
            return len(self._waiting)
