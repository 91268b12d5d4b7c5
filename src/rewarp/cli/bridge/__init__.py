"""``rewarp bridge``: what crosses platforms through storage, and what silently breaks? One file per subcommand."""

from __future__ import annotations

import argparse

from rewarp.cli import add_subcommands

SUBCOMMANDS = ("check", "matrix", "describe", "convert", "probe")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "bridge",
        help="what crosses platforms through storage, and what silently breaks",
        description="KV caches, FP8 weights and prefix hashes in a store that NVIDIA, AMD and Gaudi share.",
    )
    add_subcommands(parser, __name__, SUBCOMMANDS)
