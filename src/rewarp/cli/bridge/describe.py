"""``rewarp bridge describe``: this machine, and the server on it, as a description that `check` reads."""

from __future__ import annotations

import argparse
import json
import os
import sys

from rewarp.errors import UsageError
from rewarp.printing import tell, write

_EPILOG = """exit codes: 0 described; 2 the job could not be done; 3 something that decides could not be found (it is named, and a
check says `unknown` for it)"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "describe",
        help="read a deployment off this machine",
        description="Prints what is here as a TOML file for `rewarp bridge check`: the accelerator, the versions, "
        "PYTHONHASHSEED, LMCache's configuration, and the arguments of a server that runs. Changes nothing.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pid", type=int, metavar="N", help="the process of the server: its arguments and environment")
    parser.add_argument("--python", metavar="FILE", help="the interpreter to ask for versions (default: the server's)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="what is known otherwise (repeatable)"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, which `check` reads too")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from rewarp.bench.config import parse_change
    from rewarp.bridge import describe as describing
    from rewarp.bridge.deployment import Deployment, nested, with_settings
    from rewarp.host import Host, examine

    if arguments.pid is not None and arguments.pid < 1:
        raise UsageError("--pid must be the number of a process")
    own = describing.Process((), dict(os.environ), sys.executable)
    running = describing.process(arguments.pid) if arguments.pid is not None else own
    if arguments.python:
        running = replace(running, python=arguments.python)
    machine = examine(Host(), ask_torch=False)
    made = describing.describe(machine, running, dict(parse_change(change) for change in arguments.set))
    with_settings(Deployment("here"), made.settings, "describe")  # what check would refuse is refused here
    if arguments.json:
        write(json.dumps(nested(made.settings), indent=1) + "\n")
    else:
        write(describing.as_toml(made))
    for name in made.missing:
        tell(f"rewarp: not found: {name}")
    return 3 if made.missing else 0
