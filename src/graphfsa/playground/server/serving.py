"""The server from its first second to its last: on this machine alone, and with no process left behind."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from collections.abc import Callable

import uvicorn

from graphfsa.checks import check_integer, check_number
from graphfsa.errors import GraphFSAError
from graphfsa.playground.server.connections import AT_ONCE, Connection
from graphfsa.playground.server.guards import Guard, Keys
from graphfsa.playground.server.jobs import JobQueue
from graphfsa.playground.server.routes import application
from graphfsa.plugins import loaded_files
from graphfsa.processes import check_not_imported

HOST = "127.0.0.1"
_GRACE = 2
"""Seconds that answers may still take when the server ends."""


def serve_page(
    page: str, *, port: int = 0, browser: bool = True, seconds: float = 600.0, tell: Callable[[str], None] = print
) -> None:
    """Serve a page until Ctrl-C or another signal ends it.

    Args:
        page: The page.
        port: The port; 0 for one that is free.
        browser: Whether to open it in the browser, if there is a desktop.
        seconds: How long a job may take.
        tell: Called with the address.

    Raises:
        GraphFSAError: The port is taken; or a script that serves does not keep that under ``__main__``.
    """
    check_not_imported()
    check_integer("port", port, most=65535)
    check_number("seconds", seconds, below=1e6, above=True)
    with _listening(port) as listening:
        number = listening.getsockname()[1]
        keys, queue = Keys(), JobQueue(seconds, loaded_files())
        try:
            guarded = Guard(application(page, queue, keys), keys, number)
            settings = uvicorn.Config(
                guarded,
                http=Connection,
                ws="none",
                loop="asyncio",
                lifespan="off",
                interface="asgi3",
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=AT_ONCE,
                timeout_graceful_shutdown=_GRACE,
            )
            tell(f"http://{HOST}:{number}/#token={keys.token}")
            if browser and _has_desktop():
                webbrowser.open(f"http://{HOST}:{number}/#code={keys.code}")
            uvicorn.Server(settings).run(sockets=[listening])
        finally:
            queue.close()


def _listening(port: int) -> socket.socket:
    """A socket of this machine alone."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # A port that was in use a moment ago; elsewhere this would share it with others.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(AT_ONCE)  # Whoever is told the address may come at once.
    except OSError as error:
        listening.close()
        raise GraphFSAError(f"port {port} must be free; {error.strerror or error}") from error
    return listening


def _has_desktop() -> bool:
    """Whether there is a browser with windows: those for terminals would take this one."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
