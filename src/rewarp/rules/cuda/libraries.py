"""CU-003: NVIDIA's libraries."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, Uses, counted, declares, milder, own_names, reachable, uses
from rewarp.rules.shapes.cuda_libraries import FAMILIES, HEADER, HEADS, WORD, Family, shared
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.tables.libraries import advice
from rewarp.targets import Context

_OPENED = re.compile(rb"\bdlopen\s*\(\s*\Z")


@rule(
    id="CU-003",
    title="An NVIDIA library is used",
    kinds=KINDS,
    anchors=[
        *("cublas*", "cudnn*", "cufft*", "curand*", "cusparse*", "cusolver*", "nccl*", "cub", "thrust", "nvtx*"),
        *("nvToolsExt*", "nvml*", "nvrtc*", "cupti*", "cutensor*", "cuFile*", "cufile", "nvshmem*", "dlopen"),
    ],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.BUILD,
        why="The library exists for NVIDIA GPUs only; ROCm has a twin for each.",
        fix="Include and link the ROCm twin and rename the calls.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="#include <cublas_v2.h>",
    source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/supported_apis.html",
    traits=[Trait.TORCH_TRANSLATES],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for headers and names of NVIDIA's libraries, one finding for a file and library, and for those that are
    opened by name."""
    if b"dlopen" in document.words:
        yield from _opened(document)
    own = own_names(document)
    macros = context.project.own_macros
    words: dict[int, list[bytes]] = {}
    for word in document.words:
        if word[:2] in HEADS and word not in own and (found := WORD.fullmatch(word)) and word.decode() not in macros:
            words.setdefault(int((found.lastgroup or "f0")[1:]), []).append(word)
    for index, family in enumerate(FAMILIES):
        headers, used = _evidence(document, context, index, words.get(index, []))
        if headers or used:
            by_project = used is not None and used.header and not headers
            severity, note = None, ""
            if family.mechanical or by_project:
                severity, note = milder(document, context, used if by_project else None)
            where = min([*headers, *([used.first] if used else [])])
            yield _hit(family, where, used.total if used else 0, severity, note)


def _opened(document: CodeFile) -> Iterator[Hit]:
    for literal in document.literals:
        library = shared(literal.text)
        if library and _OPENED.search(document.code, max(0, literal.where.start - 40), literal.where.start):
            fix = "Open the ROCm library on AMD, behind a platform macro."
            message = f"{literal.text} is opened by name; {advice(library)}"
            yield Hit(
                literal.where, message, literal.text, Severity.CRASH, fix=fix, effort=Effort.HOURS, safety=Safety.NONE
            )


def _evidence(document: CodeFile, context: Context, index: int, words: list[bytes]) -> tuple[list[Span], Uses | None]:
    """What shows that the library is used: its headers and its names."""
    family = FAMILIES[index]
    if family.library:
        # A helper of the project's own may be called cublasCheck: only the library's names count.
        words = [word for word in words if word in cuda.names() or family.name == "CUB"]
    if family.name in ("CUB", "Thrust"):
        words = [
            word for word in words if any(document.code[at + len(word) :][:2] == b"::" for at in document.words[word])
        ]
    used = uses(document, context, [word for word in words if not declares(document, word)])
    headers = [i.where for i in document.includes if HEADER[index].fullmatch(i.path)]
    return [where for where in headers if reachable(document, context, [where.start])], used


def _hit(family: Family, where: Span, count: int, severity: Severity | None, note: str) -> Hit:
    use = f", {counted(count, 'use')}" if count else ""
    how = "a mechanical rename" if family.mechanical else "not a mechanical rename"
    message = f"{family.name} is used{use}; on ROCm it is {family.twin}, {how}" + (
        f": {family.note}" if family.note else ""
    )
    if family.name == "Thrust":
        return Hit(where, f"Thrust is used{use}: {family.note}", family.name, severity=Severity.WORKS)
    if not family.mechanical:
        fix = f"Write the {family.twin} version of these calls beside the {family.name} one, behind a platform macro."
        return Hit(where, message + note, family.name, severity, fix=fix, effort=Effort.HOURS, safety=Safety.NONE)
    return Hit(where, message + note, family.name, severity=severity)
