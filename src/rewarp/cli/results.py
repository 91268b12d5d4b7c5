"""``--results DIR``: the option with which a command leaves its piece of the report of ``rewarp report``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rewarp.workspace.identity import Identity


def add_results(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--results", metavar="DIR", help="also leave a piece there for `rewarp report` (docs/report.md)"
    )


class Leaving:
    """What a command will leave: begun before it changes anything, so that the piece is about what it found."""

    def __init__(self, arguments: argparse.Namespace, root: Path) -> None:
        self.folder = Path(arguments.results) if arguments.results else None
        self._command = getattr(arguments, "command_line", "")
        self.root = root
        self.identity: Identity | None = None
        if self.folder:
            from rewarp.workspace.identity import identify  # late: whoever leaves nothing waits for nothing

            self.identity = identify(root, self.folder)

    def leave(
        self,
        document: Callable[[], str],
        *,
        about: str | None = None,
        becomes: str | None = None,
        patch: str | None = None,
    ) -> None:
        """``document``: the command's JSON; it is made on demand. ``about``: the question, where another
        answer to it may not say the same of itself."""
        if self.folder is None or self.identity is None:
            return
        import json

        from rewarp.printing import tell
        from rewarp.report import pieces

        told = {"about": about, "becomes": becomes, "patch": patch}
        tell(f"results: {pieces.write(self.folder, self.identity, self._command, json.loads(document()), **told)}")


def root_of(arguments: argparse.Namespace, place: Path) -> Path:
    """The project that a program belongs to: one that the results are about already, else its repository, else its folder."""
    where = os.path.realpath(place)
    folder = Path(where if os.path.isdir(where) else os.path.dirname(where))
    if not arguments.results:
        return folder
    if os.path.isdir(arguments.results):
        from rewarp.report.pieces import read

        for piece in read(Path(arguments.results))[0]:
            root = piece.identity.root
            if os.path.isdir(root) and os.path.commonpath([root, where]) == root:
                return Path(root)
    from rewarp import git

    top = git.run(folder, "rev-parse", "--show-toplevel")
    return Path(os.fsdecode(top.stdout.rstrip(b"\n"))) if top and top.returncode == 0 and top.stdout.strip() else folder
