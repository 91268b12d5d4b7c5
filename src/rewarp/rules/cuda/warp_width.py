"""CU-009: code that takes a warp to have 32 lanes."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cfamily import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.cuda._shapes import KINDS, arch_guarded, is_device_code, listed, supplied
from rewarp.source import Span
from rewarp.targets import Context

_MASK = rb"(?:0[xX][fF]{8}|~\s*0|-1|4294967295|\(unsigned(?:\s+int)?\)\s*-1|UINT32_MAX|UINT_MAX)[uU]?(?![lL\w])"
_SYNC = rb"__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_any|match_all|reduce_\w+)_sync|__syncwarp"
_SYNC_LITERAL = re.compile(
    rb"\b(" + _SYNC + rb")\s*\(\s*(?:\(\s*(?:unsigned|unsigned int|uint32_t)\s*\)\s*)?(" + _MASK + rb")"
)
_SYNC_NAMED = re.compile(rb"\b(" + _SYNC + rb")\s*\(\s*([A-Za-z_]\w*)\s*[,)]")
_NAMED_MASK = re.compile(
    rb"(?:#[ \t]*define[ \t]+(\w+)[ \t(]+|\b(?:unsigned|uint32_t|unsigned\s+int|uint|int|auto)\s+(?:const\s+)?(\w+)\s*[={]\s*)"
    + _MASK
)
_MASK_NAME = re.compile(rb"(?i)\w*(full|all|warp)_?(warp_?|lanes?_?)?mask\w*")
_BALLOT = re.compile(
    rb"\b(?:unsigned(?:\s+int)?|uint32_t|int|uint|int32_t)\s+(?:const\s+)?(\w+)\s*=\s*(__ballot(?:_sync)?|__activemask)\s*\("
    rb"|\b(__popc|__ffs|__clz)\s*\(\s*(__ballot(?:_sync)?|__activemask)\s*\("
)
_LANE = re.compile(
    rb"\b(?:\w*(?:lane|warp|wid)\w*)\s*=\s*[^;=<>]{0,60}?"
    rb"\b(?:threadIdx\.x|thread_?[iI]dx?\w*|tid\w*)\s*\)?\s*(?:&\s*(?:31|0x1[fF])|%\s*32|>>\s*5|/\s*32)\b(?!\s*\*\s*\w*\.)",
    re.I,
)
_LEADER = re.compile(
    rb"\b(?:threadIdx\.x|tid)\s*(?:&\s*(?:31|0x1[fF])|%\s*32)\s*\)?\s*==\s*0\b|\blane\w*\s*(?:==\s*31|<\s*32|&\s*31)\b"
)
_WIDTH_NAME = (
    rb"(?:\w*_)?(?:[kK]?_?(?:WARP_?SIZE|[wW]arp_?[sS]ize|WARP_?WIDTH|[wW]arp_?[wW]idth|WARP_?THREADS|[wW]arp_?[tT]hreads"
    rb"|THREADS_PER_WARP|[tT]hreads_?[pP]er_?[wW]arp|LANES_PER_WARP|[lL]anes_?[pP]er_?[wW]arp)|kWARP_SIZE)"
)
_WIDTH = re.compile(
    rb"(?:#[ \t]*define[ \t]+(?P<macro>" + _WIDTH_NAME + rb")[ \t(]+32\b"
    rb"|\b(?P<name>(?:k[A-Z]\w*)?" + _WIDTH_NAME + rb")\s*(?:=|\{)\s*32[uU]?\s*[;,}>])"
)
_LOOP = re.compile(
    rb"\bfor\s*\(\s*(?:unsigned\s+)?\w+\s+(\w+)\s*=\s*(16)\s*;\s*\1\s*(?:>=?\s*[01]|!=\s*0)?\s*;\s*\1\s*(?:>>=\s*1|/=\s*2|=\s*\1\s*(?:>>\s*1|/\s*2))\s*\)"
)
_FOR_AMD = re.compile(r"(?i)(^|[/_.-])(rocm|hip|amd)([/_.-]|$)")
_NUMBER_32 = re.compile(rb"\b32[uU]?\b")
_BY_32 = re.compile(rb"&\s*(?:31|0x1[fF])|[%/]\s*32|>>\s*5")
_SHUFFLE = re.compile(rb"(?i)sh(?:u)?fl")
_NARROW = re.compile(rb"__shfl\w*\s*\([^;]*,\s*(?:32|\w*WARP_?SIZE\w*)\s*\)")


@rule(
    id="CU-009",
    title="A warp is taken to have 32 lanes",
    kinds=KINDS,
    anchors=[
        *("threadIdx", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__shfl", "__shfl_xor"),
        *(
            "__shfl_down",
            "__shfl_up",
            "__ballot",
            "__ballot_sync",
            "__any_sync",
            "__all_sync",
            "__syncwarp",
            "__activemask",
        ),
        *("__match_any_sync", "__match_all_sync", "__reduce_add_sync", "__reduce_max_sync", "__reduce_min_sync"),
        *("*WARP_SIZE", "*WARPSIZE", "*warpSize", "*WarpSize", "*warp_size", "*PER_WARP", "*PerWarp", "*per_warp"),
        *("*WARP_THREADS", "*WarpThreads", "FULL_MASK", "WARP_MASK", "FULL_WARP_MASK"),
    ],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="A wave has 64 lanes on CDNA and 32 on RDNA. Code that counts on 32 leaves half of a 64-lane wave out of reductions "
        "and votes, or takes two warps for one; HIP's *_sync functions also reject a mask that is not 64 bits wide.",
        fix="Use warpSize (or a width chosen per target) for lane arithmetic and loops, and a 64-bit mask of all lanes: a "
        "widened 0xffffffff names only half of the wave.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="value += __shfl_down_sync(0xffffffff, value, 16);",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_cpp_language_extensions.html",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for 32-bit lane masks, ballots kept in 32 bits, lane arithmetic with 32, warp sizes of 32 and loops from 16."""
    if _FOR_AMD.search(document.source.path):
        return
    if not is_device_code(document) and not any(word.startswith(b"cuda") for word in document.words):
        return
    seen: set[int] = set()
    headers = supplied(document, context)
    for where, message, symbol, always, functions in _places(document):
        if (not always and context.versions.wave_sizes == {32}) or arch_guarded(document, context, where.start):
            continue
        line = document.source.line_at(where.start)
        if line not in seen:  # one line often shows two symptoms
            seen.add(line)
            if always and functions and functions <= headers.keys():
                message += f"; {headers[min(functions)]} supplies {listed(sorted(functions))} for HIP"
                yield Hit(where, message, symbol, severity=Severity.INFO)
            else:
                yield Hit(where, message, symbol, severity=Severity.BUILD if always else None)


def _places(document: CodeFile) -> Iterator[tuple[Span, str, str, bool, set[str]]]:
    """(place, message, symbol, whether it is trouble on 32-lane GPUs as well, functions that get the mask)."""
    code = document.code
    for found in _SYNC_LITERAL.finditer(code):
        name = found[1].decode()
        yield Span(found.start(1), found.end(2)), f"{name} gets a 32-bit mask of lanes", name, True, {name}
    passed: dict[bytes, set[str]] = {}
    for found in _SYNC_NAMED.finditer(code):
        passed.setdefault(found[2], set()).add(found[1].decode())
    for found in _NAMED_MASK.finditer(code):
        mask = found[1] or found[2]
        if mask in passed or (_MASK_NAME.fullmatch(mask) and (found[1] or passed)):
            yield (
                Span(*found.span()),
                f"{mask.decode()} is a mask of 32 lanes",
                mask.decode(),
                True,
                passed.get(mask, set()),
            )
    for found in _BALLOT.finditer(code):
        if found[1]:
            message = f"the result of {found[2].decode()} is kept in 32 bits; it has 64"
        else:
            message = f"{found[3].decode()} counts 32 bits of a ballot; it has 64 (use {found[3].decode()}ll)"
        yield Span(*found.span()), message, (found[2] or found[4]).decode(), False, set()
    for found in _near(_NUMBER_32, _WIDTH, code, 100):
        name = (found["macro"] or found["name"]).decode()
        yield Span(*found.span()), f"{name} is fixed at 32", name, False, set()
    for found in _near(_BY_32, _LANE, code, 160):
        yield Span(*found.span()), "a lane or warp number is computed with 32", "32", False, set()
    if _SHUFFLE.search(code) or b"__ballot" in code:
        for found in _LEADER.finditer(code):
            yield Span(*found.span()), "the lane number is taken modulo 32", "32", False, set()
        for found in _LOOP.finditer(code):
            # A shuffle of width 32 stays among 32 lanes, on a wave of 64 too.
            if _SHUFFLE.search(code, found.end(), found.end() + 400) and not _NARROW.search(
                code, found.end(), found.end() + 400
            ):
                yield Span(*found.span()), "the reduction starts at offset 16, half of 32 lanes", "16", False, set()


def _near(rare: re.Pattern[bytes], pattern: re.Pattern[bytes], code: bytes, before: int) -> Iterator[re.Match[bytes]]:
    """Matches of a costly pattern, looked for only around the places of a cheap one that each of them holds."""
    at = 0
    for place in rare.finditer(code):
        if place.start() >= at:
            for found in pattern.finditer(code, max(at, place.start() - before), min(len(code), place.end() + 8)):
                at = found.end()
                yield found
