"""Folders and files that stand side by side, one for each vendor: what is another's is not for the target."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from rewarp.lang.kinds import CPP_KINDS, kind_of_path

_NAMES = {
    "rocm": frozenset({"amd", "amdgpu", "hip", "rocm"}),
    "gaudi": frozenset({"gaudi", "habana", "hpu"}),
}
_OTHERS = frozenset(
    "aipu arm ascend ascendc cambricon cann cuda cudnn enflame gcu iluvatar kunlunxin metal metax mlu mps mthreads musa npu "
    "nvidia opencl sunrise sycl tpu tsingmicro vulkan xla xpu".split()
)
_PORTABLE = frozenset({"kokkos", "opencl", "sycl"})
"""Languages that more than one vendor's compiler takes: whose GPUs such a folder is for, its build tells."""
_PART = re.compile(r"[^\W_]+")
_FILE_WORDS = {
    "rocm": (re.compile(r"cuda|nvidia|cu(?=blas|dnn|fft|rand|solver|sparse)"), ("hip", "rocm", "amd", "roc")),
}
"""What a file's name calls NVIDIA's, and what its twin for the target says instead."""


def twin_files(paths: Iterable[str], target: str) -> dict[str, tuple[str, str]]:
    """C++ files such as ``backend/cuda.hpp`` and ``cusparse_ilu0.hpp`` beside ``hip.hpp`` and ``rocsparse_ilu0.hpp``: the twin
    for the target of each, and why the file is another's."""
    if target not in _FILE_WORDS:
        return {}
    pattern, instead = _FILE_WORDS[target]
    files = {path.lower(): path for path in paths if kind_of_path(path) in CPP_KINDS}
    found: dict[str, tuple[str, str]] = {}
    for small, path in files.items():
        folder, name = posixpath.split(small)
        for match in _PART.finditer(name):
            if not pattern.match(match[0]):
                continue
            theirs = (
                name[: match.start()] + pattern.sub(word, match[0], count=1) + name[match.end() :] for word in instead
            )
            twins = [files[other] for each in theirs if (other := posixpath.join(folder, each)) in files]
            if twins:
                found[path] = (twins[0], f"{twins[0]} beside it is for the target")
    return found


def for_other_vendors(
    paths: Iterable[str],
    target: str,
    compiled: Collection[tuple[str, str]] = (),
    building: Collection[str] = (),
) -> dict[str, str]:
    """Files below ``backend/cuda`` or ``backend/_musa`` where ``backend/hip`` or ``backend/_amd`` stands beside, each with the
    folder for the target; unless the target's build compiles something in there. ``compiled``: sources and the build files that
    name them. A build file of the folder itself is as much for the other vendor. ``building``: build files with a way for the
    target: a folder in SYCL is for the target too where it holds one."""
    folders: dict[str, set[str]] = defaultdict(set)
    files = list(paths)
    for path in files:
        for folder in _above(path):
            if folder in folders[posixpath.dirname(folder)]:
                break
            folders[posixpath.dirname(folder)].add(folder)
    apart: dict[str, str] = {}
    portable = {folder for path in building for folder in _above(path) if _word(folder) in _PORTABLE}
    others = _OTHERS.union(*(names for other, names in _NAMES.items() if other != target))
    for children in folders.values():
        own = sorted(child for child in children if _word(child) in _NAMES[target])
        own += sorted(children & portable)
        if own:
            apart |= {child: own[0] for child in children - set(own) if _word(child) in others}
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
