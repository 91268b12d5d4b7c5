"""``rewarp skill``: the porting guide, as an Agent Skill."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from rewarp.errors import UsageError, did_you_mean
from rewarp.printing import say, tell, write

if TYPE_CHECKING:
    from rewarp.report.documents import skill as documents

_EPILOG = """Without --to the guide is printed, or the reference that is named: `rewarp skill 3-architecture`.
--to takes the folder that holds skills, such as .claude/skills or .agents/skills; the skill gets a folder of its own there.
exit codes: 0 done, with --check: the files there are this version's; 1 with --check: they are not; 2 it could not be done"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "skill",
        help="the porting guide as an Agent Skill, from this version's rules",
        description="Writes the porting guide for coding agents, made from this version's rules and tables: SKILL.md, and a "
        "reference for each phase that is read only when it is needed.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("reference", nargs="?", help="print this one, in place of SKILL.md")
    parser.add_argument("--to", metavar="FOLDER", help="write the skill below this folder")
    parser.add_argument("--check", action="store_true", help="with --to: write nothing, see whether it is up to date")
    parser.add_argument("--force", action="store_true", help="write over files that rewarp did not write")
    parser.add_argument("--json", action="store_true", help="as JSON (docs/skill.md)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.skill import NAME, files

    if arguments.to is None:
        if arguments.check or arguments.force:
            raise UsageError("--check and --force go with --to FOLDER")
        return _show(arguments)
    if arguments.reference is not None:
        raise UsageError("--to writes the whole skill: name no reference beside it")
    folder = Path(arguments.to) / NAME
    if arguments.check:
        return _check(folder, arguments.json)
    from rewarp.skill.folder import write_skill

    changed = write_skill(folder, arguments.force)
    if arguments.json:
        written: documents.Written = {"skill": str(folder), "files": list(files()), "changed": changed}
        write(json.dumps(written, indent=1) + "\n")
    else:
        say(f"{folder}: {len(files())} files, {len(changed)} of them changed")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from rewarp.skill import GUIDE, files, references

    name = GUIDE if arguments.reference is None else references().get(arguments.reference, arguments.reference)
    if name not in files():
        hint = did_you_mean(arguments.reference, references()) or f"; there are {', '.join(references())}"
        raise UsageError(f"there is no reference {arguments.reference}{hint}")
    if arguments.json:
        shown: documents.Shown = {"path": name, "text": files()[name], "files": list(files())}
        write(json.dumps(shown, indent=1) + "\n")
    else:
        write(files()[name])
    return 0


def _check(folder: Path, as_json: bool) -> int:
    from rewarp.skill.folder import stale

    found = stale(folder)
    if as_json:
        checked: documents.Checked = {"skill": str(folder), "stale": found}
        write(json.dumps(checked, indent=1) + "\n")
    else:
        tell(*(f"{folder / path}: not as this version writes it" for path in found))
    return 1 if found else 0
