"""What `rewarp doctor --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.schema import AtLeast, OneOf

Backend = Annotated[str, OneOf("cuda", "rocm", "gaudi", "xpu", "cpu")]


class Text(TypedDict):
    value: str
    source: str


class Number(TypedDict):
    value: int
    source: str


TextOrNull = Text | None
NumberOrNull = Number | None


class Note(TypedDict):
    level: Annotated[str, OneOf("info", "warning", "error")]
    subject: str
    message: str
    advice: str
    value: Annotated[str | None, "of the environment variable, if it is one"]


class Platforms(TypedDict):
    backend: Backend
    versions: dict[str, Text]
    evidence: list[Text]


class Devices(TypedDict):
    backend: Backend
    index: Annotated[int, AtLeast(0)]
    name: Annotated[TextOrNull, "as the driver or a tool spells it"]
    product: Annotated[TextOrNull, "the row of the spec tables it was recognised as"]
    arch: Annotated[TextOrNull, "gfx942, sm_90, hpu-gaudi2"]
    memory_bytes: NumberOrNull
    compute_units: Annotated[NumberOrNull, "SMs or CUs; matrix engines on Gaudi"]
    cores: Annotated[NumberOrNull, "FP32 lanes: CUDA cores or stream processors"]
    wave_size: NumberOrNull
    fp8: Annotated[TextOrNull, "AMD: OCP, FNUZ or none"]
    bus: TextOrNull
    uuid: TextOrNull
    node: Annotated[NumberOrNull, "AMD: the KFD node"]
    note: str


class TorchDevices(TypedDict):
    name: str
    memory_bytes: int | None
    compute_units: int | None
    arch: str | None
    wave_size: int | None


class Torch(TypedDict):
    state: Annotated[str, OneOf("works", "not installed", "installed, but its import fails", "timed out", "not asked")]
    python: Annotated[str, "the interpreter that was asked"]
    version: str | None
    cuda: str | None
    hip: str | None
    xpu: str | None
    hpu: Annotated[str | None, "version of the Gaudi bridge, or unknown"]
    backend: Backend | None
    archs: list[str] | None
    devices: list[TorchDevices] | None
    device_error: str
    detail: str


class Tools(TypedDict):
    name: str
    purpose: str
    state: Annotated[str, OneOf("works", "missing", "failed", "timed out")]
    path: str | None
    on_path: Annotated[bool | None, "false: found in a usual place that PATH does not name"]
    version: TextOrNull
    detail: str


class Abilities(TypedDict):
    name: str
    possible: bool
    why: str


class Document(TypedDict):
    """The output of `rewarp doctor --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.doctor/1"]
    schema_version: Literal[1]
    rewarp: Annotated[str, "version of rewarp"]
    platform: Annotated[Backend, "the platform a GPU program would use here"]
    why: str
    system: dict[str, Text]
    platforms: Annotated[list[Platforms], "every vendor's stack of which something was found, with devices or without"]
    devices: list[Devices]
    torch: Torch
    tools: list[Tools]
    environment: list[Note]
    notes: list[Note]
    abilities: list[Abilities]
