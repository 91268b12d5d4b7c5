"""A rule's own page: for ``rewarp explain`` and for docs/rules."""

from __future__ import annotations

from typing import Any

from rewarp.edits import Safety
from rewarp.registry import Impact, Rule
from rewarp.targets import TARGETS

SAFETY_MEANING = {
    Safety.SAFE: "safe: mechanical and gated, the NVIDIA path stays as it was",
    Safety.UNSAFE: "unsafe: mechanical, but it changes what the target does, so only on request",
    Safety.DISPLAY_ONLY: "display-only: shown to a person, never applied by itself",
    Safety.NONE: "none: nothing to apply",
}
_FENCE = {"python": "python", "cuda": "cpp", "c++": "cpp", "rust": "rust", "cmake": "cmake", "pyproject": "toml"}


def markdown(rule: Rule) -> str:
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
        "",
        "## Example",
        "",
        f"```{fence}",
        rule.example,
        "```",
    ]
    for name, impact in rule.impacts.items():
        lines += _impact(TARGETS[name].title, impact)
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
    lines += ["", f"Safety: {SAFETY_MEANING[impact.safety]}. Effort: {impact.effort.value}."]
    return lines


def data(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        "what": rule.what,
        "kinds": sorted(kind.value for kind in rule.kinds),
        "phase": rule.phase.value,
        "example": rule.example,
        "versions": rule.versions,
        "source": rule.source,
        "targets": {
            name: {
                "severity": impact.severity.value,
                "why": impact.why,
                "fix": impact.fix,
                "safety": impact.safety.value,
                "effort": impact.effort.value,
                "when": str(impact.when) if impact.when else None,
            }
            for name, impact in rule.impacts.items()
        },
    }
