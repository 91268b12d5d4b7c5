"""What `rewarp bridge probe --json` writes as JSON: a document for each of its three actions."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.schema import AtLeast, OneOf, Text, opened

Count = Annotated[int, AtLeast(0)]


class _Probe(TypedDict):
    schema: Literal[1]
    url: str
    probe: Annotated[str, Text(pattern="^[0-9a-f]{12}$")]
    exit_code: Literal[0, 1, 3]


class Findings(TypedDict):
    kind: Annotated[
        str,
        OneOf(
            "hash",
            "key",
            "absent",
            "unreadable",
            "type",
            "flavour",
            "permutation",
            "layout",
            "bits",
            "bytes",
            "length",
            "expired",
        ),
    ]
    message: str


@opened
class Written(_Probe):
    action: Literal["write"]
    keys: list[str]
    expires: str
    forgotten_by_the_store: bool
    encoding: str
    decoded_by: str
    assumed: bool


@opened
class Read(_Probe):
    action: Literal["read"]
    verdict: Annotated[str, OneOf("exact", "wrong", "miss")]
    hits: Count
    chunks: Annotated[int, AtLeast(1)]
    right: Count
    total: Count
    factor: float | None
    nan: Count
    findings: list[Findings]
    encoding: str
    decoded_by: str
    assumed: Annotated[bool, "What codes are worth was assumed on a side."]
    writer: dict[str, str]
    not_seen: str


@opened
class Cleaned(_Probe):
    action: Literal["clean"]
    removed: Count
    left: list[str]


Document = Annotated[Written | Read | Cleaned, "The output of `rewarp bridge probe --json`."]
