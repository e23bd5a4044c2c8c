"""Connections on which nothing comes: the owner is answered all the same, and they end."""

import socket
import time
from contextlib import ExitStack
from threading import Thread

import pytest

connections = pytest.importorskip("graphfsa.playground.server.connections", reason="needs graphfsa[server]")
uvicorn = pytest.importorskip("uvicorn")

HALF = b"GET / HTTP/1.1\r\nHost: "


def open_one(port, said=b""):
    connection = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
    connection.sendall(said)
    return connection


def has_ended(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_idle_connections_do_not_keep_the_owner_out(server):
    with ExitStack() as stack:
        idle = [stack.enter_context(open_one(server.port, HALF if k % 2 else b"")) for k in range(160)]
        assert [server.ask("GET", "/api/about")[0] for _ in range(8)] == [200] * 8
        ended = [has_ended(each) for each in idle]
    assert 30 <= sum(ended) < 60
    assert all(ended[:30])  # The oldest ones.


@pytest.fixture
def quick(monkeypatch):
    """A server with little patience."""
    monkeypatch.setattr(connections, "SECONDS", 0.2)

    async def answer(scope, receive, send):
        content = b"x" * (2**24 if scope["path"] == "/large" else 1)
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(content))]}
        )
        await send({"type": "http.response.body", "body": content})

    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings = uvicorn.Config(answer, http=connections.Connection, ws="none", lifespan="off", log_level="critical")
        started = uvicorn.Server(settings)
        thread = Thread(target=started.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        started.should_exit = True
        thread.join()


@pytest.mark.parametrize(
    "said", [b"", HALF, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + HALF, b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n"]
)
def test_a_connection_has_a_time_limit(quick, said):
    with open_one(quick, said) as connection:
        time.sleep(0.6)  # Nothing is read meanwhile.
        received = 0
        try:
            while part := connection.recv(2**20):
                received += len(part)
        except ConnectionError:
            pass
    assert received < 2**24
