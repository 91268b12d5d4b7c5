"""CU-021: LLVM IR that is written for NVIDIA's GPUs."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile, Literal
from rewarp.lang.kinds import CPP_KINDS, PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import listed
from rewarp.rules.shapes.triton import milder, uses_triton
from rewarp.source import Span
from rewarp.targets import Context

# In IR and in commands these follow a sign; in a sentence, a blank.
_IR = re.compile(
    r"(?:\A(?=\S*\Z)|[@\"'=!]|\b(?:triple|target) )"
    r"(llvm\.nvvm(?:\.\w+)*|nvptx(?:64)?-nvidia-\w+|nvvm\.annotations)\b|\bdefine\b[^@\n]*\b(ptx_kernel)\b"
)
# With these alone something compiles; what comes of it holds no kernel that HIP launches.
_NO_KERNEL = re.compile(r"nvptx.*|nvvm\.annotations")
_AMDS = re.compile(r"(?i)amdgcn|amdgpu|hsaco")
_TESTS = frozenset(
    "startswith endswith find rfind index count split partition replace removeprefix removesuffix".split()
)
_SHOWN = 3
_COMPARED = re.compile(
    rb"(?:[=!]=|\b(?:starts_?with|ends_?with|contains|r?find|compare|strn?cmp)\s*\((?:(?:[^;{}()]|\(\))*,)?)\s*\Z"
)
_COMPARES = re.compile(rb"\s*[=!]=")


@rule(
    id="CU-021",
    title="LLVM IR is written for NVIDIA's GPUs",
    kinds=(*PYTHON_KINDS, *CPP_KINDS),
    anchors=["nvvm", "nvptx", "nvptx64", "ptx_kernel"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="LLVM selects nothing for NVVM's intrinsics and PTX's calling convention when it compiles for AMD ('Cannot "
        "select: intrinsic'). Marked by nvvm.annotations alone a function is no kernel there, and what is compiled for "
        "NVIDIA's triple is PTX, which HIP does not load.",
        fix="Write for amdgcn-amd-amdhsa as well: llvm.amdgcn.workitem.id.x and workgroup.id.x for tid and ctaid, the block's "
        "size from llvm.amdgcn.implicitarg.ptr, llvm.amdgcn.s.barrier for barrier0, amdgpu_kernel as the kernel's calling "
        "convention; load the code object with hipModuleLoadData.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Gaudi runs no kernels written for a GPU's threads, in LLVM IR or otherwise.",
        fix="Express the operation in PyTorch on Gaudi, or write a TPC kernel.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.REWRITE,
    ),
    example='TID = "llvm.nvvm.read.ptx.sreg.tid.x"',
    source="https://llvm.org/docs/AMDGPUUsage.html",
)
def match(document: PythonFile | CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for strings with llvm.nvvm intrinsics, NVIDIA's target triple, nvvm.annotations or ptx_kernel. A file
    that has AMD's names beside them informs, and so does Triton code in a folder for other hardware."""
    rocm = context.target.name == "rocm"
    found: Iterator[tuple[ast.AST | Span, list[str]]]
    if isinstance(document, PythonFile):
        found = _in_python(document)
        texts = [str(string.value) for string in document.strings]
        elsewhere = uses_triton(document) and milder(document) is not None
    else:
        found = _in_cpp(document, context)
        texts = [literal.text for literal in document.literals]
        elsewhere = False
    informs = elsewhere or (rocm and any(map(_AMDS.search, texts)))
    for where, names in found:
        compiles = rocm and all(map(_NO_KERNEL.fullmatch, names))
        severity = Severity.INFO if informs else Severity.CRASH if compiles else None
        yield Hit(where, f"LLVM IR for NVIDIA's GPUs: {listed(names, _SHOWN)}", names[0], severity)


def _in_python(document: PythonFile) -> Iterator[tuple[ast.AST, list[str]]]:
    """By statement: a table of intrinsics is one thing to write anew."""
    found: dict[ast.AST | None, tuple[ast.AST, list[str]]] = {}
    for string in document.strings:
        names = _names(str(string.value))
        if names and not _is_only_read(document, string):
            _, every = found.setdefault(document.statement(string), (string, []))
            every += (name for name in names if name not in every)
    yield from found.values()


def _is_only_read(document: PythonFile, string: ast.Constant) -> bool:
    """Whether a text is looked for, or told to people, rather than written."""
    parent = document.parent(string)
    if isinstance(parent, (ast.Compare, ast.MatchValue, ast.Subscript)):
        return True
    if isinstance(parent, ast.Dict):
        return string in parent.keys
    if isinstance(parent, (ast.Tuple, ast.List, ast.Set)) and isinstance(document.parent(parent), ast.Compare):
        return True
    if isinstance(parent, ast.Call) and parent.args[:1] == [string]:
        of, _, name = document.raw(parent.func).rpartition(".")
        if of == "re" or (isinstance(parent.func, ast.Attribute) and name in _TESTS):
            return True
    return isinstance(document.statement(string), (ast.Raise, ast.Assert))


def _in_cpp(document: CodeFile, context: Context) -> Iterator[tuple[Span, list[str]]]:
    """Once a file, at the first that the target's compiler sees."""
    literals = [
        literal
        for literal in document.literals
        if _names(literal.text) and not document.unreachable(literal.where, context.target)
    ]
    written = [literal for literal in literals if not _is_compared(document, literal)]
    if written:
        names = [name for literal in written for name in _names(literal.text)]
        yield written[0].where, list(dict.fromkeys(names))


def _is_compared(document: CodeFile, literal: Literal) -> bool:
    start, end = literal.where
    before = document.code[max(0, start - 80) : start]
    return bool(_COMPARED.search(before) or _COMPARES.match(document.code, end))


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(found[1] or found[2] for found in _IR.finditer(text)))
