"""The host's side: blocks, grids and bytes counted in warps of 32, or in the device's constant for a warp's size."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from rewarp.source import Span
from rewarp.waves.hazards import Confidence, Consequence, Hazard, Kind
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.brackets import arguments
from rewarp.waves.reading.functions import Function

_BOUNDS = re.compile(rb"\b__launch_bounds__\s*\(")
_LAUNCH = re.compile(
    rb"\b([A-Za-z_]\w*)\s*(?:<(?:[^<>;]|<[^<>;]*>)*>\s*)?<<<\s*(?P<grid>[^;]*?)>>>"
    rb"|\b(?:hipLaunchKernelGGL|(?:cuda|hip)Launch(?:Cooperative)?Kernel(?:Ex\w*)?)\s*\(\s*(?:&\s*\w+\s*,\s*)?"
    rb"(?:\(\s*(?:const\s+)?void\s*\*\s*\)\s*)?&?\(?\s*(?:\w+::)*(?P<hip>[A-Za-z_]\w*)"
)
_ALIAS = re.compile(rb"auto(?<!\wauto)\s*[*&]?\s*([A-Za-z_]\w*)\s*=\s*&?\s*(?:\w+::)*([A-Za-z_]\w*)\s*[;<]")
_DEVICE = (b"__device__", b"__global__")
_ON_DEVICE = (b"threadIdx", b"blockIdx", b"__shared__", b"__syncthreads")
_HOST = (b"<<<", b"dim3", b"aunch", b"cudaOccupancy", b"AT_DISPATCH", b"cudaStream_t", b"sharedMem", b"smem", b"grid")
_SETS = re.compile(
    rb"\b(?:dim3\s+)?(?P<name>[A-Za-z_]\w*)(?:\s*\.\s*[xyz]\b)?\s*(?:=(?!=)|\+=|\()\s*(?P<value>[^;{}]*)"
)
_BLOCK_NAME = re.compile(rb"(?i)\w*(?:block|thread|warp|cta|tpb)")
_GEOMETRY = re.compile(rb"(?i)\w*(?:block|thread|tpb|cta|warp|grid|smem|shared|bytes)\w*")
_STEPS = re.compile(
    rb"\bfor\s*\(\s*(?:unsigned\s+int|int|unsigned|auto|size_t)?\s*(\w*(?i:block|thread)\w*)\s*=\s*32\s*;[^;]*;\s*\1\s*\+=\s*32\s*\)"
)
_WHY = "the kernel's waves have 64 lanes: the block is half a wave, or has half as many waves as the kernel expects"
_WHY_CONSTANT = "the host is compiled once for both widths, so a width known when compiling is wrong on one of them"
_THIRTY_TWO = re.compile(rb"(?<![\w.])32[uU]?(?![\w.])")
_UP_TO_32 = re.compile(rb"\bif\s*\(\s*[\w.>()-]+\s*(?:<=\s*32|<\s*33)\s*\)")
_PICKS_32 = re.compile(rb"\b[A-Za-z_]\w*\s*[<(](?:[^;{}]*?[,<(\s])??32\s*[,>)]")
_BLOCK_SIZE = re.compile(
    rb"\b(?P<name>(?i:\w*threads?(?:_per_(?:block|cta))?|block_?(?:dim|size)|dim_?block|block|cta_?size|tpb))\s*(?:\.\s*x\s*)?[=({]\s*"
    rb"(?P<value>[^;{}=<>]*)(?=[;)}])"
)
_ROWS_OF_WARPS = re.compile(rb"\A\s*32[uU]?\s*,\s*(?i:\w*warps\w*)")
_LAUNCHER = re.compile(rb"\b\w*(?i:launch)\w*\s*\(")
ONE_WARP = re.compile(rb"32[uU]?|dim3\s*[({]\s*32\s*[,)}].*")
_LOOKED_AT = 200
_DIM3 = re.compile(rb"dim3\s*[({](?P<sizes>(?:[^;(){}]|\((?:[^;()]|\([^;()]*\))*\))*)[)}]")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_CALLED_LAUNCH = re.compile(rb"\b(?P<name>\w*[lL]aunch\w*)\s*<\s*(?P<width>32)\s*,")
_FIRST_PARAMETER = re.compile(rb"\s*template\s*<\s*(?:const\s+)?\w+\s+(?:\w+\s+)?(\w+)\s*[,>=]")


def find(analysis: Analysis) -> Iterator[Hazard]:
    yield from _launch_bounds(analysis)
    yield from _size_classes(analysis)
    for match in analysis.on_lines(_STEPS, b"+= 32"):
        yield _slow(analysis, Span(*match.span()), "block sizes are tried in steps of 32 threads, half a wave")
    names = analysis.meaning_width | _chosen(analysis) | analysis.names.thirty_twos
    lines = analysis.code.lines_with(b"32", *names)
    starts = [line.start for line in lines]
    for function in analysis.code.functions:
        first = max(bisect_left(starts, function.body.start) - 1, 0)
        here = [
            line for line in lines[first : bisect_left(starts, function.body.end)] if line.end > function.body.start
        ]
        if here and is_host(analysis, function):
            yield from _on_host(analysis, function, here)


def _slow(analysis: Analysis, where: Span, message: str) -> Hazard:
    return analysis.hazard(
        Kind.LAUNCH_GEOMETRY, where, message, "half of the last wave idles", Consequence.SLOW, Confidence.POSSIBLE
    )


def _size_classes(analysis: Analysis) -> Iterator[Hazard]:
    """``if (n <= 32) select<32>(…)``: what is not longer than a warp gets code of a warp's length."""
    if not (analysis.any_warp_code or _chosen(analysis)):
        return
    for match in analysis.on_lines(_UP_TO_32, b"32"):
        picked = analysis.text[match.end() : match.end() + _LOOKED_AT].partition(b"else")[0]
        picked = picked.partition(b"}" if picked.lstrip().startswith(b"{") else b";")[0]
        if _PICKS_32.search(picked):
            yield analysis.hazard(
                Kind.LAUNCH_GEOMETRY,
                Span(*match.span()),
                "up to 32 items get code made for 32",
                "it is shorter than a wave: lanes 32 to 63 have nothing, or reach past its end",
                confidence=Confidence.POSSIBLE,
            )


def is_host(analysis: Analysis, function: Function) -> bool:
    head, body = analysis.code.slice(function.head), analysis.code.slice(function.body)
    if any(word in head for word in _DEVICE) or any(word in body for word in _ON_DEVICE):
        return False
    return any(word in body or word in head for word in _HOST)


def _launch_bounds(analysis: Analysis) -> Iterator[Hazard]:
    widths = analysis.meaning_width
    for match in analysis.on_lines(_BOUNDS, b"__launch_bounds__"):
        given = analysis.code.arguments(match.end() - 1)
        bound = analysis.code.slice(given[0]) if given else b""
        words = re.findall(rb"[A-Za-z_]\w*", bound)
        literal = re.search(rb"\*\s*32\b|\b32\s*\*", bound) and words
        function = analysis.code.function_at(match.start())
        if bound == b"32" and function and function.name in analysis.warp_kernels:
            yield _slow(analysis, Span(match.start(), given[0].end), "a block is bound to 32 threads, half a wave")
        named = [word for word in words if word in widths or word in analysis.names.portable]
        if literal or named:
            square = len(named) > 1
            yield analysis.hazard(
                Kind.LAUNCH_BOUNDS,
                Span(match.start(), given[0].end),
                "the square of a warp's size bounds the block"
                if square
                else "the launch bound counts in warps of 32"
                if literal or named[0] in widths
                else f"the launch bound is counted in {named[0].decode()}",
                "4096 threads are more than a block can have"
                if square
                else "a block launched with as many waves of 64 has twice the threads that it allows, and does not start",
                Consequence.COMPILE_ERROR if square else Consequence.WRONG_RESULT,
                Confidence.LIKELY if literal or square else Confidence.POSSIBLE,
                "__launch_bounds__",
            )


def _on_host(analysis: Analysis, function: Function, lines: list[Span]) -> Iterator[Hazard]:
    found = launches(analysis, function)
    launched = [name for _, name in found]
    known = [name for name in launched if name in analysis.code.function_names]
    on_warps = any(name in analysis.warp_kernels for name in known)
    # Where every kernel launched here is in this file, and none works on warps, 32 is a number like any other.
    elsewhere = not known or len(known) < len(launched)
    blocks = {
        word
        for match, name in found
        if match["grid"] and name in analysis.warp_kernels
        for word in _block_words(match["grid"])
    }
    if not on_warps and analysis.global_warp_kernels.intersection(_WORD.findall(analysis.text, *function.body)):
        # A macro or a function of the project launches it: the kernel's name is all there is to see here.
        yield from _sizes_for_others(analysis, lines, function)
    yield from _by_launchers(analysis, function)
    yield from _settings(analysis, function, lines, on_warps, elsewhere, blocks)
    yield from _in_launches(analysis, function, found, on_warps)


def launches(analysis: Analysis, function: Function) -> list[tuple[re.Match[bytes], str]]:
    """The launches in a function, and the kernels that they start."""
    found = list(_launches(analysis, function.body))
    aliases = {match[1]: match[2] for match in _ALIAS.finditer(analysis.text, *function.body)} if found else {}
    return [(match, aliases.get(name, name).decode()) for match in found for name in (match[1] or match["hip"],)]


def _launches(analysis: Analysis, body: Span) -> Iterator[re.Match[bytes]]:
    text, done = analysis.text, body.start
    for at in analysis.code.places_in(body, b"<<<", b"aunch"):
        if at >= done:
            statement = max(text.rfind(end, done, at) for end in (b";", b"{", b"}")) + 1
            match = _LAUNCH.search(text, max(statement, done), body.end)
            if not match:
                return
            done = match.end()
            yield match


def _block_words(launch: bytes) -> list[bytes]:
    """The names that stand for a block and its shared memory in ``<<<grid, block, bytes>>>``."""
    given = arguments(b"(" + launch + b")", 0)
    return re.findall(rb"[A-Za-z_]\w*", launch[given[1].start - 1 :]) if len(given) > 1 else []


def _settings(
    analysis: Analysis, function: Function, lines: list[Span], on_warps: bool, elsewhere: bool, blocks: set[bytes]
) -> Iterator[Hazard]:
    seen = 0
    for line in lines:
        begin = max(analysis.text.rfind(end, 0, max(line.start, function.body.start)) for end in (b";", b"{", b"}")) + 1
        for match in _SETS.finditer(analysis.text, max(begin, seen, function.body.start), line.end):
            seen = match.end()
            shapes = match["name"] in blocks or _GEOMETRY.fullmatch(match["name"])
            names_shape = shapes or match[0].startswith(b"dim3")
            if names_shape and analysis.reachable(match.start()):
                says = elsewhere and analysis.says_warp(match.start("name"))
                where = Span(match.start("name"), match.end("value"))
                yield from _hazards(
                    analysis, function, where, match["value"], on_warps, says or match["name"] in blocks
                )


def _sizes_for_others(analysis: Analysis, lines: list[Span], function: Function) -> Iterator[Hazard]:
    """Sizes of blocks by their names, for a kernel on warps that something else launches."""
    for line in lines:
        for match in _BLOCK_SIZE.finditer(analysis.text, max(line.start, function.body.start), line.end):
            if _THIRTY_TWO.search(match["value"]) and analysis.reachable(match.start()):
                where = Span(match.start("name"), match.end("value"))
                message = "the launch counts on warps of 32"
                yield analysis.hazard(Kind.LAUNCH_GEOMETRY, where, message, _WHY, confidence=Confidence.LIKELY)


def _by_launchers(analysis: Analysis, function: Function) -> Iterator[Hazard]:
    """``GpuLaunchKernel(kernel<T>, grid, 32, 0, …)``: a function of the project that is handed a kernel on warps."""
    for match in _LAUNCHER.finditer(analysis.text, *function.body) if analysis.global_warp_kernels else ():
        given = analysis.code.arguments(match.end() - 1)
        words = {word for span in given for word in _WORD.findall(analysis.code.slice(span))}
        if analysis.global_warp_kernels.isdisjoint(words):
            continue
        for span in given:
            if ONE_WARP.fullmatch(analysis.code.slice(span)) and analysis.reachable(span.start):
                message = "the launch counts on warps of 32"
                yield analysis.hazard(Kind.LAUNCH_GEOMETRY, span, message, _WHY, confidence=Confidence.LIKELY)


def _in_launches(
    analysis: Analysis, function: Function, launches: list[tuple[re.Match[bytes], str]], on_warps: bool
) -> Iterator[Hazard]:
    for launch, name in launches:
        if launch["grid"] and analysis.reachable(launch.start()):
            on = name in analysis.warp_kernels
            yield from _hazards(analysis, function, Span(*launch.span("grid")), launch["grid"], on, on)
    for at in analysis.code.places_in(function.body, b"dim3"):
        match = _DIM3.match(analysis.text, at)
        if match and analysis.reachable(at):
            says = not on_warps and analysis.says_warp(match.start())
            yield from _hazards(analysis, function, Span(*match.span()), match["sizes"], on_warps, says)
    for called in _CALLED_LAUNCH.finditer(analysis.text, *function.body):
        if analysis.reachable(called.start()) and _takes_block(analysis, called["name"].decode()):
            yield _slow(analysis, Span(*called.span()), "blocks of 32 threads are half a wave")


def _takes_block(analysis: Analysis, name: str) -> bool:
    """Whether the first thing that a template is told may be a block's size: not where this file calls it otherwise."""
    heads = [analysis.code.slice(each.head) for each in analysis.code.functions if each.name == name]
    told = [_FIRST_PARAMETER.match(head) for head in heads]
    return not heads or any(first is not None and _BLOCK_NAME.match(first[1]) for first in told)


def _hazards(
    analysis: Analysis, function: Function, where: Span, value: bytes, on_warps: bool, says_warp: bool
) -> Iterator[Hazard]:
    words = set(re.findall(rb"[A-Za-z_]\w*", value))
    literal = _THIRTY_TWO.search(value)
    if literal and (on_warps or says_warp):
        shapes_block = on_warps and _BLOCK_NAME.match(analysis.text, where.start)
        sure = shapes_block or (on_warps and says_warp) or _ROWS_OF_WARPS.search(value)
        confidence = Confidence.LIKELY if sure else Confidence.POSSIBLE
        yield analysis.hazard(
            Kind.LAUNCH_GEOMETRY, where, "the launch counts on warps of 32", _WHY, confidence=confidence
        )
    elif fixed := words & (analysis.meaning_width | (analysis.names.thirty_twos if on_warps else frozenset())):
        name = min(fixed).decode()
        yield analysis.hazard(
            Kind.LAUNCH_GEOMETRY,
            where,
            f"the launch is counted in {name}, which is 32",
            _WHY,
            confidence=Confidence.LIKELY if on_warps else Confidence.POSSIBLE,
            symbol=name,
        )
    elif chosen := _constants(analysis, function, words):
        name = min(chosen).decode()
        yield analysis.hazard(
            Kind.LAUNCH_GEOMETRY,
            where,
            f"the host takes {name}, a constant of the device",
            _WHY_CONSTANT,
            confidence=Confidence.POSSIBLE,
            symbol=name,
        )


def _constants(analysis: Analysis, function: Function, words: set[bytes]) -> set[bytes]:
    """The names for a warp's size that are known when compiling: not parameters, and not asked for at run time."""
    return {
        word
        for word in words & _chosen(analysis)
        if not re.search(rb"\b" + word + rb"\s*(?:=(?!=)|[,)])", analysis.code.slice(function.head))
        and not re.search(rb"\b" + word + rb"\s*=(?!=)", analysis.code.slice(function.body))
    }


def _chosen(analysis: Analysis) -> frozenset[bytes]:
    """The names for a warp's size that this file leaves to the platform; the device's own variable is none of them."""
    return analysis.names.portable - {b"warpSize"}
