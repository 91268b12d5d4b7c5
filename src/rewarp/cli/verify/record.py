"""``rewarp verify record TARGET``: keep what a model computes here, to be compared elsewhere."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
from typing import Any

from rewarp.cli import terminal
from rewarp.errors import UsageError
from rewarp.printing import say

_EPILOG = """TARGET is package.module:callable or file.py:callable. The callable returns (model, args, kwargs): a model
or any function with its inputs; or it returns results, nested as you like. Parameters of its that are named device
and dtype are filled. The code is run.
exit codes: 0 recorded; 2 it could not be (no such device, out of memory, the target raised)"""
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "record",
        help="keep inputs, weights and every module's outputs as golden vectors",
        description="Runs a model or function once and writes what it computes into a golden file.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("target", help="package.module:callable or file.py:callable")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the golden file (.safetensors)")
    add_device(parser)
    parser.add_argument("--seed", type=int, default=0, help="of every random generator (default: 0)")
    parser.add_argument("--modules", default="all", metavar="all|none|N", help="which to record: N is a depth (all)")
    parser.add_argument("--weights", choices=("stored", "hashed"), default="stored", help="keep them, or a digest")
    parser.add_argument("--iterations", type=int, default=1, metavar="N", help="run N times; note what is not the same")
    parser.add_argument("--max-bytes", metavar="SIZE", help="sample module outputs to stay below (500M, 2G)")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="what was recorded, as JSON")
    parser.set_defaults(run=run)


def add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", help="cuda (NVIDIA and AMD), hpu, xpu, cpu, cuda:1 (default: what torch sees)")
    parser.add_argument("--dtype", help="run in this dtype: float32, bfloat16, float16, float64")


def run(arguments: argparse.Namespace) -> int:
    from rewarp.report import recorded as view
    from rewarp.verify import numbers

    refuse_to_replace(arguments.json)
    with chatter_aside():
        recorded = numbers.record(
            arguments.target,
            arguments.output,
            device=arguments.device,
            seed=arguments.seed,
            dtype=arguments.dtype,
            depth=_depth(arguments.modules),
            iterations=arguments.iterations,
            max_bytes=_bytes(arguments.max_bytes),
            weights=arguments.weights,
        )
    data = view.document(recorded)
    if arguments.json:
        terminal.write_text(arguments.json, json.dumps(data, indent=1) + "\n")
    if arguments.json != "-":
        from rewarp.report.numbers import machine

        say(f"{recorded.file}: {recorded.size:,} bytes, {data['calls']} calls of {data['modules']} modules")
        say(f"recorded on {machine(recorded.recording.setting)}, seed {arguments.seed}")
        say(*(f"note: {note}" for note in recorded.recording.notes))
    return 0


def _depth(text: str) -> int | None:
    if text == "all":
        return None
    if text == "none":
        return 0
    if not text.isdecimal():
        raise UsageError(f"--modules {text}: write all, none or a depth")
    return int(text)


def _bytes(text: str | None) -> int | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)([kmg]i?|)b?", text.lower())
    if match is None:
        raise UsageError(f"--max-bytes {text}: write a number of bytes, such as 500M or 2G")
    return int(match[1]) * _UNITS[match[2]]


# --- shared with compare -----------------------------------------------------------------------


def refuse_to_replace(report: str | None) -> None:
    """``--json golden.safetensors`` is a slip of the pen, not a place for a report."""
    if report and report != "-" and (report.endswith((".safetensors", ".py")) or ".py:" in report):
        raise UsageError(f"{report}: a report does not go there; put the option last, or give it a file of its own")


def chatter_aside() -> contextlib.AbstractContextManager[Any]:
    """What the target prints must not mix with the report."""
    return contextlib.redirect_stdout(sys.stderr)
