"""Seeded bugs: how many does rewarp see, on which level, and what does it say of the programs that they were put into?

    python benchmarks/seeded_bugs.py FOLDER [--class masks_ballots,lds] [--json OUT] [--jobs 2] [--torch PYTHON]

FOLDER is kept apart from the project and holds CLASS/NAME/ for each bug: `original/` and `mutated/`, the same small tree with and
without it (for `how: isolation` also `base/`, the project before the change), and `mutant.json`:

    {"id", "class", "how", "from", "bug", "effect", "file", "line", "run": {"sources", "arguments", "flags"} or {"target"}}

how        levels
program    static, build, machine: run on the emulator, and again in a hostile order; exit status, alarms, and what the original prints
tree       static, build
numbers    static, numbers: the original recorded, the mutant compared with it (needs torch: --torch names an interpreter that has it)
isolation  isolation: base against original and against mutated; static of the mutated tree

A bug is caught where a level fails, at other places than of the original; *incomplete* where none fails and one that was asked for could not be checked; else missed.
An original is qualified where it runs to a good end on the emulator under all orders (programs), or needs no run; one that fails a
level is a false alarm, an honest change that is not proved is counted apart. Everything of a bug runs in its own processes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

ARCH = "gfx942"
LEVELS = ("static", "build", "machine", "numbers", "isolation")
SECONDS = 240.0


def rewarp(*words: str | Path, folder: Path | None = None, python: str = sys.executable) -> tuple[int, bytes, bytes]:
    command = [python, "-m", "rewarp", *map(str, words)]
    sources = str(Path(__file__).resolve().parents[1] / "src")
    # Another interpreter has torch, and need not have what rewarp needs.
    needed = [] if python == sys.executable else [sysconfig.get_path("purelib")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([sources, *needed])}
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, cwd=folder, env=environment)
    except subprocess.TimeoutExpired as late:
        return -1, late.stdout or b"", late.stderr or b""
    return done.returncode, done.stdout, done.stderr


def levels_of(tree: Path, levels: str) -> dict[str, list[dict[str, Any]]]:
    """What failed or was not checked, by level."""
    code, out, err = rewarp("verify", tree, "--only", levels, "--arch", ARCH, "--json", "-")
    try:
        document = json.loads(out)
    except ValueError:
        words = (err.decode("utf-8", "replace").strip().splitlines() or [f"ended with {code}"])[-1]
        return {levels.split(",")[0]: [{"outcome": "crashed", "why": words, "what": "rewarp verify"}]}
    asked = levels.split(",")
    return {
        level["level"]: [check for check in level["checks"] if check["outcome"] != "passed"]
        for level in document["levels"]
        if level["level"] in asked
    }


def run_on_machine(tree: Path, run: dict[str, Any]) -> dict[str, Any]:
    """How the program ended under all orders, what was seen, and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "run.json")
        flags = [str(flag) for flag in run.get("flags", ())]
        words = [*run.get("sources", ()), "--arch", ARCH, "--orders", "1", "--time-limit", "60", "-q", "--json", report]
        words += [flag if flag.startswith(("-I", "-D", "-l", "-std")) else f"--option={flag}" for flag in flags]
        code, out, err = rewarp("run", *words, "--", *run.get("arguments", ()), folder=tree)
        seen = json.loads(report.read_text()) if report.exists() else {}
    alarms = [alarm for ran in seen.get("runs", ()) for alarm in ran["alarms"] if not alarm.get("is_remark")]
    said = (err.decode("utf-8", "replace").strip().splitlines() or [""])[-1][:200]
    words = seen.get("reason") or (f"{alarms[0]['what']}: {alarms[0]['text']}" if alarms else said)
    return {"code": code, "out": out, "why": str(words)[:240], "failed_to": seen.get("failed")}


_KNOWN: dict[str, Any] = {}
"""Several bugs share an original: what was found of it, by its content."""


def known(kind: str, tree: Path, asked: Any, find: Callable[[], Any]) -> Any:
    digest = hashlib.sha256(json.dumps([kind, asked]).encode())
    for file in sorted(path for path in tree.rglob("*") if path.is_file()):
        digest.update(f"{file.relative_to(tree)}\0".encode() + file.read_bytes())
    key = digest.hexdigest()
    if key not in _KNOWN:
        _KNOWN[key] = find()
    return _KNOWN[key]


def machine_of(folder: Path, run: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the machine says of the original and of the mutant: failed, passed or not checked, with why."""
    original = known("machine", folder / "original", run, lambda: run_on_machine(folder / "original", run))
    mutated = run_on_machine(folder / "mutated", run)
    first = judged(original, None)
    return first, judged(mutated, original["out"] if first["outcome"] == "passed" else None)


def judged(ran: dict[str, Any], expected: bytes | None) -> dict[str, Any]:
    code = ran["code"]
    if code == 0 and expected is not None and not same(expected, ran["out"]):
        return {"outcome": "failed", "why": "it prints something else than the original"}
    if code == 0:
        return {"outcome": "passed", "why": ""}
    if code == 1:
        return {"outcome": "failed", "why": ran["why"]}
    if code == 2 and ran["failed_to"] == "compile":
        return {"outcome": "failed", "why": ran["why"]}
    return {"outcome": "not checked", "why": ran["why"] or f"ended with {code}"}


def same(one: bytes, other: bytes) -> bool:
    """The words exactly, numbers nearly, times left out."""
    from rewarp.verify.programs import TextRules
    from rewarp.verify.programs.text import compare_numbers_in_text

    rules = TextRules(1e-4, 1e-6, (r"[-+.\deE]+ *(?:ms|us|s|sec|seconds|GB/s|GFLOPS?|ns)\b",))
    return compare_numbers_in_text(one, other, rules)[0].value != "failed"


def numbers_of(folder: Path, run: dict[str, Any], python: str) -> tuple[dict[str, Any], dict[str, Any]]:
    target = run.get("target", "model.py:make")
    with tempfile.TemporaryDirectory() as made:
        golden = Path(made, "golden.safetensors")
        code, _, err = rewarp("verify", "record", target, "-o", golden, folder=folder / "original", python=python)
        if code:
            why = (err.decode("utf-8", "replace").strip().splitlines() or ["not recorded"])[-1]
            return ({"outcome": "not checked", "why": why},) * 2
        found = []
        for name in ("original", "mutated"):
            code, out, err = rewarp("verify", "compare", golden, target, folder=folder / name, python=python)
            lines = (out + err).decode("utf-8", "replace").strip().splitlines() or [""]
            found.append({"outcome": {0: "passed", 1: "failed"}.get(code, "not checked"), "why": lines[-1][:200]})
    return found[0], found[1]


def isolation_of(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    found = []
    for name in ("original", "mutated"):
        code, out, _ = rewarp("verify", "isolation", folder / "base", folder / name, "-q", "--json", "-")
        outcome = {0: "passed", 1: "failed", 3: "failed"}.get(code, "not checked")
        try:
            files = [file for file in json.loads(out)["files"] if file["verdict"] != "proved identical"]
        except (ValueError, KeyError):
            files = []
        why = f"{files[0]['verdict']}: {files[0]['path']}: {files[0]['why']}"[:240] if files else ""
        found.append({"outcome": outcome, "why": why})
    return found[0], found[1]


def summed(checks: list[dict[str, Any]]) -> dict[str, Any]:
    failed = [check for check in checks if check["outcome"] in ("failed", "crashed")]
    if failed:
        where = f"{failed[0].get('path') or ''}:{failed[0].get('line') or ''} "
        return {"outcome": "failed", "why": (where + str(failed[0]["why"]))[:240], "places": len(failed)}
    open_ = [check for check in checks if check["why"] != "no CUDA or HIP source file here"]
    return {"outcome": "not checked", "why": str(open_[0]["why"])[:240]} if open_ else {"outcome": "passed", "why": ""}


def measured(folder: Path, python: str) -> dict[str, Any]:
    """Everything about one bug."""
    mutant = json.loads((folder / "mutant.json").read_text())
    how = mutant["how"]
    original: dict[str, Any] = {}
    mutated: dict[str, Any] = {}
    asked = {"program": "static,build", "tree": "static,build", "numbers": "static", "isolation": "static"}[how]
    for name, into in (("original", original), ("mutated", mutated)):
        for level, checks in known("read", folder / name, asked, partial(levels_of, folder / name, asked)).items():
            into[level] = summed(checks)
    if how == "program":
        original["machine"], mutated["machine"] = machine_of(folder, mutant.get("run", {}))
    if how == "numbers":
        original["numbers"], mutated["numbers"] = numbers_of(folder, mutant.get("run", {}), python)
    if how == "isolation":
        original["isolation"], mutated["isolation"] = isolation_of(folder)
    for level in ("static", "build"):
        # It may have said of the original what it says of the mutant: that sees no bug.
        first, second = original.get(level, {}), mutated.get(level, {})
        if first.get("outcome") == second.get("outcome") == "failed" and first["places"] == second["places"]:
            mutated[level] = {"outcome": "passed", "why": "as of the original"}
    return {"mutant": mutant, "original": original, "mutated": mutated, "result": result(mutated)}


def result(mutated: dict[str, Any]) -> str:
    outcomes = {level["outcome"] for level in mutated.values()}
    return "caught" if "failed" in outcomes else "incomplete" if "not checked" in outcomes else "missed"


def false_alarms(row: dict[str, Any]) -> list[str]:
    """The levels that fail a qualified original; an honest change that is not proved is none."""
    if row["mutant"]["how"] == "program" and row["original"]["machine"]["outcome"] != "passed":
        return []
    return [level for level, one in row["original"].items() if one["outcome"] == "failed" and level != "isolation"]


def tables(rows: list[dict[str, Any]]) -> list[str]:
    lines = [f"{'class':24}{'bugs':>5}{'caught':>8}{'incomplete':>12}{'missed':>8}   by level"]
    classes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        classes[row["mutant"]["class"]].append(row)
    for name, own in [*sorted(classes.items()), ("all", rows)]:
        counts = Counter(row["result"] for row in own)
        by = Counter(level for row in own for level, one in row["mutated"].items() if one["outcome"] == "failed")
        share = ", ".join(f"{level} {by[level]}" for level in LEVELS if by[level])
        lines.append(
            f"{name:24}{len(own):>5}{counts['caught']:>8}{counts['incomplete']:>12}{counts['missed']:>8}   {share}"
        )
    programs = [row for row in rows if row["mutant"]["how"] == "program"]
    qualified = [row for row in programs if row["original"]["machine"]["outcome"] == "passed"]
    alarms = [row for row in rows if false_alarms(row)]
    changes = [row for row in rows if row["mutant"]["how"] == "isolation"]
    proved = [row for row in changes if row["original"]["isolation"]["outcome"] == "passed"]
    lines.append(f"originals: {len(qualified)} of {len(programs)} programs qualified; {len(alarms)} false alarms:")
    lines += [
        f"  {row['mutant']['id']}: {level}: {row['original'][level]['why']}"
        for row in alarms
        for level in false_alarms(row)
    ]
    lines.append(f"honest changes proved: {len(proved)} of {len(changes)}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--class", dest="classes", default="", metavar="NAMES")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--torch", default=sys.executable, metavar="PYTHON")
    arguments = parser.parse_args()
    wanted = {name for name in arguments.classes.split(",") if name}
    folders = [file.parent for file in arguments.folder.resolve().glob("*/*/mutant.json")]
    folders.sort(key=lambda folder: (folder.name, folder.parent.name))  # one of each class, then the next
    folders = [folder for folder in folders if not wanted or folder.parent.name in wanted]
    rows = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(lambda folder: measured(folder, arguments.torch), folders):
            rows.append(row)
            failed = [level for level, one in row["mutated"].items() if one["outcome"] == "failed"]
            print(f"{row['result']:11} {row['mutant']['id']} {','.join(failed)}", flush=True)
            if arguments.json:
                arguments.json.write_text("".join(json.dumps(one) + "\n" for one in rows))
    print("\n".join(tables(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
