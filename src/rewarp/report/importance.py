"""What a maintainer has to know first: what ends the build or the program, and of that what everybody meets."""

from __future__ import annotations

import posixpath

from rewarp.findings import Finding, Severity
from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.project.role_names import Role, names_role
from rewarp.registry import Trait, all_rules, is_about

_FIRST = ("build", "cuda", "waves")
_LAST = ("env", "packaging")
"""How it is installed and started is another matter than whether it can be built."""


_ASIDE = (Role.DEAD, Role.EXAMPLES, Role.TESTS, Role.BENCHMARKS, Role.DOCS, Role.VENDORED)


def stops(finding: Finding) -> bool:
    """Whether a build or a program ends there. What a notebook installs for CUDA runs on AMD all the same, on the CPU."""
    if finding.path.endswith(".ipynb") and _is_installing(finding.rule):
        return False
    return finding.severity.rank >= Severity.BUILD.rank


def is_beside(path: str) -> bool:
    """Whether a file is none of what the project builds or runs itself: a test, an example, a script around it."""
    return names_role(path, *_ASIDE, Role.TOOLING)


def order(finding: Finding) -> tuple[bool, bool, bool, int, int, int]:
    """What comes first, first; then by severity, and what lies near the top of the project."""
    return (
        not stops(finding),
        is_about(finding.rule, Trait.AT_LAUNCH),
        names_role(finding.path, *_ASIDE),
        family(finding.rule),
        -finding.severity.rank,
        finding.path.count("/") if kind_of_path(finding.path) not in CPP_KINDS else 0,
    )


def family(rule: str) -> int:
    """Which of two equally bad things is told first."""
    return 0 if _name(rule) in _FIRST else 2 if _is_installing(rule) else 1


def _is_installing(rule: str) -> bool:
    return _name(rule) in _LAST


def _name(rule: str) -> str:
    known = all_rules().get(rule)
    return known.family if known else ""


def has_tests(paths: list[str]) -> bool:
    """Whether a project has tests of its own, by the names of its files."""
    for path in paths:
        *folders, name = path.lower().split("/")
        stem = posixpath.splitext(name)[0]
        if {"test", "tests", "testing", "unittest", "unittests"} & set(folders):
            return True
        if stem.startswith(("test_", "tests_")) or stem.endswith(("_test", "_tests")) or stem in ("test", "tests"):
            return True
    return False
