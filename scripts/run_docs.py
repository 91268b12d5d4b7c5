"""Runs what the documentation shows: each ```console block of docs/first-steps.md, docs/explain.md, docs/guides and the README is run as it
stands there, in a copy of the examples, and its output written below the command. Nothing is in those pages that was not run.

``--check`` writes nothing and fails where an output is another one. A block with a title, which says that it takes a while, is left out of that,
without ``--all``.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("first-steps", "explain")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
]
_BLOCK = re.compile(r'^```console( title="[^"]*")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_TIMES = re.compile(r"\b\d+\.\d+ s\b|^ +\d+\.\d{3} s", re.MULTILINE)
WIDTH = "100"


def commands(block: str) -> list[str]:
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def ran(command: str, folder: Path) -> str:
    """What a command prints, on both of its streams, as on a terminal of a plain width."""
    environment = {**os.environ, "COLUMNS": WIDTH, "REWARP_NO_PLUGINS": "1", "NO_COLOR": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def filled(text: str, quick: bool) -> str:
    """A page with the outputs of now; in a copy of the examples, one for the whole page."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "examples"
        shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("results", "__pycache__"))

        def block(found: re.Match[str]) -> str:
            if quick and found[1]:
                return found[0]
            output = "".join(f"$ {command}\n{ran(command, folder)}" for command in commands(found[2]))
            return f"```console{found[1] or ''}\n{output}```"

        return _BLOCK.sub(block, text)


def timeless(text: str) -> str:
    return _TIMES.sub("0.0 s", text)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true")
    options.add_argument("--all", action="store_true", help="with --check: blocks that take a while, too")
    options.add_argument("pages", nargs="*", type=Path, default=PAGES)
    given = options.parse_args()
    stale = []
    for page in given.pages:
        before = page.read_text("utf-8")
        after = filled(before, quick=given.check and not given.all)
        if timeless(before) != timeless(after):
            stale.append(page)
            if given.check:
                # Who reads a log of a machine that is gone wants to know which line it was.
                changes = difflib.unified_diff(
                    timeless(before).splitlines(), timeless(after).splitlines(), "page", "now", lineterm=""
                )
                print(*changes, sep="\n", file=sys.stderr)
            else:
                page.write_text(after, "utf-8")
    for page in stale:
        print(f"{'stale' if given.check else 'written'}: {page}", file=sys.stderr)
    return 1 if stale and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
