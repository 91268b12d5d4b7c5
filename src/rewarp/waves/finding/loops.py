"""Loops over lanes and lane offsets that are written for 32: from 16 down, up to 16 or 32, five steps, 32 lanes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import SHUFFLE_HELPER

_TYPE = rb"(?:(?:std::)?[a-z]\w*\s+)*"
FOR = re.compile(
    rb"for(?<!\wfor)\s*\(\s*"
    + _TYPE
    + rb"(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<first>[^;]{1,60});\s*(?P<test>[^;]{0,60});\s*(?P<step>[^;{}]{1,60}?)\)\s*(?=[{\w#\\*(&])"
)
HALVES = re.compile(rb"\w+\s*(?:>>=\s*1|/=\s*2|=\s*\(?\w+\s*(?:>>\s*1|/\s*2)[uU]?\)?)[uU]?\s*")
DOUBLES = re.compile(rb"\w+\s*(?:<<=\s*1|\*=\s*2|\+=\s*\w+|=\s*\(?\w+\s*(?:<<\s*1|\*\s*2)[uU]?\)?)[uU]?\s*")
_ONE_MORE = re.compile(rb"\+\+\s*\w+|\w+\s*\+\+|\w+\s*\+=\s*1")
_ONE_LESS = re.compile(rb"--\s*\w+|\w+\s*--|\w+\s*-=\s*1")
_WHILE = re.compile(
    rb"\b(?P<name>[A-Za-z_]\w*)\s*=\s*16[uU]?\s*;[^{}]{0,200}?\b(?:while\s*\(\s*(?P=name)\b[^;{}]*\)|do)\s*(?=\{)"
)
_FROM_16 = re.compile(rb"=\s*16")
_HELPER = re.compile(rb"(?i)(?<![.>])\b(\w*(?:shfl|shuffle)\w*)\s*(?:<[\w\s,:]*>\s*)?\(")
WHY = "the exchange never crosses lane 32, so half of the wave stays out of the result"
_LOOKED_AT = 500


def find(analysis: Analysis) -> Iterator[Hazard]:
    if not analysis.has_evidence:
        return
    for roles in analysis.functions:
        if roles.shuffles or roles.has_votes or roles.calls_warp_code or roles.has_sync:
            yield from _loops(analysis, roles)
            yield from _while_loops(analysis, roles)
            yield from _unrolled(analysis, roles)


def _loops(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    for match in roles.finditer(FOR):
        how = _written_for_32(analysis, match)
        if not how or not analysis.reachable(match.start()):
            continue
        body = body_of(analysis, match.end(), roles.end)
        confidence = exchanges(analysis, roles, body, match["name"], how)
        if confidence:
            over_64 = "starts" in how and _over_64(analysis, roles, body)
            yield analysis.hazard(
                Kind.LOOP,
                Span(match.start(), match.start() + len(match[0].rstrip())),
                f"{how}, and it exchanges over 64" if over_64 else how,
                WHY,
                confidence=confidence,
                symbol="16" if "16" in how else "32",
                on_any_width=over_64,
            )


def _while_loops(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``int offset = 16; while (offset > 0) { …; offset /= 2; }``"""
    given = (analysis.code.name_before(match.start(), roles.start) for match in roles.finditer(_FROM_16))
    for match in filter(None, (_WHILE.match(analysis.text, name.start, roles.end) for name in given)):
        body = body_of(analysis, match.end(), roles.end)
        how = "the loop over lane offsets starts at 16, half of 32 lanes"
        sure = exchanges(analysis, roles, body, match["name"], how)
        halves = re.search(rb"\b" + match["name"] + rb"\s*(?:>>=|/=|=)", analysis.code.slice(body))
        if sure and halves and analysis.reachable(match.start()):
            where = Span(match.start(), match.start() + len(match[0].partition(b";")[0]))
            yield analysis.hazard(Kind.LOOP, where, how, WHY, confidence=sure, symbol="16")


def _written_for_32(analysis: Analysis, match: re.Match[bytes]) -> str:
    """What shows that a loop's bounds are those of 32 lanes; empty where nothing does."""
    names = analysis.names
    widths = analysis.meaning_width | names.thirty_twos
    first, test, step = match["first"].strip(), match["test"].strip(), match["step"]
    limit = re.sub(rb"^\w+\s*(?:<=|<|>=|>|!=)\s*", b"", test)
    if HALVES.fullmatch(step):
        if (
            re.fullmatch(rb"\(?(?:16[uU]?(?:\s*/\s*[A-Za-z_]\w*)?|32\s*(?:/\s*2|>>\s*1))\)?", first)
            or first in names.halves
            or _is_sixteen(analysis, first)
            or _is(first, widths, rb"\s*(?:/\s*2|>>\s*1)")
        ):
            return f"the loop over lane offsets starts at {first.decode()}, half of 32 lanes"
    elif DOUBLES.fullmatch(step):
        if (
            re.fullmatch(rb"32[uU]?|16[uU]?", limit)
            or limit in names.halves
            or _is(limit, widths, rb"(?:\s*(?:/\s*2|>>\s*1))?")
        ):
            if not re.fullmatch(rb"16[uU]?", limit) or b"=" in test:
                return "the loop over lane offsets ends with 32 lanes"
    elif _ONE_MORE.fullmatch(step) and re.fullmatch(rb"0|1", first):
        five = re.fullmatch(rb"5|LOG_?\w{0,100}WARP\w*", limit) or names.is_fixed(limit, 5)
        if five or (limit == b"4" and b"=" in test):
            return "the loop makes the five steps of 32 lanes"
        if re.fullmatch(rb"32[uU]?", limit) or limit in analysis.meaning_width:
            return "the loop goes over 32 lanes"
    elif _ONE_LESS.fullmatch(step) and first == b"4" and re.search(rb">=\s*0\Z", test):
        return "the loop makes the five steps of 32 lanes"
    return ""


def _is_sixteen(analysis: Analysis, name: bytes) -> bool:
    return _is_constant(analysis, name, b"16")


def _over_64(analysis: Analysis, roles: Roles, body: Span) -> bool:
    """Whether shuffles say that they are over 64 lanes: a reduction that starts at 16 leaves half of what they name out."""
    inside = [one for one in roles.shuffles if one.has_width and body.start <= one.where.start < body.end]
    widths = [analysis.code.slice(one.operands[2]) for one in inside]
    return any(re.fullmatch(rb"64[uU]?", width) or _is_constant(analysis, width, b"64") for width in widths)


def _is_constant(analysis: Analysis, name: bytes, value: bytes) -> bool:
    """Whether a constant of this file has a value."""
    if not re.fullmatch(rb"[A-Za-z_]\w*", name):
        return False
    given = rb"(?:\bconst\w*\b[^;=()]*|#[ \t]*define[ \t]+)\b" + name + rb"\s*[= \t{]\s*" + value + rb"[uU]?(?![\w.])"
    return re.search(given, analysis.text) is not None


def _is(text: bytes, names: frozenset[bytes], tail: bytes) -> bool:
    return any(re.fullmatch(rb"\(?\s*" + re.escape(name) + tail + rb"\s*\)?", text) for name in names)


def body_of(analysis: Analysis, at: int, end: int) -> Span:
    text = analysis.text
    if text[at : at + 1] == b"{":
        return Span(at, min(closing(text, at), end))
    stop = text.find(b";", at, end)
    # `for (…) for (…) { … }` and `for (…) if (…) { … }` end with the inner braces.
    brace = text.find(b"{", at, end)
    if brace >= 0 and (stop < 0 or brace < stop):
        return Span(at, min(closing(text, brace), end))
    return Span(at, min(stop + 1 if stop >= 0 else end, at + _LOOKED_AT))


def exchanges(analysis: Analysis, roles: Roles, body: Span, name: bytes, how: str) -> Confidence | None:
    """Whether the loop hands values between lanes, across the whole wave."""
    text = analysis.code.slice(body)
    uses = re.compile(rb"\b" + re.escape(name) + rb"\b")
    inside = [shuffle for shuffle in roles.shuffles if body.start <= shuffle.where.start < body.end]
    by_name = [
        shuffle
        for shuffle in inside
        if any(uses.search(analysis.code.slice(operand)) for operand in shuffle.operands[1:2])
    ]
    if by_name:
        if all(shuffle.has_width for shuffle in by_name):
            if "starts" in how and _over_64(analysis, roles, body):
                return Confidence.LIKELY
            return Confidence.POSSIBLE if roles.mixes_widths else None
        # An exchange by xor below 32 stays among 32 lanes: right where each half is meant for itself.
        by_xor = all(b"xor" in shuffle.name for shuffle in by_name)
        return Confidence.POSSIBLE if by_xor and "ends" in how else Confidence.LIKELY
    if "goes over" in how:
        bits = re.search(
            rb"1[uU]?\s*<<\s*\(?\s*" + re.escape(name) + rb"\b|>>\s*\(?\s*" + re.escape(name) + rb"\b", text
        )
        if (bits and roles.has_votes) or (analysis.on_warps(roles) and _is_row_of_lane(roles, text, name)):
            return Confidence.LIKELY
        return None
    if inside:
        return None if all(shuffle.has_width for shuffle in inside) else Confidence.LIKELY
    helper = _HELPER.search(text)
    if helper and uses.search(text) and not re.search(rb",\s*32\s*\)", text):
        return Confidence.LIKELY
    return None


def _is_row_of_lane(roles: Roles, text: bytes, name: bytes) -> bool:
    """``lane * 32 + i``: each lane goes over what 32 others left."""
    rows = re.findall(rb"\b([A-Za-z_]\w*)\s*\*\s*(?:32|[A-Za-z_]\w*)\s*\+\s*" + re.escape(name) + rb"\b", text)
    return any(map(roles.is_lane, rows))


def _unrolled(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """The steps of a reduction written out: 16, 8, 4, 2, 1 and no 32."""
    steps = [
        (shuffle.where, analysis.code.slice(shuffle.operands[1]))
        for shuffle in roles.shuffles
        if len(shuffle.operands) == 2 and shuffle.name not in (b"__shfl", b"__shfl_sync")
    ]
    steps += [(where, offset) for where, offset in helper_steps(analysis, roles)]
    offsets = {step for _, step in steps}
    if not offsets.issuperset((b"16", b"8", b"4")) or b"32" in offsets:
        return  # one exchange over 16 lanes is no reduction
    for where, step in steps:
        if step == b"16" and analysis.reachable(where.start):
            yield analysis.hazard(Kind.LOOP, where, "the widest step is 16 lanes, half of 32", WHY, symbol="16")


def helper_steps(analysis: Analysis, roles: Roles) -> Iterator[tuple[Span, bytes]]:
    """Calls of a project's own shuffles, with their last argument."""
    for at, name in analysis.code.warp_calls_in(roles.function.body):
        if SHUFFLE_HELPER.fullmatch(name):
            given = analysis.code.arguments(analysis.text.find(b"(", at))
            if len(given) > 1:
                yield Span(at, given[-1].end + 1), analysis.code.slice(given[-1])
