"""``rewarp parity``: is back end B level with back end A? One file per subcommand; ``rewarp parity PATH`` is
``rewarp parity compare PATH``."""

from __future__ import annotations

import argparse

from rewarp.cli import add_subcommands

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
    parser.add_argument(
        "--a",
        metavar="BACKEND",
        help="the back end that leads (default: the settings', else what the project has: cuda before others)",
    )
    parser.add_argument(
        "--b",
        metavar="BACKEND",
        help="the back end that follows (default: the settings', else what the project has: rocm before others)",
    )


def add_work(parser: argparse.ArgumentParser) -> None:
    """How the work is done."""
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, no text")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    parser.add_argument("--no-cache", action="store_true", help="read everything again")
