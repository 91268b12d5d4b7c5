"""What is recorded: a model or function with its inputs, made by a callable of the user's."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError


class NotRun(UsageError):
    """The computation did not come to its end here: no such device, out of memory, or it raised."""


Factory = Callable[..., Any]
"""Returns ``(model or function, args, kwargs)``, or the results themselves. If it has parameters named ``device`` or
``dtype``, it is told them."""


@dataclass
class Prepared:
    """What a factory made: something to call, with what; or results that are there already."""

    name: str
    function: Callable[..., Any] | None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] | None = None
    results: Any = None
    layers: int = 0
    """Layers that ran while results were made."""
    told: frozenset[str] = frozenset()
    """Which of ``device`` and ``dtype`` the factory asked for."""


class LayerCount:
    """Counts the calls of modules without children, wherever they are called, while it is entered."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> LayerCount:
        from torch.nn.modules.module import register_module_forward_hook

        self._hook = register_module_forward_hook(self._add)
        return self

    def __exit__(self, *exception: object) -> None:
        self._hook.remove()

    def _add(self, module: Any, args: Any, output: Any) -> None:
        self.count += next(module.children(), None) is None


def resolve(target: str | Factory) -> tuple[str, Factory]:
    """The factory and its name. A string is ``package.module:callable`` or ``file.py:callable``."""
    if callable(target):
        return getattr(target, "__qualname__", type(target).__name__), target
    place, colon, attribute = target.rpartition(":")
    if not colon or not place or not attribute:
        raise UsageError(f"{target!r}: write package.module:callable or file.py:callable")
    found: Any = _module(place, target)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{target}: {place} has no {attribute}")
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"{target}: {attribute} is not callable")
    return target, found


def _module(place: str, target: str) -> Any:
    is_file = place.endswith(".py") or os.sep in place
    if is_file and not Path(place).is_file():
        raise UsageError(f"{target}: there is no file {place}")
    with guarded(f"importing {place}"):
        # Like `python file.py` and `python -m module`: neighbours can be imported.
        home = os.path.dirname(os.path.abspath(place)) if is_file else os.getcwd()
        if home not in sys.path:
            sys.path.insert(0, home)
        if not is_file:
            return importlib.import_module(place)
        name = f"rewarp_target_{Path(place).stem}"
        spec = importlib.util.spec_from_file_location(name, place)
        if spec is None or spec.loader is None:
            raise UsageError(f"{target}: {place} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module


def prepare(name: str, factory: Factory, device: str, dtype: str | None) -> Prepared:
    """Call the factory and read what it returned."""
    import torch

    wishes = {"device": device, "dtype": getattr(torch, dtype) if dtype else None}
    try:
        parameters = inspect.signature(factory).parameters
    except (TypeError, ValueError):
        parameters = inspect.signature(lambda: None).parameters
    told = {wish: value for wish, value in wishes.items() if wish in parameters and value is not None}
    with guarded(name), LayerCount() as layers:
        made = factory(**told)
    common: dict[str, Any] = {"name": name, "told": frozenset(told)}
    if isinstance(made, torch.nn.Module):
        raise UsageError(f"{name} returned a model without inputs: return (model, args, kwargs)")
    if not (isinstance(made, tuple) and made and callable(made[0]) and not isinstance(made[0], torch.Tensor)):
        return Prepared(function=None, results=made, layers=layers.count, **common)
    args = made[1] if len(made) > 1 else ()
    kwargs = made[2] if len(made) > 2 else {}
    if len(made) > 3 or not isinstance(kwargs, dict):
        raise UsageError(f"{name} returned {len(made)} things: return (model, args, kwargs)")
    return Prepared(
        function=made[0], args=tuple(args) if isinstance(args, (tuple, list)) else (args,), kwargs=kwargs, **common
    )


@contextmanager
def guarded(doing: str) -> Iterator[None]:
    """Whatever the user's code raises becomes a reason."""
    try:
        yield
    except (UsageError, KeyboardInterrupt):
        raise
    except MemoryError:
        raise NotRun(f"{doing}: out of memory") from None
    except (Exception, SystemExit) as error:
        if _is_out_of_memory(error):
            raise NotRun(f"{doing}: out of memory on the device: {_first_line(error)}") from error
        raise NotRun(f"{doing} raised {type(error).__name__}: {_first_line(error)}{_place(error)}") from error


def _is_out_of_memory(error: BaseException) -> bool:
    # Back ends other than CUDA and ROCm raise plain RuntimeErrors.
    return type(error).__name__ == "OutOfMemoryError" or (
        isinstance(error, RuntimeError)
        and ("out of memory" in str(error).lower() or "can't allocate memory" in str(error))
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["(no message)"])[0][:300]


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    return f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
