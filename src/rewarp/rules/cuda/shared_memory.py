"""CU-010: more than 64 KiB of shared memory."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.cuda._numbers import SIZES, constants, evaluate
from rewarp.rules.shapes.cuda import KINDS, arguments
from rewarp.source import Span
from rewarp.targets import Context

_SET = re.compile(rb"\b(?:cudaFuncSetAttribute|cuFuncSetAttribute|cudaFuncSetAttributes?)\s*(?:<[^;()]*>)?\(")
_ATTRIBUTE = re.compile(r"cudaFuncAttributeMaxDynamicSharedMemorySize|CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")
_ARRAY = re.compile(
    rb"\b__shared__\s+(?:(?:volatile|alignas\s*\([^()]*\)|__align__\s*\([^()]*\))\s*)*(?:unsigned\s+|signed\s+)?(\w+)\s+(\w+)"
    rb"\s*((?:\[[^\][;]+\]\s*)+);"
)
_LAUNCH = re.compile(rb"<<<")
_LONGEST_CALL = 2_000
_LIMIT = 64 * 1024
_LIMIT_GFX950 = 160 * 1024


@rule(
    id="CU-010",
    title="A kernel asks for more than 64 KiB of shared memory",
    kinds=KINDS,
    anchors=["cudaFuncSetAttribute", "cuFuncSetAttribute", "__shared__", "~<<<"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="A workgroup has 64 KiB of LDS on AMD GPUs (160 KiB on gfx950): a static array over it does not compile, "
        "a dynamic request fails at launch.",
        fix="Take smaller tiles or fewer stages on ROCm, and ask the device for its limit (sharedMemPerBlock).",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);",
    source="https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html",
    traits=[Trait.AT_LAUNCH],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for shared memory sizes over the limit that can be computed from the file."""
    limit = _LIMIT_GFX950 if context.versions.arch == "gfx950" else _LIMIT
    code = document.code
    for found in _SET.finditer(code):
        call = code[found.end() - 1 : found.end() + _LONGEST_CALL]
        given = [call[a.start : a.end].decode("utf-8", "replace") for a in arguments(call, 0)]
        if len(given) == 3 and _ATTRIBUTE.search(given[1]):
            size = evaluate(given[2], constants(document))
            if size and size > limit:
                yield _hit(
                    Span(found.start(), found.end() - 1),
                    f"{size // 1024} KiB of dynamic shared memory are requested",
                    limit,
                )
    for found in _LAUNCH.finditer(code):
        end = code.find(b">>>", found.end(), found.end() + 600)
        places = list(arguments(b"(" + code[found.end() : end] + b")", 0)) if end > 0 else []
        if len(places) >= 3:
            at = found.end() - 1  # the offset of the bracket put before the first argument
            given_text = code[places[2].start + at : places[2].end + at]
            start = places[2].end + at - len(given_text.lstrip())
            where = Span(start, start + len(given_text.strip()))
            text = given_text.decode("utf-8", "replace").strip()
            size = None if text == "0" else evaluate(text, constants(document))
            if size and size > limit:
                yield _hit(where, f"{size // 1024} KiB of dynamic shared memory are requested", limit)
    for found in _ARRAY.finditer(code):
        size = SIZES.get(found[1].decode())
        for dimension in re.findall(rb"\[([^\]]+)\]", found[3]):
            length = evaluate(dimension.decode("utf-8", "replace"), constants(document))
            size = size * length if size and length else None
        if size and size > limit:
            hit = _hit(Span(*found.span(2)), f"the shared array {found[2].decode()} takes {size // 1024} KiB", limit)
            yield Hit(hit.where, hit.message, hit.symbol, severity=Severity.BUILD)


def _hit(where: Span, what: str, limit: int) -> Hit:
    return Hit(where, f"{what}, over the {limit // 1024} KiB an AMD workgroup has", "shared memory")
