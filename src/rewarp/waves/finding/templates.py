"""Templates of a project that are told how many lanes a warp has, or how far they exchange values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.finding.loops import DOUBLES, FOR, HALVES, WHY, body_of, exchanges, helper_steps
from rewarp.waves.hazards import Confidence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import WARP_HELPER, WIDTH_NAME

_TEMPLATE = re.compile(rb"\s*template\s*<([^<>]*)>")
_WARP_TEMPLATE = re.compile(rb"\b(?P<name>(?=\w*(?i:warp))[A-Za-z_]\w*)\s*<(?P<given>[\w\s,:]*\b32[uU]?)\s*>\s*\(")
_LIMITED = re.compile(rb"static_assert(?<!\wstatic_assert)\s*\(\s*(?P<name>[A-Za-z_]\w*)\s*<=?\s*(?P<limit>16|32)\b")
_NUMBER = re.compile(rb"(?:int|unsigned|size_t|uint32_t|auto)\s+([A-Za-z_]\w*)")
_HALF_OF = re.compile(rb"\(?\s*([A-Za-z_]\w*)\s*(?:/\s*2|>>\s*1)[uU]?\s*\)?")
_THIRTY_TWO = (b"32", b"32u", b"32U")


def find(analysis: Analysis) -> Iterator[Hazard]:
    if not analysis.has_evidence:
        return
    for roles in analysis.functions:
        if b"template" in analysis.code.slice(roles.function.head):
            yield from _told_widths(analysis, roles)
            if roles.shuffles or roles.calls_warp_code:
                yield from _in_templates(analysis, roles)
    yield from _of_others(analysis)


def _in_templates(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """Offsets that are template parameters: where they are said to be at most 16, and where 16 is what they get."""
    offsets = {analysis.code.slice(shuffle.operands[1]) for shuffle in roles.shuffles if len(shuffle.operands) == 2}
    offsets |= {offset for _, offset in helper_steps(analysis, roles)}
    names = {word for offset in offsets for word in re.findall(rb"[A-Za-z_]\w*", offset)}
    head = analysis.code.slice(roles.function.head)
    names = {name for name in names if re.search(rb"\b(?:int|unsigned|size_t)\s+" + name + rb"\s*[,>=]", head)}
    if not names:
        return
    for match in roles.finditer(_LIMITED):
        if match["name"] in names and analysis.reachable(match.start()):
            message = f"{match['name'].decode()}, an offset of lanes, is at most {match['limit'].decode()}"
            yield analysis.hazard(Kind.LOOP, Span(*match.span()), message, WHY, symbol=match["limit"].decode())
    calls = re.compile(rb"\b" + re.escape(roles.function.name.encode()) + rb"\s*<[^<>;(){}]*\b16\b[^<>;(){}]*>\s*\(")
    for match in analysis.at_name(roles.function.name.encode(), calls):
        message = f"{roles.function.name} exchanges values over 16 lanes first, half of 32"
        yield analysis.hazard(Kind.LOOP, Span(*match.span()), message, WHY, symbol="16")


def _told_widths(analysis: Analysis, roles: Roles) -> Iterator[Hazard]:
    """``reduce<float, 32>(v)``: a template that works on as many lanes as it is told."""
    template = _TEMPLATE.match(analysis.code.slice(roles.function.head))
    if not template:
        return
    declared = [number[1] if (number := _NUMBER.search(each)) else b"" for each in template[1].split(b",")]
    widths = {name for name in declared if WIDTH_NAME.fullmatch(name)} if analysis.on_warps(roles) else set()
    if roles.shuffles or roles.calls_warp_code:
        widths |= _widths_of_loops(analysis, roles)
    told = [index for index, name in enumerate(declared) if name in widths]
    if not told:
        return
    name = roles.function.name.encode()
    calls = re.compile(rb"\b" + re.escape(name) + rb"\s*<([^<>;(){}]*)>\s*(?:\(|<<<)")
    for match in analysis.on_lines(calls, name):
        given = [each.strip() for each in match[1].split(b",")]
        if any(given[index] in _THIRTY_TWO for index in told if index < len(given)):
            message = f"{roles.function.name} is told to work on warps of 32 lanes"
            yield analysis.hazard(Kind.LOOP, Span(*match.span()), message, WHY)


def _of_others(analysis: Analysis) -> Iterator[Hazard]:
    """``warp_reduce<float, 32>(v)``: a function of another file whose name says that it works on warps."""
    for match in analysis.on_lines(_WARP_TEMPLATE, b"32"):
        given = [each.strip() for each in match["given"].split(b",")]
        if given[-1] in _THIRTY_TWO and WARP_HELPER.fullmatch(match["name"]) and not analysis.defines(match["name"]):
            message = f"{match['name'].decode()} is told to work on warps of 32 lanes"
            yield analysis.hazard(Kind.LOOP, Span(*match.span()), message, WHY, confidence=Confidence.POSSIBLE)


def _widths_of_loops(analysis: Analysis, roles: Roles) -> frozenset[bytes]:
    """Names that loops over lane offsets begin at half of, or end at."""
    found: set[bytes] = set()
    for match in roles.finditer(FOR):
        if HALVES.fullmatch(match["step"]):
            half = _HALF_OF.fullmatch(match["first"].strip())
            name = half[1] if half else b""
        elif DOUBLES.fullmatch(match["step"]):
            name = match["test"].rpartition(b"<")[2].strip()
        else:
            continue
        if name and exchanges(analysis, roles, body_of(analysis, match.end(), roles.end), match["name"], ""):
            found.add(name)
    return frozenset(found)
