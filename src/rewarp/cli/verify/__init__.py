"""``rewarp verify``: is the port right? One file per subcommand; ``rewarp verify PATH`` is ``rewarp verify all PATH``."""

from __future__ import annotations

import argparse
import importlib

SUBCOMMANDS = ("all", "build", "run", "programs", "record", "compare", "isolation")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="is the port right? static, build, run, numbers; is NVIDIA untouched?",
        description="Gathers evidence that a port is right. Not checked is never passed.",
    )
    levels = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND", required=True)
    for name in SUBCOMMANDS:
        importlib.import_module(f"rewarp.cli.verify.{name}").add_parser(levels)
