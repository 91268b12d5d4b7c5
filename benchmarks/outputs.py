"""What the commands say of many repositories, kept, so that two versions of rewarp can be compared answer by answer.

    python benchmarks/outputs.py record REPOSITORIES KEPT [--only REGEX] [--commands scan,port]
    python benchmarks/outputs.py compare KEPT_BEFORE KEPT_AFTER

REPOSITORIES is a folder of folders. Every command runs in a process of its own on a copy of nothing: the repositories
are read, never written to. An answer that is there already is not asked for again. `compare` prints each difference as a
diff, and the processor's time side by side. Changes that isolation judges are those that `port` wrote.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LIMIT = 900
VOLATILE = re.compile(
    r'^\s*"(?:seconds|elapsed|duration|started|finished|created|generated|date|time|rewarp|tool_version|version|cached)[^"]*":'
)
COMMANDS = ("scan", "scan-gaudi", "translate", "waves", "port", "isolation", "parity")


def words(command: str, repository: Path, work: Path) -> list[str]:
    """The command line that answers; what it writes goes to `work`."""
    path = str(repository)
    return {
        "scan": ["scan", path, "--json", "--no-cache", "-j", "1", "-q"],
        "scan-gaudi": ["scan", path, "--target", "gaudi", "--json", "--no-cache", "-j", "1", "-q"],
        "translate": ["translate", "--no-compile", path, "-o", str(work / "out"), "--json", "-q"],
        "waves": ["waves", path, "--diff", "--unsafe-fixes", "-q"],
        "port": ["port", path, "-o", str(work / "port.patch"), "--json", "--no-cache", "--jobs", "1", "-q"],
        "parity": ["parity", path, "--json", "-q"],
        "isolation": ["verify", "isolation", path, str(work / "ported"), "--json", "-q"],
    }[command]


def answer(command: str, repository: Path, kept: Path) -> tuple[str, float]:
    """All that the command says and writes, as one text, and its processor time."""
    with tempfile.TemporaryDirectory(prefix="outputs-") as scratch:
        work = Path(scratch)
        if command == "isolation" and not ported(repository, kept / "port", work / "ported"):
            return "no patch to judge\n", 0.0
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "rewarp", *words(command, repository, work)],
                capture_output=True, text=True, errors="replace", timeout=LIMIT, stdin=subprocess.DEVNULL, cwd=work,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"more than {LIMIT} s\n", float(LIMIT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = "\n".join(line for line in done.stdout.splitlines() if not VOLATILE.match(line))
        text = f"exit {done.returncode}\n{said}\n--- stderr\n{done.stderr}\n"
        for file in sorted(path for path in work.rglob("*") if path.is_file() and "ported" not in path.parts):
            text += f"--- {file.relative_to(work)}\n{file.read_text('utf-8', 'replace')}\n"
        return text.replace(str(work), "WORK"), took


def ported(repository: Path, port: Path, folder: Path) -> bool:
    """The repository with the patch of `port` in it."""
    text = (port / f"{repository.name}.txt").read_text()
    patch = text.partition("--- port.patch\n")[2]
    if not patch.strip():
        return False
    shutil.copytree(repository, folder, symlinks=True)
    git = subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, text=True, capture_output=True)
    return git.returncode == 0


def record(options: argparse.Namespace) -> int:
    repositories = sorted(path for path in options.repositories.resolve().iterdir() if path.is_dir())
    chosen = [path for path in repositories if not options.only or re.search(options.only, path.name)]
    for repository in chosen:
        for command in options.commands.split(","):
            file = options.kept / command / f"{repository.name}.txt"
            if file.exists():
                continue
            text, took = answer(command, repository, options.kept)
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(text)
            part.replace(file)
            with (options.kept / "times.jsonl").open("a") as stream:
                row = {"repository": repository.name, "command": command, "seconds": round(took, 2)}
                stream.write(json.dumps(row) + "\n")
            print(f"{repository.name} {command} {took:.1f} s {len(text):,} characters", file=sys.stderr, flush=True)
    return 0


def times(kept: Path) -> dict[tuple[str, str], float]:
    lines = (kept / "times.jsonl").read_text().splitlines()
    return {(row["command"], row["repository"]): row["seconds"] for row in map(json.loads, lines)}


def differences(before: Path, after: Path) -> Iterator[tuple[str, list[str]]]:
    for file in sorted(after.glob("*/*.txt")):
        name = str(file.relative_to(after))
        other = before / name
        if not other.exists():
            continue
        # git's, since Python's own takes hours for texts that differ a lot.
        done = subprocess.run(
            ["git", "diff", "--no-index", "--no-color", "-U3", str(other), str(file)], capture_output=True, text=True
        )
        yield name, done.stdout.splitlines()


def compare(options: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    for name, lines in differences(options.before, options.after):
        command = os.path.dirname(name)
        counts[f"{command}: {'different' if lines else 'the same'}"] += 1
        print(*lines[: options.lines], sep="\n", end="\n" if lines else "")
    old, new = times(options.before), times(options.after)
    for command in COMMANDS:
        both = [key for key in new if key[0] == command and key in old]
        if both:
            was, now = sum(old[key] for key in both), sum(new[key] for key in both)
            counts[f"{command}: {was:.0f} s, now {now:.0f} s ({now / was if was else 0:.2f})"] += len(both)
    for line, count in sorted(counts.items()):
        print(f"{count:5} {line}", file=sys.stderr)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    recording = verbs.add_parser("record")
    recording.add_argument("repositories", type=Path)
    recording.add_argument("kept", type=Path)
    recording.add_argument("--only", help="repositories, by a regular expression")
    recording.add_argument("--commands", default=",".join(COMMANDS))
    recording.set_defaults(call=record)
    comparing = verbs.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--lines", type=int, default=60, help="of each difference")
    comparing.set_defaults(call=compare)
    options = parser.parse_args()
    return int(options.call(options))


if __name__ == "__main__":
    sys.exit(main())
