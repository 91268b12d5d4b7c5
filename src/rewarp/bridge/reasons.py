"""Reasons and changes in the shapes that most of them have."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.bridge.crossing import Basis, Change, CrossingVerdict, Reason
from rewarp.bridge.deployment import Deployment


def both(why: str, field: str, value: object) -> Change:
    return Change(f"{field.rpartition('.')[2]}: {value} on both sides, {why}", {field: value}, {field: value})


def of_writer(writer: Deployment, reader: Deployment, field: str, value: object) -> Change:
    return Change(f"give {reader.name} {field} {value}, as {writer.name} has it", {}, {field: value})


def on(side: Deployment, writer: Deployment, what: str, settings: Mapping[str, object]) -> Change:
    """A change of one of the two."""
    text = f"{what} on {side.name}"
    return Change(text, settings, {}) if side is writer else Change(text, {}, settings)


def not_known(field: str, cause: str, source: str = "", *changes: Change) -> Reason:
    return Reason(CrossingVerdict.UNKNOWN, field, cause, Basis.SOURCE, source, changes)


def miss(field: str, cause: str, source: str, *changes: Change) -> Reason:
    return Reason(CrossingVerdict.MISS, field, cause, Basis.RUN, source, changes)


def in_sixteen_bits(writer: Deployment, reader: Deployment) -> Change:
    """A cache that every platform keeps alike: `auto`, unless the model's own configuration makes something else of it."""
    named = [_sixteen(side) for side in (writer, reader)]
    said = named[0] if named[0] == named[1] else " and ".join(named)
    mine, theirs = ({"vllm.kv_cache_dtype": name, "vllm.dtype": "bfloat16"} for name in named)
    return Change(f"--kv-cache-dtype {said} --dtype bfloat16 on both sides", mine, theirs)


def _sixteen(side: Deployment) -> str:
    return "auto" if side.model.kv_cache_dtype == "auto" else "bfloat16"
