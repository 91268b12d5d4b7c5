"""CU-019: what torch's C++ interface no longer has."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import CPP_KINDS
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import reachable
from rewarp.source import Span
from rewarp.targets import Context

_STILL_THERE = ("THC/THCAtomics.cuh", "THC/THCDeviceUtils.cuh")
_GONE = {
    b"THCState": "torch 1.11 has no THCState: at::cuda::getCurrentCUDAStream() and its kin take its place",
    b"THCudaCheck": "THCudaCheck is C10_CUDA_CHECK since torch 1.11",
    b"THCCeilDiv": "THCCeilDiv is at::ceil_div since torch 1.11",
    b"THCudaMalloc": "THCudaMalloc is c10::cuda::CUDACachingAllocator::raw_alloc since torch 1.11",
    b"THCudaFree": "THCudaFree is c10::cuda::CUDACachingAllocator::raw_delete since torch 1.11",
    b"AT_CHECK": "AT_CHECK is TORCH_CHECK since torch 1.5",
}
_BY_TYPE = re.compile(rb"\bAT_DISPATCH_\w+\s*\(\s*[\w.>\[\]-]+?(?:\.|->)type\(\)\s*,")


@rule(
    id="CU-019",
    title="torch's C++ interface no longer has this",
    kinds=CPP_KINDS,
    anchors=["THC", *(name.decode() for name in _GONE), "type ~AT_DISPATCH_"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.BUILD,
        why="The oldest torch that knows MI300X is 2.1: an extension written for torch before 1.11 does not compile with it, as it "
        "does not with a new torch for CUDA.",
        fix="Take the new name, which torch has had for years; both builds compile then.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="#include <THC/THC.h>",
    source="https://github.com/pytorch/pytorch/issues/73520",
    traits=[Trait.GONE_FROM_TORCH],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for THC's headers and functions, for AT_CHECK, and for AT_DISPATCH_* over `x.type()`, which torch refuses since 2.6
    and therefore only informs. Names that the file defines itself, or a header of the project that it includes, are its own."""
    for include in document.includes:
        if include.path.startswith("THC/") and include.path not in _STILL_THERE:
            if reachable(document, context, [include.where.start]):
                yield Hit(include.where, f"{include.path} is gone since torch 1.11", include.path)
    for name, message in _GONE.items():
        if re.search(rb"#[ \t]*define[ \t]+" + name + rb"\b", document.source.view):
            continue
        if (document.source.path, name.decode()) in context.project.torch_names:
            continue
        places = [
            at for at in document.words.get(name, ()) if not _ALIAS.match(document.code, _line_start(document, at))
        ]
        for at in reachable(document, context, places)[:1]:
            yield Hit(Span(at, at + len(name)), message, name.decode())
    for found in _BY_TYPE.finditer(document.code):
        for at in reachable(document, context, [found.start()]):
            message = "the dispatch is over x.type(), which torch takes no more since 2.6: x.scalar_type()"
            yield Hit(Span(at, found.end()), message, "type()", Severity.INFO)


_ALIAS = re.compile(rb"[ \t]*#[ \t]*define[ \t]+(?:TORCH_CHECK|C10_CUDA_CHECK)\b")
"""``#ifndef TORCH_CHECK``: torch has it, and the old name behind it is never taken."""


def _line_start(document: CodeFile, at: int) -> int:
    return document.code.rfind(b"\n", 0, at) + 1
