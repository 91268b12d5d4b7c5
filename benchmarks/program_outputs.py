"""Whole programs on the emulator, beside what their CUDA originals did on an NVIDIA GPU: the same sources, the same arguments.

    python benchmarks/recording_kit.py HECBENCH/src KIT                         (then KIT/drive.py, where the GPU is)
    python benchmarks/programs.py HECBENCH/src --pattern '*-cuda' --results R.jsonl --recordings RECORDED …
    python benchmarks/program_outputs.py programs.json R.jsonl RECORDED --table benchmarks/program_outputs.csv

Compared is what they print, the small files that they write, what they copy back from the GPU, and what stands in each
allocation when it is freed: by `rewarp verify programs`' rules, numbers within the tolerance of their type. Left out: lines that say how
long something took or how fast it was, and what the GPU itself did not do twice in the same way. A program agrees where
something was compared and nothing differs.
"""

from __future__ import annotations

import argparse
import base64
import csv
import json
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from program_recording import MEMORY, kept
from program_results import CRASH, ENDS, FAIL, PASS, Result, own_word

from rewarp.verify.checks import Check, Outcome
from rewarp.verify.programs import Output, ProgramRun, TextRules, compare_programs

_LEFT_OUT = (
    # Whole lines: they speak of nothing else. Then where the program lies.
    r"^.*\b(?i:time[ds]?|timing|elapsed|duration|latency|bandwidth|throughput|gflops?/?s?|tflops?|flops/s|gups|performance|"
    r"speed-?up|overhead|fps|device name|gpu device|(?:gpu|device) memory usage|device \d+:|clock rate|running on|using device)\b.*\d.*$",
    r"^.*\d\s*\(?(?:ns|us|\u00b5s|ms|s|sec|secs|[Ss]econds?|milliseconds?|microseconds?|[KMGT]i?[Bb](?:ytes)?/s(?:ec)?|[KMGT]?FLOPS?|[MG]?[Cc]ells/s)\b.*$",
    r"/[\w./+-]+-(?:cuda|hip)/[\w./+-]*",
)
RULES = TextRules(ignored=_LEFT_OUT)
AGREES, DIFFERS, NOTHING = "agrees", "differs", "nothing to compare"
_COLUMNS = ("folder", "arguments", "h200", "gfx942", "outputs", "lines", "files", "memory", "about", "cause")
_PIECE = re.compile(rb"(copy|free) (\d+) (\d+) ([0-9a-f]{16})\n")


@dataclass(frozen=True)
class Verdict:
    outcome: str
    lines: int = 0
    """That were compared; pieces of memory and files likewise."""
    files: int = 0
    memory: int = 0
    about: str = ""


# --- what the GPU's machine wrote -----------------------------------------------------------------------------------


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def golden_runs(tried: Mapping[str, Any]) -> list[ProgramRun]:
    """The runs with one set of arguments, the plain one first."""
    found: list[ProgramRun] = []
    for number, run in enumerate((tried["run"], *tried.get("again", ()))):
        files: dict[str, bytes | None] = {
            name: unpacked(one["packed"]) for name, one in run.get("files", {}).items() if "packed" in one
        }
        memories = tried.get("memory", [])
        if number and memories:
            files[MEMORY] = unpacked(memories[min(number, len(memories)) - 1])
        out = found[0].stdout if run["stdout"] == "same" else unpacked(run["stdout"])
        ending = "out of time" if run["status"] is None else f"exit status {run['status']}"
        found.append(
            ProgramRun(tuple(tried["arguments"]), run["status"], ending, run["seconds"], out, run["stderr"], files, "NVIDIA", "drive.py")
        )  # fmt: skip
    return found


def pieces(memory: bytes) -> Iterator[tuple[str, int, str, bytes]]:
    """What was copied back or freed: what and which, its size, its hash, and what was kept of it."""
    place, seen = 0, Counter[str]()
    while found := _PIECE.match(memory, place):
        what, size, length, value = found[1].decode(), int(found[2]), int(found[3]), found[4].decode()
        seen[what] += 1
        place = found.end() + length
        yield f"{what} {seen[what]}", size, value, memory[found.end() : place]


# --- what is the program's result -----------------------------------------------------------------------------------


def steady(golden: Sequence[ProgramRun], actual: ProgramRun) -> tuple[bytes, bytes] | None:
    """What the GPU printed each time, and the same lines here; None where it prints another number of lines each time."""
    printed = [RULES.lines(run.stdout) for run in golden]
    if len({len(lines) for lines in printed}) > 1:
        return None
    changing = {number for number, lines in enumerate(zip(*printed)) if len(set(lines)) > 1}
    here = RULES.lines(actual.stdout)
    kept_here = ["" if number in changing else line for number, line in enumerate(here)]
    kept_there = ["" if number in changing else line for number, line in enumerate(printed[0])]
    return encoded(kept_there), encoded(kept_here)


def encoded(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def steady_pieces(golden: Sequence[ProgramRun]) -> dict[str, tuple[int, str, bytes]] | None:
    """Memory that was the same in all runs; None where none was recorded."""
    dumps = [run.files[MEMORY] for run in golden if run.files.get(MEMORY)]
    every = [{name: (size, value, data) for name, size, value, data in pieces(dump or b"")} for dump in dumps]
    if not every:
        return None
    return {name: one for name, one in every[0].items() if all(other.get(name) == one for other in every)}


def form_of(golden: bytes, actual: bytes) -> str:
    """What bytes that differ are compared as: the floats that nearly all of them look like, and those that differ may be;
    else bytes. The lower halves of doubles are of any size, as floats; whole numbers are denormal ones."""
    usual, possible = {"f": 1e20, "d": 1e60}, {"f": 1e37, "d": 1e300}
    for name, letter, size in (("float32", "f", 4), ("float64", "d", 8)):
        if len(golden) % size or len(golden) != len(actual):
            continue
        there, here = (struct.unpack(f"<{len(golden) // size}{letter}", data) for data in (golden, actual))
        likely = sum(_within(value, usual[letter]) for value in there)
        changed = [value for pair in zip(there, here) if pair[0] != pair[1] for value in pair]
        if changed and all(_within(value, possible[letter]) for value in changed) and likely >= 0.95 * len(there):
            return name
    return "bytes"


def _within(value: float, bound: float) -> bool:
    return value == 0 or 1 / bound < abs(value) < bound


# --- the comparison -------------------------------------------------------------------------------------------------


def compared(golden: Sequence[ProgramRun], actual: ProgramRun) -> Verdict:
    """One set of arguments."""
    if any(run.code != 0 for run in golden) or actual.code != 0:
        return Verdict(NOTHING, about=f"{golden[0].ending} on the GPU, {actual.ending} here")
    lines = steady(golden, actual)
    expected, here = dict[str, bytes | None](), dict[str, bytes | None]()
    outputs = [*_files(golden, actual, expected, here), *_memory(golden, actual, expected, here)]
    checks = compare_programs(
        _with(golden[0], lines[0] if lines else b"", expected), _with(actual, lines[1] if lines else b"", here),
        outputs, rules=RULES,
    ).checks[1:]  # fmt: skip
    failed = [check for check in checks if check.outcome is Outcome.FAILED]
    passed = [check for check in checks if check.outcome is Outcome.PASSED]
    counts = _counts(passed, lines[0] if lines else b"")
    if not failed and not any(run.files.get(MEMORY) for run in golden):
        return Verdict(NOTHING, *counts, about="no memory of the GPU was used")
    about = "; ".join(f"{check.what}: {check.why}" for check in failed[:3])
    return Verdict(DIFFERS if failed else AGREES if any(counts) else NOTHING, *counts, about=about)


def _with(run: ProgramRun, printed: bytes, files: dict[str, bytes | None]) -> ProgramRun:
    return ProgramRun(run.command, run.code, run.ending, run.seconds, printed, "", files, run.machine, run.recorded_by)


def _counts(passed: Sequence[Check], printed: bytes) -> tuple[int, int, int]:
    names = [check.what for check in passed]
    lines = (
        sum(bool(line) for line in RULES.lines(printed)) if any(name.startswith("standard") for name in names) else 0
    )
    memory = sum(name.startswith(("file copy ", "file free ")) for name in names)
    return lines, sum(name.startswith("file ") for name in names) - memory, memory


def _files(
    golden: Sequence[ProgramRun], actual: ProgramRun, expected: dict[str, bytes | None], here: dict[str, bytes | None]
) -> Iterator[Output]:
    for name, data in golden[0].files.items():
        if name == MEMORY or any(run.files.get(name) != data for run in golden[1:]):
            continue
        expected[name], here[name] = data, actual.files.get(name)
        text = b"\0" not in (data or b"\0")
        yield Output(name, "numbers" if text else "bytes")


def _memory(
    golden: Sequence[ProgramRun], actual: ProgramRun, expected: dict[str, bytes | None], here: dict[str, bytes | None]
) -> Iterator[Output]:
    """Piece by piece, as far as both have it in the same size: how much a program allocates may depend on the device."""
    there, dump = steady_pieces(golden), actual.files.get(MEMORY)
    found = {name: (size, value, data) for name, size, value, data in pieces(dump or b"")}
    for name, (size, value, data) in (there or {}).items():
        if name not in found or found[name][0] != size:
            continue
        same = found[name][1] == value != "0" * 16
        mine = data if same else found[name][2]
        if data and mine:
            title = f"{name} of {size} bytes"
            expected[title], here[title] = data, mine
            yield Output(title, "bytes" if data == mine else form_of(data, mine))


def judge(
    programs: Sequence[Mapping[str, Any]], results: Mapping[str, Result], recordings: Path
) -> Iterator[dict[str, Any]]:
    """A row for each program that the GPU's machine was given."""
    for program in programs:
        name = program["name"]
        mine, row = results.get(name), dict.fromkeys(_COLUMNS, "") | {"folder": name}
        row["h200"], row["gfx942"] = of_gpu(program), mine.outcome if mine else "not tried"
        there = {tuple(tried["arguments"]): tried for tried in program["tries"] if "run" in tried}
        verdicts = {
            arguments: compared(golden_runs(there[arguments]), run)
            for arguments, run in (
                kept(recordings, name) if mine and mine.outcome in (PASS, ENDS, FAIL, CRASH) else {}
            ).items()
            if arguments in there
        }
        worst = (DIFFERS, AGREES, NOTHING)
        wrong = min(verdicts, key=lambda arguments: worst.index(verdicts[arguments].outcome), default=None)
        if wrong is not None:
            verdict = verdicts[wrong]
            if mine and not mine.kernels and verdict.outcome == AGREES:
                verdict = replace(verdict, outcome=NOTHING, about="no kernel ran")
            row |= {"arguments": " ".join(wrong), "outputs": verdict.outcome, "lines": verdict.lines}
            row |= {"files": verdict.files, "memory": verdict.memory, "about": verdict.about}
        elif mine and not verdicts:
            row["about"] = mine.reason
        yield row


def of_gpu(program: Mapping[str, Any]) -> str:
    """The outcome there, in the words of programs.py."""
    if not program["built"]:
        return "not built"
    outcomes = []
    for tried in program["tries"]:
        run = tried.get("run")
        if run is None:
            continue
        text = unpacked(run["stdout"]).decode("utf-8", "replace") + run["stderr"]
        status = run["status"]
        outcomes.append(
            "time limit" if status is None else FAIL if status > 0 else CRASH if status else own_word(text)[0]
        )
    order = (PASS, ENDS, FAIL, CRASH, "time limit")
    return min(outcomes, key=order.index, default="not tried")


def publish(table: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Causes are written by hand, and stay while the outcome does."""
    before: dict[tuple[str, str], str] = {}
    if table.is_file():
        with table.open(newline="") as stream:
            before = {(row["folder"], row["outputs"]): row["cause"] for row in csv.DictReader(stream)}
    with table.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            about = re.sub(r"(?:/[\w.+-]+){2,}/", "", str(row["about"]).partition(" (/")[0])[:160]
            cause = row["cause"] or before.get((row["folder"], row["outputs"]), "")
            writer.writerow(row | {"about": about, "cause": cause})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpu", type=Path, help="what drive.py wrote")
    parser.add_argument("results", type=Path, help="what programs.py --results wrote")
    parser.add_argument("recordings", type=Path, help="what programs.py --recordings wrote")
    parser.add_argument("--table", type=Path, help="a row for each program, as CSV")
    parser.add_argument("--first", type=int, help="only so many")
    options = parser.parse_args()
    programs = {one["name"]: one for one in json.loads(options.gpu.read_text())["programs"]}
    results = {one["name"]: Result(**one) for one in map(json.loads, options.results.read_text().splitlines())}
    rows = list(judge(list(programs.values())[: options.first], results, options.recordings))
    for row in rows:
        print(" | ".join(str(row[column]) for column in _COLUMNS))
    print(Counter((row["h200"], row["gfx942"], row["outputs"]) for row in rows))
    if options.table:
        publish(options.table, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
