"""What converting a checkpoint means: each tensor of 8-bit floats by its scale, each scale by the same ratio."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from rewarp import __version__
from rewarp.bridge.checkpoint import Checkpoint, Header, read_checkpoint
from rewarp.bridge.convert import Plan, Planned, Request, Rule
from rewarp.bridge.formats import ENCODINGS, FAMILIES, Encoding, member, recoding, scale_ratio
from rewarp.bridge.scales import WEIGHT, Rescaling, Scale, is_cache_scale, scales_of, unknown_scales
from rewarp.bridge.streaming import Change, Piece
from rewarp.errors import UsageError

_NOTE = "rewarp_bridge"
"""In a file's metadata: for which family it was made, which the names of types do not say of Gaudi 2."""
_BY_DTYPE = {encoding.safetensors: encoding for encoding in reversed(ENCODINGS.values())}
_OTHER_WEIGHTS = (".bin", ".pt", ".pth", ".gguf", ".onnx", ".h5", ".msgpack")
_READERS = {
    "fnuz": (
        "vLLM converts an e4m3fn checkpoint by itself on MI300X: for it no conversion is needed (vLLM a014e35)",
        "no reader that takes fnuz from safetensors as it is was found",
    ),
    "gaudi2": (
        "vllm-gaudi halves e4m3fn weights by itself on Gaudi 2: for it no conversion is needed, and a converted checkpoint "
        "needs VLLM_SCALE_ADJUSTMENT=0 (vllm-gaudi 091bbadd)",
        "that Gaudi 2 ends at 240 is read in its sources, and was not seen on one",
    ),
    "ocp": (),
}


def plan_checkpoint(request: Request) -> Plan:
    if request.scales or request.shape or request.key_dtype:
        raise UsageError(
            "--scales, --shape and --key-dtype are for chunks: a checkpoint has scales and shapes of its own"
        )
    checkpoint = read_checkpoint(request.source)
    changes, rules = _changes(request, checkpoint)
    files = [_planned(shard, changes, request.family) for shard in checkpoint.shards]
    warnings = list(_READERS[request.family])
    caches = [name for name in checkpoint.tensors if is_cache_scale(name)]
    if caches:
        warnings.append(
            f"{len(caches)} scales of the KV cache ({caches[0]}) stay as they are: vLLM doubles them itself where FP8 is fnuz"
        )
    copied, left_out = _others(request.source, files)
    return Plan("checkpoint", (*files, *copied), rules, tuple(warnings), tuple(left_out))


def _changes(request: Request, checkpoint: Checkpoint) -> tuple[dict[str, tuple[Change, str]], tuple[Rule, ...]]:
    """What becomes of each tensor that does not stay, with its new dtype; and by which rules."""
    tensors = checkpoint.tensors
    made_for = {shard.file: _made_for(shard, request.given) for shard in checkpoint.shards}
    changes: dict[str, tuple[Change, str]] = {}
    rules: Counter[tuple[str, str, float, str]] = Counter()
    without, weights = [], []
    for tensor in tensors.values():
        source = _BY_DTYPE.get(tensor.dtype)
        if source is None:
            continue
        if source.family != "fnuz":
            source = member(source.kind, made_for[tensor.file])
        if request.given is not None and request.given.kind == source.kind and request.given != source:
            raise UsageError(f"{tensor.file}: {tensor.name} is {source.name}, --from says {request.given.name}")
        target = member(source.kind, request.family)
        if source.layout == target.layout:
            continue
        scales = scales_of(tensor, tensors)
        own = next((it.granularity for it in scales if it.role == WEIGHT), None)
        weights.append(tensor)
        if own is None and not request.unit_scale:
            without.append(tensor.name)
        ratio = 1.0 if own is None or request.keep_scales else scale_ratio(source, target)
        changes[tensor.name] = recoding(source, target, ratio), target.safetensors
        rules[source.name, target.name, ratio, own or "1.0"] += 1
        if ratio != 1:
            changes |= {it.tensor.name: (_rescaling(it, ratio), it.tensor.dtype) for it in scales}
    _refuse(checkpoint, changes, without, unknown_scales(weights, tensors), request.family)
    return changes, tuple(Rule(*rule, count) for rule, count in rules.items())


def _refuse(checkpoint: Checkpoint, changes: object, without: list[str], unknown: list[str], to: str) -> None:
    if unknown:
        raise UsageError(f"{checkpoint.path}: {len(unknown)} tensors may be scales, and are not known", unknown[:8])
    if without:
        raise UsageError(
            f"{checkpoint.path}: {len(without)} tensors of 8-bit floats have no scale that is known; "
            "--unit-scale says that they have none",
            without[:8],
        )
    if not changes:
        raise UsageError(f"{checkpoint.path}: no tensor in it that {to} stores in another way: use it as it is")


def _made_for(shard: Header, given: Encoding | None) -> str:
    """For which family a file that says e4m3fn was made."""
    try:
        noted = json.loads(shard.metadata.get(_NOTE, "{}")).get("to", "ocp")
    except (ValueError, AttributeError):
        noted = None
    if noted not in FAMILIES:
        raise UsageError(f"{shard.file}: its metadata has a {_NOTE} that cannot be read")
    if _NOTE not in shard.metadata and given is not None and given.family == "gaudi2":
        return "gaudi2"
    return "gaudi2" if noted == "gaudi2" else "ocp"


def _rescaling(scale: Scale, ratio: float) -> Rescaling:
    if scale.tensor.dtype == "U8" and scale.granularity != "per block":
        raise UsageError(f"{scale.tensor.name}: bytes {scale.granularity}, which are no exponents of blocks")
    return Rescaling(scale.tensor.dtype, ratio, scale.tensor.name)


def _planned(shard: Header, changes: Mapping[str, tuple[Change, str]], to: str) -> Planned:
    here = {tensor.name: changes[tensor.name] for tensor in shard.tensors if tensor.name in changes}
    if not here:
        return Planned(shard.file, shard.file.name, b"", (Piece(0, shard.size),))
    note = {_NOTE: json.dumps({"to": to, "by": f"rewarp {__version__}"})}
    head = shard.rewritten({name: dtype for name, (_, dtype) in here.items()}, note)
    pieces = [Piece(it.begin, it.size, here[it.name][0] if it.name in here else None) for it in shard.tensors]
    recoded = sum(not isinstance(change, Rescaling) for change, _ in here.values())
    return Planned(shard.file, shard.file.name, head, tuple(_joined(pieces)), recoded)


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Neighbours with the same fate as one piece."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].change == piece.change and found[-1].begin + found[-1].size == piece.begin:
            found[-1] = Piece(found[-1].begin, found[-1].size + piece.size, piece.change)
        else:
            found.append(piece)
    return found


def _others(source: Path, files: list[Planned]) -> tuple[list[Planned], list[str]]:
    """What lies beside the weights goes with them (configuration, index, tokenizer); other weights do not."""
    if not source.is_dir():
        return [], []
    done = {file.name for file in files}
    copied, left_out = [], []
    for entry in sorted(source.iterdir()):
        if entry.name in done:
            continue
        if entry.is_file() and not entry.name.endswith(_OTHER_WEIGHTS):
            copied.append(Planned(entry, entry.name, b"", (Piece(0, entry.stat().st_size),)))
        else:
            left_out.append(entry.name)
    return copied, left_out
