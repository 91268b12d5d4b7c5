"""Translations that fail without a word: what compiles as CUDA, does not compile as HIP, and was not announced.

    python benchmarks/silent_failures.py PROJECT ... [--sample 40] [--seed 1] [--older-cuda FOLDER] [--keep FOLDER] [--json FILE]

Each project is translated whole. Its ``.cu`` files are compiled by nvcc (the extra ``nvidia`` brings one) with the flags of
the project's own build; those that nvcc takes are compiled for an AMD GPU through to machine code. A failure is announced
if a finding above info stands where the compiler's first error is (three lines either way, in the original's lines), or
where the compiler says that it came from. Anything else is a silent failure; so is a kernel that is not there any more.
So are all files of a project whose translation did not come about. Findings above info in files that compile are counted
too: a warning on everything would announce everything. ``rewarp translate`` asks HIP's compiler itself, with the flags that it
finds in the project; failures that are announced by its word alone are counted by themselves, for where no compiler is they
would be silent.

Not counted either way are files that could not be checked, each with what was missing: a header that nvcc does not find, a
header of ROCm or of a third party that is not here. What nvcc refuses for its age clang may take with CUDA 11's headers
(``--older-cuda``): those files are a row of their own. Fetches nothing.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath

from older_cuda import older_ptx

from rewarp.errors import RewarpError
from rewarp.project.build import BuildUnit, read_build
from rewarp.project.gates import NVIDIA
from rewarp.report.translate import LEFT
from rewarp.tables import cuda as cuda_tables
from rewarp.toolchain import Toolchain, find
from rewarp.toolchain.compiler import Compiled
from rewarp.toolchain.diagnostics import Cause
from rewarp.toolchain.header_libraries import find_libraries, library_of
from rewarp.toolchain.kernels import kernels_in_ptx, missing_kernels
from rewarp.toolchain.libraries import compiled_with_libraries
from rewarp.toolchain.nvcc import Nvcc, find_nvcc
from rewarp.workspace import Tree, open_tree

# The last one: wheels of CUDA are not all of one version, and CUB's headers would refuse that.
NVCC_OPTIONS = (
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "-w",
    "-DCCCL_DISABLE_CTK_COMPATIBILITY_CHECK",
)
NEAR = 3
_NO_HEADER = re.compile(r"fatal error: (\S+): No such file or directory|could not open source file \"([^\"]+)\"")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_KEPT_FLAG = re.compile(r"-std=(?:c|gnu)\+\+(?:17|20|23|2[abc])")


@dataclass
class Outcome:
    project: str
    path: str
    state: str
    """not CUDA, no header (nvcc's), compiles, announced, silent, not checked"""
    about: str = ""
    warned: int = 0
    """Findings above info in the file itself."""
    by_compiler: bool = False
    """Announced by nothing but what HIP's compiler said to ``rewarp translate``."""
    older: bool = False
    """nvcc refuses it, clang takes it as CUDA 11."""
    options: list[str] = field(default_factory=list)


# --- how each source is compiled ------------------------------------------------------------------------------------


def options_of(
    tree: Tree, path: str, units: dict[str, BuildUnit], by_name: dict[str, list[str]]
) -> list[tuple[str, str]]:
    """-D, -std and include folders of a source, as pairs of kind and text; folders are paths in the tree."""
    unit = units.get(path)
    options: list[tuple[str, str]] = []
    folders = [given.text for given in unit.includes if "<" not in given.text] if unit else []
    if unit:
        options += [("flag", f"-D{given.text}") for given in unit.defines if not given.text.startswith("-")]
        options += [("flag", given.text) for given in unit.flags if _KEPT_FLAG.fullmatch(given.text)]
    folders += _guessed_folders(tree, path, folders, by_name)
    return options + [("folder", folder) for folder in dict.fromkeys(folders)]


def _guessed_folders(tree: Tree, path: str, known: Sequence[str], by_name: dict[str, list[str]]) -> list[str]:
    """Folders of the tree from which includes that are found nowhere else would be found, nearest to the source first."""
    guessed: list[str] = []
    waiting, seen = [path], set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        for raw in _INCLUDE.findall(tree.read(file) or b""):
            name = raw.decode("utf-8", "replace")
            places = [str(PurePosixPath(file).parent), *known, *guessed]
            found = next((one for place in places if (one := os.path.normpath(f"{place}/{name}")) in tree), None)
            if found is None and ".." not in name and not _of_the_system(name):
                ends = [one for one in by_name.get(PurePosixPath(name).name, ()) if f"/{one}".endswith(f"/{name}")]
                found = max(ends, key=lambda one: len(os.path.commonpath([one, path])), default=None)
                if found is not None:
                    guessed.append(found[: -len(name)].rstrip("/") or ".")
            if found is not None:
                waiting.append(found)
    return guessed


@lru_cache
def _of_the_system(name: str) -> bool:
    """Whether the compiler finds it by itself: a project's own copy for another system is not meant."""
    return any((folder / name).is_file() for folder in (Path("/usr/include"), *Path("/usr/include/c++").glob("*")))


def for_compiler(options: Sequence[tuple[str, str]], root: Path) -> list[str]:
    return [text if kind == "flag" else f"-I{root / text}" for kind, text in options]


# --- what the translation said --------------------------------------------------------------------------------------


class Translated:
    """A project in HIP, with what was said about it."""

    def __init__(self, project: Path, out: Path) -> None:
        self.project, self.out = project, out
        report = out.parent / f"{out.name}.json"
        command = [
            sys.executable,
            "-m",
            "rewarp",
            "translate",
            "-q",
            str(project),
            "-o",
            str(out),
            "--json",
            str(report),
        ]
        report.unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True)
        self.missing = ""
        """Why there is no translation."""
        if done.returncode not in (0, 1) or not report.is_file():  # 1: translated, something is left
            said = (done.stderr.strip() or "nothing").splitlines()[-1]
            self.missing = f"rewarp translate ended with {done.returncode} and said {said}"
            print(f"{project}: {self.missing}", file=sys.stderr)
        files = json.loads(report.read_text())["files"] if report.is_file() else []
        self.new_path = {file["path"]: file["new_path"] or file["path"] for file in files}
        self.old_path = {new: old for old, new in self.new_path.items()}
        self.warned = {file["path"]: [found for found in file["findings"] if found["kind"] in LEFT] for file in files}

    @lru_cache(maxsize=512)  # noqa: B019 - a handful of these are ever made
    def original_line(self, new: str, line: int) -> int:
        """The line of the original that a line of the result was made of."""
        before = (self.project / self.old_path[new]).read_bytes().splitlines()
        after = (self.out / new).read_bytes().splitlines()
        for tag, start, end, low, high in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
            if low < line <= high:
                return start + min(line - low, end - start) if tag != "insert" else start
        return line

    def announcing(self, new: str, line: int) -> set[str]:
        """The kinds of the findings above info that stand near a line of the result."""
        old = self.old_path.get(new)
        if old is None:
            return set()
        where = self.original_line(new, line)
        near = (one for one in self.warned.get(old, ()) if one["line"] - NEAR <= where <= one["end_line"] + NEAR)
        return {found["kind"] for found in near}

    def refused_at_the_top(self, path: str) -> set[str]:
        """An error outside of what is translated is told of at the top of the unit."""
        return {
            found["kind"] for found in self.warned.get(path, ()) if found["kind"] == "refused" and found["line"] == 1
        }


def places_of(done: Compiled, out: Path) -> Iterator[tuple[str, int]]:
    """Where the first error is, then where the compiler says that it came from."""
    first = next((number for number, said in enumerate(done.diagnostics) if said.severity.is_error), None)
    if first is None:
        return
    for number, said in enumerate(done.diagnostics[first:]):
        if number and said.severity.is_error:
            return
        if said.file and said.line and Path(said.file).resolve().is_relative_to(out):
            yield str(Path(said.file).resolve().relative_to(out)), said.line


def is_to_be_had(header: str, nvcc: Nvcc, hip: Toolchain, out: Path, project: Path) -> bool:
    """Whether a header that the compiler did not find is one that it should have found: of the project, be it under the name that
    it had before, or CUDA's left over."""
    if library := library_of(header):
        return bool(find_libraries([library], hip))
    if header in rocm_headers():
        return False
    of_cuda = nvcc.command.parent.parent / "include"
    return any((folder / header).is_file() for folder in (of_cuda, of_cuda / "cccl")) or any(
        str(found).endswith(f"/{header}") for tree in (out, project) for found in tree.rglob(PurePosixPath(header).name)
    )


@lru_cache
def rocm_headers() -> frozenset[str]:
    return frozenset(
        one
        for name in cuda_tables.includes()
        if (twin := cuda_tables.header(name))
        for one in twin.hip.split(";")
        if one
    )


# --- one project ----------------------------------------------------------------------------------------------------


def judged(
    path: str,
    options: list[tuple[str, str]],
    translated: Translated,
    nvcc: Nvcc,
    hip: Toolchain,
    arguments: argparse.Namespace,
) -> Outcome:
    project, out = translated.project, translated.out
    outcome = Outcome(project.name, path, "not CUDA", options=for_compiler(options, Path()))
    outcome.warned = len(translated.warned.get(path, ()))
    given = for_compiler(options, project)
    cuda = nvcc.ptx(project / path, arguments.cuda_arch, [*NVCC_OPTIONS, *given], arguments.timeout)
    if not cuda.ok and (lacks := _NO_HEADER.search(cuda.errors[0])):
        outcome.state, outcome.about = "no header", lacks[1] or lacks[2]
        return outcome
    if not cuda.ok:
        outcome.about = cuda.errors[0].replace(f"{project}/", "")
        if arguments.older_cuda:
            cuda = older_ptx(hip, arguments.older_cuda.resolve(), project / path, given, arguments.timeout)
            outcome.older = cuda.ok
    if not cuda.ok:
        return outcome
    outcome.about = ""
    if translated.missing:
        outcome.state, outcome.about = "silent", translated.missing
        return outcome
    source = out / translated.new_path.get(path, path)
    if not source.is_file():
        source = out / path
    given = ["-w", *for_compiler(options, out), *arguments.hip_option, f"-idirafter{out}"]
    done = compiled_with_libraries(
        hip, lambda compiler: compiler.compile_device(source, arguments.arch, options=given, timeout=arguments.timeout)
    )[0]
    if done.ok:
        missing = missing_kernels(kernels_in_ptx(cuda.text), done.kernels)
        outcome.state = "silent" if missing else "compiles"
        outcome.about = f"kernels missing: {', '.join(missing)}" if missing else ""
        return outcome
    failure = done.failure
    assert failure
    if failure.cause.is_of_compiler:
        outcome.state, outcome.about = "not checked", failure.cause.value
        return outcome
    announced = set().union(*(translated.announcing(new, line) for new, line in places_of(done, out)))
    announced |= translated.refused_at_the_top(path)
    outcome.by_compiler = announced == {"refused"}
    if (
        not announced
        and failure.cause is Cause.MISSING_HEADER
        and not is_to_be_had(failure.subject, nvcc, hip, out, project)
    ):
        outcome.state, outcome.about = "not checked", failure.subject
        return outcome
    outcome.state = "announced" if announced else "silent"
    outcome.about = f"{failure.cause.value}: {str(done.errors[0]).replace(f'{out}/', '')}"
    return outcome


def measure(project: Path, work: Path, nvcc: Nvcc, hip: Toolchain, arguments: argparse.Namespace) -> list[Outcome]:
    tree = open_tree(project)
    paths = sorted(path for path in tree.files() if path.endswith(".cu"))
    if arguments.sample and arguments.sample < len(paths):
        paths = sorted(random.Random(arguments.seed).sample(paths, arguments.sample))
    if not paths:
        print(f"{project.name}: no .cu file", file=sys.stderr)
        return []
    units = {unit.source: unit for unit in read_build(tree, NVIDIA).units}
    by_name: dict[str, list[str]] = {}
    for path in tree.files():
        by_name.setdefault(PurePosixPath(path).name, []).append(path)
    translated = Translated(project, work / project.name)
    jobs = [(path, options_of(tree, path, units, by_name)) for path in paths]
    outcomes = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda job: judged(*job, translated, nvcc, hip, arguments), jobs)
        for number, outcome in enumerate(results, 1):
            outcomes.append(outcome)
            note = f"{outcome.state}: {outcome.about}" if outcome.about else outcome.state
            print(f"{project.name} {number}/{len(paths)} {outcome.path} {note[:140]}", file=sys.stderr)
    return outcomes


def table(outcomes: Sequence[Outcome]) -> str:
    lines = [
        "| project | files | as CUDA | as HIP | announced | by the compiler alone | silent | not checked | warned of those that"
        " compile |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    young = [outcome for outcome in outcomes if not outcome.older]
    names = dict.fromkeys(outcome.project for outcome in outcomes)
    rows = [(name, [outcome for outcome in young if outcome.project == name]) for name in names]
    rows += [("all", young), ("CUDA 11 alone (clang)", [outcome for outcome in outcomes if outcome.older])]
    for name, mine in rows:
        states = Counter("by the compiler" if outcome.by_compiler else outcome.state for outcome in mine)
        warned = sum(outcome.state == "compiles" and outcome.warned > 0 for outcome in mine)
        cuda = len(mine) - states["not CUDA"] - states["no header"]
        figures = (
            len(mine),
            cuda,
            *(states[state] for state in ("compiles", "announced", "by the compiler", "silent", "not checked")),
            warned,
        )
        lines.append(f"| {name} | " + " | ".join(map(str, figures)) + " |")
    lines.append("")
    for state in ("no header", "not checked"):
        lacking = Counter(outcome.about for outcome in outcomes if outcome.state == state)
        lines.append(f"- {state}: " + (", ".join(f"{name} {count}" for name, count in lacking.most_common()) or "none"))
    for state in ("silent", "announced", "not CUDA"):
        lines += [f"- {state}: {item.project}/{item.path}: {item.about}" for item in outcomes if item.state == state]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("projects", type=Path, nargs="+")
    options.add_argument("--sample", type=int, help="at most so many files of a project")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--arch", default="gfx942")
    options.add_argument("--cuda-arch", default="sm_80")
    options.add_argument("--older-cuda", type=Path, help="CUDA 11's folder, for what nvcc refuses")
    options.add_argument("--hip-option", action="append", default=["-DHIP_ENABLE_WARP_SYNC_BUILTINS"])
    options.add_argument("--timeout", type=float, default=300.0, help="seconds for one file")
    options.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--keep", type=Path, help="keep the translated trees in this folder")
    options.add_argument("--json", type=Path)
    arguments = options.parse_args(argv)
    try:
        nvcc, hip = find_nvcc(), find()
    except RewarpError as error:
        raise SystemExit(str(error)) from None
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="silent-failures-") as scratch:
        work = (arguments.keep or Path(scratch)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        for project in arguments.projects:
            outcomes += measure(project.resolve(), work, nvcc, hip, arguments)
            if arguments.json:
                arguments.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1) + "\n")
    print(f"nvcc {'.'.join(map(str, nvcc.version))} ({arguments.cuda_arch}); {arguments.arch}, HIP {hip.hip_version}\n")
    print(table(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
