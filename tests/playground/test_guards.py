"""Requests that are malformed, foreign or too much: each is answered with 4xx, and nothing is computed."""

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import current_thread

import pytest

guards = pytest.importorskip("graphfsa.playground.server.guards", reason="needs graphfsa[server]")

JOB = json.dumps({"do": "verify", "model": {"rules": ""}, "task": "distance"}).encode()
RIGHT = {"Authorization": "Bearer {token}", "Host": "{host}", "Content-Type": "application/json"}


def post(path="/api/jobs", body=JOB, method="POST", **headers):
    """A request; a header that is None is left out."""
    given = {
        **RIGHT,
        "Content-Length": str(len(body)),
        **{name.replace("_", "-"): text for name, text in headers.items()},
    }
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in given.items() if text is not None)]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def get(path="/", **headers):
    return post(path, b"", "GET", **{"Content_Type": None, "Content-Length": None, **headers})


def body(data):
    return post(body=data if isinstance(data, bytes) else json.dumps(data).encode())


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "a" * 24,
}
HUGE = b"500000\r\n" + b" " * 0x500000 + b"\r\n0\r\n\r\n"
DEEP = b"[" * 100 + b"]" * 100
LEARN = {"do": "learn", "task": "distance"}
REFUSED = {
    "the name of another host": (get(Host="evil.example"), 421),
    "a name that was bound to this machine": (get("/api/about", Host="evil.example:{port}"), 421),
    "another port": (get("/api/about", Host="127.0.0.1:1"), 421),
    "another address of this machine": (get("/api/about", Host="0.0.0.0:{port}"), 421),
    "no host": (get("/api/about", Host=None), 400),
    "two hosts": (get("/api/about", X="y\r\nHost: evil.example"), 400),
    "the origin of another page": (post(Origin="http://evil.example"), 403),
    "the origin of another server here": (post(Origin="http://127.0.0.1:1"), 403),
    "no origin in particular": (post(Origin="null"), 403),
    "https": (post(Origin="https://{host}"), 403),
    "from another site": (post(Sec_Fetch_Site="cross-site"), 403),
    "from another port": (post(Sec_Fetch_Site="same-site"), 403),
    "a picture on another page": (get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors"), 403),
    "a link to something else": (get("/api/about", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate"), 403),
    "no token": (post(Authorization=None), 401),
    "an empty token": (post(Authorization="Bearer "), 401),
    "a wrong token": (post(Authorization="Bearer " + "x" * 43), 403),
    "a part of the token": (post(Authorization="Bearer {half}"), 403),
    "letters that no token has": (post(Authorization="Bearer \xe9"), 403),
    "another way to say who one is": (post(Authorization="Basic {token}"), 401),
    "the token in the address": (get("/api/about?token={token}", Authorization=None), 401),
    "how a job goes, without the token": (get("/api/jobs/1", Authorization=None), 401),
    "to end a job, without the token": (post("/api/jobs/1", b"", "DELETE", Authorization=None), 401),
    "a wrong code": (post("/api/enter", b'{"code": "nothing"}', Authorization=None), 403),
    "a huge body": (post(Content_Length=str(10**9)), 413),
    "a number of bytes that is none": (post(Content_Length="many"), 400),
    "a huge body in pieces": (post(body=HUGE, Content_Length=None, Transfer_Encoding="chunked"), 413),
    "a million lists": (body(b"[" + b"[]," * 700_000 + b"[]]"), 413),
    "lists in lists in lists": (body(DEEP), 400),
    "objects in objects": (body(b'{"a":' * 5000 + b"1" + b"}" * 5000), 400),
    "no JSON": (body(b"{"), 400),
    "a string without an end": (body(b'"' + b'\\"' * 1_000_000), 400),
    "more than a code": (post("/api/enter", b'"' * 2000, Authorization=None), 413),
    "no text": (body(b"\xff\xfe{}"), 400),
    "a field twice": (body(b'{"do": "learn", "do": "learn"}'), 400),
    "numbers that are none": (body(b'{"do": "learn", "task": "distance", "seed": NaN}'), 400),
    "a list": (body([1]), 400),
    "something that nobody does": (body({"do": "delete"}), 400),
    "a field that nobody knows": (body({**LEARN, "path": "/etc/passwd"}), 400),
    "a file that would be run": (body({**LEARN, "task": "evil.py:Task"}), 400),
    "a learner from a file": (body({**LEARN, "learner": "evil.py:Learner"}), 400),
    "a model from a file": (body({"do": "prove", "model": "/etc/passwd", "task": "distance"}), 400),
    "too large a size": (body({"do": "verify", "model": {}, "task": "distance", "max_nodes": 10**6}), 400),
    "too many examples": (body({"do": "learn", "examples": [{}] * 2001}), 400),
    "a form": (post(Content_Type="application/x-www-form-urlencoded"), 415),
    "plain text, which needs no leave": (post(Content_Type="text/plain"), 415),
    "no type": (post(Content_Type=None), 415),
    "a way out of the directory": (get("/../../../etc/passwd"), 404),
    "the same in disguise": (get("/%2e%2e/%2e%2e/etc/passwd"), 404),
    "and behind a report": (get("/reports/..%2f..%2fetc%2fpasswd"), 404),
    "a file of the package": (get("/static/app.js"), 404),
    "a report of somebody else": (get("/reports/AAAAAAAAAAAAAAAAAAAAAAAA"), 404),
    "a job that is none": (get("/api/jobs/999"), 404),
    "a number that is none": (get("/api/jobs/1e9"), 400),
    "a long address": (get("/?" + "a" * 600), 414),
    "a way to ask that there is not": (post("/", b"", "PUT"), 405),
    "leave to ask from elsewhere": (post("/api/jobs", b"", "OPTIONS", Origin="http://evil.example"), 403),
    "to change the page": (post("/", JOB), 405),
    "a websocket from elsewhere": (get("/", Origin="http://evil.example", **UPGRADE), 403),
    "a websocket": (get("/api/jobs", **UPGRADE), 403),
    "another protocol": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "no protocol": (b"HELLO\r\n\r\n", 400),
    "headers without end": (b"GET / HTTP/1.1\r\nHost: {host}\r\nX: " + b"a" * 200_000, 400),
}  # fmt: skip


def answer(server, request):
    """The status line and the rest of what the server says."""
    for name, text in {
        "host": server.host,
        "port": server.port,
        "token": server.token,
        "half": server.token[:20],
    }.items():
        request = request.replace(b"{%s}" % name.encode(), text.encode())
    with socket.create_connection(("127.0.0.1", int(server.port)), timeout=60) as connection:
        received = b""
        with suppress(OSError):  # It may have answered before it has heard everything.
            connection.sendall(request)
        with suppress(OSError):
            while part := connection.recv(65536):
                received += part
    head, _, content = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode().lower(), content.decode()


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(server, name):
    request, wanted = REFUSED[name]
    status, head, content = answer(server, request)
    assert (status, 400 <= status < 500) == (wanted, True)
    assert "traceback" not in content.lower()
    assert "root:" not in content
    assert server.token not in content
    assert "access-control-allow" not in head
    assert server.process.poll() is None


def test_there_are_enough_of_them():
    assert len(REFUSED) >= 40


def test_the_same_requests_from_the_page_come_through(server):
    assert answer(server, get())[0] == 200
    assert answer(server, get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate"))[0] == 200
    assert answer(server, get("/api/about", Origin="http://{host}", Sec_Fetch_Site="same-origin"))[0] == 200
    assert answer(server, get("/api/about", Host="localhost:{port}", Origin="http://localhost:{port}"))[0] == 200
    assert answer(server, post(Origin="http://{host}"))[0] == 202
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(JOB), JOB)
    assert answer(server, post(body=chunks, Content_Length=None, Transfer_Encoding="chunked"))[0] == 202


def test_a_body_that_does_not_come_is_not_waited_for_long(server):
    status, _, content = answer(server, post(Content_Length="5000"))
    assert (status, "within 5 seconds" in content) == (408, True)


def test_content_is_parsed_while_others_are_answered(monkeypatch):
    monkeypatch.setattr(guards, "parse_json", lambda text: (text, current_thread()))
    content = {"type": "http.request", "body": b"[]", "more_body": False}
    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}

    async def read():
        return *await guards.read_body(guards.Request(scope, lambda: asyncio.sleep(0, content))), current_thread()

    with ThreadPoolExecutor(1) as pool:  # The browser of other tests has a loop in this thread.
        text, parsing, answering = pool.submit(asyncio.run, read()).result()
    assert (text, parsing is answering) == ("[]", False)


def test_what_browsers_are_told(server):
    _, page, content = answer(server, get())
    assert "content-security-policy: frame-ancestors 'none'" in page
    assert "default-src 'none'; script-src 'sha256-" in content
    assert "connect-src 'self'" in content
    _, about, _ = answer(server, get("/api/about"))
    assert "content-security-policy: default-src 'none'; frame-ancestors 'none'; base-uri 'none'; sandbox" in about
    for head in (page, about):
        for header in ("x-content-type-options: nosniff", "x-frame-options: deny", "cache-control: no-store"):
            assert header in head
        assert "\nserver:" not in head


def test_it_listens_on_this_machine_alone(server):
    others = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    for address in {other for other in others if not other.startswith("127.")}:
        with pytest.raises(OSError), socket.create_connection((address, int(server.port)), timeout=2):
            pass


def test_strings_do_not_count_as_nesting():
    MAX_DEPTH, _is_deep = guards.MAX_DEPTH, guards._is_deep
    assert not _is_deep(b"")
    assert not _is_deep(rb'{"a": "' + b"[" * 99 + rb"\"" + b"[" * 99 + b'", "b": [1, {"c": "}"}]}')
    assert not _is_deep(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert _is_deep(b"[" * (MAX_DEPTH + 1))
