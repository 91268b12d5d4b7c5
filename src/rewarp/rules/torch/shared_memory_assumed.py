"""PY-CAP-008: more shared memory assumed than AMD has."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import branches, conditions, refusal
from rewarp.rules.shapes.value_flow import Flow
from rewarp.targets import Context

_ATTRIBUTES = ("shared_memory_per_block_optin", "shared_memory_per_block", "shared_memory_per_multiprocessor")
_NAMES = frozenset(
    spelling
    for name in ("smem", "shared_mem", "shared_memory", "shmem")
    for head in ("", "max_", "total_", "device_", "gpu_", "default_", "available_")
    for tail in ("", "_size", "_bytes", "_capacity", "_limit", "_per_block", "_per_sm", "_size_bytes", "_max")
    for spelling in (f"{head}{name}{tail}", f"{head}{name}{tail}".upper())
)
_MODEL = re.compile(r"(?i)volta|turing|ampere|ada|hopper|blackwell|[ahlbv]\d{2,3}|sm_?\d{2,3}|rtx.*")
_AMD_MODEL = re.compile(r"(?i)gfx|cdna|rdna|amd|mi\d{3}")
_KIB = 1024


class _SharedMemory(Flow):
    def source(self, node: ast.expr) -> str | None:
        return "bytes" if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES else None


@rule(
    id="PY-CAP-008",
    title="More shared memory is assumed than AMD has",
    kinds=PYTHON_KINDS,
    anchors=[*_ATTRIBUTES, *_NAMES],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="A block has 64 KiB of shared memory (LDS) on gfx90a, gfx942 and RDNA, 160 KiB on gfx950; NVIDIA has 96 to 228. "
        "A kernel launched with more fails.",
        fix="Choose smaller tiles, or fewer stages, on ROCm.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="MAX_SMEM_BYTES = 227 * 1024",
    source="https://github.com/fla-org/flash-linear-attention/pull/751",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for constants named for shared memory above what the AMD GPU has, used as a limit, as the stand-in of a missing
    property, or demanded of the device; and, as a note, for tables of such sizes by NVIDIA's generations."""
    limit = (160 if context.versions.arch == "gfx950" else 64) * _KIB
    least = max(limit, 96 * _KIB - 1)
    flow = _SharedMemory(document)
    for assign in document.nodes(ast.Assign):
        name = document.raw(assign.targets[0]).rpartition(".")[2]
        size = _size(assign.value)
        if name in _NAMES and size and least < size <= 512 * _KIB:
            yield Hit(assign.value, f"{name} is {size / _KIB:g} KiB; this GPU may have {limit // _KIB}", name)
    for name, size, where in _by_model(document):
        if least < size <= 512 * _KIB:
            message = f"{name} has {size / _KIB:g} KiB of shared memory here, and no AMD GPU is named: it may have {limit // _KIB}"
            yield Hit(where, message, name, severity=Severity.INFO)
            break
    for call in document.nodes(ast.Call):
        if document.raw(call.func) == "getattr" and len(call.args) == 3:
            size = _size(call.args[2])
            if document.string(call.args[1]) in _ATTRIBUTES and size and size > least:
                yield Hit(call, f"{size / _KIB:g} KiB of shared memory is assumed where the property is missing", "")
    for compare in document.nodes(ast.Compare):
        sides = [compare.left, *compare.comparators]
        size = next((s for side in sides if (s := _size(side)) and s > least), None)
        if size is None or not any(flow.label(side) for side in sides):
            continue
        demanded = any(
            isinstance(test, ast.Assert) or refusal(document, block) == "stop"
            for test, positive in conditions(document, compare)
            for block in branches(test, positive)
        )
        message = (
            f"The shared memory of a block is compared with {size / _KIB:g} KiB; this GPU may have {limit // _KIB}"
        )
        yield Hit(compare, message, _ATTRIBUTES[0], severity=None if demanded else Severity.INFO)


def _by_model(document: PythonFile) -> Iterator[tuple[str, int, ast.AST]]:
    """Sizes under the names of NVIDIA's generations, in a class or a dict, where none is AMD's."""
    tables: list[list[tuple[str, ast.expr]]] = [
        [(document.raw(item.targets[0]), item.value) for item in body.body if isinstance(item, ast.Assign)]
        for body in document.nodes(ast.ClassDef)
    ]
    for table in document.nodes(ast.Dict):
        tables.append([(document.string(key) or "", value) for key, value in zip(table.keys, table.values) if key])
    for entries in tables:
        known = [(name, _size(value), value) for name, value in entries if _MODEL.fullmatch(name)]
        if len(known) > 1 and not any(_AMD_MODEL.search(name) for name, _ in entries):
            yield from ((name, size, where) for name, size, where in known if size)


def _size(node: ast.AST) -> int | None:
    """The value of a whole number, or of a product of whole numbers."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.LShift)):
        left, right = _size(node.left), _size(node.right)
        if left is not None and right is not None and right < 10**7:
            return left * right if isinstance(node.op, ast.Mult) else left << min(right, 64)
    return None
