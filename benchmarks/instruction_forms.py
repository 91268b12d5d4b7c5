"""Which instructions of a corpus the emulator does not know. Nothing runs: programs are compiled, and the tables are asked.

    python benchmarks/instruction_forms.py HECBENCH/src --pattern '*-hip' --arch gfx942 gfx1100 --sample 60

`make --dry-run` says what is compiled, as in hip_programs.py. Of every form that is not known one instruction is shown, with
the number of times it occurs and the programs that have it.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hip_programs import units_of

from rewarp.errors import RewarpError
from rewarp.machine.assembly import Instruction, parse
from rewarp.machine.program import compile_assembly
from rewarp.machine.shapes import Unsupported, encode

_NUMBERS = re.compile(r"\d+")


def instructions(program: Path, arch: str) -> Iterator[Instruction]:
    for unit in units_of(program):
        if unit.device:
            yield from parse(compile_assembly(unit.source, arch, (*unit.options, "-O3", "-w"))).instructions


def unknown(program: Path, arch: str) -> tuple[int, list[str]]:
    """How many instructions there are, and the texts of those that are not known."""
    known: dict[str, bool] = {}
    count, found = 0, list[str]()
    for instruction in instructions(program, arch):
        count += 1
        # Numbers of registers make no difference to whether it is known.
        form = instruction.mnemonic + _NUMBERS.sub("0", instruction.text)
        if form not in known:
            try:
                encode(instruction)
                known[form] = True
            except Unsupported:
                known[form] = False
        if not known[form]:
            found.append(instruction.text.strip())
    return count, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="*-hip")
    parser.add_argument("--arch", nargs="+", default=["gfx942", "gfx1100"])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    programs = sorted(options.folder.glob(options.pattern))
    if options.sample:
        programs = sorted(random.Random(options.seed).sample(programs, min(options.sample, len(programs))))
    for arch in options.arch:
        texts, where = defaultdict[str, list[str]](list), defaultdict[str, set[str]](set)
        count = whole = failed = 0
        for program in programs:
            try:
                number, found = unknown(program, arch)
            except (RewarpError, OSError) as error:
                failed += 1
                print(f"  {program.name}: not compiled: {str(error)[:160]}", flush=True)
                continue
            count, whole = count + number, whole + (not found)
            for text in found:
                mnemonic = text.split()[0]
                texts[mnemonic].append(text)
                where[mnemonic].add(program.name)
        print(
            f"{arch}: {len(programs) - failed} programs, {count:,} instructions; {whole} programs known whole",
            flush=True,
        )
        for mnemonic, cases in sorted(texts.items(), key=lambda item: -len(item[1])):
            print(f"  {len(cases):6} {cases[0]}    {', '.join(sorted(where[mnemonic])[:6])}", flush=True)


if __name__ == "__main__":
    main()
