"""PY-CAP-007: 32 written as the size of a warp."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.embedded import device_texts
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_parameters import defaults
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import mentions
from rewarp.targets import Context

_SIZES = frozenset(
    "WARP_SIZE warp_size _WARP_SIZE WARPSIZE warpsize warpSize kWarpSize THREADS_PER_WARP threads_per_warp"
    " num_threads_per_warp NUM_THREADS_PER_WARP WARP_THREADS warp_threads".split()
)
_WARPS = frozenset("num_warps NUM_WARPS n_warps nwarps numWarps".split())
_AMD_GPU = re.compile(r"(?i)gfx\d|cdna|rdna|wavefront")
_KERNEL = re.compile(
    r"(threadIdx\.[xyz]|\b(tid|lane|lane_?id)\b)\s*(%\s*32|/\s*32|&\s*(31|0x1[fF])|>>\s*5)\b"
    r"|\bdefine\s+\w*WARP_?SIZE\s+32\b|warp_?size\s*=\s*32\b",
    re.I,
)


@rule(
    id="PY-CAP-007",
    title="32 is written as the warp size",
    kinds=PYTHON_KINDS,
    anchors=["threadIdx", *_SIZES, *_WARPS],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="A wave of a CDNA GPU (MI100 to MI355) is 64 wide; RDNA has 32. Thread counts and lane numbers made from 32 are wrong "
        "on CDNA.",
        fix='Ask the device: `getattr(torch.cuda.get_device_properties(i), "warp_size", 32)`.',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="threads = num_warps * 32",
    versions="warp_size is in the device properties of current PyTorch",
    source="https://github.com/pytorch/pytorch/blob/main/torch/_C/__init__.pyi.in",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for names such as WARP_SIZE set to 32, products of a number of warps with 32, and kernel source in
    pieces of strings that divides thread numbers by 32."""
    if 64 not in context.versions.wave_sizes or any(True for _ in document.imports_of("cutlass", "cuda.tile")):
        return  # kernels in NVIDIA's own languages go nowhere else
    for name, value in _set(document):
        if name in _SIZES and _is_32(value) and not _asks_platform(document, value):
            # What is laid out for 32 lanes throughout is right on 64: only what reads the name tells.
            yield Hit(value, f"{name} is 32, which is half a wave on CDNA GPUs", name, Severity.INFO)
    for node in document.nodes(ast.BinOp):
        if isinstance(node.op, (ast.Mult, ast.FloorDiv)):
            for left, right in ((node.left, node.right), (node.right, node.left)):
                if _is_32(right) and document.raw(left).rpartition(".")[2] in _WARPS:
                    yield Hit(node, f"{document.raw(left)} is counted in warps of 32", "num_warps")
    judged = {node for node, _ in device_texts(document, context.target)}  # by the rules for waves
    for text in document.strings:
        if text in judged:
            continue
        if found := _KERNEL.search(str(text.value)):
            yield Hit(text, f"Kernel source in this string assumes warps of 32: `{found[0]}`", "threadIdx")


def _is_32(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == 32 and not isinstance(node.value, bool)


def _set(document: PythonFile) -> Iterator[tuple[str, ast.expr]]:
    for assign in document.nodes(ast.Assign):
        for target in assign.targets:
            yield document.raw(target).rpartition(".")[2], assign.value
    for annotated in document.nodes(ast.AnnAssign):
        if annotated.value is not None:
            yield document.raw(annotated.target).rpartition(".")[2], annotated.value
    for keyword in document.nodes(ast.keyword):
        if keyword.arg:
            yield keyword.arg, keyword.value
    for arguments in document.nodes(ast.arguments):
        yield from ((arg.arg, default) for arg, default in defaults(arguments))


def _asks_platform(document: PythonFile, value: ast.expr) -> bool:
    """The file sets another width too, 64, so 32 is one of several cases; or the function around speaks of AMD's GPUs."""
    if document.scope(value) is not document.tree and mentions(document, value, _AMD_GPU):
        return True
    return any(isinstance(v, ast.Constant) and v.value == 64 and name in _SIZES for name, v in _set(document))
