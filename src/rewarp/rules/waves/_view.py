"""How a hazard of the wave pass becomes a hit of a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rewarp.findings import Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit
from rewarp.rules.shapes.cuda import Guard, arch_guard, is_device_code, listed, supplied
from rewarp.source import Span
from rewarp.targets import Context, ProjectFacts
from rewarp.waves import NO_FACTS, Confidence, Consequence, Hazard, Kind, WaveFacts, find
from rewarp.waves.reading.functions import Function, definitions
from rewarp.waves.reading.vocabulary import SYNC_NAMES

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
        guard = arch_guard(document, context, hazard.where.start)
        if line in lines or (guard is not None and guard >= Guard.GIVES_UP):
            continue
        lines.add(line)
        yield _hit(document, context, hazard) if guard is None else _left_out(hazard)


def _left_out(hazard: Hazard) -> Hit:
    """Of what HIP does not compile: the test around it is what happens there, and is told."""
    message = f"{hazard.message}; HIP compiles it only once the test of __CUDA_ARCH__ around it lets AMD in"
    return Hit(Span(*hazard.where), message, hazard.symbol, severity=Severity.INFO)


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


_WHOLE_WAVE = re.compile(
    rb"\bwarpSize\b|\w*(?:[bB]allot|BALLOT|[aA]ctivemask|match_a\w\w)\w*|\b__(?:any|all)(?:_sync)?\b|\b__reduce_\w+"
    rb"|\b__shfl(?:_sync)?\s*\((?![^;{}]*,\s*(?:32[uU]?|\w*(?i:warp_?size|warp_?width)\w*)\s*\))|(?<!_)\b(?!\w*(?i:xor|down|up))\w*(?:SHFL|[sS]huffle|SHUFFLE)\w*"
    rb"|\bshfl(?:_sync)?\b|\bcoalesced_threads\b|\bthread_rank\b|\bmeta_group_\w+"
    rb"|\bWarp(?:Reduce|Scan|Exchange|Load|Store|MergeSort)\b"
)
"""Exchanges and votes that see a whole wave, and the hardware's own width."""
_WIDTH_NAME = re.compile(rb"\b\w*(?i:warp_?size|wave_?size|wavefront_?size|warp_?width|lanes_per_warp)\w*\b")
_LANES_OF_32 = (Kind.LANE_ARITHMETIC, Kind.LOOP, Kind.WIDTH_CONSTANT, Kind.SHIFT_CONSTANT, Kind.LAUNCH_GEOMETRY)
_WORD = re.compile(rb"[A-Za-z_]\w*")


def _in_halves(document: CodeFile, context: Context, hazard: Hazard) -> bool:
    """Whether lanes are numbered by 32 and values exchanged only by xor, upwards and downwards: each half of a wave then does by
    itself what a warp did, and a sum over halves is the sum over warps. A ballot, a value that one lane hands to all, or the
    hardware's own width beside it make the difference."""
    if hazard.kind is Kind.WIDTH_CONSTANT and _CHECKED.match(document.code, _line_start(document, hazard)):
        return True
    # Without threads of its own a file says nothing of how its numbers and sums are used elsewhere.
    if b"threadIdx" not in document.words and document.source.path not in context.project.fixed_width:
        return False
    around = _reached(document, hazard.where.start)
    exchanges = (b"__shfl_", *_exchange_macros(document))
    if not any(word in document.code[part.start : part.end] for part in around for word in exchanges):
        around = [Span(0, len(document.code))]  # a function that only numbers lanes does so for others
    return _numbers_alone(document, context.project.warp_widths) and not any(
        _sees_whole_wave(document, part) for part in around
    )


@lru_cache(maxsize=8)
def _sees_whole_wave(document: CodeFile, part: Span) -> bool:
    """A file's own WarpReduce is not CUB's: what it exchanges stands in it. So do its macros for exchanges."""
    own = {function.name.encode() for function in _functions(document)} | _own_exchanges(document)
    return any(
        found[0] not in own and not _is_in_macro_of_its_name(document, found) and not _hands_on(document, part, found)
        for found in _WHOLE_WAVE.finditer(document.code, *part)
    )


_MACRO = re.compile(rb"(?m)^[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)\([^)\n]*\)(?P<body>(?:\\\r?\n|[^\n])*)")
_EXCHANGE_NAME = re.compile(rb"\w*(?:SHFL|[sS]huffle|SHUFFLE|shfl)\w*")
_BY_LANE = rb"\s*(?:\w*(?i:lane)\w*|(?:threadIdx\s*\.\s*x|\w+)\s*(?:%\s*32|&\s*(?:31|0[xX]1[fF])))\s*"
_FROM_FIRST = re.compile(rb"\s*\((?:\s*[^,;(){}]+(?:\([^()]*\))?\s*,)?\s*(?P<value>[A-Za-z_]\w*)\s*,\s*0\s*\)")


@lru_cache(maxsize=2)
def _exchange_macros(document: CodeFile) -> dict[bytes, Span]:
    """Macros of a file that are called after an exchange, and where they are defined."""
    found = _MACRO.finditer(document.code) if b"define" in document.words else iter(())
    return {match["name"]: Span(*match.span()) for match in found if _EXCHANGE_NAME.fullmatch(match["name"])}


def _own_exchanges(document: CodeFile) -> frozenset[bytes]:
    """Those that exchange by offsets: nothing in them sees more than the lanes that it is told."""
    macros = _exchange_macros(document).items()
    return frozenset(
        name for name, where in macros if not _sees(document.code[where.start + len(b"#define") : where.end], name)
    )


def _sees(text: bytes, name: bytes) -> bool:
    return any(found[0] != name for found in _WHOLE_WAVE.finditer(text))


def _is_in_macro_of_its_name(document: CodeFile, found: re.Match[bytes]) -> bool:
    """Whether an exchange stands in a macro that is called after it, or takes that back: where the macro is used it counts."""
    if document.code.endswith(b"#undef ", 0, found.start()):
        return True
    return any(where.start <= found.start() < where.end for where in _exchange_macros(document).values())


def _hands_on(document: CodeFile, part: Span, found: re.Match[bytes]) -> bool:
    """Whether the first lane hands on what every lane read from shared memory after the block's last barrier: in both halves of
    a wave it is the same."""
    given = _FROM_FIRST.match(document.code, found.end() - found[0].endswith(b"("))
    barrier = document.code.rfind(b"__syncthreads", part.start, found.start())
    if given is None or barrier < 0:
        return False
    read = rb"\b%s\s*=[^=;]*\w\s*\[%s\]" % (re.escape(given["value"]), _BY_LANE)
    return re.search(read, document.code[barrier : found.start()]) is not None


_CHECKED = re.compile(rb"\s*(?:static_assert\b|template\s*<)")
"""What a width is checked against, or a function takes for one, is no width by itself."""


def _line_start(document: CodeFile, hazard: Hazard) -> int:
    return document.code.rfind(b"\n", 0, hazard.where.start) + 1


@lru_cache(maxsize=2)
def _functions(document: CodeFile) -> tuple[Function, ...]:
    return tuple(definitions(document.code))


def _reached(document: CodeFile, at: int) -> list[Span]:
    """The function around a place and those of this file that it names, and so on: kernels that it launches, what these call."""
    by_name: dict[bytes, list[Function]] = {}
    for function in _functions(document):
        by_name.setdefault(function.name.encode(), []).append(function)
    found: list[Span] = []
    open_ends = [function for function in _functions(document) if function.holds(at)][:1]
    while open_ends:
        function = open_ends.pop()
        found.append(Span(function.head.start, function.body.end))
        for name in set(_WORD.findall(document.code, *function.body)):
            open_ends += by_name.pop(name, ())
    return found


@lru_cache(maxsize=2)
def _numbers_alone(document: CodeFile, widths: frozenset[str]) -> bool:
    """Whether the widths of a file are 32 by its own account or the project's, and the hardware's is not asked for."""
    if b"warpSize" in document.words:
        return False
    # A width that another file names may be the hardware's.
    names = set(_WIDTH_NAME.findall(document.code)) - {name.encode() for name in widths}
    return all(re.search(rb"\b%s[ \t]*=?[ \t]*\(?32\b" % re.escape(name), document.code) for name in names)


_ABOUT_NUMBERS = (
    *(Kind.LANE_ARITHMETIC, Kind.WIDTH_CONSTANT, Kind.SHIFT_CONSTANT),
    *(Kind.LAUNCH_GEOMETRY, Kind.LAUNCH_BOUNDS),
)
_BY_HARDWARE = re.compile(rb"\bwarpSize\b")


def _told_beside(document: CodeFile, context: Context, hazard: Hazard) -> bool:
    """Whether the functions around exchange values in a way that is told: numbers of lanes, addresses and blocks by 32 stay right on
    wider waves, and what goes wrong goes wrong there. A kernel that goes by the hardware's own width needs blocks of it."""
    around = _reached(document, hazard.where.start)
    if hazard.kind is Kind.LAUNCH_GEOMETRY and any(_BY_HARDWARE.search(document.code, *part) for part in around):
        return False
    return any(
        part.start <= other.where.start < part.end
        for other in _hazards(document, context)
        if other.kind not in _ABOUT_NUMBERS and other.confidence is not Confidence.POSSIBLE
        for part in around
    )


def _warp_functions(document: CodeFile, context: Context) -> list[str]:
    """CUDA's warp functions that the target's compiler meets in a file."""
    found = (match for match in _WORD.finditer(document.code) if match[0] in SYNC_NAMES)
    return sorted({match[0].decode() for match in found if not document.is_dead(match.start(), context.target)})


def _hit(document: CodeFile, context: Context, hazard: Hazard) -> Hit:
    severity = Severity.INFO if hazard.confidence is Confidence.POSSIBLE else _SEVERITIES[hazard.consequence]
    message = f"{hazard.message}: {hazard.why} ({hazard.consequence.value}, {hazard.confidence.value})"
    if hazard.kind is Kind.LAUNCH_BOUNDS and hazard.consequence is Consequence.WRONG_RESULT:
        # Blocks are counted where they are launched, and told there.
        severity = Severity.INFO
        message = f"{hazard.message}: it holds for blocks that are counted by 32 as well, and not for waves of 64"
    elif (
        hazard.kind in _LANES_OF_32
        and hazard.consequence is Consequence.WRONG_RESULT
        and not hazard.on_any_width
        and _in_halves(document, context, hazard)
    ):
        severity = Severity.INFO
        message = f"{hazard.message}; nothing here sees more than 32 lanes, so each half of a wave does what a warp did"
    elif (
        hazard.kind in (Kind.LANE_ARITHMETIC, Kind.LAUNCH_GEOMETRY)
        and hazard.consequence is Consequence.WRONG_RESULT
        and _told_beside(document, context, hazard)
    ):
        severity = Severity.INFO
        message = f"{hazard.message}; right as long as lanes of one half exchange values only: the exchanges that do not are told"
    elif hazard.on_any_width and hazard.consequence is Consequence.COMPILE_ERROR and hazard.symbol == "warpSize":
        # A number for HIP's compiler before ROCm 7.
        severity = severity if context.versions.matches(rocm=">=7") else Severity.INFO
    if not context.ported and _FOR_AMD.search(document.source.path) and severity is not Severity.INFO:
        severity = Severity.INFO
        message += "; the file is written for AMD, so 32 may be meant"
    if hazard.kind is Kind.MASK_32:
        headers = supplied(document, context)
        functions = [hazard.symbol] if hazard.symbol in headers else _warp_functions(document, context)
        if functions and all(name in headers for name in functions):
            message = f"{hazard.message}; {headers[functions[0]]} supplies {listed(functions)} for HIP"
            severity = Severity.INFO
    return Hit(Span(*hazard.where), message, hazard.symbol, severity=severity)
