"""Who may ask the server, and how much: Host, Origin, token, sizes, times. Whatever is refused gets a 4xx answer.

A page that a stranger opens in the same browser can send requests to this machine. It can't send our token, which only
the address that was printed holds; and its requests say in ``Host``, ``Origin`` or ``Sec-Fetch-Site`` that they are not
from our page. Every request is checked for all of that, whatever it asks for.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphfsa.files import parse_json

MAX_BODY = 2**22
MAX_CODE_BODY = 1024
"""Of the request that everybody on this machine may send: the one that brings a code."""
MAX_MARKS = 2**20
"""Commas, quotation marks and brackets that open something: what it takes to read JSON grows with their number."""
MAX_DEPTH = 24
MAX_TARGET = 512
BODY_SECONDS = 5.0
API = "/api/"
ENTER = "/api/enter"
PAGE = "/"
_PIECES = re.compile(rb'"(?:[^"\\]|\\.)*+"?+|[\[\]{}]', re.S)
"""Strings, and what opens and closes lists and objects. A string that never ends is looked through once."""
_HEADERS = {
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}
_POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; sandbox")
"""What a browser may do with an answer that does not say so itself: nothing."""


class Keys:
    """The token that requests must hold, and a code that is good for one exchange against it.

    The address that the browser is started with can be read in the list of processes by others who use this machine,
    so it holds the code; the address that is printed holds the token.
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self.code: str | None = secrets.token_urlsafe(32)

    def exchange(self, code: str) -> str:
        """The token for the code, once.

        Raises:
            HTTPException: It is another code, or it was used already.
        """
        if self.code is None or not secrets.compare_digest(code.encode(), self.code.encode()):
            raise HTTPException(403, "this address was used already, or is wrong; open the address that was printed")
        self.code = None
        return self.token

    def open(self, headers: Headers) -> None:
        """Check the token of a request.

        Raises:
            HTTPException: There is none, or it is wrong.
        """
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not given:
            raise HTTPException(401, "this needs the token of the address that was printed")
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            raise HTTPException(403, "the token is wrong: the server was started anew; open its new address")


class Guard:
    """Answers what must not come through, and lets through the rest.

    Args:
        app: What answers the rest.
        keys: The token.
        port: The port of the server.
    """

    def __init__(self, app: ASGIApp, keys: Keys, port: int) -> None:
        self._app, self._keys = app, keys
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        guarded = _with_headers(send)
        try:
            self._check(scope)
        except HTTPException as refused:
            await JSONResponse({"error": refused.detail}, refused.status_code)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _check(self, scope: Scope) -> None:
        headers, path = Headers(scope=scope), scope["path"]
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_TARGET:
            raise HTTPException(414, f"an address must have at most {MAX_TARGET} characters")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            raise HTTPException(421, f"the host must be {self._hosts[0]} or {self._hosts[1]}")
        origins = headers.getlist("origin")
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            raise HTTPException(403, "only the page of this server may ask")
        if "upgrade" in headers:
            raise HTTPException(403, "there are no websockets here")
        site, visit = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode") == "navigate"
        # A link to the page may be anywhere: the page itself holds nothing that is secret.
        if site not in ("none", "same-origin") and not (visit and path == PAGE and scope["method"] == "GET"):
            raise HTTPException(403, "only the page of this server may ask")
        if path.startswith(API) and path != ENTER:
            self._keys.open(headers)


def _with_headers(send: Send) -> Send:
    """Answers with the headers that all of them have."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", []))
            named = {name.lower() for name, _ in own}
            added = [(name, value) for name, value in (*_HEADERS.items(), _POLICY) if name not in named]
            message = {**message, "headers": [*own, *added]}
        await send(message)

    return sending


async def read_body(request: Request, most: int = MAX_BODY) -> Any:
    """The JSON of a request, read within limits of size, depth and time, while other requests are answered.

    Raises:
        HTTPException: It is something else, or too much.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "the content must be application/json")
    stated = request.headers.get("content-length", "0")
    if not stated.isdigit() or len(stated) > 9 or int(stated) > most:
        raise HTTPException(413, f"the content must have at most {most:,} bytes")
    try:
        content = await asyncio.wait_for(_content(request, most), BODY_SECONDS)
    except TimeoutError:
        raise HTTPException(408, f"the content must come within {BODY_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise HTTPException(400, "the content was cut off") from None
    return await asyncio.to_thread(_parsed, content)


def _parsed(content: bytes) -> Any:
    """The value of a JSON text; an HTTPException if it is none, or too much. This may take a second: for a thread."""
    if sum(content.count(mark) for mark in (b",", b'"', b"[", b"{")) > MAX_MARKS:
        raise HTTPException(413, f"the content must have at most {MAX_MARKS:,} commas, quotation marks and brackets")
    if _is_deep(content):
        raise HTTPException(400, f"lists and objects may be nested {MAX_DEPTH} times at most")
    try:
        return parse_json(content.decode())
    except json.JSONDecodeError as error:
        raise HTTPException(400, f"this is no JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"this is no JSON that can be read: {str(error)[:200]}") from None


async def _content(request: Request, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise HTTPException(413, f"the content must have at most {most:,} bytes")
        parts.append(part)
    return b"".join(parts)


def _is_deep(content: bytes) -> bool:
    """Whether lists and objects are nested too deep, before anything is built of them."""
    depth = 0
    for found in _PIECES.finditer(content):
        mark = found[0][:1]
        depth += (mark in b"[{") - (mark in b"]}")
        if depth > MAX_DEPTH:
            return True
    return False
