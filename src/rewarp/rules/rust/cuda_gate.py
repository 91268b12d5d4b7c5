"""RS-006: code gated on CUDA with no AMD sibling."""

import re
from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.fixes import BackEndFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.project.crates import speaks_of_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.source import Span
from rewarp.targets import Context

_GATE = re.compile(rb'\bcfg(?:_attr)?!?\s*\([^"\]\n]*feature\s*=\s*"(cuda|cudnn|nccl)"')
_ARM = re.compile(rb"\b(?:Device|Storage|DeviceLocation|Backend|DeviceType)::(?:Cuda|CUDA)\b")


@rule(
    id="RS-006",
    title="Code is gated on CUDA and has no AMD sibling",
    kinds=Kind.RUST,
    anchors=["cuda", "cudnn", "nccl", "Cuda", "CUDA"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.INFO,
        why="An AMD backend is one more case here: without it the code falls to the CPU or to an error.",
        fix='Add the case: cfg(any(feature = "cuda", feature = "rocm")) where the code is the same, a Rocm arm where it '
        "is not.",
    ),
    example='#[cfg(feature = "cuda")]\nlet device = Device::new_cuda(0)?;',
    source="https://github.com/huggingface/candle/pull/3801",
    fix=BackEndFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for cfg(feature = "cuda") and for Device::Cuda in files that name neither ROCm nor HIP: one finding for
    each file, at the first."""
    gates = [m for m in _GATE.finditer(document.source.view) if document.code[m.start() : m.start() + 3] == b"cfg"]
    arms = list(document.search(_ARM))
    if not (gates or arms) or speaks_of_amd(document):
        return
    parts = [f"{len(gates)} cfg gate{'s' * (len(gates) > 1)} on CUDA"] if gates else []
    parts += [f"{len(arms)} use{'s' * (len(arms) > 1)} of {arms[0][0][0].decode()}"] if arms else []
    first = min([Span(*m.span()) for m in gates] + [span for _, span in arms])
    yield Hit(first, f"this file has {' and '.join(parts)}, and nothing for AMD", "cuda")
