"""Ray: how a cluster is reached or started here, how its workers are called, and what is said when it is gone."""

from __future__ import annotations

import os
import re
import secrets
import socket
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from time import monotonic
from types import TracebackType
from typing import Any, TypeVar

from graphfsa import __version__
from graphfsa.checks import check_integer, shown
from graphfsa.engine.cluster.sharded import WorkerLostError
from graphfsa.engine.cluster.worker import Worker
from graphfsa.errors import ClusterError, GraphFSAError, LostClusterError, MissingExtraError
from graphfsa.interrupts import deferred_signals
from graphfsa.plugins import loaded_files

_OLDEST = (2, 52)
_MOST_WORKERS = 256
_STORE = 2**31
"""Bytes that messages between workers of a local cluster may take; only what is used takes memory."""
_PATIENCE = 60.0
"""Seconds that a worker may take to start."""
_GRACE = 3.0
"""Seconds that the processes of a local cluster have to end by themselves."""
_LOOK = 2.0
"""Seconds between two looks at whether the head is there."""
_ADDRESS = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}")
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
_ADVICE = (
    ". Classes of your own must be in files that all machines have in the same place: graphfsa --plugin FILE ..., or "
    "plugins.load_file"
)
_T = TypeVar("_T")


class Cluster:
    """Workers in other processes or on other machines, by way of Ray; open from its first use until it is closed.

    Args:
        address: ``"local:N"`` starts a cluster of N workers on this machine, which ends with it and listens on the
            loopback interface alone; ``"HOST:PORT"`` is one that runs already and that this machine belongs to;
            ``"auto"`` finds such a one.
        minutes: Minutes after which the states of a run are saved, so that less is lost with a worker.
        watch: Called several times a second during runs, with a dict that says how the graph is cut and how busy each
            worker is.

    Attributes:
        facts: What ``watch`` was given last; None before the first run.

    Example:
        >>> import graphfsa as gf
        >>> with gf.Cluster("local:2") as cluster:  # doctest: +SKIP
        ...     found = gf.run("life", "moore-torus:64x64", "random", 100, cluster=cluster)
    """

    def __init__(
        self, address: str = "auto", *, minutes: float = 5.0, watch: Callable[[dict[str, Any]], None] | None = None
    ) -> None:
        self.address = address
        self.local = _local(address)
        if not minutes > 0:
            raise ClusterError(f"minutes must be positive; got {shown(minutes)}")
        self.minutes = minutes
        self.watch = watch
        self.facts: dict[str, Any] | None = None
        self._ray: Any = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._workers: list[Any] = []
        self._about: list[dict[str, Any]] = []
        self._head: tuple[str, int] | None = None
        self._looked = 0.0
        self._before: dict[str, str | None] = {}
        self._ours = False
        self._started = set[Any]()
        self.size = 0
        self.cores = 0

    def __enter__(self) -> Cluster:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> None:
        """Connect, or start the local cluster, unless that has been done.

        Raises:
            ClusterError: There is no such cluster, or it is of another version.
        """
        if self._ray is not None:
            return
        self._set_environment()
        try:
            self._connect(_library(local=self.local is not None))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the workers, and the cluster if it was started here."""
        ray, self._ray = self._ray, None
        with deferred_signals():
            self._note_processes()
            if ray is not None:
                for worker in self._workers:
                    with suppress(Exception):
                        ray.kill(worker)
            if self._ours:
                self._ours = False
                with suppress(Exception):
                    _library(local=self.local is not None).shutdown()
            _end(self._started)
            self._started = set()
            self._workers, self._about = [], []
            if self._folder is not None:
                with suppress(OSError):
                    self._folder.cleanup()
                self._folder = None
            for name, value in self._before.items():
                os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
            self._before = {}

    def call(self, worker: int, method: str, *arguments: Any, results: int = 1) -> Any:
        """Call a method of a worker; see ``Crew``."""
        return getattr(self._workers[worker], method).options(num_returns=results).remote(*arguments)

    def share(self, value: Any) -> Any:
        """Put a value where workers find it."""
        return self._ray.put(value)

    def get(self, tickets: list[Any]) -> list[Any]:
        """Wait for what calls give, and look now and then whether the head of the cluster is still there."""
        errors = self._ray.exceptions
        while True:
            self._look_at_head()
            try:
                return self._ray.get(tickets, timeout=_LOOK)
            except errors.GetTimeoutError:
                continue
            except errors.RayError as error:
                cause = error.cause if isinstance(error, errors.RayTaskError) else error
                words = str(cause).strip().split("\n", 1)[0]
                if isinstance(cause, _losses(errors)):
                    raise WorkerLostError(words) from None
                if isinstance(cause, GraphFSAError | MemoryError):
                    raise cause from None
                advice = _ADVICE if "No module named" in words else ""
                raise ClusterError(f"a worker failed: {type(cause).__name__}: {words}{advice}") from None

    def replace_lost(self) -> list[int]:
        """Start others for the workers that are gone; their numbers."""
        self._look_at_head(now=True)
        lost: list[int] = []
        for number, worker in enumerate(self._workers):
            try:
                self.get([worker.about.remote()])
            except WorkerLostError:
                lost.append(number)
        for number in lost:
            self._workers[number] = self._start()
        for number in lost:
            self._about[number] = self._greet(self._workers[number])
        return lost

    def threads(self, worker: int) -> int:
        """The cores of the worker's machine, shared among the workers there."""
        about = self._about[worker]
        beside = sum(other["host"] == about["host"] for other in self._about[: self.size])
        return max(1, about["cores"] // beside)

    def processes(self) -> list[int]:
        """The process of each worker, on its machine."""
        return [about["process"] for about in self._about]

    def spread(
        self,
        function: Callable[..., Any],
        items: Iterable[_T],
        *shared: Any,
        most: int | None = None,
        started: Callable[[_T], None] | None = None,
    ) -> Iterator[tuple[_T, Any]]:
        """Call a function for each item on the workers, and yield the items with what it gives as calls end.

        Args:
            function: A function of a module; it is called with an item and what is shared.
            items: The items.
            shared: Further arguments, the same in all calls.
            most: Number of calls at once; by default one for each core of the cluster.
            started: Called with an item when its call begins.

        Yields:
            An item, and what the function returned, or the exception that it raised. If a worker is lost, the item is
            given to another once more; then the exception is a LostClusterError.
        """
        self.open()
        waiting = [(item, 2) for item in reversed(list(items))]
        self._need(min(most or self.cores, max(1, len(waiting))))
        tickets = [self.share(value) for value in shared]
        idle, busy = list(range(len(self._workers))), dict[Any, tuple[int, _T, int]]()
        while waiting or busy:
            while waiting and idle:
                item, tries = waiting.pop()
                worker = idle.pop()
                if started is not None and tries == 2:
                    started(item)
                busy[self.call(worker, "call", function, item, *tickets)] = (worker, item, tries)
            ready, _ = self._ray.wait(list(busy), timeout=_LOOK)
            self._look_at_head()
            for ticket in ready:
                worker, item, tries = busy.pop(ticket)
                try:
                    found = self.get([ticket])[0]
                except WorkerLostError as error:
                    self.replace_lost()
                    if tries > 1:
                        waiting.append((item, tries - 1))
                        idle.append(worker)
                        continue
                    found = LostClusterError(f"the worker was lost twice: {error}")
                except LostClusterError:
                    raise
                except (GraphFSAError, MemoryError) as error:
                    found = error
                idle.append(worker)
                yield item, found

    def _set_environment(self) -> None:
        """Ray reads its settings from the environment, here and in the processes that it starts."""
        wanted = dict(_ENVIRONMENT)
        if "RAY_AUTH_MODE" in os.environ:
            del wanted["RAY_AUTH_MODE"]  # Whoever runs the cluster has said.
        if self.local is not None:
            wanted["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # What makes Ray listen on the loopback interface.
            wanted["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
        self._before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)

    def _connect(self, ray: Any) -> None:
        if ray.is_initialized():
            if self.local is not None:
                raise ClusterError("Ray runs in this process already; give cluster='auto' to use it, or shut it down")
            self._ray = ray
        else:
            with deferred_signals():  # And Ray leaves no handlers of its own.
                self._ours = True
                if self.local is None:
                    _begin(ray, self.address, {"address": self._reachable()})
                else:
                    self._begin_here(ray)
            self._ray = ray
        host, port = ray.get_runtime_context().gcs_address.rsplit(":", 1)
        self._head = (host.strip("[]"), int(port))
        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        self.cores = min(_MOST_WORKERS, sum(int(node["Resources"]["CPU"]) for node in nodes))
        if not self.cores:
            raise ClusterError(f"no machine of the cluster at {self.address} has a core for workers")
        self.size = self.local or (len(nodes) if len(nodes) > 1 else self.cores)
        self._need(self.size)

    def _begin_here(self, ray: Any) -> None:
        """Start a local cluster; once more, if the machine is so busy that its processes don't find each other."""
        try:
            _begin(ray, self.address, self._local_options())
        except ClusterError as error:
            if "timed out" not in str(error):
                raise
            self._note_processes()
            ray.shutdown()
            _end(self._started)
            self._started = set()
            _begin(ray, self.address, self._local_options())

    def _local_options(self) -> dict[str, Any]:
        self._folder = tempfile.TemporaryDirectory(prefix="graphfsa-", ignore_cleanup_errors=True)
        return {
            "address": "local",
            "num_cpus": self.local,
            "num_gpus": 0,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
            "_temp_dir": self._folder.name,
            "object_store_memory": _STORE,
        }

    def _reachable(self) -> str:
        """The address, if somebody listens there; Ray would wait for half a minute."""
        if self.address == "auto":
            return "auto"
        host, port = self.address.rsplit(":", 1)
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        except (OSError, OverflowError) as error:
            raise ClusterError(f"there is no cluster at {self.address}: {error}") from None
        return self.address

    def _need(self, number: int) -> None:
        """Have at least this number of workers."""
        fresh = [self._start() for _ in range(number - len(self._workers))]
        self._workers += fresh
        for worker in fresh:
            self._about.append(self._greet(worker))
        self._note_processes()

    def _note_processes(self) -> None:
        """Remember what was started for a local cluster: some of it stays when the head has gone."""
        if self._folder is not None and self._ours:
            import psutil  # Ray brings it along.

            for process in psutil.Process().children():
                with suppress(psutil.Error):
                    if any(self._folder.name in word for word in process.cmdline()):
                        self._started |= {process, *process.children(recursive=True)}

    def _start(self) -> Any:
        actor = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(Worker)
        return actor.remote(loaded_files())

    def _greet(self, worker: Any) -> dict[str, Any]:
        """What a new worker says of itself."""
        ticket, until = worker.about.remote(), monotonic() + _PATIENCE
        while not self._ray.wait([ticket], timeout=_LOOK)[0]:
            self._look_at_head()
            if monotonic() > until:
                raise ClusterError(
                    f"the cluster at {self.address} has not started a worker in {_PATIENCE:.0f} s; are its cores free?"
                )
        try:
            about: dict[str, Any] = self._ray.get(ticket)
        except self._ray.exceptions.RayError as error:
            lines = [line for line in str(error).splitlines() if line.strip()]
            raise ClusterError(f"a worker of the cluster at {self.address} can't start: {lines[-1].strip()}") from None
        if about["version"] != __version__:
            raise ClusterError(
                f"all machines of a cluster must have graphfsa {__version__}, as here; {about['host']} has "
                f"{about['version']}"
            )
        return about

    def _look_at_head(self, *, now: bool = False) -> None:
        """Raise if the head does not answer: Ray itself would wait a minute, and then end this process."""
        if self._head is None or (monotonic() < self._looked + _LOOK and not now):
            return
        self._looked = monotonic()
        try:
            socket.create_connection(self._head, timeout=10).close()
        except OSError as error:
            raise LostClusterError(f"the head of the cluster at {self.address} is gone: {error}") from None


@contextmanager
def opened(cluster: Cluster | str | None) -> Generator[Cluster | None]:
    """A cluster that is open; one that is given by its address is closed after use. None stays None."""
    if cluster is None or isinstance(cluster, Cluster):
        if cluster is not None:
            cluster.open()
        yield cluster
        return
    with Cluster(cluster) as found:
        yield found


def _local(address: Any) -> int | None:
    """The number of workers of a local cluster; None for another address."""
    if isinstance(address, str):
        first, colon, number = address.partition(":")
        if first == "local" and colon and number.isascii() and number.isdigit() and len(number) < 9:
            return check_integer("the number of local workers", int(number), 1, _MOST_WORKERS, error=ClusterError)
        if address == "auto" or (first != "local" and _ADDRESS.fullmatch(address)):
            return None
    raise ClusterError(f"the address of a cluster must be 'auto', 'local:N' or 'HOST:PORT'; got {shown(address)}")


def _library(*, local: bool) -> Any:
    """Ray, told whether to keep to the loopback interface."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("ray", "cluster") from error
    version = tuple(int(part) for part in re.findall(r"\d+", ray.__version__)[:2])
    if version < _OLDEST:
        raise ClusterError(f"ray must be 2.52 or later; got {ray.__version__}")
    from ray._private import ray_constants, worker

    ray_constants.ENABLE_RAY_CLUSTER = not local  # Read from the environment when Ray is first imported.
    worker.print_to_stdstream = _say_nothing  # Of workers that are lost we say it ourselves.
    with suppress(ImportError, AttributeError):  # If Ray was imported before, it has read the environment.
        raylet = import_module("ray._raylet")
        raylet.Config.initialize("")
        raylet.AuthenticationTokenLoader.instance().reset_cache()
    return ray


def _end(processes: set[Any]) -> None:
    """End processes that have not ended by themselves."""
    if processes:
        import psutil

        for process in psutil.wait_procs(list(processes), timeout=_GRACE)[1]:
            with suppress(psutil.Error):
                process.kill()


def _losses(errors: Any) -> tuple[type[Exception], ...]:
    """What Ray raises if a process or a machine is gone, or with it what it held."""
    return (errors.RayActorError, errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError)


def _say_nothing(*_message: Any, **_options: Any) -> None:
    """Instead of printing what the machines of a cluster complain of."""


def _begin(ray: Any, address: str, options: dict[str, Any]) -> None:
    """Connect; what goes wrong is one message."""
    import logging

    try:
        ray.init(log_to_driver=False, logging_level=logging.CRITICAL, **options)
    except Exception as error:  # Among others a plain Exception, if the machine is so busy that it times out.
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        words = " ".join(lines[:6]) or type(error).__name__
        if "ersion mismatch" in words:
            raise ClusterError(f"the cluster at {address} is of another version. {words}") from None
        if address == "auto":
            raise ClusterError(f"this machine belongs to no cluster that runs: {words}") from None
        raise ClusterError(f"can't join the cluster at {address}: {words}") from None
