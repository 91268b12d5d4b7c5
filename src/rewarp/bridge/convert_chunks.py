"""What converting chunks of LMCache means: they hold no scales, so it must be said which the writer and the reader have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rewarp.bridge.checkpoint import read_checkpoint
from rewarp.bridge.chunk_files import UINT8, Chunk, encoding_in, holds_codes, is_chunk_name, key_dtype, read_chunk
from rewarp.bridge.convert import Plan, Planned, Request, Rule
from rewarp.bridge.formats import Encoding, member, recoding, scale_ratio
from rewarp.bridge.scales import cache_scales
from rewarp.bridge.streaming import Piece
from rewarp.errors import UsageError

_ON_GAUDI = {"e4m3": "fp8_e4m3fn", "e5m2": "fp8_e5m2"}
"""What keys say there, where others say uint8 (vLLM: fp8_inc)."""
_GAUDI = (
    "Gaudi's FP8 KV cache may have scales of its own calibration (INC), other than the checkpoint's: compare them first"
)


def plan_chunks(request: Request) -> Plan:
    if request.keep_scales:
        raise UsageError("--keep-scales is for checkpoints; chunks hold no scales")
    if (request.scales is None) == (not request.unit_scale):
        raise UsageError(
            "chunks hold no scales: --scales CHECKPOINT, whose scales the server used, or --unit-scale, where it used none"
        )
    gaudi = request.to.lower().startswith("gaudi")
    chunks, left_out = _chunks(request)
    calibrated = cache_scales(read_checkpoint(request.scales)) if request.scales else None
    files: list[Planned] = []
    rules: Counter[tuple[str, str, float, str]] = Counter()
    for chunk in chunks:
        source = encoding_in(chunk, request.given)
        target = member(source.kind, request.family)
        dtype = key_dtype(chunk, target, request.key_dtype or _ON_GAUDI.get(source.kind if gaudi else ""))
        if source.layout == target.layout and dtype == chunk.dtype:
            raise UsageError(f"{chunk.file}: {request.family} stores {source.name} in the same way, under the same key")
        pieces = _pieces(chunk, source, target, calibrated, rules)
        files.append(Planned(chunk.file, chunk.named(dtype), chunk.head(dtype), pieces, len(pieces)))
    names = Counter(file.name for file in files)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise UsageError(f"{request.source}: two chunks would get one key", twice[:5])
    warnings = [_GAUDI] if gaudi or (request.key_dtype or UINT8) != UINT8 else []
    if request.family == "gaudi2":
        warnings.append("no reader of chunks in Gaudi 2's range is known")
    return Plan("chunks", tuple(files), tuple(Rule(*rule, n) for rule, n in rules.items()), tuple(warnings), left_out)


def _chunks(request: Request) -> tuple[list[Chunk], tuple[str, ...]]:
    """What is to be converted; and what of a store is not: other numbers, files that are no chunks."""
    if not request.source.is_dir():
        return [read_chunk(request.source, request.shape)], ()
    files: list[Path] = sorted(request.source.iterdir())
    meant = [it for it in files if it.is_file() and is_chunk_name(it.name) and holds_codes(it.name)]
    if not meant:
        raise UsageError(f"{request.source}: no chunk of LMCache with 8-bit floats in it")
    wanted = frozenset(meant)
    return [read_chunk(it, request.shape) for it in meant], tuple(it.name for it in files if it not in wanted)


def _pieces(
    chunk: Chunk,
    source: Encoding,
    target: Encoding,
    calibrated: tuple[bool, ...] | None,
    rules: Counter[tuple[str, str, float, str]],
) -> tuple[Piece, ...]:
    """The chunk in runs of layers with the same ratio: where the checkpoint has scales, a reader with fnuz doubles them."""
    length = chunk.size - chunk.start
    runs = _runs(chunk, length, calibrated)
    pieces = []
    for begin, size, scaled, layers in runs:
        ratio = scale_ratio(source, target) if scaled else 1.0
        pieces.append(Piece(chunk.start + begin, size, recoding(source, target, ratio)))
        rules[source.name, target.name, ratio, "checkpoint" if scaled else "1.0"] += layers
    return tuple(pieces)


def _runs(chunk: Chunk, length: int, calibrated: tuple[bool, ...] | None) -> list[tuple[int, int, bool, int]]:
    """Where each run begins, how long it is, whether it has scales, how many layers it holds."""
    found = chunk.layers
    layers = found[1] if found else 1
    if calibrated is None or len(set(calibrated)) == 1:
        return [(0, length, bool(calibrated and calibrated[0]), layers)]
    if chunk.layer is not None:
        if chunk.layer >= len(calibrated):
            raise UsageError(f"{chunk.file}: layer {chunk.layer}, of which the checkpoint has {len(calibrated)}")
        return [(0, length, calibrated[chunk.layer], 1)]
    if found is None or layers != len(calibrated):
        raise UsageError(
            f"{chunk.file}: some layers of the checkpoint have scales, some have none, and which lie here cannot be told"
        )
    step = length // (found[0] * layers)
    order = [scaled for _ in range(found[0]) for scaled in calibrated]
    return [(at * step, step, scaled, 1) for at, scaled in enumerate(order)]
