"""What is reported and not changed: files that people deploy from, and declarations that everybody gets."""

from __future__ import annotations

from rewarp.findings import Finding
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.changes import Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.packaging.compose import overlays
from rewarp.port.packaging.containers import has_amd_image, left_alone
from rewarp.port.packaging.containers import twin_names as container_twins
from rewarp.port.packaging.requirements import cannot_be_installed
from rewarp.port.packaging.requirements import twin_names as requirement_twins
from rewarp.port.tree import Tree
from rewarp.registry import all_rules
from rewarp.verdict import blocking

_WHY = {
    Kind.COMPOSE: "one service cannot be for both; give AMD a compose file of its own",
    Kind.YAML: "a manifest has no condition for the platform; give AMD an overlay",
    Kind.CONDA: "conda has no builds for ROCm; use requirements for AMD with pip",
    Kind.PYPROJECT: "metadata cannot ask which GPU there is; give AMD an extra or a list of its own",
    Kind.SETUP_CFG: "metadata cannot ask which GPU there is; give AMD an extra or a list of its own",
}


def run(tree: Tree, context: PortContext) -> PhaseResult:
    findings = tree.findings(context.target)
    amd_image = has_amd_image(tree)
    left = left_alone(tree, findings)
    images = (
        {*container_twins(tree, findings), *overlays(tree, findings)} if "images" in context.options.wanted else set()
    )
    covered = {*requirement_twins(tree, findings), *images}  # lists are written, or told how to install
    manual = [
        Manual(
            finding.path,
            finding.line,
            PortPhase(finding.phase),
            finding.message,
            left.get(finding.path) or _of_list(finding.path, tree) or _why(finding),
            finding.rule,
        )
        for finding in findings
        if all_rules()[finding.rule].family == "packaging"
        and blocking(finding)
        and finding.path not in covered
        and not (amd_image and kind_of_path(finding.path) is Kind.DOCKERFILE)
    ]
    return PhaseResult(manual=manual)


def _of_list(path: str, tree: Tree) -> str | None:
    """Why a list of requirements gets none for AMD beside it."""
    if kind_of_path(path) is not Kind.REQUIREMENTS:
        return None
    lost = cannot_be_installed(tree.read(path) or b"")
    return f"no list for AMD can be made of it: {lost}" if lost else None


def _why(finding: Finding) -> str:
    kind = kind_of_path(finding.path)
    return _WHY.get(kind, finding.fix) if kind else finding.fix
