"""How bad a finding is where the project is used: above info stands only what its own build and package come to.

The verdict counts from what the rules say; what a report shows of a test, of speed that nobody measured, or of a function that
only its caller needs, informs."""

from __future__ import annotations

from dataclasses import replace

from rewarp.findings import Finding, Outcome, Scanned, Severity
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.project.role_names import Role, is_among_programs
from rewarp.registry import Trait, all_rules, is_about
from rewarp.verdict.answer import ProjectView, Standing
from rewarp.verdict.standing import MILD, standing

_BESIDE = frozenset(role.value for role in (Role.TESTS, Role.EXAMPLES, Role.BENCHMARKS, Role.DOCS))


def with_lowered_severity(outcome: Outcome, project: ProjectView) -> Outcome:
    if not isinstance(outcome, Scanned):
        return outcome
    return replace(outcome, findings=tuple(_lowered(finding, project) for finding in outcome.findings))


def _lowered(finding: Finding, project: ProjectView) -> Finding:
    mild = finding.severity.rank <= Severity.INFO.rank or not _only_informs(finding, project)
    return finding if mild else replace(finding, severity=Severity.INFO)


def _only_informs(finding: Finding, project: ProjectView) -> bool:
    how = standing(finding, project)
    if how is Standing.INSTALL:
        # What a workflow runs on, or a test asks for, is installed by nobody who uses the project.
        beside = project.roles.get(finding.path) in _BESIDE or kind_of_path(finding.path) is Kind.ACTIONS
    else:
        beside = how is not Standing.COUNTS and not _is_started(finding, project)
    # How much slower, only a measurement tells.
    slower = finding.severity is Severity.PERF
    return (
        beside
        or slower
        or _works_there(finding, project)
        or _is_asked_for(finding, project)
        or is_about(finding.rule, *MILD)
    )


def _works_there(finding: Finding, project: ProjectView) -> bool:
    """What the project's own build for the target compiles today cannot be what stops that build, and who runs it has met what
    every wave of 64 lanes would get wrong. CUDA's own names that no header there supplies say that the build is broken."""
    stops = finding.severity is Severity.BUILD and not is_about(finding.rule, Trait.AT_LAUNCH, Trait.TORCH_TRANSLATES)
    return finding.path in project.built_there and (stops or is_about(finding.rule, Trait.MET_IN_USE))


def _is_started(finding: Finding, project: ProjectView) -> bool:
    """In a program that people start beside the package, such as ``tools/train.py``, or in the script that compiles the project.
    The verdict is on the package alone; who starts these meets what stands there."""
    role, kind = project.roles.get(finding.path), kind_of_path(finding.path)
    if role == Role.TOOLING.value:
        return kind is Kind.PYTHON and is_among_programs(finding.path)
    return role is None and kind is Kind.SHELL and finding.path not in project.not_built


def _is_asked_for(finding: Finding, project: ProjectView) -> bool:
    """A library that some function imports when it is called. Device code that is built only then breaks all the same."""
    rule = all_rules().get(finding.rule)
    return finding.sort_key in project.optional and rule is not None and rule.family == "libraries"
