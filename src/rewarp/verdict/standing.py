"""Which findings count: only what the project's own build and package would run on the target."""

from __future__ import annotations

from rewarp.findings import Finding
from rewarp.lang.kinds import CPP_KINDS, PYTHON_KINDS, Kind, kind_of_path
from rewarp.project.build.skipped import is_skipped
from rewarp.registry import Trait, all_rules, is_about
from rewarp.verdict.answer import ProjectView, Standing

_PROGRAMS = (*PYTHON_KINDS, *CPP_KINDS, Kind.RUST)
_AROUND = (Kind.SHELL, Kind.DOTENV, Kind.DOCKERFILE, Kind.COMPOSE, Kind.ACTIONS, Kind.YAML)
"""What a project is run by, not what it is."""
_PACKAGE = "package"
MILD = (Trait.AFTER_FAILURE, Trait.HINT)
"""What keeps no program from running by itself."""


def standing(finding: Finding, project: ProjectView) -> Standing:
    """How a finding counts in the verdict."""
    kind = kind_of_path(finding.path)
    if _is_about_installing(finding, kind):
        return Standing.INSTALL
    if project.roles.get(finding.path, _PACKAGE) != _PACKAGE or kind in _AROUND:
        return Standing.ASIDE
    if finding.path in project.not_built or is_skipped(project.skipped, finding.path, finding.line):
        return Standing.NOT_BUILT
    return Standing.COUNTS


_AROUND_IT = "tooling"


def apart_in(path: str, project: ProjectView) -> str:
    """What a file that does not count is for."""
    return project.roles.get(path) or _AROUND_IT


def _is_about_installing(finding: Finding, kind: Kind | None) -> bool:
    rule = all_rules().get(finding.rule)
    family = rule.family if rule else ""
    # A variable that the program reads or sets is the program's; one in a script or an image is its surroundings.
    around = family == "env" and kind not in _PROGRAMS
    return family == "packaging" or around or is_about(finding.rule, Trait.INSTALL)
