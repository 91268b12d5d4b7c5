"""Masks of lanes in 32 bits: HIP's *_sync functions want 64, and a widened 0xffffffff names half of a wave."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.finding.mask_parameters import NARROW_TYPE, XOR_NAMES, narrow_mask_parameters
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.roles import Roles
from rewarp.waves.reading.vocabulary import ALL_LANES, MASK_NAME, NARROW_MASK, TAKES_MASK

_WHY = "HIP's *_sync functions take 64-bit masks only, and a widened 0xffffffff leaves the upper 32 lanes out"
_NAME = re.compile(rb"(?:\(\s*(?:unsigned|unsigned\s+int|uint32_t)\s*\)\s*)?(?:\w+\s*(?:::|\.|->)\s*)*([A-Za-z_]\w*)")
_RETURNS_MASK = re.compile(
    rb"\b(?<!\*)" + NARROW_TYPE + rb"\s+((?:\w*::)?(?=\w*[mM]ask)\w*(?:[wW]arp|[lL]ane|[aA]ctive|[fF]ull)\w*)(?=\s*\()"
)
_MADE_OF_32 = re.compile(rb"\b1[uU]?\s*<<|\b0[xX][fF]{8}[uU]?\b|~\s*0[uU]?\b|\buint32_t\b")
_ONES = re.compile(rb"0[xX][fF]{8}[uUlL]*")
_WIDE = re.compile(rb"(?i)ull|uint64|long|\bll\b|activemask|ballot|lanemask")
_MASK_VALUE = re.compile(rb"0[xX][fF]{8,16}[uUlL]*|FULL_MASK|FULL_WARP_MASK|WARP_MASK")
_WITHOUT_MASK = re.compile(rb"__shfl(?:_up|_down|_xor)?|__ballot|__any|__all")
_MINUS_ONE = re.compile(rb"-\s*1")
_HALF = re.compile(rb"0[xX](?:[fF]'?){8}[uU]?[lL]{1,2}[uU]?")
_ODD_MASK = re.compile(rb"\b0[xX][fF]{9,15}[uUlL]*\b")
_DEFAULT = re.compile(NARROW_TYPE + rb"\s+\w+\s*=\s*(?:\w+\s*::\s*)*([A-Za-z_]\w*)")
_SAYS_LANES = re.compile(rb"(?i)(?:all_?(?:warp|lanes?)|(?:warp|lanes?)_?all)(?:_?masks?)?\Z")
_DEFINES = re.compile(rb"\bdefine[ \t]+\Z")


def find(analysis: Analysis) -> Iterator[Hazard]:
    """Every mask of 32 bits that reaches a warp function, where it is written, declared and used."""
    if not analysis.has_evidence:
        yield from _named(analysis, set())
        return
    defined = {
        name.decode() for at, name in analysis.code.intrinsics if _DEFINES.search(analysis.text[max(0, at - 20) : at])
    }
    supplied = defined | analysis.facts.supplied
    passed: set[bytes] = set()
    makers = frozenset(name for name, _ in _mask_makers(analysis))
    for function, at, bracket in analysis.code.calls(TAKES_MASK):
        name = function.decode()
        given = analysis.code.arguments(bracket)
        if not given or name in supplied or not analysis.reachable(at):
            continue
        mask = analysis.code.slice(given[0])
        roles = analysis.roles_at(at)
        place = Span(at, given[0].end)
        yield from _at_call(analysis, name, place, mask, roles, passed)
        if roles and makers and _made_by(analysis, roles, mask, makers):
            yield _used(analysis, place, mask, name)
    yield from _to_helpers(analysis, supplied)
    parameters, written_out = narrow_mask_parameters(analysis)
    for where, word, name in parameters:
        yield _declared(analysis, where, word, name)
        if (default := _DEFAULT.match(analysis.text, where.start)) and default[1] in analysis.names.masks:
            passed.add(default[1])
    yield from (_written_out(analysis, *each) for each in written_out if each.function not in supplied)
    yield from _named(analysis, passed)
    yield from _returned(analysis)
    yield from _odd(analysis)


def _at_call(
    analysis: Analysis, name: str, place: Span, mask: bytes, roles: Roles | None, passed: set[bytes]
) -> Iterator[Hazard]:
    named = _NAME.fullmatch(mask)
    if NARROW_MASK.fullmatch(mask):
        yield analysis.hazard(
            Kind.MASK_32,
            place,
            f"{name} gets a 32-bit mask of lanes",
            _WHY,
            Consequence.COMPILE_ERROR,
            Confidence.CERTAIN,
            name,
            on_any_width=True,
        )
    elif _HALF.fullmatch(mask) and not (roles and analysis.in_logical_warps(roles)):
        yield _half(analysis, place, name)
    elif named:
        word = named[1]
        declared = roles.declared.get(word) if roles else None
        if declared is None and word not in analysis.names.masks:
            declared = analysis.fields.get(word)
        narrow = declared.where if declared and declared.bits == 32 else None
        fixed = analysis.names.masks.get(word)
        if fixed:
            passed.add(word)
        elif narrow:
            yield _declared(analysis, narrow, word, name)
        source = fixed or narrow
        if source:
            yield _used(analysis, place, word, name, source)
        elif roles and (widened := _widened(analysis, roles, word)) and not analysis.in_logical_warps(roles):
            yield _half(analysis, place, name)
            yield _half(analysis, widened, name)
        elif word.decode() in analysis.facts.masks or (
            MASK_NAME.fullmatch(word) and not declared and not _defined_here(analysis, word)
        ):
            yield _used(analysis, place, word, name)
    elif _MADE_OF_32.search(mask) and not _WIDE.search(mask):
        yield analysis.hazard(
            Kind.MASK_32,
            place,
            f"{name} gets a mask that is worked out in 32 bits",
            _WHY,
            Consequence.COMPILE_ERROR,
            Confidence.LIKELY,
            name,
            on_any_width=True,
        )


def _half(analysis: Analysis, place: Span, name: str) -> Hazard:
    message = f"{name} gets a mask of 32 lanes in 64 bits"
    return analysis.hazard(Kind.MASK_32, place, message, "the upper half of the wave is left out", symbol=name)


def _widened(analysis: Analysis, roles: Roles, word: bytes) -> Span | None:
    """``unsigned long long mask = 0xffffffff``"""
    for name, where, value in roles.assigned:
        if name == word and _ONES.fullmatch(analysis.code.slice(value)):
            return Span(where.start, value.end)
    return None


def _to_helpers(analysis: Analysis, supplied: set[str] | frozenset[str]) -> Iterator[Hazard]:
    """All 32 lanes written out for a shuffle of the project's own, or for a macro that stands for one of CUDA's."""
    for at, function in analysis.code.warp_calls:
        given = analysis.code.arguments(analysis.text.find(b"(", at))
        if len(given) < 2 or function.decode() in supplied or not analysis.reachable(at):
            continue
        yield from _variable_to_helper(analysis, at, function.decode(), given[0])
        mask = next((span for span in given if ALL_LANES.fullmatch(analysis.code.slice(span))), None)
        if mask and (mask is given[0] or not _MINUS_ONE.fullmatch(analysis.code.slice(mask))):
            name = function.decode()
            yield _written_out(analysis, Span(at, mask.end), name)


def _written_out(analysis: Analysis, where: Span, name: str) -> Hazard:
    return analysis.hazard(
        Kind.MASK_32,
        where,
        f"{name} gets a 32-bit mask of lanes",
        _WHY,
        Consequence.COMPILE_ERROR,
        Confidence.LIKELY,
        name,
        on_any_width=True,
    )


def _variable_to_helper(analysis: Analysis, at: int, function: str, given: Span) -> Iterator[Hazard]:
    """A mask in a variable of 32 bits that a shuffle of the project's own gets first, as CUDA's do."""
    word = analysis.code.slice(given)
    if b"ask" not in word or word in XOR_NAMES:
        return
    roles = analysis.roles_at(at)
    declared = roles.declared.get(word) if roles else None
    if declared and declared.bits == 32 and not declared.is_array and not declared.is_pointer:
        yield _declared(analysis, declared.where, word, function)
        yield _used(analysis, Span(at, given.end), word, function, declared.where)


def _defined_here(analysis: Analysis, word: bytes) -> bool:
    return re.search(rb"\bdefine[ \t]+" + word + rb"\b|\b" + word + rb"\s*(?:=(?!=)|\{)", analysis.text) is not None


def _made_by(analysis: Analysis, roles: Roles, mask: bytes, makers: frozenset[bytes]) -> bool:
    """Whether a mask comes from a function that returns it in 32 bits."""
    return any(
        name == mask and not makers.isdisjoint(re.findall(rb"[A-Za-z_]\w*", analysis.code.slice(value)))
        for name, _, value in roles.assigned
    )


def _declared(analysis: Analysis, where: Span, word: bytes, function: str) -> Hazard:
    return analysis.hazard(
        Kind.MASK_32,
        where,
        f"{word.decode()} has 32 bits and is a mask of lanes for {function}",
        _WHY,
        Consequence.COMPILE_ERROR,
        Confidence.CERTAIN,
        word.decode(),
        on_any_width=True,
    )


def _used(analysis: Analysis, place: Span, word: bytes, function: str, source: Span | None = None) -> Hazard:
    """A mask by its name; ``source`` is where this file says that it has 32 bits."""
    known = source or word.decode() in analysis.facts.masks
    return analysis.hazard(
        Kind.MASK_32,
        place,
        f"{function} gets the mask {word.decode()}, which must have 64 bits",
        _WHY,
        Consequence.COMPILE_ERROR,
        Confidence.LIKELY if known else Confidence.POSSIBLE,
        word.decode(),
        partners=(source,) if source else (),
        on_any_width=True,
    )


def _named(analysis: Analysis, passed: set[bytes]) -> Iterator[Hazard]:
    """Constants with the value of 32 ones that are masks of lanes, by use or by name."""
    for word, where in analysis.names.masks.items():
        # Where nothing here works on warps, the name is for files that do: only a project can tell, or what it says.
        if (
            not analysis.any_warp_code
            and word not in passed
            and word.decode() not in analysis.facts.masks
            and not (_SAYS_LANES.search(word) or (MASK_NAME.fullmatch(word) and analysis.says_warp(where.start)))
        ):
            continue
        if (
            word in passed
            or MASK_NAME.fullmatch(word)
            or _SAYS_LANES.search(word)
            or (b"ask" in word.lower() and _is_parameter(analysis, where))
        ):
            yield analysis.hazard(
                Kind.MASK_32,
                where,
                f"{word.decode()} is a mask of 32 lanes",
                _WHY,
                Consequence.COMPILE_ERROR,
                Confidence.CERTAIN if word in passed else Confidence.LIKELY,
                word.decode(),
                on_any_width=True,
            )


def _is_parameter(analysis: Analysis, where: Span) -> bool:
    """Whether a name is a parameter with a default, of a function that works on warps."""
    roles = analysis.roles_at(where.start)
    return bool(roles and where.start < roles.function.body.start and roles.function.name in analysis.warp_functions)


def _mask_makers(analysis: Analysis) -> Iterator[tuple[bytes, Span]]:
    """Functions that return a mask of lanes in 32 bits, and the place of type and name."""
    for function in analysis.code.functions:
        if not function.is_macro and "ask" in function.name and analysis.reachable(function.head.start):
            match = _RETURNS_MASK.search(analysis.text, *function.head)
            if match:
                yield match[1], Span(*match.span())


def _returned(analysis: Analysis) -> Iterator[Hazard]:
    for name, where in _mask_makers(analysis):
        yield analysis.hazard(
            Kind.MASK_32,
            where,
            f"{name.decode()} returns a mask of lanes in 32 bits",
            _WHY,
            Consequence.COMPILE_ERROR,
            Confidence.LIKELY,
            name.decode(),
            on_any_width=True,
        )


def _odd(analysis: Analysis) -> Iterator[Hazard]:
    """Masks that went wrong in an earlier port."""
    for function, at, bracket in analysis.code.calls(_WITHOUT_MASK):
        given = analysis.code.arguments(bracket)
        if len(given) < 2 or not _MASK_VALUE.fullmatch(analysis.code.slice(given[0])) or not analysis.reachable(at):
            continue
        name = function.decode()
        yield analysis.hazard(
            Kind.MASK_32,
            Span(at, given[0].end),
            f"{name} has no mask argument: the mask is taken for the value",
            f"{name} without _sync takes the value first, so the mask itself is what goes from lane to lane",
            Consequence.WRONG_RESULT,
            Confidence.CERTAIN,
            name,
            on_any_width=True,
        )
    for match in analysis.on_lines(_ODD_MASK, b"ffffffff", b"FFFFFFFF"):
        roles = analysis.roles_at(match.start())
        if roles and (roles.has_sync or roles.has_votes):
            digits = match[0].lower().count(b"f")
            yield analysis.hazard(
                Kind.MASK_32,
                Span(*match.span()),
                f"the mask has {digits} F's: {4 * digits} of 64 lanes",
                f"lanes {4 * digits} to 63 are left out",
                Consequence.WRONG_RESULT,
                Confidence.LIKELY,
                match[0].decode(),
            )
