"""What share of CUDA files still compiles after translation, for an AMD GPU, by translator and by cause of failure.

    python benchmarks/compile_share.py FOLDER --tool rewarp --tool hipify-perl=PATH --cuda --cuda-results cuda.json

Fetches nothing. Counted are the files that compile as CUDA (`--cuda`, which needs nvcc) or else all of them. A file
passes when it compiles through to machine code with every kernel that the CUDA build has. Only the wanted files and
the headers they reach inside FOLDER are translated. -I, -D and -std come from the command line and from the nearest
Makefile; a language standard below C++17, which CUDA 13 no longer takes, is left out on both sides.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from rewarp.errors import RewarpError
from rewarp.toolchain import Toolchain, cause_of_failure, find
from rewarp.toolchain.kernels import kernels_in_ptx, missing_kernels
from rewarp.toolchain.nvcc import Nvcc, find_nvcc

MISSING_KERNELS = "kernels missing"
NOT_TRANSLATED = "not translated"
NVCC_OPTIONS = ("--expt-relaxed-constexpr", "--expt-extended-lambda", "-w")

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_MAKE_VARIABLE = re.compile(r"^[ \t]*(\w+)[ \t]*[:?]?=[ \t]*([^$\n#]*)", re.MULTILINE)
_MAKE_FLAG = re.compile(r"(?<!\S)(?:-I\s*(?P<include>[^\s$\\]+)|(?P<define>-D[^\s$\\]+)|(?P<std>-std=[\w+]+))(?!\S)")
_OLD_STANDARD = re.compile(r"-std=(?:c|gnu)\+\+(?:98|03|0x|11|14|1y)")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Unit:
    """One source to compile, with the options its own build would give it."""

    path: Path
    """Relative to the folder under test."""
    includes: tuple[Path, ...]
    """Folders inside the folder under test, relative to it."""
    options: tuple[str, ...]

    def arguments(self, root: Path, source: Path, quoted: Sequence[str] = ("-iquote",)) -> list[str]:
        # For quotes alone: a project's features.h must not come before the C library's.
        home = [*quoted, str(root / source.parent)]
        return [*home, *(f"-I{root / folder}" for folder in self.includes), *self.options]


@dataclass
class Result:
    ok: bool
    kernels: Sequence[str] = ()
    cause: str | None = None
    subject: str | None = None
    message: str | None = None
    seconds: float = 0.0
    options: Sequence[str] = ()


# --- what to compile ---------------------------------------------------------------------------------------------


def find_units(folder: Path, arguments: argparse.Namespace) -> list[Unit]:
    paths = sorted({path.relative_to(folder) for glob in arguments.files for path in folder.glob(glob)})
    if arguments.sample and arguments.sample < len(paths):
        paths = sorted(random.Random(arguments.seed).sample(paths, arguments.sample))
    inside, outside = [], []
    for name in arguments.include:
        place = (folder / name).resolve()
        if place.is_relative_to(folder):
            inside.append(place.relative_to(folder))
        else:
            outside.append(f"-I{place if place.is_dir() else Path(name).resolve()}")
    options = (*outside, *(f"-D{name}" for name in arguments.define))
    units = []
    for path in paths:
        includes, flags = makefile_flags(folder, path)
        units.append(Unit(path, (*inside, *includes), (*options, *flags)))
    return units


def makefile_flags(folder: Path, path: Path) -> tuple[list[Path], list[str]]:
    """Include folders inside the folder under test, and -D and -std, as the nearest Makefile has them."""
    home = (folder / path).parent
    while home != folder and not (home / "Makefile").is_file():
        home = home.parent
    includes: list[Path] = []
    flags: list[str] = []
    if (home / "Makefile").is_file():
        text = (home / "Makefile").read_text("utf-8", "replace")
        for name, value in _MAKE_VARIABLE.findall(text):
            text = text.replace(f"$({name})", value.strip())
        for found in _MAKE_FLAG.finditer(text):
            place = (home / found["include"]).resolve() if found["include"] else None
            if place and place.is_dir() and place.is_relative_to(folder):
                includes.append(place.relative_to(folder))
            flag = found["define"] or found["std"]
            if flag and not _OLD_STANDARD.fullmatch(flag) and not re.match(r"-D(?:DEBUG|VERIFY)\b", flag):
                flags.append(flag)
    return list(dict.fromkeys(includes)), list(dict.fromkeys(flags))


def reached_files(folder: Path, units: Iterable[Unit]) -> set[Path]:
    """The units and every file inside the folder that an `#include` of theirs can mean, relative to the folder."""
    reached: set[Path] = set()
    for unit in units:
        searched = [folder / place for place in unit.includes]
        waiting, seen = [folder / unit.path], set()
        while waiting:
            file = waiting.pop()
            if file in seen:
                continue
            seen.add(file)
            for name in _INCLUDE.findall(file.read_bytes()):
                text = name.decode("utf-8", "replace")
                places = (
                    Path(os.path.normpath(base / text)) for base in (file.parent, folder / unit.path.parent, *searched)
                )
                waiting += [place for place in places if place.is_file() and place.is_relative_to(folder)]
        reached |= {file.relative_to(folder) for file in seen}
    return reached


# --- CUDA ----------------------------------------------------------------------------------------------------------


def compile_cuda(nvcc: Nvcc, folder: Path, unit: Unit, arch: str, options: Sequence[str], timeout: float) -> Result:
    start = time.perf_counter()
    given = [*options, *unit.arguments(folder, unit.path, ("-Xcompiler", "-iquote", "-Xcompiler"))]
    done = nvcc.ptx(folder / unit.path, arch, given, timeout)
    seconds = time.perf_counter() - start
    if done.ok:
        return Result(True, kernels_in_ptx(done.text), seconds=seconds)
    return Result(False, message=done.errors[0], seconds=seconds)


# --- translators: each fills an empty folder from a copy of the sources, and says where a source went ---------------


def _same_place(out: Path, path: Path) -> Path | None:
    names = (
        path,
        path.with_suffix(".hip"),
        Path(f"{path}.hip"),
        path.with_suffix(".hip.cpp"),
        path.with_suffix(".cpp"),
    )
    return next((out / name for name in names if (out / name).is_file()), None)


def with_rewarp(sources: Path, out: Path) -> Callable[[Path], Path | None]:
    command = [sys.executable, "-m", "rewarp", "translate", "--quiet", "--no-compile", str(sources), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: translated, with findings
        print(done.stderr[-2000:], file=sys.stderr)
    return lambda path: _same_place(out, path)


def with_hipify_perl(script: str, jobs: int, sources: Path, out: Path) -> Callable[[Path], Path | None]:
    def translate(path: Path) -> None:
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as stream:
            command = ["perl", script, "-quiet-warnings", str(sources / path)]
            subprocess.run(command, stdout=stream, stderr=subprocess.DEVNULL)

    files = [path.relative_to(sources) for path in sources.rglob("*") if path.is_file()]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(translate, files))
    return lambda path: _same_place(out, path)


def with_hipify_clang(
    command: str, units: Sequence[Unit], jobs: int, sources: Path, out: Path
) -> Callable[[Path], Path | None]:
    """Each file alone, headers too, as HIPIFY's own scripts go through a project; with the options of the first unit that
    reaches it. A header that it makes nothing of stays as it was."""
    flags: dict[Path, Unit] = {}
    for unit in units:
        for path in reached_files(sources, [unit]):
            flags.setdefault(path, unit)
    for unit in units:
        flags[unit.path] = unit

    def translate(path: Path) -> None:
        target, unit = out / path, flags[path]
        target.parent.mkdir(parents=True, exist_ok=True)
        given = [*shlex.split(command), str(sources / path), "-o", str(target), "--", "-xcuda", "-w"]
        done = subprocess.run([*given, *unit.arguments(sources, path)], capture_output=True, text=True)
        if done.returncode and not target.is_file() and path != unit.path:
            shutil.copyfile(sources / path, target)
        said = [line for line in done.stderr.splitlines() if "error:" in line]
        if said and path == unit.path:
            print(f"hipify-clang: {path}: {said[0]}", file=sys.stderr)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(translate, flags))
    return lambda path: _same_place(out, path)


_TORCH = """
import json, pathlib, sys
from torch.utils.hipify.hipify_python import hipify

def is_utf8(file):
    try:
        file.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True

sources, out, report, *includes = sys.argv[1:]
odd = [str(file) for file in pathlib.Path(out).rglob("*") if file.is_file() and not is_utf8(file)]
if odd:
    print(f"torch-hipify: {len(odd)} files are not UTF-8, at which it would stop for good: not given to it", file=sys.stderr)
done = hipify(project_directory=sources, output_directory=out, includes=["*"], ignores=odd, header_include_dirs=includes,
              show_progress=False, is_pytorch_extension=True, hip_clang_launch=True,
              extensions=(".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".inl", ".hxx"))
json.dump({name: result.hipified_path for name, result in done.items()}, open(report, "w"))
"""


def with_torch(python: str, includes: Iterable[Path], sources: Path, out: Path) -> Callable[[Path], Path | None]:
    report = sources.parent / "torch-hipify.json"
    shutil.copytree(sources, out)  # in a folder that is there it works in place
    arguments = [str(path) for path in (sources, out, report, *includes)]
    done = subprocess.run([python, "-W", "ignore", "-c", _TORCH, *arguments], capture_output=True, text=True)
    print(done.stderr[-2000:], end="", file=sys.stderr)
    if done.returncode:
        return lambda path: None
    placed = json.loads(report.read_text())
    return lambda path: Path(placed.get(str(out / path)) or out / path)


def with_nothing(sources: Path, out: Path) -> Callable[[Path], Path | None]:
    shutil.copytree(sources, out)
    return lambda path: out / path


def translator(
    tool: str, units: Sequence[Unit], arguments: argparse.Namespace
) -> Callable[[Path, Path], Callable[[Path], Path | None]]:
    name, _, value = tool.partition("=")
    if name == "hipify-perl" and value:
        return lambda sources, out: with_hipify_perl(value, arguments.jobs, sources, out)
    if name == "hipify-clang" and value:
        return lambda sources, out: with_hipify_clang(value, units, arguments.jobs, sources, out)
    if name == "torch-hipify":
        folders = sorted({folder for unit in units for folder in unit.includes})
        return lambda sources, out: with_torch(arguments.torch_python, folders, sources, out)
    if name in ("rewarp", "none"):
        return with_rewarp if name == "rewarp" else with_nothing
    raise SystemExit(f"unknown tool {tool!r}: rewarp, torch-hipify, hipify-perl=PATH, hipify-clang=COMMAND, none")


# --- AMD -----------------------------------------------------------------------------------------------------------


def compile_hip(
    compiler: Toolchain, root: Path, source: Path | None, unit: Unit, cuda: Result | None, arguments: argparse.Namespace
) -> Result:
    if source is None:
        return Result(False, cause=NOT_TRANSLATED)
    # A header that a translator puts at the top of its tree is found there, after all others.
    options = ["-w", *unit.arguments(root, source.relative_to(root)), *arguments.hip_option, f"-idirafter{root}"]
    done = compiler.compile_device(source, arguments.arch, options=options, timeout=arguments.timeout)
    failure = cause_of_failure(done.diagnostics)
    if not done.ok:
        assert failure
        message = str(done.errors[0]).replace(f"{root}/", "")
        return Result(False, done.kernels, failure.cause.value, failure.subject, message, done.seconds)
    missing = missing_kernels(cuda.kernels, done.kernels) if cuda else ()
    if missing:
        return Result(False, done.kernels, MISSING_KERNELS, ", ".join(missing), None, done.seconds)
    return Result(True, done.kernels, seconds=done.seconds)


def measured(
    what: str, units: Sequence[Unit], measure: Callable[[Unit], Result], jobs: int
) -> Iterator[tuple[Unit, Result]]:
    """Results as they come. Ctrl-C ends the series; what was measured stays."""
    pool = ThreadPoolExecutor(jobs)
    futures = {pool.submit(measure, unit): unit for unit in units}
    try:
        for number, future in enumerate(as_completed(futures), 1):
            unit, result = futures[future], future.result()
            note = "ok" if result.ok else f"{result.cause or 'error'}: {result.subject or result.message}"
            print(f"{what} {number}/{len(units)} {unit.path} {result.seconds:.1f} s {note[:100]}", file=sys.stderr)
            yield unit, result
    finally:
        pool.shutdown(cancel_futures=True)


# --- the report ----------------------------------------------------------------------------------------------------


def table(results: Mapping[str, Mapping[str, Result]], counted: Iterable[str]) -> str:
    counted = set(counted)
    lines = ["| tool | compile | of | share |", "|---|---:|---:|---:|"]
    for tool, files in results.items():
        judged = [result for name, result in files.items() if name in counted]
        good = sum(result.ok for result in judged)
        lines.append(f"| {tool} | {good} | {len(judged)} | {good / max(1, len(judged)):.0%} |")
    lines += ["", "| tool | cause of failure | files | about |", "|---|---|---:|---|"]
    for tool, files in results.items():
        failed = [result for name, result in files.items() if name in counted and not result.ok]
        for cause, count in Counter(result.cause for result in failed).most_common():
            subjects = Counter(_short(result.subject) for result in failed if result.cause == cause).most_common(4)
            about = ", ".join(f"`{name}`" + (f" ×{times}" if times > 1 else "") for name, times in subjects)
            lines.append(f"| {tool} | {cause} | {count} | {about} |")
    return "\n".join(lines)


def _short(text: str | None) -> str:
    text = (text or "").replace("|", "\\|").replace("`", "'")
    return text if len(text) <= 60 else text[:59] + "…"


def _load(file: Path | None) -> dict[str, Result]:
    if file is None or not file.is_file():
        return {}
    return {name: Result(**fields) for name, fields in json.loads(file.read_text()).items()}


def _save(file: Path, content: object) -> None:
    file.write_text(json.dumps(content, indent=1, default=asdict) + "\n")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--files", action="append", metavar="GLOB", help="which to compile (default **/*.cu)")
    options.add_argument(
        "--tool",
        action="append",
        metavar="TOOL",
        help="rewarp, torch-hipify, hipify-perl=PATH, hipify-clang=COMMAND, none",
    )
    options.add_argument("--torch-python", default=sys.executable, help="a Python that has torch")
    options.add_argument("--arch", default="gfx942")
    options.add_argument("-I", dest="include", action="append", default=[], help="relative to FOLDER, or absolute")
    options.add_argument("-D", dest="define", action="append", default=[])
    options.add_argument("--cuda", action="store_true", help="compile with nvcc, to know what to count and to expect")
    options.add_argument("--cuda-arch", default="sm_80")
    options.add_argument("--cuda-results", type=Path, help="JSON to take CUDA results from, and to add them to")
    options.add_argument("--cuda-option", action="append", default=[], help="for nvcc only")
    options.add_argument("--hip-option", action="append", default=[], help="for the HIP compiler only")
    options.add_argument("--sample", type=int)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--timeout", type=float, default=300.0, help="seconds for one file")
    options.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--json", type=Path)
    options.add_argument("--keep", type=Path, help="keep the translated trees in this folder")
    arguments = options.parse_args(argv)
    arguments.files = arguments.files or ["**/*.cu"]
    arguments.tool = arguments.tool or ["rewarp"]
    return arguments


def run_cuda(folder: Path, units: Sequence[Unit], arguments: argparse.Namespace) -> dict[str, Result]:
    """CUDA results of these units: taken from the file where the options were the same, else compiled."""
    known = _load(arguments.cuda_results)
    general = [*NVCC_OPTIONS, *arguments.cuda_option]
    about = f"-arch={arguments.cuda_arch}"
    wanted = {str(unit.path): [about, *general, *map(str, unit.includes), *unit.options] for unit in units}
    fresh = {name: result for name, result in known.items() if name not in wanted or result.options == wanted[name]}
    if arguments.cuda:
        todo = [unit for unit in units if str(unit.path) not in fresh]
        nvcc = find_nvcc()

        def compiled(unit: Unit) -> Result:
            return compile_cuda(nvcc, folder, unit, arguments.cuda_arch, general, arguments.timeout)

        try:
            for unit, result in measured("cuda", todo, compiled, arguments.jobs):
                result.options = wanted[str(unit.path)]
                fresh[str(unit.path)] = result
        finally:
            if arguments.cuda_results:
                _save(arguments.cuda_results, fresh)
    return {name: result for name, result in fresh.items() if name in wanted}


def run_tool(
    tool: str, sources: Path, out: Path, units: Sequence[Unit], cuda: Mapping[str, Result],
    compiler: Toolchain, arguments: argparse.Namespace, results: dict[str, Result],
) -> None:  # fmt: skip
    print(f"{tool}: translating", file=sys.stderr)
    place = translator(tool, units, arguments)(sources, out)

    def measure(unit: Unit) -> Result:
        return compile_hip(compiler, out, place(unit.path), unit, cuda.get(str(unit.path)), arguments)

    for unit, result in measured(tool.partition("=")[0], units, measure, arguments.jobs):
        results[str(unit.path)] = result


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    folder = arguments.folder.resolve()
    units = find_units(folder, arguments)
    if not units:
        raise SystemExit(f"no file below {folder} matches {', '.join(arguments.files)}")
    try:
        compiler = find()
    except RewarpError as error:
        raise SystemExit(str(error)) from None
    results: dict[str, dict[str, Result]] = {}
    cuda: dict[str, Result] = {}
    with tempfile.TemporaryDirectory(prefix="compile-share-") as scratch:
        work = (arguments.keep or Path(scratch)).resolve()
        try:
            cuda = run_cuda(folder, units, arguments)
            counted = [unit for unit in units if not cuda or cuda.get(str(unit.path), Result(False)).ok]
            sources = Path(scratch, "sources")
            for path in reached_files(folder, units):
                (sources / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / path, sources / path)
            for tool in arguments.tool:
                name = tool.partition("=")[0]
                shutil.rmtree(work / name, ignore_errors=True)
                run_tool(tool, sources, work / name, counted, cuda, compiler, arguments, results.setdefault(name, {}))
        except KeyboardInterrupt:
            print("interrupted: what follows is what was measured until then", file=sys.stderr)
    built = sum(result.ok for result in cuda.values())
    names = [str(unit.path) for unit in units if not cuda or cuda.get(str(unit.path), Result(False)).ok]
    print(
        f"{len(units)} files; " + (f"{built} of {len(cuda)} compile as CUDA ({arguments.cuda_arch}); " if cuda else ""),
        end="",
    )
    print(f"{arguments.arch}, {compiler.kind} toolchain, HIP {compiler.hip_version}\n")
    print(table(results, names))
    if arguments.json:
        _save(arguments.json, {"arch": arguments.arch, "hip": compiler.hip_version, "cuda": cuda, "tools": results})
    return 0


if __name__ == "__main__":
    sys.exit(main())
