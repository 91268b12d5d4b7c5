"""Runs tinygrad's tests of single instructions, whose expected values were confirmed on real GPUs, on the machine.

    python benchmarks/hardware_tests.py CHECKOUT_OF_TINYGRAD [--show]

Nothing of the checkout is changed: its emulator is replaced, in this process, by a function that turns the machine code into
assembly (with the checkout's own disassembler) and launches that. By hand: needs the repository, not the package.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import re
import sys
import types
import unittest
from pathlib import Path
from typing import Any

from rewarp import machine
from rewarp.machine.launch import Memory, launch

ARCHES = {"rdna3": "gfx1100", "rdna4": "gfx1201", "cdna": "gfx942"}
_HEAD = """
.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.text
test:
{code}
.amdhsa_kernel test
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_sgpr_workgroup_id_z 1
  .amdhsa_group_segment_fixed_size 65536
  .amdhsa_private_segment_fixed_size {scratch}
  .amdhsa_next_free_vgpr 256
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .offset: 0
        .size: 8
        .value_kind: by_value
    .name: test
    .symbol: test.kd
...
.end_amdgpu_metadata
"""


def assembly(code: bytes, arch: str) -> str:
    """Machine code as text, with labels where branches go."""
    from test.amd.disasm import disasm  # type: ignore[import-not-found]
    from tinygrad.renderer.amd import decode_inst  # type: ignore[import-not-found]

    lines: dict[int, str] = {}
    at = 0
    while at < len(code):
        instruction = decode_inst(code[at:], arch)
        # The checkout's disassembler shows an offset that is absent as s0.
        lines[at] = re.sub(r"^(s_load_dwordx2 s\[92:93\], s\[80:81\]), s0$", r"\1, 0x0", disasm(instruction))
        at += instruction.size()
    targets: set[int] = set()
    places = sorted(lines)
    for place, after in zip(places, [*places[1:], at]):
        if found := re.match(r"(s_branch|s_cbranch_\w+) (-?\d+|0x[0-9a-f]+)$", lines[place]):
            distance = int(found[2], 0)
            target = after + 4 * (distance - 0x10000 if distance & 0x8000 else distance)
            targets.add(target)
            lines[place] = f"{found[1]} L{target}"
    return "\n".join((f"L{place}:\n" if place in targets else "") + lines[place] for place in places)


def run_asm(
    code: int, size: int, gx: int, gy: int, gz: int, lx: int, ly: int, lz: int, arguments: int, rsrc2: int = 0,
    scratch_size: int = 0, arch: str = "rdna3", user_data: Any = None,
) -> int:  # fmt: skip
    """What tinygrad's emulator offers, on this one."""
    text = assembly(ctypes.string_at(code, size), arch)
    program = machine.load(_HEAD.format(arch=ARCHES[arch], code=text, scratch=scratch_size))
    memory = Memory()
    memory.add(1 << 16, 1 << 47)
    given = ctypes.string_at(arguments, 8)
    launch(program, "test", (gx, gy, gz), (lx, ly, lz), (given,), memory=memory, cores=1, limit=10)
    return 0


class _Result(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.outcomes: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.why: dict[str, str] = {}

    def _note(self, test: unittest.TestCase, what: str, why: str = "") -> None:
        file = type(test).__module__.rpartition(".")[2]
        self.outcomes[file][what] += 1
        if why:
            self.why[test.id().partition(".hw.")[2]] = f"{what}: {why}"

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._note(test, "passes")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._note(test, "fails", str(err[1]).splitlines()[0])

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        lines = str(err[1]).splitlines() or [""]
        kind = "not supported" if type(err[1]).__name__ == "Unsupported" else "stops"
        self._note(test, kind, f"{type(err[1]).__name__}: {lines[0]}")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._note(test, "skipped")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--show", action="store_true", help="each test that does not pass, and why")
    given = parser.parse_args()
    sys.path.insert(0, str(given.checkout))
    replaced = types.ModuleType("test.mockgpu.amd.emu")
    replaced.run_asm = run_asm  # type: ignore[attr-defined]
    sys.modules["test.mockgpu.amd.emu"] = replaced
    suite, result = unittest.TestSuite(), _Result()
    for file in sorted((given.checkout / "test" / "amd" / "hw").glob("test_*.py")):
        name = f"test.amd.hw.{file.stem}"
        try:
            suite.addTests(unittest.defaultTestLoader.loadTestsFromName(name))
        except Exception as error:
            print(f"{name}: cannot be loaded: {error}")
    suite.run(result)
    total: collections.Counter[str] = collections.Counter()
    for name, outcome in sorted(result.outcomes.items()):
        print(f"| {name} | {outcome['passes']} of {sum(outcome.values())} | {dict(outcome)} |")
        total.update(outcome)
    print(f"| all | {total['passes']} of {sum(total.values())} | {dict(total)} |")
    for test, why in sorted(result.why.items()) if given.show else ():
        print(f"{test}: {why}")


if __name__ == "__main__":
    main()
