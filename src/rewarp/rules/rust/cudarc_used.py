"""RS-004: code written against cudarc."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import BackEndFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.project.crates import speaks_of_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.rust import CRATES, FAMILIES
from rewarp.source import Span
from rewarp.targets import Context

_PATH = re.compile(rb"\bcudarc::(?:(\w+)|\{)")
# `cust` is a word that a program may use for something of its own.
_OTHERS = re.compile(
    rb"(?<![\w:])(cust(?=::(?:prelude|context|device|error|event|external|function|launch|link|memory|module|nvtx|quick_init"
    rb"|stream|util|CudaFlags|\{))|rustacuda|nvml_wrapper|cuda_std|cutile)::"
)
_NAME = re.compile(rb"[{,]\s*(\w+)")


@rule(
    id="RS-004",
    title="Rust code calls CUDA through cudarc or its kin",
    kinds=Kind.RUST,
    anchors=["cudarc", "cust", "rustacuda", "nvml_wrapper", "cuda_std", "cutile"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.BUILD,
        why="The types and functions of cudarc and other bindings are those of CUDA; there is no AMD implementation behind "
        "them.",
        fix="Move the calls behind a trait that a HIP backend can implement too, and write that backend on the "
        "library named in the finding.",
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="The types and functions of cudarc and other bindings are those of CUDA, and no crate binds Gaudi's software.",
        fix="Write a back end of another kind, or hand the work to PyTorch on Gaudi.",
        effort=Effort.REWRITE,
    ),
    example="use cudarc::driver::{CudaSlice, DevicePtr};",
    source="https://docs.rs/crate/rocm-rs/latest",
    fix=BackEndFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for paths into cudarc, one finding for each file and part of it, and into other crates that bind CUDA."""
    there = "AMD" if context.target.name == "rocm" else context.target.title
    aware = Severity.INFO if context.target.name == "rocm" and speaks_of_amd(document) else None
    seen: set[str] = set()
    for found, span in document.search(_PATH):
        for name, where in _modules(document, found, span):
            if name in FAMILIES and name not in seen:
                seen.add(name)
                twin = (FAMILIES[name] if there == "AMD" else "") or "no twin"
                yield Hit(where, f"cudarc::{name} is used; {there} has {twin}", f"cudarc::{name}", aware)
    for found, span in document.search(_OTHERS, 1):
        name = found[1].decode()
        if name not in seen:
            seen.add(name)
            crate = CRATES.get(name) or CRATES.get(name.replace("_", "-"))
            twin = (crate if there == "AMD" else "") or "no twin"
            yield Hit(span, f"{name} is used; {there} has {twin}", name, aware)


def _modules(document: CodeFile, found: re.Match[bytes], span: Span) -> Iterator[tuple[str, Span]]:
    """The module a path goes into; of a group ``cudarc::{...}`` those at its top level."""
    if found[1] is not None:
        yield found[1].decode(), span
        return
    depth = 0
    code = document.code
    at = span.end - 1
    while at < len(code):
        if code[at : at + 1] == b"{":
            depth += 1
        elif code[at : at + 1] == b"}":
            depth -= 1
            if depth == 0:
                return
        if depth == 1:
            name = _NAME.match(code, at)
            if name:
                yield name[1].decode(), Span(*name.span(1))
        at += 1
