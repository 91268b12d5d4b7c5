"""``rewarp verify isolation BASE [HEAD]``: is NVIDIA untouched by a change?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from rewarp.cli import terminal
from rewarp.cli.results import Leaving, add_results
from rewarp.errors import UsageError
from rewarp.printing import say

_EPILOG = """BASE and HEAD are git revisions (HEAD default: the working tree), or two folders.
exit codes: 0 every changed file is proved identical for NVIDIA users (with --check: and the certificate holds);
1 a file is different, or the certificate does not hold; 2 the job could not be done; 3 a file is not provable"""

_CODES = {"proved identical": 0, "different": 1, "not provable": 3}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "isolation",
        help="is NVIDIA untouched by a change? a certificate, file by file",
        description="Proves, for each file of a change, that an NVIDIA user is not affected, or says why it cannot. "
        "Reads through git; nothing is checked out, built or run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", nargs="?", help="a git revision, or a folder")
    parser.add_argument("head", nargs="?", help="a git revision, or a folder (default: the working tree)")
    parser.add_argument("--path", default=".", metavar="DIR", help="the repository, or a folder in it (default: .)")
    parser.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="the certificate as JSON, in place of text"
    )
    parser.add_argument("--certificate", metavar="FILE", help="write the certificate (JSON) to a file")
    parser.add_argument("--markdown", metavar="FILE", help="write a report for the pull request; - for standard output")
    parser.add_argument(
        "--compile",
        action="store_true",
        help="ask nvcc: compile the CUDA units that the change reaches, before and after it, and compare (rewarp[nvidia])",
    )
    parser.add_argument("--check", metavar="CERT", help="compare again, and see whether a certificate holds")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    add_results(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.check:
        return _check(arguments)
    if not arguments.base:
        raise UsageError("give BASE: a git revision, or a folder")
    from rewarp.report import isolation
    from rewarp.verify.isolation.certificate import certify

    if arguments.results and arguments.head:
        raise UsageError("--results is about the working tree: leave HEAD out")
    leaving = Leaving(arguments, Path(arguments.path))
    nvcc = None
    if arguments.compile:
        from rewarp.toolchain.nvcc import find_nvcc

        nvcc = find_nvcc()
    with terminal.progress_bar("comparing", arguments.quiet) as progress:
        certificate = certify(arguments.base, arguments.head, Path(arguments.path), progress, nvcc)
    document = certificate.document()
    leaving.leave(lambda: _json(document))
    if arguments.certificate:
        terminal.write_text(arguments.certificate, _json(document))
    if arguments.markdown:
        terminal.write_text(arguments.markdown, isolation.markdown(certificate))
    if arguments.json:
        terminal.write_text(arguments.json, _json(document))
    if "-" not in (arguments.json, arguments.markdown):
        terminal.write_text("-", isolation.text(certificate))
    return _CODES[certificate.verdict.value]


def _check(arguments: argparse.Namespace) -> int:
    from rewarp.verify.isolation.certificate import check, read

    if arguments.base:
        raise UsageError("--check takes BASE and HEAD from the certificate")
    document = read(Path(arguments.check))
    with terminal.progress_bar("comparing", arguments.quiet) as progress:
        problems = check(document, Path(arguments.path), progress)
    holds = not problems
    if arguments.json:
        terminal.write_text(
            arguments.json, _json({"holds": holds, "verdict": document.get("verdict"), "problems": problems})
        )
    if arguments.json != "-":
        say(f"the certificate {'holds' if holds else 'does not hold'}: {document.get('verdict')}")
        say(*(f"  {problem}" for problem in problems))
    return _CODES.get(str(document.get("verdict")), 1) if holds else 1


def _json(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"
