"""Whole waves: each number that means the width follows the hardware, and masks of lanes get 64 bits.

NVIDIA's compiler goes on seeing the old tokens, as the argument of a macro that stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rewarp.source import Span
from rewarp.waves.fixing.rewrite import Replacement
from rewarp.waves.fixing.uses import Role, uses
from rewarp.waves.hazards import Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import closing
from rewarp.waves.reading.vocabulary import ALL_LANES
from rewarp.waves.support.names import WHOLE

_TYPE = re.compile(rb"(?:const\s+)?(?P<type>unsigned(?:\s+int)?|(?:std\s*::\s*)?u?int32_t|uint|int)\b(?!\s*\*)")
_MASK = re.compile(ALL_LANES.pattern)
_NAMED = re.compile(rb"(?:\w+\s*::\s*)*[A-Za-z_]\w*")
_CALLED = re.compile(rb"\w+\s*\(\s*")
_NUMBERS = {b"32": b"SIZE", b"31": b"LAST", b"0x1f": b"LAST", b"0x1F": b"LAST", b"16": b"HALF", b"5": b"LOG2"}
_NUMBER = re.compile(rb"(?<![\w.])(?:32|31|0[xX]1[fF]|16|5)[uU]?(?![\w.])")
_LOOP_HEAD = re.compile(rb"=\s*(?P<first>[^;]*);(?P<test>[^;]*);(?P<step>.*)", re.S)
_TYPED = frozenset({Kind.MASK_32, Kind.BALLOT_32, Kind.BIT_COUNT, Kind.LANE_BIT, Kind.FULL_COMPARE})
"""What is only too narrow: wider it is right on any wave."""
_CURED = _TYPED | {Kind.LANE_ARITHMETIC, Kind.WIDTH_CONSTANT, Kind.SHIFT_CONSTANT, Kind.LOOP, Kind.SHARED_SIZE}
_NO_TWIN = frozenset(
    b"__match_any_sync __match_all_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync "
    b"__reduce_or_sync __reduce_xor_sync".split()
)
_LANE_BIT = re.compile(rb"(?P<one>1[uU]?)\s*<<\s*(?P<bracket>\()?")
_DEFAULT = re.compile(rb"\s*=(?!=)\s*(?P<value>[^,;{}()]+)")
_IN_MACRO = re.compile(rb"REWARP_WAVE_[A-Z0-9]+\(\Z")
_HOST_CALL = re.compile(rb"<<<|hipLaunchKernelGGL")


def can_rewrite(hazard: Hazard) -> bool:
    """Whether a place can be made to follow the wave; a library's warp class does so by itself."""
    return (hazard.kind in _CURED and "no mask argument" not in hazard.message) or _is_library(hazard)


def _is_library(hazard: Hazard) -> bool:
    return hazard.kind is Kind.GROUPS and "::Warp" in hazard.symbol


def replacements(analysis: Analysis, hazards: Iterable[Hazard]) -> list[Replacement]:
    found: set[Replacement] = set()
    for hazard in hazards:
        found.update(_at(analysis, hazard) or ())
    for use in uses(analysis):
        if use.role is Role.CALL and use.name in WHOLE:
            found.add((*use.where, WHOLE[use.name]))
    return sorted(item for item in found if not _IN_MACRO.search(analysis.text, max(0, item[0] - 24), item[0]))


def is_only_narrow(hazard: Hazard) -> bool:
    """Whether a place is right on any wave once its type is wide enough."""
    return hazard.kind in _TYPED


def obstacles(analysis: Analysis, hazards: Iterable[Hazard], *, is_for_waves: bool) -> Iterator[str]:
    """Why not every number of lanes in a file can be made to follow the wave; in code that is for whole waves already,
    those that nothing is said against do."""
    known = list(hazards)
    for use in uses(analysis):
        if use.role is Role.CALL and use.name in _NO_TWIN:
            yield f"{use.name.decode()} has no form for whole waves"
        elif use.role is Role.OWN and use.name in WHOLE:
            yield f"the project defines {use.name.decode()} itself"
    for name in analysis.names.masks:
        if len(re.findall(rb"#[ \t]*define[ \t]+" + name + rb"\b", analysis.text)) > 1:
            yield f"{name.decode()} has more than one definition"
    for hazard in known:
        if not can_rewrite(hazard):
            yield f"{_line(analysis, hazard.where)}: {hazard.message}"
        elif _at(analysis, hazard) is None:
            yield f"{_line(analysis, hazard.where)}: {hazard.message}, in a form that is not understood"
    if is_for_waves and {hazard.kind for hazard in known} <= _TYPED:
        return
    yield from _unread_numbers(analysis, known)


def _unread_numbers(analysis: Analysis, hazards: list[Hazard]) -> Iterator[str]:
    """Numbers in the same functions that could mean the width, and that no hazard explains."""
    changed = {start for hazard in hazards for start, _, _ in _at(analysis, hazard) or ()}
    understood = [hazard.where for hazard in hazards]
    for roles in analysis.functions:
        warps = analysis.on_warps(roles)
        host = _HOST_CALL.search(roles.text) is not None
        named = roles.function.is_macro and b"warp" in roles.function.name.lower().encode()
        if not warps and not host and not named:
            continue
        for match in roles.finditer(_NUMBER):
            inside = any(where.start <= match.start() < where.end for where in understood)
            if match.start() not in changed and not inside and analysis.reachable(match.start()):
                yield f"{_line(analysis, Span(*match.span()))}: {match[0].decode()} may mean lanes, or not"
        if warps and b"threadIdx.y" in roles.text:
            yield f"the blocks of {roles.function.name} may have rows of 32 threads"
        if host and not analysis.meaning_width.isdisjoint(re.findall(rb"[A-Za-z_]\w*", roles.text)):
            yield f"{roles.function.name} launches kernels by the width of a warp"


def _line(analysis: Analysis, where: Span) -> str:
    source = analysis.document.source
    return f"{source.path}:{source.line_at(where.start)}"


# --- one hazard -------------------------------------------------------------------------------


def _at(analysis: Analysis, hazard: Hazard) -> list[Replacement] | None:
    """The changes that rewrite a hazard, none where another one does; None where its form is not understood."""
    text = analysis.code.slice(hazard.where)
    start = hazard.where.start
    if hazard.kind is Kind.MASK_32:
        return _mask(analysis, text, start)
    if hazard.kind is Kind.BALLOT_32:
        return _typed(text, start)
    if hazard.kind is Kind.BIT_COUNT:
        name = re.match(rb"\w+", text)
        return [(start, start + name.end(), WHOLE[name[0]])] if name and name[0] in WHOLE else None
    if hazard.kind is Kind.LANE_BIT:
        return _lane_bit(analysis.text, start)
    if hazard.kind is Kind.FULL_COMPARE:
        ones = re.search(rb"[!=]=\s*", text)
        return _ones(text, start, ones.end()) if ones else None
    if hazard.kind is Kind.LOOP:
        return _loop(analysis, hazard, text, start)
    if hazard.kind is Kind.SHARED_SIZE:
        sizes = re.finditer(rb"\[\s*(32[uU]?)\s*\]", text)
        return [_wrapped(start + m.start(1), start + m.end(1), text, start, b"MOST") for m in sizes] or None
    if _is_library(hazard):
        return []
    if hazard.kind in (Kind.LANE_ARITHMETIC, Kind.WIDTH_CONSTANT, Kind.SHIFT_CONSTANT):
        return _numbers(analysis, hazard, text, start)
    return None


def _wrapped(start: int, end: int, text: bytes, base: int, macro: bytes) -> Replacement:
    return start, end, b"REWARP_WAVE_" + macro + b"(" + text[start - base : end - base] + b")"


def _mask(analysis: Analysis, text: bytes, start: int) -> list[Replacement] | None:
    """A mask handed to a function, a constant, a variable, a parameter or what a function returns."""
    if text.startswith(b"#"):
        value = _MASK.search(text)
        return _ones(text, start, value.start()) if value else None
    if _MASK.fullmatch(text):
        return _ones(text, start, 0)
    typed = _TYPE.match(text)
    if typed:
        found = [_wrapped(start + typed.start("type"), start + typed.end("type"), text, start, b"BITS")]
        equals = re.search(rb"[={]\s*", text)
        return (
            found + (_ones(text, start, equals.end()) or [])
            if equals
            else _with_default(analysis, found, start + len(text))
        )
    called = _CALLED.match(text)
    if called and _NAMED.fullmatch(text, called.end()):
        word = text[called.end() :].split(b"::")[-1].strip()
        return [] if word in analysis.names.masks or _local(analysis, start, word) else None
    return _ones(text, start, called.end()) if called else None


def _with_default(analysis: Analysis, found: list[Replacement], end: int) -> list[Replacement] | None:
    """A parameter's default grows with its type; None where it is no mask of all lanes."""
    default = _DEFAULT.match(analysis.text, end)
    if default is None:
        return found
    ones = _ones(default["value"], default.start("value"), 0)
    return None if ones is None else found + ones


def _local(analysis: Analysis, at: int, word: bytes) -> bool:
    roles = analysis.roles_at(at)
    return roles is not None and word in roles.declared


def _ones(text: bytes, start: int, at: int) -> list[Replacement] | None:
    """32 ones from a place on; nothing for a name, which is changed where it is given its value."""
    if _NAMED.fullmatch(text, at):
        return []
    while text[at : at + 1].isspace():
        at += 1
    match = _MASK.match(text, at)
    if match is None or match.end() < len(text.rstrip()):
        return None
    return [_wrapped(start + at, start + match.end(), text, start, b"ALL")]


def _lane_bit(code: bytes, start: int) -> list[Replacement] | None:
    """``1u << lane``; in ``1u << (lane & 31)`` there is more to change than its type."""
    one = _LANE_BIT.match(code, start)
    if one is None or (one["bracket"] and _NUMBER.search(code, one.end(), closing(code, one.end() - 1))):
        return None
    return [(start, one.end("one"), b"REWARP_WAVE_ONE(" + one["one"] + b")")]


def _typed(text: bytes, start: int) -> list[Replacement] | None:
    """The type of a variable that holds a ballot, or of a function that returns one."""
    match = _TYPE.match(text)
    if match is None or b"[" in text or b"*" in text or b"," in text:
        return [] if _NAMED.fullmatch(text) else None
    return [_wrapped(start + match.start("type"), start + match.end("type"), text, start, b"BITS")]


def _numbers(analysis: Analysis, hazard: Hazard, text: bytes, start: int) -> list[Replacement] | None:
    found = list(_NUMBER.finditer(text))
    if not found:
        # A named width, which is changed where it gets its value.
        return [] if not re.search(rb"\d{2}", text) else None
    last = found[-1]
    number = last[0].rstrip(b"uU")
    half = hazard.kind is Kind.WIDTH_CONSTANT and number == b"16"
    if len(found) > 1 or re.search(rb"24|23|15|1\s*<<|[!=]=\s*32", text) or (number == b"16" and not half):
        return None
    if number == b"5" and not (re.search(rb">>\s*\Z", text[: last.start()]) or hazard.kind is Kind.SHIFT_CONSTANT):
        return None
    return [_wrapped(start + last.start(), start + last.end(), text, start, _NUMBERS[number])]


def _loop(analysis: Analysis, hazard: Hazard, text: bytes, start: int) -> list[Replacement] | None:
    head = _LOOP_HEAD.search(text)
    if head is None or hazard.symbol == "64":
        return None
    found = [
        (start + head.start(part) + match.start(), match[0].rstrip(b"uU"), match)
        for part in ("first", "test")
        for match in _NUMBER.finditer(head[part])
    ]
    if not found:
        return []
    if len(found) > 1:
        return None
    at, number, match = found[0]
    if number == b"5" and b"=" in head["test"]:
        return None
    return [_wrapped(at, at + len(match[0]), text, start, _NUMBERS[number])]
