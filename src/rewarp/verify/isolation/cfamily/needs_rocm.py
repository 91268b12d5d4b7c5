"""C++ that nobody compiles without ROCm: it includes, whatever is defined, a header that only ROCm brings.

Where that is so before and after a change, a build for NVIDIA that took the file in would have stopped before, and stops still. HIP's
own headers are none of these: HIP can be had for NVIDIA.
"""

from __future__ import annotations

import posixpath
import re

from rewarp.lang.cpp.directives import Conditional, Directive, Node
from rewarp.lang.cpp.tokens import Unreadable
from rewarp.verify.isolation.cfamily.includes import headers, included
from rewarp.verify.isolation.cfamily.macros import shape_of
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.tree import Trees

METHOD = "the headers it includes: only ROCm has them"
_ROCMS = re.compile(
    r"(?:rocprofiler(?:-sdk|-register)?|roctracer|rocm-core|rocm_smi|amd_smi|amd_comgr|hsa|rocblas|rocsolver|rocfft|rocsparse|rocrand"
    r"|rocalution|rocwmma|miopen|rccl|hip/amd_detail|ATen/hip|c10/hip)/[\w./-]+"
    r"|(?:roctracer|roctracer_(?:ext|hip|roctx|hsa)|rocprofiler|rocblas|rccl|rocfft|rocm_version)\.h"
)
_NVIDIAS = re.compile(rb"#[ \t]*include[ \t]*[<\"][^>\"\n]*(?:cuda|cupti|nvml|nvrtc|cublas|cudnn|nccl)", re.I)
_DEPTH = 6


def needs_rocm(path: str, trees: Trees) -> bool:
    """Whether a file that is there before and after the change can be compiled with ROCm's headers alone, each time."""
    sides: tuple[Side, Side] = ("before", "after")
    for side in sides:
        data = trees.read(path, side)
        if data is None or _NVIDIAS.search(data) or not _needs(path, trees, side, _DEPTH):
            return False  # what takes headers of both is for who has both
    trees.assume(
        "An NVIDIA user has none of the headers that only ROCm brings (rocprofiler-sdk, roctracer, rocBLAS, c10/hip, …)."
    )
    return True


def _needs(path: str, trees: Trees, side: Side, depth: int) -> bool:
    data = trees.read(path, side)
    if data is None or not depth:
        return False
    try:
        nodes = _inside_guard(shape_of(path, data).nodes, path, trees, side)
    except Unreadable:
        return False
    for node in nodes:
        if isinstance(node, Directive) and (found := included(node)):
            if _is_rocms(found[0], trees):
                return True
            own = _own(found, path, trees, side)
            if own is not None and own != path and _needs(own, trees, side, depth - 1):
                return True
    return False


def _is_rocms(text: str, trees: Trees) -> bool:
    """Whether only ROCm brings the header: the project has none of that name, before or after."""
    return _ROCMS.fullmatch(text) is not None and not any(
        headers(tree).ending_with(text) for tree in (trees.before, trees.after)
    )


def _own(found: tuple[str, bool], path: str, trees: Trees, side: Side) -> str | None:
    """The file of the project that is included, where no other can be meant."""
    text, quoted = found
    here = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    if quoted and here in trees.side(side).entries:
        return here
    candidates = headers(trees.side(side)).ending_with(text)
    return candidates[0] if quoted and len(candidates) == 1 else None


def _inside_guard(nodes: tuple[Node, ...], path: str, trees: Trees, side: Side) -> tuple[Node, ...]:
    """What stands in a header that is kept from being read twice, by a name that nothing else speaks of."""
    only = nodes[0] if len(nodes) == 1 else None
    if not isinstance(only, Conditional) or len(only.branches) != 1 or only.branches[0].word != "ifndef":
        return nodes
    branch = only.branches[0]
    first = branch.body[0] if branch.body else None
    name = branch.condition[0].text if len(branch.condition) == 1 else ""
    if not isinstance(first, Directive) or first.word != "define" or first.name != name:
        return nodes
    return branch.body if trees.containing(name, side) == (path,) else nodes
