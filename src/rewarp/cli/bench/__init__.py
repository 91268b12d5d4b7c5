"""``rewarp bench``: how fast, on which machine, and can the two be compared at all? One file per subcommand."""

from __future__ import annotations

import argparse
import importlib

SUBCOMMANDS = ("run", "logs", "compare")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "bench",
        help="measure, read anyone's logs, compare only what can be compared",
        description="Figures with their sources. What is not known is said to be unknown, and why.",
    )
    kinds = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND", required=True)
    for name in SUBCOMMANDS:
        importlib.import_module(f"rewarp.cli.bench.{name}").add_parser(kinds)
