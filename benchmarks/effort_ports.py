"""Measures human ROCm ports: what a person changed, and what a scan of the commit before had said.

    python benchmarks/effort_ports.py MIRRORS [--ports benchmarks/effort.csv] [--only REPOSITORY …]

MIRRORS holds a git folder for each repository (see mirrors.py). Rows need `repo`, `commit` and, where the port is a
series of commits, `parent`; the other columns are written anew. A row whose scan takes too long, or whose commits are not
to be had, is left as it was and named. Fetches nothing.

Lines are counted by what a file is for (rewarp's own roles and kinds): device code (CUDA and C++), Python, the build, and
what is none of a port's own lines: tests, documentation, CI, images, requirements, data. A new file that is at least half
the copy of one that was there, as translators leave them, is generated: its lines stand apart.

A file of the parent "is left" where a finding that counts has no automatic fix, and "found" where any counts.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from pathlib import Path

from mirrors import exported, git_folder

from rewarp.api import ScanReport, scan
from rewarp.config import Config
from rewarp.edits import Safety
from rewarp.findings import Effort
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.project.role_names import named_role
from rewarp.verdict import Standing, blocking, standing

GROUPS = ("device", "python", "build", "other")
SIZES = ("safe", *(effort.value for effort in Effort if effort is not Effort.NONE))
"""Of findings: those with an automatic fix, and the others by what they ask for."""
COLUMNS = (
    *("repo", "commit", "parent", "files"),
    *(f"{group}_{way}" for group in GROUPS for way in ("added", "removed")),
    *("generated_files", "generated_added", "generated_removed"),
    *(f"{size}_{what}" for size in SIZES for what in ("places", "files")),
    *("left_files", "found_files", "author_days", "conclusion"),
)
_BUILD = (Kind.CMAKE, Kind.MAKE, Kind.CARGO, Kind.SETUP_CFG, Kind.PYPROJECT)
_SECONDS = 400


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "--git-dir", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS).stdout


def group_of(path: str) -> str:
    kind = kind_of_path(path)
    if path in ("setup.py", "build.rs") or path.endswith(("/setup.py", "/build.rs")) or kind in _BUILD:
        return "build"
    if named_role(path) is not None or kind is None:
        return "other"
    return "device" if kind in CPP_KINDS else "python" if kind is Kind.PYTHON else "other"


def _changes(folder: Path, parent: str, commit: str) -> Iterator[tuple[str, int, int, bool]]:
    """(path, added, removed, whether it is a copy of a file that was there)."""
    between = ("-z", "-M", "-C50%", "--find-copies-harder", "-l0", parent, commit)
    try:
        named = _git(folder, "diff", "--name-status", *between)
    except subprocess.CalledProcessError:  # some file is not to be had: ask only about those that changed
        between = ("-z", "-M", "-C50%", parent, commit)
        named = _git(folder, "diff", "--name-status", *between)
    names = named.decode("utf-8", "replace").split("\0")
    copies: set[str] = set()
    while len(names) > 1:
        status, path = names.pop(0), names.pop(0)
        if status.startswith(("C", "R")):
            path = names.pop(0)
        if status.startswith("C"):
            copies.add(path)
    fields = iter(_git(folder, "diff", "--numstat", *between).decode("utf-8", "replace").split("\0"))
    for field in fields:
        added, _, rest = field.partition("\t")
        removed, _, path = rest.partition("\t")
        if not path and rest:
            next(fields)
            path = next(fields)
        if added.isdigit() and removed.isdigit():
            yield path, int(added), int(removed), path in copies


def human(folder: Path, parent: str, commit: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for path, added, removed, copied in _changes(folder, parent, commit):
        group = group_of(path)
        if group != "other":
            counts["generated_files" if copied else "files"] += 1
        where = "generated" if copied and group != "other" else group
        counts[f"{where}_added"] += added
        counts[f"{where}_removed"] += removed
    return dict(counts)


def author_days(folder: Path, parent: str, commit: str) -> int:
    """Days on which the port's author committed to its files, before it and not in what it was made from: those of the
    branch, where the mirror still has it."""
    author, until = _git(folder, "log", "-1", "--format=%ae%n%cI", commit).decode().split()
    files = _git(folder, "diff", "--name-only", "-z", parent, commit).decode("utf-8", "replace").split("\0")[:-1]
    wanted = ("--all", "--no-merges", "--format=%aI", f"--author={author}", "--fixed-strings", "--not", parent, "--")
    dates = _git(folder, "log", *wanted, *files[:400]).decode().split()
    return len({date[:10] for date in dates if date <= until})


def told(report: ScanReport) -> dict[str, int | str]:
    """What counts in a scan, by what it asks for."""
    places: Counter[str] = Counter()
    files: dict[str, set[str]] = {size: set() for size in SIZES}
    for finding in report.findings:
        if blocking(finding) and standing(finding, report.project) is Standing.COUNTS:
            size = "safe" if finding.safety is Safety.SAFE else finding.effort.value
            if size in files:
                places[size] += 1
                files[size].add(finding.path)
    left = set().union(*(found for size, found in files.items() if size != "safe"))
    return {
        **{f"{size}_places": places[size] for size in SIZES},
        **{f"{size}_files": len(files[size]) for size in SIZES},
        "left_files": len(left),
        "found_files": len(left | files["safe"]),
        "conclusion": report.verdict.conclusion.value,
    }


def _scanned(mirrors: Path, repository: str, commit: str) -> dict[str, int | str]:
    with exported(mirrors, repository, commit) as tree:
        if tree is None:
            raise FileNotFoundError(f"{commit} is not in the mirror")
        return told(scan(tree, config=Config(target="rocm"), jobs=1, use_cache=False))


def measured(row: dict[str, str], mirrors: Path) -> dict[str, str]:
    folder = git_folder(mirrors, row["repo"])
    commit = _git(folder, "rev-parse", f"{row['commit']}^{{commit}}").decode().strip()
    parent = _git(folder, "rev-parse", f"{row.get('parent') or commit + '^'}^{{commit}}").decode().strip()
    facts = {**dict.fromkeys(COLUMNS, 0), **human(folder, parent, commit), **_scanned(mirrors, row["repo"], parent)}
    facts["author_days"] = author_days(folder, parent, commit)
    return {**{k: str(v) for k, v in facts.items()}, "repo": row["repo"], "commit": commit, "parent": parent}


def rows(ports: Path) -> list[dict[str, str]]:
    with ports.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def write(ports: Path, found: Sequence[dict[str, str]]) -> None:
    with ports.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: row.get(name, "") for name in COLUMNS} for row in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--ports", type=Path, default=Path(__file__).with_name("effort.csv"))
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    ports = rows(options.ports)
    for at, row in enumerate(ports):
        if options.only and row["repo"] not in options.only:
            continue
        with ProcessPoolExecutor(1) as one:
            job = one.submit(measured, row, options.mirrors)
            try:
                ports[at] = job.result(_SECONDS)
                print(ports[at], flush=True)
            except (TooLong, OSError, subprocess.SubprocessError) as error:
                print(f"not measured: {row['repo']} {row['commit']}: {error!r}", file=sys.stderr, flush=True)
                for process in list(one._processes.values()):
                    process.terminate()
        write(options.ports, ports)


if __name__ == "__main__":
    main()
