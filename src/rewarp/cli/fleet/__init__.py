"""``rewarp fleet``: where do many repositories stand? One file per subcommand; ``rewarp fleet LIST`` is
``rewarp fleet run LIST``."""

from __future__ import annotations

import argparse

from rewarp.cli import add_subcommands

SUBCOMMANDS = ("run", "query", "report")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "fleet",
        help="where do many repositories stand? looked at in parallel, kept as Parquet, asked with SQL",
        description="Looks at many repositories, each in a process of its own, and keeps the results as Parquet.",
    )
    add_subcommands(parser, __name__, SUBCOMMANDS)


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", default="rewarp-fleet", metavar="FOLDER", help="the folder of results (default: rewarp-fleet)"
    )
