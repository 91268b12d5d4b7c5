"""How a hazard of the wave pass becomes a hit of a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rewarp.findings import Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit
from rewarp.rules.cuda._shapes import arch_guarded, is_device_code, listed, supplied
from rewarp.source import Span
from rewarp.targets import Context, ProjectFacts
from rewarp.waves import NO_FACTS, Confidence, Consequence, Hazard, Kind, WaveFacts, find
from rewarp.waves.vocabulary import SYNC_NAMES

SOURCE = "https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_cpp_language_extensions.html"
ANCHORS = (
    *(
        "*warp",
        "*Warp",
        "*WARP",
        "*__shfl",
        "*shfl_",
        "*SHFL",
        "*huffle",
        "*HUFFLE",
        "*allot",
        "*BALLOT",
        "__any",
        "__all",
        "__any_sync",
    ),
    *("__all_sync", "__activemask", "*__match_", "*__reduce_", "*lane_id", "*laneid", "*laneId", "*LaneId", "lane"),
)
"""Words of warps: a file without any of them has no lanes to count."""
_FOR_AMD = re.compile(r"(?i)(^|[/_.-])(rocm|hip|amd)([/_.-]|$)")
_SEVERITIES = {
    Consequence.WRONG_RESULT: Severity.WRONG,
    Consequence.HANG: Severity.CRASH,
    Consequence.OUT_OF_BOUNDS: Severity.CRASH,
    Consequence.COMPILE_ERROR: Severity.BUILD,
    Consequence.SLOW: Severity.PERF,
}


def hits(document: CodeFile, context: Context, *kinds: Kind) -> Iterator[Hit]:
    """The hazards of these kinds, one for each line."""
    lines: set[int] = set()
    only_32 = context.versions.wave_sizes == {32}
    for hazard in _hazards(document, context):
        if hazard.kind not in kinds or (only_32 and not hazard.on_any_width):
            continue
        line = document.source.line_at(hazard.where.start)
        if line in lines or arch_guarded(document, context, hazard.where.start):
            continue
        lines.add(line)
        yield _hit(document, context, hazard)


def _hazards(document: CodeFile, context: Context) -> tuple[Hazard, ...]:
    facts = _facts(context.project)
    return find(document, facts, context.target) if _is_for_gpus(document, facts) else ()


def _facts(project: ProjectFacts) -> WaveFacts:
    if not (project.warp_widths or project.lane_masks):
        return NO_FACTS
    return WaveFacts(widths=project.warp_widths, masks=project.lane_masks)


@lru_cache(maxsize=2)
def _is_for_gpus(document: CodeFile, facts: WaveFacts) -> bool:
    """Whether a file can hold device code, launch it, or name a width for it; others have warps of something else."""
    if is_device_code(document):
        return True
    if any(name.encode() in document.words for name in (*facts.widths, *facts.masks)):
        return True
    return any(word.startswith(b"cuda") or word in SYNC_NAMES for word in document.words)


def _hit(document: CodeFile, context: Context, hazard: Hazard) -> Hit:
    severity = Severity.INFO if hazard.confidence is Confidence.POSSIBLE else _SEVERITIES[hazard.consequence]
    message = f"{hazard.message}: {hazard.why} ({hazard.consequence.value}, {hazard.confidence.value})"
    if _FOR_AMD.search(document.source.path) and severity is not Severity.INFO:
        severity = Severity.INFO
        message += "; the file is written for AMD, so 32 may be meant"
    if hazard.kind is Kind.MASK_32:
        headers = supplied(document, context)
        functions = sorted(word.decode() for word in document.words if word in SYNC_NAMES)
        if functions and all(name in headers for name in functions):
            message = f"{hazard.message}; {headers[functions[0]]} supplies {listed(functions)} for HIP"
            severity = Severity.INFO
    return Hit(Span(*hazard.where), message, hazard.symbol, severity=severity)
