"""What the server answers: the page, its tasks, jobs and how they go, and the reports that jobs have written."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from graphfsa.errors import GraphFSAError, LimitError
from graphfsa.fields import Field, read_fields
from graphfsa.playground.server.asking import LEARNERS, offered_tasks, read_request
from graphfsa.playground.server.guards import ENTER, MAX_CODE_BODY, PAGE, Keys, read_body
from graphfsa.playground.server.jobs import ENDED, Job, JobQueue

_FRAMED = {"content-security-policy": "frame-ancestors 'none'"}
"""The page says itself what it may load and run."""
_APART = {"content-security-policy": "frame-ancestors 'none'; sandbox allow-scripts"}
"""A report says so, too; and whatever runs in it can't speak for the page."""
_MAX_DIGITS = 9


def application(page: str, queue: JobQueue, keys: Keys) -> Starlette:
    """The application, without its guard.

    Args:
        page: The page.
        queue: Where jobs wait.
        keys: What the browser's code is exchanged with.
    """

    async def show(_request: Request) -> Response:
        return HTMLResponse(page, headers=_FRAMED)

    async def enter(request: Request) -> Response:
        given = await read_body(request, MAX_CODE_BODY)
        code = read_fields(given, {"code": Field(str, most=100)}, "request")["code"]
        return JSONResponse({"token": keys.exchange(code)})

    async def about(_request: Request) -> Response:
        from graphfsa import __version__

        return JSONResponse({"version": __version__, "tasks": offered_tasks(), "learners": list(LEARNERS)})

    async def begin(request: Request) -> Response:
        job = queue.submit(await asyncio.to_thread(read_request, await read_body(request)))
        return JSONResponse({"job": job.number}, 202)

    async def follow(request: Request) -> Response:
        since = _number(request.query_params.get("since", "0"))
        return JSONResponse(_standing(_find(queue, request), queue, since))

    async def cancel(request: Request) -> Response:
        job = _find(queue, request)
        return JSONResponse({"cancelled": queue.cancel(job.number)})

    async def written(request: Request) -> Response:
        found = queue.written(request.path_params["ticket"])
        if found is None:
            raise HTTPException(404, "there is no such report any more")
        return HTMLResponse(found, headers=_APART)

    return Starlette(
        routes=[
            Route(PAGE, show),
            Route(ENTER, enter, methods=["POST"]),
            Route("/api/about", about),
            Route("/api/jobs", begin, methods=["POST"]),
            Route("/api/jobs/{number}", follow, methods=["GET"]),
            Route("/api/jobs/{number}", cancel, methods=["DELETE"]),
            Route("/reports/{ticket}", written),
        ],
        exception_handlers={HTTPException: _refused, GraphFSAError: _wrong, Exception: _failed},
    )


def _standing(job: Job, queue: JobQueue, since: int) -> dict[str, Any]:
    """How a job stands, and its records from a number on."""
    records = list(job.records)[max(0, since - job.forgotten) :]
    facts: dict[str, Any] = {"state": job.state, "records": records, "next": job.forgotten + len(job.records)}
    if job.state == "waiting":
        facts["before"] = queue.before(job)
    if job.state in ENDED and job.result is not None:
        facts["result"] = {name: value for name, value in job.result.items() if name != "page"}
        if "page" in job.result:
            facts["result"]["address"] = f"/reports/{job.ticket}"
    return facts if job.error is None else {**facts, "error": job.error}


def _find(queue: JobQueue, request: Request) -> Job:
    job = queue.find(_number(request.path_params["number"]))
    if job is None:
        raise HTTPException(404, "there is no such job")
    return job


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise HTTPException(400, "a number must have digits alone")
    return int(text)


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)


async def _wrong(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 429 if isinstance(error, LimitError) else 400)


async def _failed(_request: Request, error: Exception) -> Response:
    """What nobody has foreseen: one line in the terminal, and nothing about it for whoever asks."""
    print(f"error: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    return JSONResponse({"error": "this failed; the terminal says more"}, 500)
