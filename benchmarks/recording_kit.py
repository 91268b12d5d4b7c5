"""What an NVIDIA GPU must be lent for: a folder with CUDA programs that builds, runs and records them there on its own.

    python benchmarks/recording_kit.py HECBENCH/src KIT --sample 60 --seed 16
    python3 KIT/drive.py OUT              (on the machine with the GPU; KIT and Python are all it needs beside CUDA)
    python benchmarks/program_outputs.py OUT/programs.json …          (here)

The programs are those that `programs.py` tries, in the same order, with the same smaller arguments. Of every program its folder
travels, and of its neighbours what its build and its run line name. Fetches nothing, runs nothing but make --dry-run.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from program_results import drawn
from programs import _COMPILER, _DIRECTORY, Program, read_makefile

HERE = Path(__file__).parent
_NEIGHBOUR = re.compile(r"\.\./([\w.+-]+(?:/[\w.+-]+)*)")
_ARCH = re.compile(r"(?:-arch[= ]\S+|--?gpu-architecture[= ]\S+|-gencode[= ]\S+|--?generate-code[= ]\S+)")
_OUTPUT = re.compile(r"\s-o\s*(\S+)")
_LARGEST = 8_000_000
"""Bytes of a folder; beyond it a program stays here."""


def plan(program: Program, root: Path, arch: str) -> dict[str, Any] | None:
    """How it is built, and started; None where make names no compiler, or no program comes out."""
    commands = list(building(program.folder, arch))
    linked = [(folder, found[1]) for folder, line in commands if " -c " not in line and (found := _OUTPUT.search(line))]
    if not linked:
        return None
    folder, name = linked[-1]
    return {
        "name": program.folder.name,
        "build": [[str(place.relative_to(root)), line] for place, line in commands],
        "program": str((folder / name).resolve().relative_to(root)),
        "place": str((program.place or program.folder).relative_to(root)),
        "variables": dict(program.variables),
        "commands": [list(arguments) for arguments in program.commands],
    }


def building(folder: Path, arch: str) -> Iterator[tuple[Path, str]]:
    """The compiler's command lines, for another architecture, with CUDA's runtime as a shared library."""
    command = ["make", "--dry-run", "--always-make", "--keep-going", "--print-directory", "LC_ALL=C"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=60)
    places = [folder]
    for line in done.stdout.replace("\\\n", " ").splitlines():
        if moved := _DIRECTORY.match(line):
            places = [*places, Path(moved[2])] if moved[1] == "Entering" else places[:-1] or [folder]
        elif _COMPILER.match(line):
            if re.match(r"\s*\S*nvcc\b", line):
                line = f"{_ARCH.sub('', line)} -arch={arch} -cudart shared -w"
            yield places[-1], line


def neighbours(program: Program, root: Path, commands: list[Any]) -> set[Path]:
    """What lies beside the folder, and is named in its sources, its build or its arguments."""
    sources = [file for file in program.folder.rglob("*") if file.suffix in (".cu", ".cuh", ".cpp", ".h", ".hpp", ".c")]
    sources += [unit.source for unit in program.units]
    texts = [" ".join(map(str, commands)), *(" ".join(arguments) for arguments in program.commands)]
    texts += [file.read_text("utf-8", "replace") for file in sources if file.is_file()]
    found: set[Path] = set()
    for text in texts:
        for name in _NEIGHBOUR.findall(text):
            for place in (root / name, program.folder / ".." / name):
                path = place.resolve()
                if (
                    path.exists()
                    and path != root
                    and path.is_relative_to(root)
                    and not path.is_relative_to(program.folder)
                ):
                    found.add(path)
    return found


def size(path: Path) -> int:
    return sum(file.stat().st_size for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())


def copy(path: Path, root: Path, to: Path) -> None:
    target = to / path.relative_to(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True)
    else:
        shutil.copy2(path, target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kit", type=Path)
    parser.add_argument("--pattern", default="*-cuda")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    root, to = options.folder.resolve(), options.kit / "src"
    shutil.rmtree(options.kit, ignore_errors=True)
    to.mkdir(parents=True)
    folders = drawn((path for path in root.glob(options.pattern) if path.is_dir()), options.seed)[: options.sample]
    programs, left_out = [], {}
    for folder in folders:
        program = read_makefile(folder)
        made = plan(program, root, options.arch)
        beside = neighbours(program, root, made["build"]) if made else set()
        if made is None or size(folder) > _LARGEST:
            left_out[folder.name] = "no build that make can tell" if made is None else f"{size(folder):,} bytes"
            continue
        programs.append(made)
        for path in (folder, *(path for path in beside if size(path) <= _LARGEST)):
            copy(path, root, to)
    about = {"corpus": root.parent.name, "seed": options.seed, "sample": options.sample, "left out": left_out}
    (options.kit / "plan.json").write_text(json.dumps({"about": about, "programs": programs}, indent=1))
    shutil.copy2(HERE / "recording_drive.py", options.kit / "drive.py")
    shutil.copy2(HERE / "device_memory.c", options.kit)
    print(f"{len(programs)} programs, {size(options.kit):,} bytes; left out: {left_out or 'none'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
