"""Whole programs on the emulator: which of a corpus compile and link, run to their end, and give their own PASS.

    python benchmarks/programs.py HECBENCH/src --pattern '*-hip' --arch gfx942 --results hip-gfx942.jsonl
    python benchmarks/programs.py HECBENCH/src --pattern '*-cuda' --results cuda-gfx942.jsonl     (translated on the way)
    python benchmarks/programs.py CUDA_SAMPLES/Samples --layout samples --results samples.jsonl

Every folder is listed. `make --dry-run` says which sources are compiled, with which options, and how the program is
started; its arguments are made smaller (`smaller` below says how), and where it does not like that, the run line stays as it
is but for counts of repetitions. Each try has --seconds of one processor; one that needs more is
a failure. A program that is known from
--results is not tried again. Fetches nothing; the programs run with your rights, in their own folders.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

import cuda_samples
import hopeless
from hip_programs import Unit, units_of
from program_recording import Recorder
from program_results import (
    BUILT,
    CRASH,
    ENDS,
    FAIL,
    MEMORY,
    MISSING,
    NO_INPUT,
    NO_SOURCES,
    NOT_BUILT,
    PASS,
    TIME,
    UNSUPPORTED,
    WAIVED,
    Result,
    drawn,
    has_check,
    own_word,
    publish,
    read_table,
    summary,
)

from rewarp.errors import RewarpError
from rewarp.run.building import OPENMP, Builder
from rewarp.run.results import NotBuilt, Request
from rewarp.run.staging import stage
from rewarp.toolchain import Toolchain, cause_of_failure, find
from rewarp.verify.build.flags import read_flags

_REPEATS = re.compile(r"repeat|iter|itmax|^-i$|loop|trial|times|steps|runs|rep\b|passes|insertions", re.I)
_USAGE = re.compile(r"[Uu]sage[^;]*;")
_NAMED = re.compile(r"<([^<>\n]+)>")
# The runtime ends a program that has used up its time as a shell would say it, once it has told what it saw.
_OUT_OF_TIME = ("stopped by the time", "ended by SIGXCPU", f"exit status {128 + signal.SIGXCPU}")
_NOT_FOUND = re.compile(
    r"file <?([\w./-]+)>? not found|(?:unable to|could not|cannot|can't|failed to) open (?:input )?(?:file )?(\S+)"
    r"|(no such file(?: or directory)?)|error: open (\S+)",
    re.I,
)
_NO_ROOM = re.compile(r"that --memory-limit gives|this computer has no memory")
_LIBRARY = re.compile(r"(?<!\S)-l(\w[\w+-]*)")
_COMMAND = re.compile(r"(?:^|\s)(\./[\w./-]+)((?:[ \t]+[^|>]+)?)")
_FIRST = re.compile(r"^((?:\.\./|\w[\w.-]*/)[\w./-]+)((?:[ \t]+[^|>]+)?)")
_VARIABLE = re.compile(r"^(\w+)=(\S*)\s+")
_DIRECTORY = re.compile(r"make(?:\[\d+\])?: (Entering|Leaving) directory '(.+)'")
# Where make runs a script: one of the script's own commands.
_OF_SCRIPTS = {
    "grep": "./nfa -f ../grep-cuda/testcases/lines.txt ROMEO",
    "local-ht": "cd src && ./main ../../local-ht-cuda/locassm_data/localassm_extend_9-77.dat 77 test-out.dat",
}
_SOURCES = (".cu", ".cuh", ".hip", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")
_COMPILER = re.compile(r"^\s*\S*(?:hipcc|nvcc|clang\+\+|g\+\+|gcc|mpicxx|mpiCC)(?![\w-])")


@dataclass(frozen=True)
class Program:
    folder: Path
    units: tuple[Unit, ...]
    libraries: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]
    """Arguments, the smaller ones first."""
    status_tells: bool = False
    """Whether an exit status of 0 is the program's own word that its check passed."""
    place: Path | None = None
    """Where it is started, if not in its folder."""
    variables: Mapping[str, str] = field(default_factory=dict)


# --- what a folder builds and runs ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """One way in which a program is started."""

    place: Path
    variables: dict[str, str]
    words: list[str]


def read_makefile(folder: Path) -> Program:
    units = tuple(units_of(folder)) or tuple(units_by_name(folder))
    said = subprocess.run(
        ["make", "--dry-run", "--always-make", "--keep-going", "--print-directory", "run", "LC_ALL=C"],
        cwd=folder, capture_output=True, text=True, errors="replace", timeout=60,
    ).stdout  # fmt: skip
    plain = said.replace("\\\n", " ")
    compiling = [line for line in plain.splitlines() if _COMPILER.match(line)]
    libraries = tuple(dict.fromkeys(name for line in compiling for name in _LIBRARY.findall(line)))
    scripted = _OF_SCRIPTS.get(folder.name.rpartition("-")[0])
    start = next(starts(scripted or plain, folder), None) or Start(folder, {}, [])
    names = _usage(units)
    tries = tuple(_tries(start.words, names))
    return Program(folder, units, libraries, tries, place=start.place, variables=start.variables)


def units_by_name(folder: Path) -> Iterator[Unit]:
    """What the Makefile calls its sources, where make itself stops because it lacks something else."""
    said = subprocess.run(
        ["make", "--dry-run", "--print-data-base", "LC_ALL=C"],
        cwd=folder, capture_output=True, text=True, errors="replace", timeout=60,
    ).stdout  # fmt: skip
    variables = dict(re.findall(r"^(source|SOURCES?|SRCS?|CFLAGS) :?= (.*)$", said, re.M))
    options = tuple(word for word in _words(variables.pop("CFLAGS", "")) if word.startswith(("-I", "-D", "-std")))
    for word in dict.fromkeys(word for value in variables.values() for word in value.split()):
        if (folder / word).is_file():
            yield Unit(folder / word, options, device=True)


def starts(said: str, folder: Path) -> Iterator[Start]:
    """The commands with which the program is started, from what make said that it would do in the folder."""
    places = [folder]
    for line in said.splitlines():
        if moved := _DIRECTORY.match(line):
            places = [*places, Path(moved[2])] if moved[1] == "Entering" else places[:-1] or [folder]
            continue
        if _COMPILER.match(line) or line.lstrip().startswith(("#", "diff")):
            continue
        place = places[-1]
        for part in re.split(r"&&|;", line):
            command, variables = part.strip(), dict[str, str]()
            while set_ := _VARIABLE.match(command):
                variables[set_[1]], command = set_[2], command[set_.end() :]
            if command.startswith("cd "):
                place = (place / command[3:].strip()).resolve()
            elif found := _FIRST.match(command) or _COMMAND.search(command):
                if not _is_script(place / found[1]):
                    yield Start(place, variables, _words(found[2]))


def _is_script(file: Path) -> bool:
    return file.is_file() and file.read_bytes()[:2] == b"#!"


def read_sample(folder: Path, root: Path) -> Program:
    sample = cuda_samples.read(folder, root)
    return Program(folder, sample.units, sample.libraries, (sample.arguments,), sample.status_tells)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _usage(units: Sequence[Unit]) -> list[str]:
    """What the program calls its arguments, in order."""
    for unit in units:
        found = _USAGE.search(unit.source.read_text("utf-8", "replace")) if unit.source.is_file() else None
        if found and _NAMED.search(found[0]):
            return _NAMED.findall(found[0])
    return []


def _tries(words: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """From small to large: what a program refuses, or cannot check itself at, costs little."""
    wanted = [smaller(words, names, share) for share in (16, 4, 1, 0)]
    yield from dict.fromkeys(map(tuple, (*wanted, words)))


def smaller(words: Sequence[str], names: Sequence[str], share: int) -> list[str]:
    """Fewer repetitions, and smaller sizes, as far as they look like sizes: ``share`` times smaller than they are made for a
    start. With 0 the sizes stay."""
    plain = [at for at, word in enumerate(words) if re.fullmatch(r"\d+", word)]
    made = ["small" if share and word == "large" else word for word in words]
    for at, word in enumerate(words):
        flag, equals, number = word.rpartition("=")
        if not re.fullmatch(r"\d+", number):
            continue
        name = flag or (words[at - 1] if at and words[at - 1].startswith("-") else names[at] if at < len(names) else "")
        last = at == plain[-1] if plain else False
        # Most programs take the count of repetitions last, in whole tens.
        if _REPEATS.search(name) or (not name and last and int(number) in (10, 100, 1000, 10000, 100000)):
            made[at] = f"{flag}{equals}{min(int(number), 1)}"
        elif share:
            made[at] = f"{flag}{equals}{_reduced(int(number), share)}"
    return made


def _reduced(number: int, share: int) -> int:
    """Divided so that divisors of it that blocks are made of stay."""
    if number <= 128:
        # It may be a width, a power of two, or a count of something: less of it, never next to nothing.
        return number if number <= 8 else max(8, number // min(share, 4))
    first = _divided(number)
    return first if first <= 64 else max(64, first // share)


def _divided(number: int) -> int:
    wanted = 4 if number <= 1024 else 16 if number <= 16384 else 64 if number <= 1 << 20 else 1024
    for divisor in (wanted, wanted // 4, 1000 if wanted == 1024 else 10):
        if divisor and number % divisor == 0 and number // divisor >= 32:
            return number // divisor
    return max(32, number // wanted)


# --- building -------------------------------------------------------------------------------------------------------


def built(
    program: Program, compiler: Toolchain, work: Path, options: argparse.Namespace
) -> tuple[Path, tuple[str, ...]]:
    """The program, and the functions that the runtime lacks. Raises NotBuilt."""
    arch = options.arch
    words = program.units[0].options
    flags = read_flags(words, program.folder)
    forced = [word for header in flags.forced for word in ("-include", str(header))]
    request = Request(
        files=tuple(unit.source for unit in program.units),
        arches=(arch,),
        includes=(*flags.includes, *options.include),
        options=(*flags.options, *forced, *((OPENMP,) if OPENMP in words else ())),
        libraries=program.libraries,
        cores=1,
    )
    staged = stage(request.files, request.includes, work / "source")
    builder = Builder(compiler, staged, request, arch, work / arch)
    known = work / arch / "objects.json"
    if not known.is_file():
        known.write_text(json.dumps([str(file) for file in builder.objects()]))
    linked = builder.link([Path(file) for file in json.loads(known.read_text())], options.runtime)
    return linked.program, linked.missing


def attempt(program: Program, file: Path, arguments: Sequence[str], options: argparse.Namespace) -> Result:
    """One run under `rewarp run`."""
    result = Result(program.folder.name, options.arch, CRASH, arguments=list(arguments))
    place = program.place or program.folder
    if not place.is_dir():
        result.outcome, result.reason = NO_INPUT, str(place)
        return result
    with tempfile.TemporaryDirectory(prefix="programs-") as scratch:
        report, out = Path(scratch, "report.json"), Path(scratch, "out")
        command = [sys.executable, "-m", "rewarp", "run", str(file), "--arch", options.arch, "--json", str(report)]
        # The limit is of the processor's time, for others may need it too; the clock's is for programs that wait.
        limit = int(options.seconds)
        command += ["--time-limit", f"{10 * limit}", "--cores", "1", *(["--fast"] if options.fast else [])]
        command += ["--memory-limit", options.memory]
        started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, **program.variables}
        if options.recordings:
            environment |= options.recordings.environment(Path(scratch))
            options.recordings.before(place)
        with out.open("wb") as stream:
            ended = hopeless.run([*command, "--", *arguments], place, environment, stream, limit)
        result.seconds, after = round(time.monotonic() - started, 2), resource.getrusage(resource.RUSAGE_CHILDREN)
        result.cpu = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
        text = out.read_bytes()[-200_000:].decode("utf-8", "replace")
        if options.reports and report.is_file():
            options.reports.mkdir(parents=True, exist_ok=True)
            shutil.copy(report, options.reports / f"{program.folder.name}.json")
        try:
            ran = json.loads(report.read_text())["runs"][0]
        except (OSError, ValueError, KeyError, IndexError):
            result.reason = f"rewarp run ended with {ended.status}: {_last(text)}"
            return result
        if options.recordings:
            printed = out.read_bytes()[: ended.printed]
            complete = not str(ran["ending"]).startswith(_OUT_OF_TIME) and not ended.needs
            code = ran["exit_status"] if complete else None
            options.recordings.keep(program.folder.name, arguments, code, printed, place, Path(scratch))
    seen = judged(result, ran, text, program)
    if ended.needs:
        seen.outcome, seen.reason = TIME, f"a launch that would take about {ended.needs:.0f} s"
    return seen


def absent_files(arguments: Sequence[str], folder: Path) -> list[str]:
    """Files that the run line names, and that the corpus does not bring."""
    named = [word for word in arguments if "/" in word or re.search(r"\.[a-z]\w+$", word)]
    return [word for word in named if not (folder / word).exists()]


def judged(result: Result, ran: dict[str, object], text: str, program: Program) -> Result:
    kernels, alarms = ran["kernels"], ran["alarms"]
    assert isinstance(kernels, list)
    assert isinstance(alarms, list)
    result.kernels, result.launches = len(kernels), sum(kernel["launches"] for kernel in kernels)
    result.alarms = [f"{alarm['what']}: {alarm['text']} {alarm['file']}:{alarm['line']}"[:300] for alarm in alarms[:5]]
    if _NO_ROOM.search(str(ran["unsupported"])):
        result.outcome, result.reason = MEMORY, str(ran["unsupported"])[:300]
    elif ran["unsupported"]:
        result.outcome, result.reason = UNSUPPORTED, str(ran["unsupported"])[:300]
    elif ran["missing"]:
        result.outcome, result.reason = MISSING, str(ran["missing"])[:300]
    elif str(ran["ending"]).startswith(_OUT_OF_TIME):
        result.outcome, result.reason = TIME, str(ran["ending"])
    elif not kernels and (lacking := absent_files(result.arguments, program.place or program.folder)):
        result.outcome, result.reason = NO_INPUT, lacking[0]
    elif ran["exit_status"] != 0 and not kernels and (found := _NOT_FOUND.search(text)):
        result.outcome, result.reason = NO_INPUT, next(filter(None, found.groups()))
    elif cuda_samples.waived(ran["exit_status"], text):
        result.outcome, result.reason = WAIVED, _last(text)
    elif ran["exit_status"] != 0:
        # 134 is how the runtime ends a program that it cannot let go on, as a shell would say it.
        ended = isinstance(ran["exit_status"], int) and (ran["exit_status"] < 0 or ran["exit_status"] == 134)
        result.outcome, result.reason = CRASH if ended else FAIL, f"{ran['ending']}: {_last(text)}"
    else:
        result.outcome, result.reason = own_word(text, program.status_tells)
        if result.outcome != FAIL and not kernels:
            result.reason = "no kernel ran"
    return result


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("rewarp: compiling")]
    return " / ".join(lines[-3:])[:300]


def tried(program: Program, compiler: Toolchain, options: argparse.Namespace) -> Result:
    """All of it, for one folder."""
    name, arch = program.folder.name, options.arch
    if not program.units:
        return Result(name, arch, NO_SOURCES)
    work = options.kept / name if options.kept else Path(tempfile.mkdtemp(prefix=f"programs-{name}-"))
    started = time.monotonic()
    try:
        file, missing = built(program, compiler, work, options)
        took = round(time.monotonic() - started, 2)
        if options.build_only:
            return Result(name, arch, BUILT, seconds=took, missing=list(missing))
        results = []
        for arguments in program.commands:
            results.append(attempt(program, file, arguments, options))
            ended = results[-1].outcome == ENDS and results[-1].kernels
            if ended or results[-1].outcome in (PASS, UNSUPPORTED, MISSING, TIME, MEMORY):
                break  # the next would only be larger
        order = (PASS, ENDS, UNSUPPORTED, MISSING, FAIL, CRASH, TIME, MEMORY, WAIVED, NO_INPUT)
        # What failed at a size that was too small for it says nothing of the size that took too long.
        tells = [one for one in results if one.outcome not in (FAIL, CRASH)] or results
        best = min(tells, key=lambda one: order.index(one.outcome))
        best.missing, best.limit = list(missing), options.seconds
        best.cpu = round(sum(one.cpu for one in results), 2)
        best.tries = [f"{' '.join(one.arguments)}: {one.outcome} {one.reason[:100]}" for one in results]
        return best
    except NotBuilt as error:
        cause = cause_of_failure(error.diagnostics)
        about = f"{cause.cause.value}: {cause.subject}" if cause else error.reason
        return Result(
            name,
            arch,
            NOT_BUILT,
            f"{error.step.value}: {about} ({error.reason})"[:600],
            seconds=round(time.monotonic() - started, 2),
        )
    except (RewarpError, OSError, subprocess.TimeoutExpired) as error:
        return Result(name, arch, NOT_BUILT, f"{type(error).__name__}: {error}"[:600])
    finally:
        if not options.kept:
            shutil.rmtree(work, ignore_errors=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="*-hip", help="folders of programs (default: %(default)s)")
    parser.add_argument(
        "--layout", choices=("make", "samples"), default="make", help="how a folder says what it builds"
    )
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--memory", default="8G")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fast", action="store_true", help="watch for nothing")
    parser.add_argument("--build-only", action="store_true", help="compile and link, run nothing")
    parser.add_argument(
        "-I", dest="include", action="append", default=[], type=Path, metavar="FOLDER",
        help="headers of libraries (hipCUB, rocPRIM, rocThrust)",
    )  # fmt: skip
    parser.add_argument("--runtime", type=Path, help="libraries to link with (default: rewarp's own)")
    parser.add_argument("--kept", type=Path, help="a folder for compiled objects, which are then not compiled again")
    parser.add_argument("--only", help="names, by a regular expression")
    parser.add_argument("--sample", type=int, help="only so many, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", help="try those again whose outcome matches this regular expression")
    parser.add_argument("--results", type=Path, required=True, help="lines of JSON: read first, then added to")
    parser.add_argument(
        "--reports", type=Path, help="a folder for what `rewarp run --json` wrote of each, alarms and all"
    )
    parser.add_argument(
        "--recordings", type=lambda name: Recorder(Path(name)), metavar="FOLDER",
        help="keep what each prints, writes and leaves in device memory (for program_outputs.py)",
    )  # fmt: skip
    parser.add_argument("--summary", type=Path, help="write the tables here too")
    parser.add_argument(
        "--table", type=Path, help="the published table: what it knows is not tried again, and it is set anew"
    )
    parser.add_argument("--corpus", default="HeCBench-hip", help="the name of the corpus there (default: %(default)s)")
    options = parser.parse_args()
    if options.runtime is None:
        from rewarp.machine.runtime import folder

        options.runtime = folder()
    return options


def programs(options: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    root = options.folder.resolve()
    if options.layout == "samples":
        folders = list(cuda_samples.folders(root))
    else:
        folders = sorted(path for path in root.glob(options.pattern) if path.is_dir())
    wanted = [path for path in folders if not options.only or re.search(options.only, path.name)]
    if options.sample:
        wanted = drawn(wanted, options.seed)
    yield from ((path.name, path) for path in wanted[: options.sample])


def main() -> int:
    options = parse()
    known = read_table(options.table, options.corpus, options.arch) if options.table else {}
    lines = options.results.read_text().splitlines() if options.results.is_file() else []
    known |= {one["name"]: Result(**one) for one in map(json.loads, lines)}
    if options.again:
        known = {name: one for name, one in known.items() if not re.search(options.again, one.outcome)}
    compiler = find()
    wanted = dict(programs(options))
    todo = [path for name, path in wanted.items() if name not in known]

    def one(path: Path) -> Result:
        try:
            if options.layout == "samples":
                program = read_sample(path, options.folder.resolve())
            else:
                program = read_makefile(path)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Result(path.name, options.arch, NO_SOURCES, str(error))
        return tried(program, compiler, options)

    pool = ThreadPoolExecutor(options.jobs)
    try:
        futures = [pool.submit(one, path) for path in todo]
        for number, future in enumerate(as_completed(futures), 1):
            result = future.result()
            known[result.name] = result
            with options.results.open("a") as stream:
                stream.write(json.dumps(asdict(result)) + "\n")
            note = f"{result.outcome} {result.reason}"[:110]
            print(f"{number}/{len(todo)} {result.name} {result.seconds:.1f} s {note}", file=sys.stderr, flush=True)
    finally:
        pool.shutdown(cancel_futures=True)
    samples = options.layout == "samples"
    silent = {
        name
        for name, path in wanted.items()
        if not has_check(path, samples and cuda_samples.read(path, options.folder.resolve()).status_tells)
    }
    if options.table:
        publish(options.table, options.corpus, options.arch, known.values())
    table = summary([known[name] for name in wanted if name in known], silent)
    if options.summary:
        options.summary.write_text(f"{options.arch}, {os.cpu_count()} cores\n\n{table}\n")
    print(table.partition("\n\n| folder")[0])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
