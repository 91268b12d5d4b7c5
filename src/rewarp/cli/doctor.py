"""``rewarp doctor``: what is this machine, and what can be verified on it?"""

from __future__ import annotations

import argparse
import json

from rewarp.errors import UsageError
from rewarp.printing import write


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "doctor",
        help="what is this machine: platform, devices, tools, torch, dangerous variables",
        description="Looks at this machine. Changes nothing; torch is asked in a process of its own.",
        epilog="exit codes: 0 the machine was looked at, whatever was found; 2 it could not be",
    )
    parser.add_argument("--json", action="store_true", help="as JSON (docs/doctor.md)")
    parser.add_argument("--no-torch", action="store_true", help="do not ask torch (its import can take a while)")
    parser.add_argument(
        "--timeout",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="for each tool (default: 10; torch gets six times)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.host import Host, examine
    from rewarp.report import doctor

    if not 0 < arguments.timeout < 3600:
        raise UsageError("--timeout must be above 0 and below 3600 seconds")
    host = Host(tool_timeout=arguments.timeout, torch_timeout=6 * arguments.timeout)
    machine = examine(host, ask_torch=not arguments.no_torch)
    if arguments.json:
        write(json.dumps(doctor.document(machine), indent=1) + "\n")
    else:
        from rewarp.report.console import Console

        doctor.show(machine, Console())
    return 0
