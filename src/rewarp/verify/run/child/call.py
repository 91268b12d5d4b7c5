"""Calls one function again and again: `python -m rewarp_child.call TARGET TIMES`."""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import importlib.util
import json
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from . import modules, watcher

NOT_FOUND = 97
"""The function could not be had: the program itself never ran."""


def load(target: str) -> Callable[[], Any]:
    """`pkg.module:name` or `file.py:name`; a name may have dots."""
    where, _, name = target.rpartition(":")
    if where.endswith(".py"):
        folder = os.path.dirname(os.path.abspath(where))
        sys.path.insert(0, folder)
        called = os.path.splitext(os.path.basename(where))[0]
        spec = importlib.util.spec_from_file_location(called, where)
        if spec is None or spec.loader is None:
            raise ImportError(f"{where} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[called] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(where)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{target} is not callable")
    return found  # type: ignore[no-any-return]


def digest(value: Any) -> str | None:
    """A hash of the result's bits; None where it has none that could be compared."""
    state = hashlib.sha256()
    return state.hexdigest() if _feed(state, value, 6) else None


def _feed(state: Any, value: Any, depth: int) -> bool:
    state.update(type(value).__name__.encode())
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        state.update(repr(value).encode("utf-8", "backslashreplace"))
        return True
    if isinstance(value, (bytes, bytearray)):
        state.update(value)
        return True
    if depth and isinstance(value, (list, tuple)):
        return all(_feed(state, item, depth - 1) for item in value)
    if depth and isinstance(value, dict):
        return all(_feed(state, item, depth - 1) for pair in value.items() for item in pair)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        plain = value.detach().to("cpu").contiguous()
        state.update(repr((str(plain.dtype), tuple(plain.shape))).encode())
        state.update(ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()))
        return True
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        state.update(repr((str(value.dtype), value.shape)).encode() + value.tobytes())
        return True
    return False


def _not_finite(value: Any) -> str | None:
    """Of a plain number; tensors are looked at by the watcher."""
    if not isinstance(value, float) or math.isfinite(value):
        return None
    return "NaN" if math.isnan(value) else "Inf"


def main(target: str, times: int) -> int:
    try:
        function = load(target)
    except (ImportError, AttributeError, TypeError, OSError, SyntaxError) as error:
        print(f"{target}: {type(error).__name__}: {error}", file=sys.stderr)
        return NOT_FOUND
    calls: list[dict[str, Any]] = []
    samples = modules.Samples()
    try:
        for number in range(1, times + 1):
            started = time.perf_counter()
            result = function()
            _wait_for_device()
            seconds = time.perf_counter() - started
            calls.append({"seconds": round(seconds, 6), "digest": digest(result), "not_finite": _not_finite(result)})
            profiler, watched = watcher.current.parts if watcher.current and watcher.current.parts else (None, None)
            if watched is not None:
                watched.call_ended(number, result)
            del result
            samples.take(sys.modules.get("torch"), profiler)
    finally:
        _write({"calls": calls, "memory": samples.rows})
    return 0


def _wait_for_device() -> None:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _write(report: dict[str, Any]) -> None:
    folder = os.environ.get(watcher.FOLDER)
    if folder:
        with open(os.path.join(folder, watcher.CALLS), "w", encoding="utf-8") as stream:
            json.dump(report, stream)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
