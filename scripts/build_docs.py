"""Writes the pages that derive from code: docs/rules/*.md and docs/commands.md.

``--check`` writes nothing and fails when a page is stale.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rewarp.cli import parser
from rewarp.registry import Rule, all_rules
from rewarp.report import rule_page

DOCS = Path(__file__).parent.parent / "docs"
_FAMILIES = {
    "torch": "PyTorch",
    "triton": "Triton",
    "libraries": "Libraries",
    "build": "Build files",
    "packaging": "Packaging, containers, CI",
    "env": "Environment and shell",
    "cuda": "CUDA C++",
    "waves": "Waves of 64 lanes",
    "rust": "Rust",
    "gaudi": "Intel Gaudi only",
}


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    rules = all_rules()
    found = {DOCS / "rules" / f"{rule.id}.md": rule_page.markdown(rule) for rule in rules.values()}
    found[DOCS / "rules" / "README.md"] = _index(list(rules.values()))
    found[DOCS / "commands.md"] = _commands()
    return found


def _index(rules: list[Rule]) -> str:
    lines = ["# Rules", "", f"{len(rules)} rules. `rewarp explain RULE` shows the same pages on the terminal."]
    for family, title in _FAMILIES.items():
        members = [rule for rule in rules if rule.family == family]
        lines += ["", f"## {title}", "", "| rule | what | ROCm | Gaudi | fix |", "|---|---|---|---|---|"]
        for rule in members:
            rocm, gaudi = rule.impacts.get("rocm"), rule.impacts.get("gaudi")
            cells = [
                f"[{rule.id}]({rule.id}.md)",
                rule.title.replace("|", "\\|"),
                rocm.severity.value if rocm else "–",
                gaudi.severity.value if gaudi else "–",
                (rocm or gaudi or next(iter(rule.impacts.values()))).safety.value,
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _commands() -> str:
    lines = ["# Commands", "", "Generated from the command line's own definitions."]
    for name, command in _subcommands(parser()).items():
        lines += _command(f"rewarp {name}", command)
        for inner, subcommand in _subcommands(command).items():
            lines += _command(f"rewarp {name} {inner}", subcommand)
    return "\n".join(lines) + "\n"


def _subcommands(command: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = (action for action in command._actions if isinstance(action, argparse._SubParsersAction))
    choices: dict[str, argparse.ArgumentParser] = next((action.choices for action in found), {})
    return choices


def _command(name: str, command: argparse.ArgumentParser) -> list[str]:
    lines = ["", f"## {name}", "", command.description or ""]
    actions = [
        action
        for action in command._actions
        if not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
    ]
    if actions:
        lines += ["", "| argument | meaning |", "|---|---|"]
    for action in actions:
        names = ", ".join(action.option_strings) or action.dest
        value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
        takes_value = action.option_strings and action.nargs != 0
        shown = f"`{names}{' ' + str(value or action.dest.upper()) if takes_value else ''}`"
        lines.append(f"| {shown.replace('|', chr(92) + '|')} | {(action.help or '').replace('|', chr(92) + '|')} |")
    return [*lines, "", command.epilog] if command.epilog else lines


def stale() -> list[str]:
    """What is out of date: pages that differ, and pages of rules that are gone."""
    wanted = pages()
    found = [str(file) for file, text in wanted.items() if not file.exists() or file.read_text("utf-8") != text]
    return sorted(found + [str(file) for file in (DOCS / "rules").glob("*.md") if file not in wanted])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true")
    if options.parse_args().check:
        for file in stale():
            print(f"stale: {file}", file=sys.stderr)
        return 1 if stale() else 0
    wanted = pages()
    (DOCS / "rules").mkdir(parents=True, exist_ok=True)
    for file in (DOCS / "rules").glob("*.md"):
        if file not in wanted:
            file.unlink()
    for file, text in wanted.items():
        file.write_text(text, "utf-8")
    print(f"{len(wanted)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
