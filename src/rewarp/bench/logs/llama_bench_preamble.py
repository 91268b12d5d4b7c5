"""The lines in which ggml says, at its start, what devices it found."""

from __future__ import annotations

import re

from rewarp.bench.logs.llama_bench_record import Device

_FOUND = re.compile(r"found (\d+) (\S+) devices", re.IGNORECASE)
_DEVICE = re.compile(r"^\s*Device (\d+): (.+?), (?:compute capability (\d+)\.(\d+)|(gfx[0-9a-f]+))")
_VULKAN = re.compile(r"(?:ggml_vulkan: \d+ = |^\s*Vulkan\d+: )(.{1,400}?)(?: \([^|]{0,400}\))? \| ")
_METAL = re.compile(r"ggml_metal\w*: GPU name: +(\S(?:.*\S)?)\s*$")
_WAVE = re.compile(r"(?:Wave Size|warp size): (\d+)", re.IGNORECASE)
_SLOW = re.compile(r"warning: (.{1,400}), performance may be affected")
_MEMORY = re.compile(r"VRAM: (\d+) MiB")


class Preamble:
    """The devices of the llama.cpp program that is speaking."""

    def __init__(self) -> None:
        self.devices: list[Device] = []
        self.slow_build: str | None = None
        """What makes the program slower than it need be: `debug build`."""
        self._family = ""

    def feed(self, number: int, line: str) -> bool:
        """Whether the line was one of these."""
        if found := _FOUND.search(line):
            self._family = found[2].upper()
            self.devices = []
            return True
        if slow := _SLOW.search(line):
            self.slow_build = slow[1]
            return True
        device = self._device(number, line)
        if device and all(device.name != known.name or device.where != known.where for known in self.devices):
            self.devices.append(device)
        return device is not None

    def _device(self, number: int, line: str) -> Device | None:
        where = f"log line {number}"
        if found := _DEVICE.search(line):
            # Older ROCm builds print a gfx number as a compute capability; it is none.
            arch = found[5] or (f"sm_{found[3]}{found[4]}" if self._family == "CUDA" else None)
            memory = _MEMORY.search(line)
            return Device(found[2], where, arch, _wave(line), int(memory[1]) << 20 if memory else None)
        if found := _VULKAN.search(line):
            return Device(found[1], where, wave_size=_wave(line))
        if found := _METAL.search(line):
            return Device(found[1], where)
        return None


def _wave(line: str) -> int | None:
    found = _WAVE.search(line)
    return int(found[1]) if found else None
