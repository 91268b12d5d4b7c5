"""``rewarp explain RULE``: what a rule is about, why, and what to do."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from rewarp.cli.arguments import add_no_plugins
from rewarp.errors import UsageError, did_you_mean
from rewarp.printing import say, write

if TYPE_CHECKING:
    from rewarp.report.documents.explain import Rule as RuleDocument
    from rewarp.report.documents.explain import Seen


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "explain",
        help="one rule: what, why, example, fix, safety, source",
        description="Explains a rule, or lists all.",
    )
    parser.add_argument(
        "rule", nargs="?", help="a rule id, for example PY-VER-001 or RUN-201; without one, all are listed"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_no_plugins(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rewarp.registry import Rule, all_rules
    from rewarp.report import rule_page, seen_page
    from rewarp.run.explained import ALL, Explained

    def document(one: Rule | Explained) -> RuleDocument | Seen:
        return rule_page.document(one) if isinstance(one, Rule) else seen_page.document(one)

    rules: dict[str, Rule | Explained] = {**all_rules(), **ALL}
    if arguments.rule is None:
        if arguments.json:
            write(json.dumps([document(rule) for rule in rules.values()], indent=1) + "\n")
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
    page = rule_page.markdown(rule) if isinstance(rule, Rule) else seen_page.markdown(rule)
    if arguments.json:
        write(json.dumps(document(rule), indent=1) + "\n")
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        from rewarp.report.console import Console

        Console().print(Markdown(page))
    else:
        write(page + "\n")
    return 0
