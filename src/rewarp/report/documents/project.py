"""What `rewarp project --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.project.role_names import Role
from rewarp.project.support.evidence import Way
from rewarp.schema import AtLeast, Needs, OneOf


class Place(TypedDict):
    file: str
    line: Annotated[int, AtLeast(1)]


class Switches(Place):
    name: str
    value: str


class Refusals(Place):
    why: str


class Build(TypedDict):
    systems: list[str]
    switches: list[Switches]
    given: Annotated[list[str], "variables that have to be given too, whatever their values"]
    units: list[Unit]
    refusals: Annotated[list[Refusals], "where a build file ends the build on this platform"]
    unread: Annotated[list[Refusals], "what could not be followed"]


class Defines(TypedDict):
    text: str
    conditions: list[str]


class Unit(Place):
    source: Annotated[str, "its path in the tree; a part that is not known stands in <>"]
    target: Annotated[str, "the library, program or extension that it becomes a part of"]
    system: Annotated[str, "who says so: cmake, setup.py, make, meson, cargo, compile_commands.json"]
    language: Annotated[str | None, "CUDA, HIP, CXX, C; null where no language that is enabled takes it"]
    conditions: Annotated[
        list[str], "what must hold for it to be compiled, as far as nothing decides that; empty where it is sure"
    ]
    hipified: Annotated[bool, "whether the build translates it from CUDA first"]
    defines: list[Defines]
    flags: list[Defines]
    includes: list[Defines]


class Roles(TypedDict):
    role: Annotated[str, OneOf(Role)]
    reason: str


class Evidence(TypedDict):
    way: Annotated[str, OneOf(Way)]
    file: str
    line: int
    text: str


class Support(TypedDict):
    is_there: bool
    evidence: list[Evidence]


class Document(TypedDict):
    """The output of `rewarp project --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.project/1"]
    schema_version: Literal[1]
    rewarp: Annotated[str, "version of rewarp"]
    project: str
    target: Annotated[str, OneOf("rocm", "gaudi")]
    roles: Annotated[dict[str, Roles], "by path"]
    builds: Annotated[dict[str, Build], Needs("nvidia"), "by platform: nvidia and the target"]
    only_nvidia: Annotated[list[str], "sources that NVIDIA's build compiles and the target's does not"]
    only_target: list[str]
    support: Support
