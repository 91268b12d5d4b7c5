"""Folders that stand side by side, one for each vendor: what lies in another's is not for the target."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable

_NAMES = {
    "rocm": frozenset({"amd", "amdgpu", "hip", "rocm"}),
    "gaudi": frozenset({"gaudi", "habana", "hpu"}),
}
_OTHERS = frozenset(
    "aipu arm ascend ascendc cambricon cann cuda cudnn enflame gcu iluvatar kunlunxin metal metax mlu mps mthreads musa npu "
    "nvidia opencl sunrise sycl tpu tsingmicro vulkan xla xpu".split()
)


def for_other_vendors(paths: Iterable[str], target: str, compiled: Collection[tuple[str, str]] = ()) -> dict[str, str]:
    """Files below ``backend/cuda`` or ``backend/_musa`` where ``backend/hip`` or ``backend/_amd`` stands beside, each with the
    folder for the target; unless the target's build compiles something in there. ``compiled``: sources and the build files that
    name them. A build file of the folder itself is as much for the other vendor."""
    folders: dict[str, set[str]] = defaultdict(set)
    files = list(paths)
    for path in files:
        for folder in _above(path):
            if folder in folders[posixpath.dirname(folder)]:
                break
            folders[posixpath.dirname(folder)].add(folder)
    apart: dict[str, str] = {}
    others = _OTHERS.union(*(names for other, names in _NAMES.items() if other != target))
    for children in folders.values():
        own = sorted(child for child in children if _word(child) in _NAMES[target])
        if own:
            apart |= {child: own[0] for child in children if _word(child) in others}
    shared = {folder for path, by in compiled for folder in _above(path) if not by.startswith(f"{folder}/")}
    found: dict[str, str] = {}
    for path in files if apart else ():
        other = next((above for above in _above(path) if above in apart and above not in shared), None)
        if other is not None:
            found[path] = f"{apart[other]} beside {other} is for the target"
    return found


def _word(folder: str) -> str:
    return posixpath.basename(folder).strip("_").lower().removesuffix("_backend").removesuffix("-backend")


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
