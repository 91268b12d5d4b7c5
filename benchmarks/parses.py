"""How often a command opens each file of a project, and parses each Python module: once is enough.

    python benchmarks/parses.py PROJECT [PROJECT …] [--source SRC …] [--command port]

`--source` names the `src` folders of other versions of rewarp, which are measured beside this one, in turns. Counts come
from Python's own audit events, so that any version can be counted; only the command's own process counts, no compilers.
Times are the processor's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_COUNTING = """
import atexit, collections, json, os, resource, runpy, sys
project, out = os.path.realpath(sys.argv[1]), sys.argv[2]
opened, parsed = collections.Counter(), collections.Counter()
def hook(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)):
        path = os.fsdecode(args[0])
        if path.startswith(project + "/") and ".git/" not in path and not (args[2] or 0) & (os.O_WRONLY | os.O_DIRECTORY):
            opened[path[len(project) + 1:]] += 1
    elif event == "compile" and (args[1] == "<unknown>" or not os.fsdecode(args[1]).startswith("<")):
        text = args[0] if isinstance(args[0], (str, bytes)) else None
        if text is not None and len(text) > 200:
            parsed[hash(text)] += 1
sys.addaudithook(hook)
def end():
    used = resource.getrusage(resource.RUSAGE_SELF)
    row = dict(seconds=used.ru_utime + used.ru_stime, opens=sum(opened.values()), files=len(opened), most=opened.most_common(1),
               parses=sum(parsed.values()), texts=len(parsed), most_parses=max(parsed.values(), default=0))
    json.dump(row, open(out, "w"))
atexit.register(end)
sys.argv = ["rewarp", *sys.argv[3:]]
runpy.run_module("rewarp", run_name="__main__")
"""


def measured(project: Path, command: str, source: Path, bytecode: Path) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="parses-") as scratch:
        work = Path(scratch)
        words = [command, str(project), "--json", "--no-cache", "-q"]
        words += ["-o", str(work / "out.patch"), "--jobs", "1"] if command == "port" else []
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPATH": str(source), "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": str(bytecode)}
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", str(source)], env=environment, stdout=subprocess.DEVNULL
        )
        subprocess.run(
            [sys.executable, "-c", _COUNTING, str(project), str(work / "row.json"), *words],
            env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=work, timeout=1800,
        )  # fmt: skip
        row: dict[str, object] = json.loads((work / "row.json").read_text())
        return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--source", action="append", type=Path, default=[], help="the src folder of another version")
    parser.add_argument("--command", default="port")
    options = parser.parse_args()
    sources = [*options.source, Path(__file__).resolve().parents[1] / "src"]
    spent: Counter[Path] = Counter()
    with tempfile.TemporaryDirectory(prefix="parses-bytecode-") as bytecode:
        # The first run writes the bytecode of other packages.
        measured(options.projects[0].resolve(), options.command, sources[0].resolve(), Path(bytecode))
        for project in options.projects:
            for source in sources:
                row = measured(project.resolve(), options.command, source.resolve(), Path(bytecode))
                spent[source] += row["seconds"]  # type: ignore[assignment]
                print(
                    f"{project.name} {source}: {row['seconds']:.2f} s, {row['opens']} opens of {row['files']} files "
                    f"(most: {row['most']}), {row['parses']} parses of {row['texts']} Python texts "
                    f"(most: {row['most_parses']})",
                    flush=True,
                )
    for source, seconds in spent.items():
        print(f"{seconds:.2f} s {source}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
