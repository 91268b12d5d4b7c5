"""``rewarp verify isolation BASE [HEAD]``: is NVIDIA untouched by a change?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rewarp.cli import terminal
from rewarp.errors import UsageError
from rewarp.printing import say

_EPILOG = """BASE and HEAD are git revisions (HEAD default: the working tree), or two folders.
exit codes: 0 every changed file is proved identical for NVIDIA users (with --check: and the certificate holds);
1 a file is different or not provable, or the certificate does not hold; 2 the job could not be done"""


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
    parser.add_argument("--check", metavar="CERT", help="compare again, and see whether a certificate holds")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.check:
        return _check(arguments)
    if not arguments.base:
        raise UsageError("give BASE: a git revision, or a folder")
    from rewarp.report import isolation
    from rewarp.verify.isolation.certificate import certify
    from rewarp.verify.isolation.model import Verdict

    with terminal.progress_bar("comparing", arguments.quiet) as progress:
        certificate = certify(arguments.base, arguments.head, Path(arguments.path), progress)
    document = certificate.document()
    if arguments.certificate:
        terminal.write_text(arguments.certificate, _json(document))
    if arguments.markdown:
        terminal.write_text(arguments.markdown, isolation.markdown(certificate))
    if arguments.json:
        terminal.write_text(arguments.json, _json(document))
    if "-" not in (arguments.json, arguments.markdown):
        terminal.write_text("-", isolation.text(certificate))
    return 0 if certificate.verdict is Verdict.IDENTICAL else 1


def _check(arguments: argparse.Namespace) -> int:
    from rewarp.verify.isolation.certificate import check, read
    from rewarp.verify.isolation.model import Verdict

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
    return 0 if holds and document.get("verdict") == Verdict.IDENTICAL.value else 1


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"
