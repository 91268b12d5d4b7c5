"""``rewarp bench``: how fast, on which machine, and can the two be compared at all? One file per subcommand."""

from __future__ import annotations

import argparse

from rewarp.cli import add_subcommands

SUBCOMMANDS = ("here", "run", "logs", "compare")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "bench",
        help="measure, read anyone's logs, compare only what can be compared",
        description="Figures with their sources. What is not known is said to be unknown, and why. Without a subcommand: "
        "measures this machine, or reads the logs and results that lie here (`rewarp bench here --help`).",
    )
    add_subcommands(parser, __name__, SUBCOMMANDS)
