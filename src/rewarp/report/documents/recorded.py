"""What `rewarp verify record --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rewarp.schema import AtLeast, OneOf

Count = Annotated[int, AtLeast(0)]


class Document(TypedDict):
    """The output of `rewarp verify record --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.recorded/1"]
    file: Annotated[str, "the golden file"]
    bytes: Count
    calls: Annotated[int, "of modules; the last is the whole", AtLeast(1)]
    modules: Annotated[int, "how many of them are distinct", AtLeast(1)]
    tensors: Count
    weights: Annotated[str, "what is kept of them", OneOf("stored", "hashed", "none")]
    setting: Annotated[dict[str, Any], "device, versions, torch's switches that change numbers, revision, time"]
    options: Annotated[dict[str, Any], "target, seed, dtype, depth"]
    skipped: Annotated[dict[str, list[str]], "by call, what it took or returned that is not compared"]
    notes: list[str]
