"""The steps without what cannot go through: builds for HIP that are not whole, HIP versions that do not compile, changes of
what NVIDIA's users run."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.port.changes import Manual, PortContext, PortPhase
from rewarp.port.dropping.builds import Misfit, failures, misfits, without_builds, written_builds
from rewarp.port.dropping.copies import failed_copies
from rewarp.port.dropping.headers import without_unreached
from rewarp.port.steps import Step, by_phase, changes_of, manual_of
from rewarp.port.tree import Tree
from rewarp.project.role_names import is_aside
from rewarp.verify.checks import Evidence
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.file_verdict import IsolationVerdict

_OWN_FIRST = "the project's own build was not added: that comes first"


def without_misfits(
    tree: Tree, steps: list[Step], context: PortContext, levels: Iterable[Evidence] | None = None
) -> list[Step]:
    """The steps without builds for HIP that cannot go through: by the build model and the scan, or, with ``levels``, by
    what did not compile. A build file goes with what was made of the sources for it."""
    changes = changes_of(steps)
    builds = written_builds(changes)
    if not builds:
        return steps
    after = tree.with_changes(changes)
    unfit = misfits(tree, after, builds, context.target) if levels is None else failures(after, builds, levels)
    if not unfit:
        return steps
    rest = [build for build in builds if build not in unfit]
    if all(is_aside(build.path) for build in rest) and not all(is_aside(build.path) for build in unfit):
        unfit |= {build: Misfit(build.original, None, _OWN_FIRST) for build in rest}
    notes = [
        Manual(
            misfit.path if misfit.path in tree else build.original,
            misfit.line if misfit.path in tree else None,
            PortPhase.BUILD,
            f"a build for HIP beside {build.original} was not added",
            misfit.why,
            stops=True,
        )
        for build, misfit in unfit.items()
    ]
    kept = without_builds(tree, changes, unfit, [build for build in builds if build not in unfit])
    return by_phase(without_unreached(tree, kept), [*manual_of(steps), *notes])


def without_failed(tree: Tree, steps: list[Step], levels: Iterable[Evidence]) -> list[Step]:
    """The steps without new HIP versions that do not compile, and the headers that only those include."""
    changes = changes_of(steps)
    gone = failed_copies(tree, changes, levels)
    if not gone:
        return steps
    kept = [change for change in changes if change not in gone]
    return by_phase(without_unreached(tree, kept), [*manual_of(steps), *gone.values()])


def without_harmful(tree: Tree, steps: list[Step], found: Certificate) -> list[Step]:
    """The steps without changes of files that are then different for NVIDIA, and the headers that only those include."""
    harmful = {file.path: file.why for file in found.files if file.verdict is IsolationVerdict.DIFFERENT}
    changes = changes_of(steps)
    dropped = [change for change in changes if change.path in harmful]
    if not dropped:
        return steps
    kept = [change for change in changes if change.path not in harmful]
    notes = [
        Manual(c.path, None, c.phase, c.why, f"it would change NVIDIA's side: {harmful[c.path]}", ", ".join(c.rules))
        for c in dropped
    ]
    return by_phase(without_unreached(tree, kept), [*manual_of(steps), *notes])
