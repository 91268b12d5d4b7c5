"""Tensors inside what a model takes and returns: tuples, dicts, dataclasses, nested as deep as one likes.

Each has a path: ``0``, ``logits``, ``past.3.0``; a single tensor's path is empty.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

_DEEPEST = 32


def _children(value: Any) -> list[tuple[Any, Any]] | None:
    """The parts of a container with their keys; None for anything else."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    if is_dataclass(value) and not isinstance(value, type):
        return [(item.name, getattr(value, item.name)) for item in fields(value) if hasattr(value, item.name)]
    return None


def flat(value: Any) -> tuple[dict[str, Any], list[str]]:
    """Tensors, arrays and numbers by path; and what else there was, by path and type."""
    found: dict[str, Any] = {}
    others: list[str] = []
    _collect(value, "", 0, found, others)
    return found, others


def _collect(value: Any, path: str, depth: int, found: dict[str, Any], others: list[str]) -> None:
    import numpy as np
    import torch

    if value is None:
        return
    if isinstance(value, (torch.Tensor, np.ndarray, np.generic, bool, int, float, complex)):
        while path in found:  # keys 1 and "1" of one dict
            path += "'"
        found[path] = value
        return
    parts = _children(value)
    if parts is None or depth == _DEEPEST:
        others.append(f"{path or 'it'}: {type(value).__name__}")
        return
    for key, part in parts:
        _collect(part, f"{path}.{key}" if path else str(key), depth + 1, found, others)


def changed(value: Any, change: Callable[[str, Any], Any], path: str = "", depth: int = 0) -> Any:
    """A copy of the containers in which every tensor is what ``change`` makes of it."""
    import torch

    if isinstance(value, torch.Tensor):
        return change(path, value)
    parts = _children(value)
    if parts is None or depth == _DEEPEST:
        return value
    new = {key: changed(part, change, f"{path}.{key}" if path else str(key), depth + 1) for key, part in parts}
    if isinstance(value, (tuple, list)):
        if hasattr(value, "_fields"):
            return type(value)(*new.values())
        return type(value)(new.values())
    result = copy.copy(value)
    for key, part in new.items():
        if isinstance(value, Mapping):
            result[key] = part
        else:
            object.__setattr__(result, key, part)
    return result
