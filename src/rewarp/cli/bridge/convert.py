"""``rewarp bridge convert``: FP8 checkpoints and LMCache's chunks, as another platform stores them."""

from __future__ import annotations

import argparse
from pathlib import Path

from rewarp.cli import terminal
from rewarp.errors import UsageError
from rewarp.printing import write

_EPILOG = """TO is a family of encodings (ocp, fnuz, gaudi2), an encoding of it, or a platform (mi300x, h100, gaudi3 ...).
The source is only read. The result is written beside its place, read back from the disk, and takes its place in one step;
nothing is overwritten.
exit codes: 0 converted; 1 converted, but some numbers lie beyond the target's range (saturated, or infinite); 2 refused,
or it could not be done: nothing was written"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "convert",
        help="FP8 checkpoints and KV chunks as another platform stores them",
        description="Converts safetensors files (one, or a folder of shards with its index) and LMCache's chunk files "
        "between OCP's 8-bit floats, MI300X's fnuz, and Gaudi 2's range. What has no known scale is refused.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="SOURCE", help="a .safetensors file, a folder of them, a .data file, a store")
    parser.add_argument("target", metavar="TARGET", help="where the result goes: not there yet, or another store")
    parser.add_argument("--to", required=True, metavar="TO", help="for which encodings, or which platform")
    parser.add_argument("--from", dest="given", metavar="ENCODING", help="of chunks whose keys say only uint8")
    parser.add_argument(
        "--scales",
        metavar="CHECKPOINT",
        help="chunks: the model that was served, with its k_scale and v_scale or without",
    )
    parser.add_argument(
        "--unit-scale", action="store_true", help="numbers without a known scale have none, that is 1.0"
    )
    parser.add_argument(
        "--keep-scales", action="store_true", help="checkpoints: leave scales as they are, take the nearest codes"
    )
    parser.add_argument("--shape", metavar="SHAPE", help="of chunks without a header: 2,LAYERS,TOKENS,SIZE")
    parser.add_argument(
        "--key-dtype",
        choices=("uint8", "fp8_e4m3fn", "fp8_e5m2"),
        help="what keys of converted chunks say (default: what the reader looks for)",
    )
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="processes (default: one for each core)")
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bridge_convert.md)")
    views.add_argument("-q", "--quiet", action="store_true", help="no text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.api import default_jobs
    from rewarp.bridge.convert import Request, convert
    from rewarp.bridge.formats import encoding_of
    from rewarp.report import bridge_convert as views

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs must be 1 or more")
    request = Request(
        Path(arguments.source),
        Path(arguments.target),
        arguments.to,
        encoding_of(arguments.given) if arguments.given else None,
        Path(arguments.scales) if arguments.scales else None,
        arguments.unit_scale,
        arguments.keep_scales,
        _shape(arguments.shape),
        arguments.key_dtype,
        arguments.jobs or default_jobs(),
    )
    done = convert(request)
    reports = {"json": arguments.json}
    printed = terminal.write_reports(reports, {"json": lambda: views.render(done)}, arguments.quiet)
    if not printed and not arguments.quiet:
        write(views.text(done))
    return views.exit_code(done)


def _shape(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts) or not 1 <= len(parts) <= 4:
        raise UsageError(f"--shape {text}: one to four lengths with commas between them: 2,32,256,1024")
    return tuple(map(int, parts))
