"""``rewarp bridge probe write|read|clean URL``: a canary in a real store."""

from __future__ import annotations

import argparse

from rewarp.cli import terminal
from rewarp.errors import UsageError
from rewarp.printing import write

_EPILOG = """write on one side prints the name of a probe; read on the other side says what became of it; clean removes it.
LMCache is configured as it is here (LMCACHE_CONFIG_FILE, or LMCACHE_ variables); URL takes the place of remote_url.
Only keys of the probe's own are touched: rewarp-probe-NAME. What a GPU connector does between the store and the cache in
the accelerator's memory is no part of it.
exit codes: 0 done; all came back as it was; 1 something is lost or is not what it was; 2 the job could not be done;
3 all came back, but what its codes are worth was assumed, since a side has no accelerator"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "probe",
        help="a canary in a real store: does what one side writes arrive on the other?",
        description="Stores a pattern of every code, both zeros, NaN, the largest numbers and a mark for each token through "
        "the LMCache that is installed; on the other side says hit or miss and why, factor, NaNs, order of tokens, type.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=("write", "read", "clean"), help="what to do")
    parser.add_argument(
        "url", metavar="URL", help="the store, as LMCache's remote_url: fs://host:0/folder, redis://…, lm://…"
    )
    parser.add_argument("--probe", metavar="NAME", help="read, clean: what write printed")
    parser.add_argument(
        "--kv-cache-dtype", default="bfloat16", metavar="DTYPE", help="as vLLM is started here (default: bfloat16)"
    )
    parser.add_argument("--accelerator", metavar="NAME", help="where there is none: which one's FP8 is assumed")
    parser.add_argument("--model", default="model", metavar="NAME", help="as it is called here, if that is in question")
    parser.add_argument(
        "--world-size", type=int, default=1, metavar="N", help="workers that share the model (default: 1)"
    )
    parser.add_argument(
        "--expires", type=int, default=60, metavar="N", help="write: minutes until it counts no more (default: 60)"
    )
    views = parser.add_argument_group("views")
    views.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON (docs/bridge_probe.md)")
    views.add_argument("-q", "--quiet", action="store_true", help="no text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.bridge import probe
    from rewarp.report import bridge_probe as views

    if (arguments.probe is None) != (arguments.action == "write"):
        raise UsageError("write makes a new probe; read and clean need --probe NAME, which write printed")
    if not 1 <= arguments.expires <= 7 * 24 * 60 or arguments.world_size < 1:
        raise UsageError("--expires takes 1 to 10080 minutes (a week), --world-size 1 or more")
    asked = probe.Asked(
        arguments.url, arguments.kv_cache_dtype, arguments.accelerator, arguments.model, arguments.world_size
    )
    if arguments.action == "write":
        seen = views.of_write(asked, probe.write(asked, 60 * arguments.expires))
    elif arguments.action == "read":
        seen = views.of_read(asked, probe.read(asked, arguments.probe))
    else:
        seen = views.of_clean(asked, arguments.probe, *probe.clean(asked, arguments.probe))
    reports = {"json": arguments.json}
    printed = terminal.write_reports(reports, {"json": lambda: views.render(seen)}, arguments.quiet)
    if not printed and not arguments.quiet:
        write(views.text(seen))
    return seen.exit_code
