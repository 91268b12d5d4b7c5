"""What share of hand-written HIP programs rewarp's toolchain compiles, and why the rest does not.

    python benchmarks/hip_programs.py HECBENCH/src --pattern '*-hip' --arch gfx942 --sample 60 --json results.json

The check of the toolchain itself: nothing is translated. `make --dry-run` in each program's folder says which sources
hipcc would compile, with which options. A program passes when the device side of each becomes a code object (of all
together, where they are built with -fgpu-rdc) and the host side of each compiles. Fetches nothing, builds nothing in the
folder.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from rewarp.errors import RewarpError
from rewarp.toolchain import Compiled, Toolchain, find
from rewarp.toolchain.compiler import Language

NO_BUILD = "no source named by make"
_SOURCES = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c")
_COMPILERS = re.compile(r"(?:hipcc|nvcc|amdclang\+\+|clang\+\+|mpicxx|mpicc|g\+\+|c\+\+|gcc|cc)")
_ENTERING = re.compile(r"make(?:\[\d+\])?: Entering directory '(.+)'")
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-l", "-L")
_DROPPED = re.compile(
    r"-(?:c|M[MDGP]*|save-temps.*|l.+|L.+|Wl,.*|O[0-9a-z]*|g|Wall|Werror.*|--?offload-arch=.*|-amdgpu-target=.*)"
)


@dataclass(frozen=True)
class Unit:
    source: Path
    options: tuple[str, ...]
    device: bool


@dataclass(frozen=True)
class Result:
    ok: bool
    cause: str | None = None
    subject: str | None = None
    message: str | None = None
    kernels: int = 0
    seconds: float = 0.0


def units_of(program: Path) -> list[Unit]:
    """The sources that make would compile. Nothing is built."""
    command = ["make", "--dry-run", "--always-make", "--keep-going", "--print-directory", "LC_ALL=C"]
    done = subprocess.run(command, cwd=program, capture_output=True, text=True, errors="replace", timeout=60)
    folder, found = program, dict[Path, Unit]()
    for line in done.stdout.replace("\\\n", " ").splitlines():
        entered = _ENTERING.match(line)
        if entered:
            folder = Path(entered[1])
            continue
        for unit in _units_of_command(line, folder):
            found.setdefault(unit.source, unit)
    return list(found.values())


def _units_of_command(line: str, folder: Path) -> Iterator[Unit]:
    try:
        compiler, *words = shlex.split(line, comments=True)
    except ValueError:
        return
    if not _COMPILERS.fullmatch(Path(compiler).name):
        return
    options: list[str] = []
    sources: list[Path] = []
    rest = iter(words)
    for word in rest:
        if word in _WITH_VALUE:
            next(rest, None)
        elif word.endswith(_SOURCES) and not word.startswith("-"):
            sources += sorted(folder.glob(word)) if "*" in word and not word.startswith("/") else [folder / word]
        elif word == "-x":
            next(rest, None)
        elif word in ("-I", "-isystem", "-include", "-D"):
            options += [word, _from(folder, next(rest, ""))] if word != "-D" else [word, next(rest, "")]
        elif word.startswith("-I"):
            options.append(f"-I{_from(folder, word[2:])}")
        elif word.startswith("-") and not _DROPPED.fullmatch(word):
            options.append(word)
    device = Path(compiler).name in ("hipcc", "nvcc", "amdclang++", "clang++")
    cxx = any(option.startswith("-std=c++") for option in options)  # hipcc takes a .c file for C++ then
    for source in sources:
        yield Unit(source, tuple(options), device and (cxx or source.suffix != ".c"))


def _from(folder: Path, name: str) -> str:
    return str(folder / name)


def compiled(compiler: Toolchain, program: Path, arch: str, timeout: float) -> Result:
    units = units_of(program)
    if not units:
        return Result(False, NO_BUILD)
    seconds, kernels = 0.0, 0
    for done in _steps(compiler, units, arch, timeout):
        seconds += done.seconds
        kernels += len(done.kernels)
        if not done.ok:
            assert done.failure
            return Result(False, done.failure.cause.value, done.failure.subject, str(done.errors[0]), kernels, seconds)
    return Result(True, kernels=kernels, seconds=seconds)


def _steps(compiler: Toolchain, units: Sequence[Unit], arch: str, timeout: float) -> Iterator[Compiled]:
    quiet = ("-w",)
    together = [unit for unit in units if unit.device and "-fgpu-rdc" in unit.options]
    if together:
        sources = [unit.source for unit in together]
        yield compiler.link(sources, arch, options=(*quiet, *together[0].options), timeout=timeout)
    for unit in units:
        options = (*quiet, *unit.options)
        if unit.device and unit not in together:
            yield compiler.compile_device(unit.source, arch, options=options, level="code_object", timeout=timeout)
        language: Language = "hip" if unit.device else "c" if unit.source.suffix == ".c" else "c++"
        yield compiler.compile_host(unit.source, options=options, language=language, timeout=timeout)


def report(results: dict[str, Result]) -> str:
    good = sum(result.ok for result in results.values())
    lines = [f"{good} of {len(results)} programs compile ({good / max(1, len(results)):.1%})", ""]
    lines += ["| cause | programs | about |", "|---|---:|---|"]
    causes = Counter(str(result.cause) for result in results.values() if not result.ok)
    for cause, count in causes.most_common():
        about = Counter(str(result.subject)[:60] for result in results.values() if result.cause == cause)
        named = ", ".join(f"`{subject}` {times}" for subject, times in about.most_common(8))
        lines.append(f"| {cause} | {count} | {named} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="*-hip", help="folders of programs (default: %(default)s)")
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--sample", type=int, help="only so many programs, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--json", type=Path, help="write every result here")
    arguments = parser.parse_args()
    try:
        compiler = find()
    except RewarpError as error:
        print(error, file=sys.stderr)
        return 2
    programs = sorted(path for path in arguments.folder.resolve().glob(arguments.pattern) if path.is_dir())
    if arguments.sample:
        programs = sorted(random.Random(arguments.seed).sample(programs, min(arguments.sample, len(programs))))
    results: dict[str, Result] = {}
    pool = ThreadPoolExecutor(arguments.jobs)
    try:
        futures = {pool.submit(compiled, compiler, path, arguments.arch, arguments.timeout): path for path in programs}
        for number, future in enumerate(as_completed(futures), 1):
            name, result = futures[future].name, future.result()
            results[name] = result
            note = "ok" if result.ok else f"{result.cause}: {result.subject}"
            print(f"{number}/{len(programs)} {name} {result.seconds:.1f} s {note[:120]}", file=sys.stderr)
            if arguments.json:
                arguments.json.write_text(json.dumps({key: asdict(results[key]) for key in sorted(results)}, indent=1))
    finally:
        pool.shutdown(cancel_futures=True)
    print(f"{arguments.arch}, {compiler.kind} toolchain, {compiler.clang_version}, HIP {compiler.hip_version}\n")
    print(report(results))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
