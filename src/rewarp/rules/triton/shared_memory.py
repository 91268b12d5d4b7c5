"""TRI-003: tiles that do not fit into AMD's shared memory."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import config_group, configs, dict_items, launches, milder
from rewarp.targets import Context

_NAMES = (("BLOCK_M", "BLOCK_N", "BLOCK_K"), ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K"))
_LIMITS = {"gfx950": 160 * 1024}
_LIMIT = 64 * 1024
_ELEMENT = 2
_BYTE_TYPES = (b"float8", b"fp8", b"int8", b"e4m3", b"e5m2")


@rule(
    id="TRI-003",
    title="A Triton tile needs more than 64 KiB of shared memory",
    kinds=PYTHON_KINDS,
    anchors=[names[2] for names in _NAMES],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="A workgroup has 64 KiB of LDS on every AMD GPU but gfx950 and newer; a kernel that asks for more raises "
        "OutOfResources. The autotuner leaves such a config out, so it fails only when no config fits.",
        fix="Give ROCm a config with smaller tiles or fewer stages.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example='triton.Config({"BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 64}, num_stages=4)',
    versions="gfx90a, gfx942, RDNA; gfx950 has 160 KiB",
    source="https://github.com/fla-org/flash-linear-attention/pull/751",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for matmul tiles, given as literals, whose two operands at 2 bytes each need more than 64 KiB of LDS."""
    arch = context.versions.arch or ""
    limit = _LIMITS.get(arch, _LIMIT)
    if arch.startswith("gfx125"):
        return
    over: dict[ast.AST, list[tuple[ast.Call, int]]] = {}
    fits: set[ast.AST] = set()
    for call in configs(document):
        group = config_group(document, call)
        tile = document.argument(call, 0, "kwargs")
        size = _shared(document, dict(dict_items(document, tile)), document.argument(call, 2, "num_stages"), 3)
        if size is None or size <= limit or _may_be_bytes(document, size, limit):
            fits.add(group)
        else:
            over.setdefault(group, []).append((call, size))
    for group, calls in over.items():
        alone = group not in fits and not isinstance(group, ast.ListComp)
        for call, size in calls:
            message = f"this tile needs about {size // 1024} KiB of LDS and there are {limit // 1024}"
            message += "" if alone else ": the autotuner leaves it out"
            yield Hit(call, message, "triton.Config", severity=milder(document) if alone else Severity.INFO)
    for call in launches(document):
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        size = _shared(document, given, given.get("num_stages"), 2)
        if size is not None and size > limit and not _may_be_bytes(document, size, limit):
            message = f"this launch needs about {size // 1024} KiB of LDS and there are {limit // 1024}"
            yield Hit(call, message, "num_stages", severity=milder(document))


def _shared(document: PythonFile, given: dict[str, ast.expr], stages: ast.expr | None, default: int) -> int | None:
    """The LDS two 2-byte operands take: AMD's pipeline holds one buffer fewer than it has stages."""
    depth = default if stages is None else document.number(stages)
    for names in _NAMES:
        sizes = [document.number(given.get(name)) for name in names]
        if depth is not None and all(size is not None for size in sizes):
            m, n, k = (int(size or 0) for size in sizes)
            return (m * k + k * n) * _ELEMENT * max(1, int(depth) - 1)
    return None


def _may_be_bytes(document: PythonFile, size: int, limit: int) -> bool:
    """Whether the operands could be 1-byte types, with which the tile would fit."""
    return size // _ELEMENT <= limit and any(word in document.source.view for word in _BYTE_TYPES)
