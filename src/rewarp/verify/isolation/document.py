"""What `rewarp verify isolation --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.schema import AtLeast, EachOf, OneOf, Text
from rewarp.verify.isolation.file_verdict import IsolationVerdict

Count = Annotated[int, AtLeast(0)]
Hash = Annotated[str | None, "null where the file is not there, or was not read", Text(pattern="^[0-9a-f]{64}$")]
Verdict = Annotated[str, OneOf(IsolationVerdict)]


class Tree(TypedDict):
    name: Annotated[str, "as it was asked for"]
    revision: Annotated[str | None, "the commit, where it is one"]


class Places(TypedDict):
    line_before: int | None
    line_after: int | None
    text: str


class Files(TypedDict):
    path: str
    verdict: Verdict
    method: Annotated[str, "how it was proved, or looked at"]
    why: str
    places: list[Places]
    sha256_before: Hash
    sha256_after: Hash


class Units(TypedDict):
    source: str
    target: str
    verdict: Verdict
    why: str


class Compiled(TypedDict):
    compiler: str
    arch: str
    verdict: Verdict
    out_of_reach: Count
    normalised: list[str]
    units: list[Units]


class _Document(TypedDict, total=False):
    compiled: Annotated[Compiled, "what NVIDIA's compiler said, where --compile asked it"]


class Body(_Document):
    """All but the digest."""

    schema: Literal["rewarp.isolation/1"]
    rewarp: Annotated[str, "version of rewarp"]
    claim: Annotated[str, "what is proved where the verdict is `proved identical`"]
    verdict: Verdict
    before: Tree
    after: Tree
    below: Annotated[str, "the folder that the question was limited to; empty for the whole tree"]
    counts: Annotated[dict[str, Count], EachOf(IsolationVerdict)]
    assumptions: Annotated[list[str], "what was taken for granted"]
    files: Annotated[list[Files], "every changed file, by path"]


class Document(Body):
    """The certificate of `rewarp verify isolation`. Fields may be added within version 1; none is removed or changes its meaning."""

    digest: Annotated[
        str,
        "SHA-256 of the document without this field, as JSON with sorted keys, no blanks and only ASCII",
        Text(pattern="^[0-9a-f]{64}$"),
    ]
