"""What the guide takes from the rules and tables: each placeholder of its texts, ``{{name argument}}``, is one function here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from rewarp import __version__, tables
from rewarp.edits import Safety
from rewarp.escape import markdown_row
from rewarp.findings import Phase, Severity
from rewarp.registry import Rule, all_rules
from rewarp.tables import libraries
from rewarp.targets import TARGETS
from rewarp.toolchain import DEFAULT_ARCHES

TARGET = "rocm"


@lru_cache(maxsize=1)
def rules() -> Mapping[str, Rule]:
    """Rewarp's own, as far as they speak about AMD: what other packages add is not this version's."""
    return {name: rule for name, rule in all_rules().items() if TARGET in rule.impacts and not rule.plugin}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(head)
    return "\n".join([markdown_row(*titles), markdown_row(*("---" for _ in titles)), *(markdown_row(*r) for r in rows)])


def rules_of_phase(phase: str) -> str:
    """All rules of a phase, the worst first; those about what works as it is are only named."""
    of_phase = [rule for rule in rules().values() if rule.phase is Phase(phase)]
    trouble = [rule for rule in of_phase if rule.impacts[TARGET].severity is not Severity.WORKS]
    trouble.sort(key=lambda rule: (-rule.impacts[TARGET].severity.rank, rule.id))
    rows = [
        (rule.id, rule.title, _severity(rule), rule.impacts[TARGET].fix or "look at it", _done_by(rule))
        for rule in trouble
    ]
    fine = [f"{rule.title} ({rule.id})" for rule in of_phase if rule.impacts[TARGET].severity is Severity.WORKS]
    text = table(("rule", "what", "on AMD", "what to do", "who"), rows)
    return text + (f"\n\nNeeds no change, leave it: {'; '.join(fine)}." if fine else "")


def _severity(rule: Rule) -> str:
    impact = rule.impacts[TARGET]
    return f"{impact.severity.value} ({impact.when})" if impact.when else impact.severity.value


def _done_by(rule: Rule) -> str:
    if rule.is_fixed(TARGET) or rule.impacts[TARGET].safety is Safety.SAFE:
        return "`rewarp port`, where it can prove it"
    return "you"


def pitfalls(phase: str = "") -> str:
    """Symptom, cause, cure."""
    rows = []
    for row in tables.rows("pitfalls.csv"):
        rule = rules()[row["rule"]]
        if phase in ("", row["phase"]):
            rows.append((row["symptom"], rule.title, rule.impacts[TARGET].fix, f"`rewarp explain {rule.id}`"))
    return table(("symptom", "cause", "what to do", "more"), rows)


def folklore(phase: str = "") -> str:
    """What people say, and what is true, with the source."""
    rows = [
        (row["people_say"], row["what_is_true"], row["source"] or f"{rules()[row['rule']].source} ({row['rule']})")
        for row in tables.rows("folklore.csv")
        if phase in ("", row["phase"])
    ]
    return table(("people say", "what is true", "source"), rows)


def fix(rule: str) -> str:
    return rules()[rule].impacts[TARGET].fix


def why(rule: str) -> str:
    return rules()[rule].impacts[TARGET].why


def gpus() -> str:
    """AMD's GPUs that code is compiled for today: what differs between them."""
    limits = {row["arch"]: row for row in tables.rows("amd_limits.csv")}
    rows = []
    for arch in DEFAULT_ARCHES:
        cards = [row for row in tables.rows("amd_arch.csv") if row["gfx_target"] == arch]
        names = ", ".join(dict.fromkeys(row["product"] for row in cards))
        formats = ", ".join(dict.fromkeys(row["fp8_format"] or "none" for row in cards))
        kib = f"{int(limits[arch]['lds_per_block']) // 1024} KiB" if arch in limits else "unknown"
        rows.append((f"`{arch}`", names, limits[arch]["wave_size"] if arch in limits else "unknown", formats, kib))
    return table(("arch", "cards", "lanes of a wave", "FP8 format", "shared memory of a block"), rows)


def twins() -> str:
    """CUDA libraries and their twins, as a linker and as CMake name them."""
    rows = [
        (f"`{name}`", f"`{twin.link}`" if twin.link else "none", f"`{twin.target}`" if twin.target else "none")
        for name, twin in libraries.TWINS.items()
    ]
    return table(("CUDA", "ROCm, to link", "ROCm, in CMake"), rows)


def sdks() -> str:
    """NVIDIA SDKs that AMD has no counterpart of under the same interface."""
    instead = {row["sdk"]: (row["sdk"], row["instead"], row["source"]) for row in tables.rows("nvidia_sdks.csv")}
    return table(("SDK", "instead", "source"), instead.values())


def variables() -> str:
    """Environment variables that mean something, or nothing, on ROCm."""
    rows = [
        (f"`{row['name'].replace('|', '`, `')}`", row["message"], row["advice"] or "–")
        for row in tables.rows("env_vars.csv")
        if TARGET in row["backend"].split("|")
    ]
    return table(("variable", "on ROCm", "advice"), rows)


def tolerances() -> str:
    rows = [(row["dtype"], row["atol"] or "–", row["rtol"], row["why"]) for row in tables.rows("tolerances.csv")]
    return table(("dtype", "atol", "rtol", "why"), rows)


def version() -> str:
    return f"rewarp {__version__}, {len(rules())} rules for {TARGETS[TARGET].title}"


_PLACEHOLDERS: Mapping[str, Callable[..., str]] = {
    "rules": rules_of_phase,
    "pitfalls": pitfalls,
    "folklore": folklore,
    "fix": fix,
    "why": why,
    "gpus": gpus,
    "twins": twins,
    "sdks": sdks,
    "variables": variables,
    "tolerances": tolerances,
    "version": version,
}


def filled_in(name: str, argument: str) -> str:
    """The text for ``{{name argument}}``."""
    give = _PLACEHOLDERS[name]
    return give(argument) if argument else give()
