"""CU-009: code that takes a warp to have 32 lanes."""

import re
from collections.abc import Iterator
from itertools import chain

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cfamily import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.cuda._shapes import KINDS, arch_guarded, is_device_code, listed, supplied
from rewarp.source import Span
from rewarp.targets import Context

_UINT = rb"(?:unsigned(?:\s+int)?|(?:std::)?uint32_t|uint)"
_ALL_ONES = (
    rb"0[xX][fF]{8}|~\s*0|-1|4294967295|\(unsigned(?:\s+int)?\)\s*-1|UINT32_MAX|UINT_MAX"
    rb"|(?:" + _UINT + rb"|static_cast\s*<\s*" + _UINT + rb"\s*>)\s*[({]\s*(?:-1|~\s*0[uU]?)\s*[)}]"
)
_MASK = rb"(?:" + _ALL_ONES + rb")[uU]?(?![lL\w])"
_SYNC = rb"__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_any|match_all|reduce_\w+)_sync|__syncwarp"
_SYNC_LITERAL = re.compile(
    rb"\b(" + _SYNC + rb")\s*\(\s*(?:\(\s*(?:unsigned|unsigned int|uint32_t)\s*\)\s*)?"
    rb"((?:" + _ALL_ONES + rb"|0[xX][0-9a-fA-F]{1,8})[uU]?(?![lL\w]))"
)
_SYNC_NAMED = re.compile(rb"\b(" + _SYNC + rb")\s*\(\s*(?:\w+\s*::\s*)*([A-Za-z_]\w*)\s*[,)]")
_SYNC_NAME = re.compile(_SYNC)
_MASK_MACRO = re.compile(rb"#[ \t]*define[ \t]+(\w+)[ \t(]+" + _MASK)
_MASK_VARIABLE = re.compile(
    rb"\b(?:unsigned|uint32_t|unsigned\s+int|uint|int|auto)\s+(?:const\s+)?(\w+)\s*[={]\s*" + _MASK
)
# A variable or parameter that a *_sync function gets must have 64 bits, whatever its value is.
_NARROW_NAME = re.compile(rb"\b(?:unsigned(?:\s+int)?|uint32_t|int|uint)\s+(?:const\s+)?(\w+)\s*[={;,)]")
_WIDE_NAME = re.compile(
    rb"\b(?:uint64_t|long\s+long(?:\s+int)?|unsigned\s+long|size_t|auto|\w*[Mm]ask_?[tT]\w*)\s+(\w+)\b"
)
_MASK_NAME = re.compile(rb"(?i)\w*(full|all|warp)_?(warp_?|lanes?_?)?mask\w*")
_BALLOT = re.compile(
    rb"\b(?:unsigned(?:\s+int)?|uint32_t|int|uint|int32_t)\s+(?:const\s+)?(\w+)\s*=\s*(__ballot(?:_sync)?|__activemask)\s*\("
    rb"|\b(__popc|__ffs|__clz)\s*\(\s*(__ballot(?:_sync)?|__activemask)\s*\("
)
_BALLOT_AUTO = re.compile(rb"\bauto\s+(?:const\s+)?(\w+)\s*=\s*(__ballot(?:_sync)?|__activemask)\s*\(")
_COUNTED = re.compile(rb"\b(__popc|__ffs|__clz|__fns)\s*\(\s*(\w+)\b")
_LANE_BIT = re.compile(rb"(?<![\w.])1[uU]?\s*<<\s*\(?\s*((?:\w*_)?[lL]ane(?:_?[iI][dD]x?)?|LANE(?:_ID)?|laneIdx?)\b")
_VOTES = (b"__ballot", b"__ballot_sync", b"__activemask", b"__match_any_sync", b"__match_all_sync")
_LANE = re.compile(
    rb"\b(?:\w*(?:lane|warp|wid)\w*)\s*=\s*[^;=<>]{0,60}?"
    rb"\b(?:threadIdx\.x|thread_?[iI]dx?\w*|tid\w*)\s*\)?\s*(?:&\s*(?:31|0x1[fF])|%\s*32|>>\s*5|/\s*32)\b(?!\s*\*\s*\w*\.)",
    re.I,
)
_LEADER = re.compile(
    rb"\b(?:threadIdx\.x|tid)\s*(?:&\s*(?:31|0x1[fF])|%\s*32)\s*\)?\s*==\s*0\b|\blane\w*\s*(?:==\s*31|<\s*32|&\s*31)\b"
)
_BITS = re.compile(rb"\bthreadIdx\.x\s*(?:>>\s*5|&\s*(?:31|0x1[fF]))\b")
_WIDTH_NAME = (
    rb"(?:\w*_)?(?:[kK]?_?(?:WARP_?SIZE|[wW]arp_?[sS]ize|WARP_?WIDTH|[wW]arp_?[wW]idth|WARP_?THREADS|[wW]arp_?[tT]hreads"
    rb"|THREADS_PER_WARP|[tT]hreads_?[pP]er_?[wW]arp|LANES_PER_WARP|[lL]anes_?[pP]er_?[wW]arp)|kWARP_SIZE)"
)
_WIDTH = re.compile(
    rb"(?:#[ \t]*define[ \t]+(?P<macro>" + _WIDTH_NAME + rb")[ \t(]+(?:32\b|1[uU]?\s*<<\s*5\b)"
    rb"|\b(?P<name>(?:k[A-Z]\w*)?" + _WIDTH_NAME + rb")\s*(?:=|\{)\s*(?:32[uU]?|\(?1[uU]?\s*<<\s*5\)?)\s*[;,}>])"
)
_SHIFT_NAME = re.compile(rb"(?i)\w*(?:log2?_?(?:of_?)?warp_?(?:size|threads)?|warp_?(?:size_?)?(?:log2?|shift|bits))")
_FIVE = re.compile(rb"\s*[={(]?\s*5\b")
_LOOP = re.compile(
    rb"\bfor\s*\(\s*(?:unsigned\s+)?\w+\s+(\w+)\s*=\s*(?:"
    rb"16[uU]?\s*;\s*\1\s*(?:>=?\s*[01]|!=\s*0)?\s*;\s*\1\s*(?:>>=\s*1|/=\s*2|=\s*\1\s*(?:>>\s*1|/\s*2))"
    rb"|\w+\s*;\s*\1\s*(?P<up><=\s*16|<\s*32)[uU]?\s*;\s*\1\s*(?:<<=\s*1|\*=\s*2|=\s*\1\s*(?:<<\s*1|\*\s*2)))\s*\)"
)
_FOR_AMD = re.compile(r"(?i)(^|[/_.-])(rocm|hip|amd)([/_.-]|$)")
_NUMBER_32 = re.compile(rb"\b32[uU]?\b|<<\s*5\b")
_BY_32 = re.compile(rb"&\s*(?:31|0x1[fF])|[%/]\s*32|>>\s*5")
_SHUFFLE = re.compile(rb"(?i)sh(?:u)?fl")
# A tile of 32 threads keeps its meaning on a wave of 64; what reaches past it are the warp-wide functions.
_TILE = re.compile(rb"\btiled_partition\s*(?:<\s*32\s*[,>]|\([^()]*,\s*32\s*\))|\bthread_block_tile\s*<\s*32\s*[,>]")
_WARP_WIDE = re.compile(rb"__(?:shfl|ballot|activemask|any|all|syncwarp|match)")
_NARROW = re.compile(rb"__shfl\w*\s*\([^;]*,\s*(?:32|\w*WARP_?SIZE\w*)\s*\)")
_NARROW_OR_XOR = re.compile(_NARROW.pattern + rb"|(?i:sh(?:u)?fl_?xor)")


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
    if not is_device_code(document) and not any(
        word.startswith(b"cuda") or _SYNC_NAME.fullmatch(word) for word in document.words
    ):
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
    named: set[bytes] = set()
    for found in chain(_MASK_MACRO.finditer(code), _MASK_VARIABLE.finditer(code) if passed else ()):
        mask = found[1]
        named.add(mask)
        if mask in passed or _MASK_NAME.fullmatch(mask):
            yield (
                Span(*found.span()),
                f"{mask.decode()} is a mask of 32 lanes",
                mask.decode(),
                True,
                passed.get(mask, set()),
            )
    if passed and (narrow := passed.keys() - named):
        narrow -= {found[1] for found in _WIDE_NAME.finditer(code)}
        for found in _NARROW_NAME.finditer(code) if narrow else ():
            if found[1] in narrow:
                name, functions = found[1].decode(), passed[found[1]]
                message = f"{name} has 32 bits and is a mask of lanes for {listed(sorted(functions))}"
                yield Span(found.start(), found.end(1)), message, name, True, functions
    yield from _votes(document)
    for found in _BALLOT.finditer(code):
        if found[1]:
            message = f"the result of {found[2].decode()} is kept in 32 bits; it has 64"
        else:
            message = f"{found[3].decode()} counts 32 bits of a ballot; it has 64 (use {found[3].decode()}ll)"
        yield Span(*found.span()), message, (found[2] or found[4]).decode(), False, set()
    for found in _near(_NUMBER_32, _WIDTH, code, 100):
        name = (found["macro"] or found["name"]).decode()
        yield Span(*found.span()), f"{name} is fixed at 32", name, False, set()
    for word, places in document.words.items():
        if (b"arp" in word or b"ARP" in word) and _SHIFT_NAME.fullmatch(word):
            for at in places:
                if five := _FIVE.match(code, at + len(word)):
                    yield (
                        Span(at, five.end()),
                        f"{word.decode()} is fixed at 5, for 32 lanes",
                        word.decode(),
                        False,
                        set(),
                    )
    tiled = _TILE.search(code) is not None
    for where, message, symbol in _arithmetic(code):
        if not tiled or not _in_tile(code, where.start):
            yield where, message, symbol, False, set()


def _votes(document: CodeFile) -> Iterator[tuple[Span, str, str, bool, set[str]]]:
    """Ballots that lose their upper half where they are used."""
    if not any(word in document.words for word in _VOTES):
        return
    code = document.code
    ballots = {found[1]: found[2].decode() for found in _BALLOT_AUTO.finditer(code)}
    for found in _COUNTED.finditer(code) if ballots else ():
        if found[2] in ballots:
            function = found[1].decode()
            message = f"{function} counts 32 bits of a ballot; it has 64 (use {function}ll)"
            yield Span(*found.span()), message, ballots[found[2]], False, set()
    for found in _LANE_BIT.finditer(code):
        yield (
            Span(*found.span()),
            f"1 << {found[1].decode()} has 32 bits, a lane number goes up to 63",
            "32",
            False,
            set(),
        )


def _arithmetic(code: bytes) -> Iterator[tuple[Span, str, str]]:
    """Lane numbers, warp numbers and loops over lanes that hold a 32."""
    for found in _near(_BY_32, _LANE, code, 160):
        yield Span(*found.span()), "a lane or warp number is computed with 32", "32"
    if _SHUFFLE.search(code) or b"__ballot" in code:
        for found in _LEADER.finditer(code):
            yield Span(*found.span()), "the lane number is taken modulo 32", "32"
        for found in _BITS.finditer(code):
            yield Span(*found.span()), "a lane or warp number is computed with 32", "32"
        for found in _LOOP.finditer(code):
            # A shuffle of width 32 stays among 32 lanes, on a wave of 64 too.
            shuffle = _SHUFFLE.search(code, found.end(), found.end() + 400)
            # Up to 16, an exchange by xor stays among 32 lanes too.
            inside = _NARROW if not found["up"] else _NARROW_OR_XOR
            if shuffle and not inside.search(code, found.end(), found.end() + 400):
                how = (
                    "the loop over lanes ends at 32"
                    if found["up"]
                    else "the reduction starts at offset 16, half of 32 lanes"
                )
                yield Span(*found.span()), how, "32" if found["up"] else "16"


def _in_tile(code: bytes, at: int) -> bool:
    """Whether the function around a place works on a cooperative-groups tile of 32 and not on the whole warp."""
    start = max(code.rfind(b"\n}", 0, at), 0)
    end = code.find(b"\n}", at)
    body = code[start : end if end >= 0 else len(code)]
    return bool(_TILE.search(body)) and not _WARP_WIDE.search(body)


def _near(rare: re.Pattern[bytes], pattern: re.Pattern[bytes], code: bytes, before: int) -> Iterator[re.Match[bytes]]:
    """Matches of a costly pattern, looked for only around the places of a cheap one that each of them holds."""
    at = 0
    for place in rare.finditer(code):
        if place.start() >= at:
            for found in pattern.finditer(code, max(at, place.start() - before), min(len(code), place.end() + 8)):
                at = found.end()
                yield found
