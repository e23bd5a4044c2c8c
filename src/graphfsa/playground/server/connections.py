"""Connections that nothing comes from do not keep others out: the oldest one gives way, and none waits for ever."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 128
AT_ONCE = 32
"""Connections that are accepted in one turn. What a new one says is heard a few turns later, before so many others have
come that it would have to give way."""
SECONDS = 20.0
"""How long a request may take to come, and its answer to be taken: nobody waits for a job here, pages ask again."""


class Connection(H11Protocol):
    """A connection: it is ended if it takes too long, or if there are too many and nothing is being answered on it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin, and end another one if they are too many now."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > MAX_CONNECTIONS:
            others = [each for each in self.connections if isinstance(each, Connection) and each is not self]
            min(others, key=Connection.standing).end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for another request."""
        super().on_response_complete()
        self._wait()

    def standing(self) -> tuple[bool, float]:
        """Whether it is being answered, and since when nothing was finished on it: the lowest gives way first."""
        return self.cycle is not None and not self.cycle.response_complete, self._since

    def end(self) -> None:
        """End it at once, whatever it is at."""
        self.connections.discard(self)
        self.transport.abort()

    def _wait(self) -> None:
        """Its time begins anew."""
        if self._timer is not None:
            self._timer.cancel()
        self._since = self.loop.time()
        self._timer = self.loop.call_later(SECONDS, self.end)
