"""What holds the code together: layers, docs that derive from code, rules that say everything."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from rewarp.findings import Severity
from rewarp.registry import Rule, all_rules

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "rewarp"
LAYERS = [
    ("errors", "__init__"),
    ("source", "files", "runtime"),
    ("edits",),
    ("findings", "targets", "tables"),
    ("lang",),
    ("waves",),
    ("registry", "project"),
    ("rules",),
    ("engine", "git", "platforms", "toolchain"),
    ("cache",),
    ("runner", "verdict", "config", "baseline"),
    ("translation",),
    ("api",),
    ("verify", "parity", "bench"),
    ("port",),
    ("report",),
    ("cli",),
    ("__main__",),
]
"""Lower first. A module imports from its own layer or below."""
HEAVY = ("torch", "numpy", "safetensors", "yaml")
USE_HEAVY = ("verify", "bench")
"""Only these may use what the core installs without, and only inside functions (or for types)."""
LATE_PLACES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.If)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def _layer(module: str) -> int:
    part = module.removeprefix("rewarp").lstrip(".").partition(".")[0] or "__init__"
    return LEVEL.get(part, LEVEL["__init__"])


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda f: str(f.relative_to(SOURCE)))
def test_imports_go_downward(file: Path) -> None:
    own = file.relative_to(SOURCE).with_suffix("").parts
    level = LEVEL[own[0]]
    if own == ("__init__",):
        return  # the package offers the verbs, late
    if own == ("runtime", "rewarp_runtime"):
        return  # lives in the projects that were ported, where torch is; nothing here imports it
    tree = ast.parse(file.read_bytes())
    late = {inner for node in ast.walk(tree) if isinstance(node, LATE_PLACES) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"rewarp.{a.name}" for a in node.names] if node.module == "rewarp" else [node.module or ""]
        else:
            continue
        for name in names:
            if name.startswith("rewarp"):
                assert _layer(name) <= level, f"{file} imports {name}, a layer above it"
            heavy = name.partition(".")[0] in HEAVY
            assert not heavy or (own[0] in USE_HEAVY and node in late), f"{file} imports {name} at start"


def test_generated_docs_are_fresh() -> None:
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "scripts" / "build_docs.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.stale() == [], "run scripts/build_docs.py"


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.id)
def test_rule_says_everything(rule: Rule) -> None:
    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.what.startswith("Looks for ")
    assert rule.example
    assert rule.source
    for impact in rule.impacts.values():
        assert impact.why.endswith((".", "!", "?", ")")), impact.why
        if impact.severity.rank >= Severity.WRONG.rank:
            assert impact.fix, "trouble without a way out"
            assert impact.effort.value != "none"


def test_no_two_rules_share_a_title() -> None:
    titles = [rule.title for rule in all_rules().values()]
    assert len(titles) == len(set(titles))
