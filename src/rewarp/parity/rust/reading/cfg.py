"""`cfg` conditions and folders: which code belongs to which back end, and which is built for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from rewarp.parity.names.backends import backend_of, words
from rewarp.project.role_names import is_aside

FEATURE = re.compile(r"feature\s*=\s*\"([^\"]*)\"")
_GATES = frozenset(("hip", "mps", "sycl", "gaudi", "wgpu", "vulkan"))
"""Names of features that switch a back end on without being its name; `cudnn` and `miopen` only add to one."""
_UNIX = frozenset(("unix", 'target_family="unix"'))
_HOME = {
    "metal": _UNIX | {'target_os="macos"', 'target_vendor="apple"'},
    "cuda": _UNIX | {'target_os="linux"'},
    "rocm": _UNIX | {'target_os="linux"'},
}
"""What holds of the system a back end is at home on, so that `not(all(feature = "cuda", unix))` is the build without it."""


def switches(feature: str) -> str | None:
    """The back end that a feature switches on."""
    backend = words().get(feature.lower())
    return backend if backend is not None and feature.lower() in {backend, *_GATES} else None


def is_built(cfg: tuple[str, ...], backend: str) -> bool:
    """Whether code under these conditions can be in a build with one back end and no other."""
    return all(holds(condition, backend) is not False for condition in cfg)


@lru_cache(maxsize=4096)
def holds(condition: str, backend: str) -> bool | None:
    """Whether a condition holds in a build with one back end and no other; None where that decides nothing."""

    def is_on(feature: str) -> bool | None:
        switched = switches(feature)
        # The CPU is always there.
        return None if switched in (None, "cpu") else switched == backend

    return decided(condition, is_on, _HOME.get(backend, frozenset()))


def decided(condition: str, is_on: Callable[[str], bool | None], given: frozenset[str] = frozenset()) -> bool | None:
    """Whether a condition holds, as far as features and what is given decide it."""
    condition = condition.strip().rstrip(",").strip()
    inner = re.fullmatch(r"(not|any|all)\s*\((.*)\)", condition, re.S)
    if condition in ("FALSE", "false"):
        return False
    if inner is None:
        feature = FEATURE.fullmatch(condition)
        return is_on(feature[1]) if feature else "".join(condition.split()) in given or None
    parts = [decided(part, is_on, given) for part in _split(inner[2])]
    if inner[1] == "not":
        return None if not parts or parts[0] is None else not parts[0]
    if inner[1] == "all":
        return False if False in parts else (None if None in parts else True)
    return True if True in parts else (None if None in parts else False)


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in (*parts, text[start:]) if part.strip()]


def gate_of(cfg: tuple[str, ...]) -> str | None:
    """The one back end that code is built for."""
    found = {
        switched
        for condition in cfg
        if not condition.replace(" ", "").startswith("not(")
        for feature in FEATURE.findall(condition)
        if (switched := switches(feature)) is not None
    }
    return found.pop() if len(found) == 1 else None


def lacks(cfg: tuple[str, ...], backend: str) -> bool:
    """Whether code is there for builds without the back end: a dummy."""
    return any(holds(condition, backend) is False and "not" in condition for condition in cfg)


@lru_cache(maxsize=20_000)
def folder_backend(path: str) -> str | None:
    """The back end that a file's name or its nearest folder names."""
    for part in reversed(path.removesuffix(".rs").split("/")):
        if (found := backend_of(part)) is not None:
            return found
    return None


def is_implementation(path: str) -> bool:
    """Whether a file is part of what is shipped: no test, example or benchmark."""
    return not is_aside(path)
