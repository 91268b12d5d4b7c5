"""On a Ray cluster: Ray schedules, its workers clone for themselves and write into the folder that all machines share."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from rewarp.errors import UsageError
from rewarp.fleet.request import Ending, Request, Status

_RETRIES = 3
"""Of a task whose worker died. What it had written, it writes again under the same name."""
_PATIENCE = 10
_SPARE = 60
"""Seconds that a task may take beside the repository's own limit."""


def look_after(requests: Iterable[tuple[int, Request]], address: str) -> Iterator[tuple[int, Ending]]:
    """How each repository ended, by its number, as they end."""
    try:
        import ray
    except ImportError:
        raise UsageError("--ray needs Ray: pip install 'rewarp[ray]', here and on the cluster") from None
    _reach(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except Exception as error:
        raise UsageError(f"--ray {address}: {error}") from None
    try:
        yield from _gathered(ray, requests)
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Ray itself tries for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return  # "auto", or a name that Ray knows
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
    except OSError as error:
        raise UsageError(f"--ray {address}: nobody answers there: {error.strerror or error}") from None


def _gathered(ray: Any, requests: Iterable[tuple[int, Request]]) -> Iterator[tuple[int, Ending]]:
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(work)
    numbers = {task.remote(request.data()): number for number, request in requests}
    waiting = list(numbers)
    try:
        while waiting:
            finished, waiting = ray.wait(waiting, num_returns=1)
            for reference in finished:
                yield numbers[reference], _ending(ray, reference)
    finally:
        for reference in waiting:
            ray.cancel(reference, force=True)


def _ending(ray: Any, reference: Any) -> Ending:
    try:
        return Ending.of(json.loads(ray.get(reference)))
    except ray.exceptions.RayError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return Ending(Status.CRASHED, f"its worker died: {lines[0] if lines else type(error).__name__}"[:600])


def work(data: dict[str, Any]) -> str:
    """In a worker: a process that forks safely, and dies with this one."""
    request = Request.of(data)
    done = subprocess.run(
        [sys.executable, "-m", "rewarp.fleet"],
        input=json.dumps(data).encode(),
        capture_output=True,
        timeout=request.limits.seconds + _SPARE,
    )
    if done.returncode == 0 and done.stdout:
        return done.stdout.decode()
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1] if lines else f"status {done.returncode}"
    return json.dumps(Ending(Status.CRASHED, f"rewarp did not start on the worker: {reason}"[:600]).data())
