"""RS-003: a crate whose build calls nvcc."""

import re
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import FileFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.project.crates import has_amd_feature, speaks_of_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.rust import dependencies
from rewarp.source import Span
from rewarp.targets import Context

_CRATES = ("bindgen_cuda", "cudaforge", "cuda_builder", "find_cuda_helper", "cuda_bindgen", "cuda_setup")
_CRATE = re.compile(rb"\b(" + "|".join(_CRATES).encode() + rb")::")
_CC = re.compile(rb"\.cuda\(\s*true\s*\)")
_PROGRAM = re.compile(rb"\bCommand::new\(\s*$")
_VARIABLE = re.compile(rb"\b(?:var|var_os|option_env!|env!)\s*\(\s*$")
_HOMES = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR", "CUDA_LIBRARY_PATH"}


@rule(
    id="RS-003",
    title="A crate's build calls nvcc",
    kinds=(Kind.RUST, Kind.CARGO),
    anchors=[*_CRATES, "cuda", "nvcc", *_HOMES],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The kernels are compiled by nvcc, which an AMD machine does not have; what comes out is PTX or an NVIDIA "
        "object, of no use to HIP.",
        fix="Compile the same sources with hipcc when the rocm feature is on, to code objects (--genco) instead of PTX.",
        effort=Effort.HOURS,
    ),
    example="let bindings = bindgen_cuda::Builder::default().build_ptx()?;",
    source="https://docs.rs/bindgen_cuda",
    fix=FileFix(
        Kind.RUST,
        "A build script for hipcc beside the one for nvcc is taken when the feature rocm is on, and the crate offers the code objects.",
    ),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for bindgen_cuda, cudaforge and their kin, cc's cuda(true), nvcc run as a command, and CUDA_HOME read
    from the environment."""
    if isinstance(document, TomlFile):
        known = Severity.INFO if has_amd_feature(document) else None
        for key in dependencies(document, *_CRATES):
            name = next(part for part in key.path if part in _CRATES)
            yield Hit(key.span, f"{name} compiles kernels with nvcc", name, known)
        return
    if not isinstance(document, CodeFile):
        return
    aware = Severity.INFO if speaks_of_amd(document) else None
    seen: set[str] = set()
    for found, span in document.search(_CRATE):
        name = found[1].decode()
        if name not in seen:
            seen.add(name)
            yield Hit(span, f"{name} compiles kernels with nvcc", name, aware)
    for _, span in document.search(_CC):
        if b"cc::" in document.code:
            yield Hit(span, "cc is told to compile with nvcc", "cuda(true)", aware)
    for literal in document.literals:
        before = document.code[max(0, literal.where.start - 60) : literal.where.start]
        if _PROGRAM.search(before) and literal.text.rpartition("/")[2] == "nvcc":
            yield Hit(literal.where, "nvcc is run", "nvcc", aware)
        elif literal.text in _HOMES and literal.text not in seen and _VARIABLE.search(before):
            seen.add(literal.text)
            where = Span(literal.where.start, literal.where.end)
            yield Hit(where, f"{literal.text} says where CUDA is; AMD has ROCM_PATH", literal.text, Severity.INFO)
