"""``rewarp explain RULE``: what a rule is about, why, and what to do."""

from __future__ import annotations

import argparse
import json
import sys

from rewarp.errors import UsageError, did_you_mean
from rewarp.printing import say, write


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "explain",
        help="one rule: what, why, example, fix, safety, source",
        description="Explains a rule, or lists all.",
    )
    parser.add_argument("rule", nargs="?", help="a rule id, for example PY-VER-001; without one, all rules are listed")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.registry import all_rules
    from rewarp.report import rule_page

    rules = all_rules()
    if arguments.rule is None:
        if arguments.json:
            write(json.dumps([rule_page.data(rule) for rule in rules.values()], indent=1) + "\n")
        else:
            width = max(map(len, rules))
            for rule in rules.values():
                say(f"{rule.id:{width}}  {rule.title}")
        return 0
    name = arguments.rule.upper()
    if name not in rules:
        hint = did_you_mean(name, rules) or "; `rewarp explain` lists all"
        raise UsageError(f"there is no rule {arguments.rule}{hint}")
    rule = rules[name]
    if arguments.json:
        write(json.dumps(rule_page.data(rule), indent=1) + "\n")
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        from rewarp.report.console import Console

        Console().print(Markdown(rule_page.markdown(rule)))
    else:
        write(rule_page.markdown(rule) + "\n")
    return 0
