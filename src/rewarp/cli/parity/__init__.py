"""``rewarp parity``: is back end B level with back end A? One file per subcommand; ``rewarp parity PATH`` is
``rewarp parity compare PATH``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.cli import add_subcommands
from rewarp.errors import UsageError

if TYPE_CHECKING:
    from rewarp.parity.view import TreeView

SUBCOMMANDS = ("compare", "flow", "trend", "check-doc")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "parity",
        help="two back ends side by side: what does the second still lack?",
        description="Compares two back ends of one code base. Static: nothing is built or run.",
    )
    add_subcommands(parser, __name__, SUBCOMMANDS)


def add_sides(parser: argparse.ArgumentParser) -> None:
    """The two back ends."""
    parser.add_argument("--a", metavar="BACKEND", help="the back end that leads (default: the settings', else cuda)")
    parser.add_argument("--b", metavar="BACKEND", help="the back end that follows (default: the settings', else rocm)")


def add_work(parser: argparse.ArgumentParser) -> None:
    """How the work is done."""
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, no text")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--no-cache", action="store_true", help="read everything again")


def view_of(path: Path, revision: str | None) -> TreeView:
    """What to look at: a folder as it is, or a commit of the repository that it belongs to."""
    from rewarp import git
    from rewarp.parity.view import CommitView, FolderView

    if not path.is_dir():
        raise UsageError(f"{path} is not a folder" if path.exists() else f"{path} does not exist")
    bare = git.run(path, "rev-parse", "--is-bare-repository")
    if bare is not None and bare.stdout.strip() == b"true":
        return CommitView(path, revision or "HEAD")
    if revision is None:
        return FolderView(path)
    below = git.run(path, "rev-parse", "--show-prefix")
    if below is None or below.returncode != 0:
        raise UsageError(f"--rev: {path} is not in a git repository")
    return CommitView(path, revision, os.fsdecode(below.stdout).strip().rstrip("/"))
