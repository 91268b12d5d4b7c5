"""A rule's own page: for ``rewarp explain`` and for docs/rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from rewarp.edits import Safety
from rewarp.registry import Impact, Rule
from rewarp.report.documents import explain as documents
from rewarp.targets import TARGETS

SAFETY_MEANING = {
    Safety.SAFE: "safe: mechanical and gated, the NVIDIA path stays as it was",
    Safety.UNSAFE: "unsafe: mechanical, but it changes what the target does, so only on request",
    Safety.DISPLAY_ONLY: "display-only: shown to a person, never applied by itself",
    Safety.NONE: "none: nothing to apply",
}
_FENCE = {"python": "python", "cuda": "cpp", "c++": "cpp", "rust": "rust", "cmake": "cmake", "pyproject": "toml"}


CHANGES = Path(__file__).parent / "changes.json"
"""By rule and target, what the port makes of one of the rule's cases, as a diff; scripts/build_docs.py writes it."""
Changes = Mapping[str, Mapping[str, str]]


@lru_cache(maxsize=1)
def changes() -> Changes:
    found: Changes = json.loads(CHANGES.read_text("utf-8"))
    return found


def markdown(rule: Rule, shown: Changes | None = None) -> str:
    """The page; ``shown`` are the changes to show, where they are not those that came with the package."""
    diffs = (changes() if shown is None else shown).get(rule.id, {})
    kinds = sorted(kind.value for kind in rule.kinds)
    fence = _FENCE.get("python" if "python" in kinds else kinds[0], "text")
    lines = [
        f"# {rule.id}: {rule.title}",
        "",
        f"{rule.what}",
        "",
        f"- Looks at: {', '.join(kinds)}",
        f"- Phase: {rule.phase.value}",
        f"- Versions: {rule.versions}",
        f"- Source: {_source(rule.source)}",
        *([f"- From: {rule.plugin}, which is not part of rewarp"] if rule.plugin else []),
        "",
        "## Example",
        "",
        f"```{fence}",
        rule.example,
        "```",
    ]
    for name, impact in rule.impacts.items():
        lines += _impact(TARGETS[name].title, impact)
        fixed = [fix.says for fix in rule.fixes.get(name, ()) if fix.says]
        lines += _fixed(fixed, diffs.get(name, "")) if fixed else []
        lines += ["", f"Safety: {_safety(impact, bool(fixed))}. Effort: {impact.effort.value}."]
    if rule.safety_note:
        lines += ["", "## Fix safety", "", rule.safety_note]
    lines += ["", "Silence one place with a comment: `rewarp: ignore[" + rule.id + "]`."]
    return "\n".join(lines) + "\n"


def _source(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") and " " not in source else source


def _impact(title: str, impact: Impact) -> list[str]:
    lines = ["", f"## On {title}: {impact.severity.value}", "", impact.why]
    if impact.when is not None:
        otherwise = impact.when.otherwise.value if impact.when.otherwise else "no finding"
        lines += ["", f"Holds for {impact.when}; otherwise {otherwise}. With versions unknown it informs."]
    if impact.fix:
        lines += ["", f"**Fix.** {impact.fix}"]
    return lines


def _fixed(says: list[str], diff: str) -> list[str]:
    lines = ["", f"**Fixed by `rewarp port`.** {' '.join(says)}"]
    return [*lines, "", "```diff", diff.rstrip("\n"), "```"] if diff else lines


def _safety(impact: Impact, fixed: bool) -> str:
    if fixed and impact.safety in (Safety.DISPLAY_ONLY, Safety.NONE):
        return f"{impact.safety.value} in a scan; a port applies its change where NVIDIA's side is proved unchanged"
    return SAFETY_MEANING[impact.safety]


def document(rule: Rule) -> documents.Rule:
    return {
        "id": rule.id,
        "title": rule.title,
        "what": rule.what,
        "kinds": sorted(kind.value for kind in rule.kinds),
        "phase": rule.phase.value,
        "example": rule.example,
        "versions": rule.versions,
        "source": rule.source,
        "plugin": rule.plugin or None,
        "targets": {
            name: {
                "severity": impact.severity.value,
                "why": impact.why,
                "fix": impact.fix,
                "safety": impact.safety.value,
                "effort": impact.effort.value,
                "when": str(impact.when) if impact.when else None,
                "port": [fix.says for fix in rule.fixes.get(name, ()) if fix.says],
                "change": changes().get(rule.id, {}).get(name),
            }
            for name, impact in rule.impacts.items()
        },
    }
