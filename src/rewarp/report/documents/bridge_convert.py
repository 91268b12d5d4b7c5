"""What `rewarp bridge convert --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.schema import AtLeast, AtMost, OneOf


class Rules(TypedDict):
    source: str
    target: str
    ratio: float
    scales: Annotated[str, OneOf("per tensor", "per channel", "per block", "checkpoint", "1.0")]
    count: Annotated[int, AtLeast(1)]
    words: str


class Counts(TypedDict):
    total: Annotated[int, AtLeast(0)]
    changed: Annotated[int, AtLeast(0)]
    rounded: Annotated[int, AtLeast(0)]
    saturated: Annotated[int, AtLeast(0)]
    nan: Annotated[int, AtLeast(0)]
    infinite: Annotated[int, AtLeast(0)]


class Files(TypedDict):
    name: str
    size: Annotated[int, AtLeast(0)]
    recoded: Annotated[int, "Tensors, or runs of layers, with other codes.", AtLeast(0)]


class Document(TypedDict):
    """The output of `rewarp bridge convert --json`."""

    schema: Literal[1]
    kind: Annotated[str, OneOf("checkpoint", "chunks")]
    source: str
    target: str
    to: Annotated[str, OneOf("ocp", "fnuz", "gaudi2")]
    rules: Annotated[list[Rules], "How the numbers were converted; ratio is the new scale divided by the old one."]
    counts: Counts
    files: list[Files]
    left_out: list[str]
    warnings: list[str]
    exit_code: Annotated[int, AtLeast(0), AtMost(1)]
