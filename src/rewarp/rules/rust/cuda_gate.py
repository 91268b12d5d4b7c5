"""RS-006: code gated on CUDA with no AMD sibling."""

import re
from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.fixes import CrateFix
from rewarp.fixes.crate import CratePlace, Wanting
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.project.crates import speaks_of_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.source import Span
from rewarp.targets import Context

_GATE = re.compile(rb'\bcfg(?:_attr)?!?\s*\([^"\]\n]*feature\s*=\s*"(cuda|cudnn|nccl)"')
_ARM = re.compile(rb"\b(?:Device|Storage|DeviceLocation|Backend|DeviceType)::(?:Cuda|CUDA)\b")


_ENUM = re.compile(rb"\benum\s+(\w+)\b[^{;]{0,2000}\{")
_CUDA_ARM = re.compile(rb"(?:^|[,{]|\])\s*(Cuda\w*)\s*[({,}]")


def _arms(crate: CratePlace) -> Iterator[Wanting]:
    """Enums with an arm for CUDA: every match on them asks for one for ROCm."""
    for document in crate.documents:
        for match in _ENUM.finditer(document.code):
            end = document.code.find(b"}", match.end())
            arm = _CUDA_ARM.search(document.code, match.end() - 1, end + 1)
            if not arm:
                continue
            name, case = match[1].decode(), arm[1].decode()
            uses = len(re.findall(rb"\bSelf::%s\b" % arm[1], document.code))
            uses += sum(len(re.findall(rb"\b%s::%s\b" % (match[1], arm[1]), other.code)) for other in crate.documents)
            line = document.source.line_at(match.start())
            what = f"enum {name} has the arm {case}, which {uses} place{'s' * (uses != 1)} name"
            why = "a ROCm back end needs an arm of its own, and each of those places an answer for it"
            yield Wanting(document.source.path, line, what, why)


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
    fix=CrateFix(_arms),
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
