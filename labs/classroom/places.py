"""Where do submissions run? In processes of this computer, or on the workers of a Dask scheduler.

Both run the same function on the same job. A worker of Dask gets a job as bytes and answers with bytes: it
needs this repository and bubblewrap, and neither the course's folder nor its gradebook.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

from classroom.course import CourseError

NO_DASK = "--scheduler needs Dask, which this environment lacks: python -m pip install 'distributed'"
NO_WORKER = """\
The scheduler at {address} has no worker. What is done stays. Start one on each computer
that shall grade, in its copy of this repository, then run the same command again:
  PYTHONPATH=labs .venv/bin/dask worker --no-nanny --nthreads 8 {address}"""


class Places(Protocol):
    """`executor` runs jobs; `count` says how many to hand out at once; `lost`: it gave a job up."""

    executor: Executor
    lost: tuple[type[Exception], ...]

    def count(self) -> int: ...


class Here:
    """Processes of this computer, each started by a thread that waits for it."""

    lost: tuple[type[Exception], ...] = ()

    def __init__(self, executor: Executor, processes: int) -> None:
        self.executor, self._processes = executor, processes

    def count(self) -> int:
        return self._processes


class Workers:
    """The workers of a scheduler; as many as there are just now."""

    def __init__(self, client: Any, executor: Executor, address: str) -> None:
        from distributed import KilledWorker

        self.executor = executor
        self.lost: tuple[type[Exception], ...] = (KilledWorker,)
        self._client, self._address = client, address

    def count(self) -> int:
        """Twice as many as their threads, so that none waits for the next job."""
        threads: int = sum(self._client.nthreads().values())
        if not threads:
            raise CourseError(NO_WORKER.format(address=self._address))
        return 2 * threads


@contextmanager
def here(processes: int = 0) -> Iterator[Places]:
    """So many processes at once, or as many as there are cores."""
    most = processes or os.cpu_count() or 1
    executor = ThreadPoolExecutor(most)
    try:
        yield Here(executor, most)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


@contextmanager
def workers_of(address: str) -> Iterator[Places]:
    """The workers of the scheduler at this address, such as tcp://10.0.0.1:8786."""
    try:
        from distributed import Client
    except ImportError:
        raise CourseError(NO_DASK) from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(f"--scheduler {address}: no scheduler answers there ({error})") from None
    with client, client.get_executor() as executor:
        yield Workers(client, executor, address)
