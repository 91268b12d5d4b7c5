"""RS-005: PTX that is built in or loaded."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.project.crates import speaks_of_amd
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.targets import Context

_LOAD = re.compile(
    rb"\bPtx::(?:from_src|from_file|from_binary|Image|Src|File)\b|(?<!fn )\bload_ptx(?:_from_file)?\s*\("
)
_COMPILE = re.compile(rb"(?<!fn )\bcompile_ptx(?:_with_opts)?\s*\(")
_INCLUDE = re.compile(rb"\binclude_(?:str|bytes)!\s*\(")


@rule(
    id="RS-005",
    title="PTX is built in, loaded or made at run time",
    kinds=Kind.RUST,
    anchors=["ptx", "Ptx", "load_ptx", "load_ptx_from_file", "compile_ptx", "compile_ptx_with_opts"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="PTX is NVIDIA's assembly and no AMD driver loads it; HIP loads code objects built for one architecture.",
        fix="Compile the kernel sources with hipcc --genco and load the result with hipModuleLoadData; where NVRTC made "
        "the PTX at run time, hipRTC takes nearly the same source.",
        effort=Effort.HOURS,
    ),
    example='const KERNELS: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));',
    source="https://github.com/huggingface/candle/pull/3801",
    traits=[Trait.BY_HAND],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for .ptx files in include_str! and as paths, for cudarc's Ptx constructors, and for NVRTC's compile_ptx."""
    aware = Severity.INFO if speaks_of_amd(document) else None
    for literal in document.literals:
        if literal.text.endswith(".ptx"):
            before = document.code[max(0, literal.where.start - 80) : literal.where.start]
            how = "is built into the program" if _INCLUDE.search(before) else "is named as a file to load"
            yield Hit(literal.where, f"{literal.text.rpartition('/')[2]} {how}", ".ptx", aware)
    for found, span in document.search(_LOAD):
        yield Hit(span, f"{found[0].decode().rstrip('( ')} takes PTX", "Ptx", aware)
    for _, span in document.search(_COMPILE):
        yield Hit(span, "NVRTC makes PTX here; hipRTC is its twin", "compile_ptx", aware)
