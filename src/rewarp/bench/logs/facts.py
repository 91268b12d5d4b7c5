"""What lines beside the steps say: the device, the software, the configuration; and how a run came to its end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rewarp.bench.result import Warn


def integer(text: str) -> int | None:
    """None for what says that there is none (`None`, `-1`)."""
    try:
        value = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        return None
    return int(value) if value > 0 else None


def positive(text: str) -> float | None:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if value > 0 else None


def word(text: str) -> str | None:
    text = text.strip(" '\"")
    return None if text in ("", "None", "null") else text


def precision(text: str) -> str | None:
    """By one name: `torch.bfloat16`, `bfloat16` and `BF16` are `bf16`."""
    name = text.strip(" '\"").rpartition(".")[2].lower()
    name = re.sub(r"^b(?:float)?f?16$", "bf16", re.sub(r"^(?:float|half)(?=\d|$)", "fp", name))
    return word("fp16" if name == "fp" else name)


@dataclass(frozen=True)
class Fact:
    """A line that says something of a run. Group 1 is what it says."""

    name: str
    """``section.field`` of a result: `configuration.sequence`, `device.count`, `software.torch`, `platform`; or
    ``reported.figure``, where the last word counts and not the first."""
    anchor: bytes
    """A text that every such line holds."""
    pattern: re.Pattern[bytes]
    read: Callable[[str], Any]
    surer: bool = False
    """Counts before others of its name, wherever it stands."""

    def find(self, line: bytes) -> Any:
        """The value; None where the line says nothing of it, or what it says is no value."""
        found = self.pattern.search(line)
        try:
            return self.read(found[1].decode("utf-8", "replace")) if found else None
        except (ValueError, OverflowError):
            return None


def fact(name: str, anchor: bytes, pattern: bytes, read: Callable[[str], Any] = integer, surer: bool = False) -> Fact:
    return Fact(name, anchor, re.compile(pattern), read, surer)


def always(value: str) -> Callable[[str], str]:
    return lambda _: value


def _cuda_or_rocm(version: str) -> str:
    return "rocm" if "rocm" in version or "hip" in version.lower() else "cuda"


def _amp(text: str) -> str:
    return "bf16" if text == "bfloat16" else "fp16"


NOT_DEEPSPEEDS = rb"^(?!.*config\.py:\d+:print\])"
"""DeepSpeed prints a configuration of its own, whose world is the devices that are left for data parallelism."""
_TORCH = rb"(?i:running pytorch|pytorch version:?|torch version ?(?:[:=]+|\.+)|torch==) *v?(\d+\.\d+\.\d+[^\s,)]*)"

COMMON = (
    fact("device.name", b" capacity: ", rb"\b[A-Z]+ capacity: (\S.{0,200}?) with [\d.]+GiB memory", word),
    fact(
        "device.memory_bytes",
        b" capacity: ",
        rb"capacity: .{0,200} with ([\d.]+)GiB memory",
        lambda t: int(float(t) * 2**30),
    ),
    fact(
        "device.name", b"| ", rb"^\|\s+\d+\s+((?:NVIDIA|Tesla|Quadro|GeForce) \S.{0,80}?)\s{1,80}(?:On|Off)\s+\|", word
    ),
    fact("platform", b"NVIDIA-SMI", rb"^\|\s(NVIDIA-SMI) ", always("cuda")),
    fact("software.driver", b"Driver Version: ", rb"NVIDIA-SMI .{0,200}Driver Version: (\d[\d.]*)", word),
    fact("platform", b"AMD Instinct", rb"(AMD Instinct) MI\d", always("rocm")),
    fact("device.name", b"AMD Instinct", rb"(AMD Instinct MI\d{2,3}[AX]?)\b", word),
    *(
        fact("software.torch", anchor, _TORCH, word)
        for anchor in (b"unning pytorch", b"orch version", b"orch Version", b"torch==")
    ),
    fact("platform", b"+rocm", rb"orch\S* *v?\d+\.\d+\.\d+\S*\+(rocm)", always("rocm")),
    fact("platform", b"compiled for CUDA", rb"[Rr]unning pytorch (\S+) compiled for CUDA \d", _cuda_or_rocm),
    fact(
        "device.count",
        b"world_size",
        NOT_DEEPSPEEDS + rb"(?:|.*[\s(\"',])(?:dist_)?world_size[\"']?(?:=| *: *| \.+ | = )(\d+)\b",
    ),
    fact("device.count", b"using world size: ", rb"using world size: (\d+)", surer=True),
    # Products in 8 bits are the precision, whatever the weights are kept in.
    *(
        fact("configuration.precision", anchor, pattern, always("fp8"), surer=True)
        for anchor, pattern in (
            (b"onverters", rb"\bconverters\b[^\n]{0,200}?\b(float8|mxfp8|mx)\b"),
            (b"loat8", rb"(Float8 (?:\w+ ){0,4}training active|Swapped to Float8Linear)"),
            (b"FP8", rb"(MXFP8 training active)"),
            (b"fp8", rb"(?i)(?<![\w.])fp8(?:_format)?[\"']?\s*(?:[:=]|\.{3,}) *[\"']?(hybrid|e4m3|true)\b"),
            (b"fp8", rb"\b(bf16_with_(?:mx)?fp8\w*)"),
            (b"fp8", rb"(?i)\b(?:mixed[_ ]precision(?:[_ ]type)?|quantization|precision)[\"']?\s*[:=]\s*[\"']?(fp8)"),
        )
    ),
    fact("configuration.precision", b"Mixed Precision", rb"Using (bfloat16|16bit) Automatic Mixed Precision", _amp),
    fact("configuration.precision", b"ixed precision type", rb"[Mm]ixed precision type: (bf16|fp16)", word),
)
"""Said alike in logs of many programs."""


@dataclass(frozen=True)
class Trouble:
    """A text that says that a run broke, or may have."""

    code: str
    text: bytes
    what: str


TROUBLE = (
    Trouble("out-of-memory", b"ut of memory", "out of memory"),
    Trouble("out-of-memory", b"OutOfMemory", "out of memory"),
    Trouble("out-of-memory", b"RESOURCE_EXHAUSTED", "out of memory"),
    Trouble("gpu-fault", b"Memory access fault by GPU", "the GPU stopped at a memory access fault"),
    Trouble("gpu-fault", b"an illegal memory access was encountered", "the GPU stopped at an illegal memory access"),
    Trouble("crashed", b"Segmentation fault", "a process was stopped by a segmentation fault"),
    Trouble("collective-timeout", b"caught collective operation timeout", "a collective operation timed out"),
    Trouble("traceback", b"Traceback (most recent call last)", "Python raised an exception"),
)
"""Surer words first: of several near each other the first in this list is said."""


def trouble_in(line: bytes) -> Trouble | None:
    return next((trouble for trouble in TROUBLE if trouble.text in line), None)


def said(trouble: Trouble, number: int, last_step: str | None, went_on: bool, has_ended: bool = False) -> Warn:
    after = "before the first step" if last_step is None else f"after step {last_step}"
    if has_ended:
        what = f"{trouble.what} {after}, when the training was over by the log's own words"
        return Warn(trouble.code, what, "warning", f"log line {number}")
    if went_on:
        return Warn(trouble.code, f"{trouble.what} {after}, and the run went on", "info", f"log line {number}")
    return Warn(trouble.code, f"{trouble.what} {after}: the run broke off", "warning", f"log line {number}")
