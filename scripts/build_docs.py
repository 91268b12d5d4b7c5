"""Writes what derives from code and cases: docs/rules/*.md (and what `rewarp explain` shows of changes), docs/commands.md, docs/machine-instructions.md, the manual docs/rewarp.1 and
the JSON schemas of what commands write.

``--check`` writes nothing and fails when a page is stale.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rewarp import plugins
from rewarp.cli import parser
from rewarp.cli.description import Command, describe
from rewarp.cli.man_page import man_page
from rewarp.registry import Rule, all_rules
from rewarp.report import rule_page, seen_page
from rewarp.report.documents.schemas import schemas
from rewarp.run.explained import ALL as SEEN
from rewarp.targets import TARGETS

sys.path.insert(0, str(Path(__file__).parent))
import machine_page

DOCS = Path(__file__).parent.parent / "docs"
CASES = DOCS.parent / "tests" / "cases"
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
    plugins.switch_off()
    rules = all_rules()
    changes = _changes()
    found = {DOCS / "rules" / f"{rule.id}.md": rule_page.markdown(rule, changes) for rule in rules.values()}
    found[rule_page.CHANGES] = json.dumps(changes, indent=1, ensure_ascii=False) + "\n"
    found |= {DOCS / "rules" / f"{one.id}.md": seen_page.markdown(one) for one in SEEN.values()}
    found[DOCS / "rules" / "README.md"] = _index(list(rules.values()))
    found[DOCS / "commands.md"] = _commands()
    found[DOCS / "machine-instructions.md"] = machine_page.markdown()
    found[DOCS / "rewarp.1"] = man_page(describe(parser()))
    return found | schemas()


def _changes() -> dict[str, dict[str, str]]:
    """By rule and target, the shortest change that a case of the rule shows."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted(CASES.glob("*/hit_*")):
        tail = file.read_bytes().rpartition(b"# output\n")[2].decode("utf-8", "surrogateescape")
        head, _, diff = tail.partition("# fixed\n")
        target = "gaudi" if "target: gaudi\n" in head else "rocm"
        known = found.setdefault(file.parent.name, {}).get(target)
        if diff and (known is None or len(diff) < len(known)):
            found[file.parent.name][target] = diff
    return {rule: changes for rule, changes in found.items() if changes}


def _index(rules: list[Rule]) -> str:
    lines = ["# Rules", "", f"{len(rules)} rules. `rewarp explain RULE` shows the same pages on the terminal."]
    for family, title in _FAMILIES.items():
        members = [rule for rule in rules if rule.family == family]
        lines += ["", f"## {title}", "", "| rule | what | ROCm | Gaudi | fix | ported |", "|---|---|---|---|---|---|"]
        for rule in members:
            rocm, gaudi = rule.impacts.get("rocm"), rule.impacts.get("gaudi")
            cells = [
                f"[{rule.id}]({rule.id}.md)",
                rule.title.replace("|", "\\|"),
                rocm.severity.value if rocm else "–",
                gaudi.severity.value if gaudi else "–",
                (rocm or gaudi or next(iter(rule.impacts.values()))).safety.value,
                ", ".join(TARGETS[name].title.split()[-1] for name in rule.impacts if rule.is_fixed(name)) or "–",
            ]
            lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## What `rewarp run` sees", "", "| id | what | severity |", "|---|---|---|"]
    lines += [f"| [{one.id}]({one.id}.md) | {one.title} | {one.severity.value} |" for one in SEEN.values()]
    return "\n".join(lines) + "\n"


def _commands() -> str:
    lines = ["# Commands", "", "Generated from the command line's own definitions."]
    for command in list(describe(parser()).all())[1:]:
        lines += _command(command)
    return "\n".join(lines) + "\n"


def _command(command: Command) -> list[str]:
    lines = ["", f"## {command.name}", "", command.description]
    arguments = [argument for argument in command.arguments if "--help" not in argument.names]
    if arguments:
        lines += ["", "| argument | meaning |", "|---|---|"]
    lines += [f"| {_cell(f'`{argument.usage}`')} | {_cell(argument.help)} |" for argument in arguments]
    return [*lines, "", command.epilog] if command.epilog else lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


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
