"""A server as people start it, and a client that says what is wanted byte for byte."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np

from processes import listen_to_interruptions

PATIENCE = 120
"""Seconds that a busy machine may take for something."""


class Server:
    """``graphfsa playground`` in a process of its own."""

    def __init__(self, *options, browser="--no-browser", **environment):
        command = [sys.executable, "-m", "graphfsa", "playground", browser, "--json", *options]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=listen_to_interruptions,
            env={**os.environ, **environment},
        )
        self.address = json.loads(self.process.stdout.readline())["address"]
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=([\w-]{43})", self.address).groups()
        self.host = f"127.0.0.1:{self.port}"

    def ask(self, method, path, content=None, *, token=True, headers=None, timeout=PATIENCE):
        """Status, headers and JSON (or text) of an answer."""
        known = {"Authorization": f"Bearer {self.token}"} if token else {}
        body = content
        if content is not None and not isinstance(content, bytes):
            body, known["Content-Type"] = json.dumps(content).encode(), "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=timeout)
        try:
            connection.request(method, path, body, {**known, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        found = json.loads(text) if answer.headers.get_content_type() == "application/json" else text
        return answer.status, answer.headers, found

    def begin(self, request):
        """Ask for a job; returns its number."""
        status, _, found = self.ask("POST", "/api/jobs", request)
        assert status == 202, found
        return found["job"]

    def follow(self, number):
        """Wait for a job; returns how it stands in the end, with all its records."""
        records, until = [], time.monotonic() + PATIENCE
        while time.monotonic() < until:
            status, _, found = self.ask("GET", f"/api/jobs/{number}?since={len(records)}")
            assert status == 200, found
            records += found["records"]
            assert found["next"] == len(records)
            if found["state"] not in ("waiting", "running"):
                return {**found, "records": records}
            time.sleep(0.05)
        raise AssertionError(found)

    def result(self, request):
        """The result of a job."""
        found = self.follow(self.begin(request))
        assert found["state"] == "done", found
        return found["result"]

    def end(self, number=signal.SIGINT):
        """End it; returns its exit code and what it said."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def long_learning():
    """A request that takes minutes, and says soon how it goes: labels without any sense."""
    rng, n = np.random.default_rng(0), 24
    sides = {"inputs": rng.integers(0, 2, n).tolist(), "labels": rng.integers(0, 2, n).tolist()}
    path = {"num_nodes": n, "edges": [[node, node + 1] for node in range(n - 1)], **sides}
    return {"do": "learn", "examples": [path]}


def listed(*options):
    """What ``ps`` says."""
    return subprocess.run(["ps", "-ww", *options], capture_output=True, text=True, check=False).stdout
