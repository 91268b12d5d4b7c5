"""The verbs, for Python: what the commands do, without printing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from rewarp import baseline as baselines
from rewarp import cache as caches
from rewarp import git, runner
from rewarp.config import Config, load
from rewarp.errors import UsageError, did_you_mean
from rewarp.files import cache_folder
from rewarp.findings import Failed, Finding, Outcome, Scanned, ScanResult, Severity, Skipped
from rewarp.project import facts
from rewarp.project.role_names import Role
from rewarp.registry import all_rules
from rewarp.targets import TARGETS, Context, Target, Versions
from rewarp.verdict import ProjectView, Standing, Verdict, judge, standing
from rewarp.verdict.kept import Answer, Answers
from rewarp.verdict.project import read_project
from rewarp.verdict.running import Running
from rewarp.verdict.severity import with_lowered_severity
from rewarp.workspace import Folder, Listing, find_files, list_tree


@dataclass(frozen=True)
class ScanReport:
    """A scan, its verdict, and what was left out of it on request."""

    result: ScanResult
    verdict: Verdict
    target: Target
    config: Config
    other_files: dict[str, int] = field(default_factory=dict)
    """Files of kinds that rewarp does not read, by extension."""
    known: int = 0
    """Findings hidden because the baseline holds them."""
    diff_base: str | None = None
    project: ProjectView = field(default_factory=ProjectView)

    @property
    def findings(self) -> list[Finding]:
        return self.result.findings

    def standing(self, finding: Finding) -> Standing:
        """How a finding counts."""
        return standing(finding, self.project)

    def at_least(self, severity: Severity) -> list[Finding]:
        """Findings that are so bad or worse, and count."""
        return [
            finding
            for finding in self.findings
            if finding.severity.rank >= severity.rank and self.standing(finding) is Standing.COUNTS
        ]

    @property
    def unread(self) -> list[Failed]:
        """Files of the package that could not be read; a notebook only where there is nothing else."""
        own = [outcome for outcome in self.result.failed if outcome.path not in self.project.roles]
        programs = [outcome for outcome in own if not outcome.path.endswith(".ipynb")]
        return programs or (list(self.result.failed) if not self.result.scanned else [])


_KEPT_ELSEWHERE = "git keeps it through a filter (such as LFS), which is not run: which lines changed is not known"


def default_jobs() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def scan(
    path: str | os.PathLike[str],
    *,
    config: Config | None = None,
    jobs: int | None = None,
    use_cache: bool = True,
    diff: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ScanReport:
    """What stands between the code at ``path`` and the target. Reads only; runs nothing of it."""
    config = config or load(Path(path))
    (report,) = compare(
        path, [config.target], config=config, jobs=jobs, use_cache=use_cache, diff=diff, progress=progress
    )
    return report


def compare(
    path: str | os.PathLike[str],
    targets: Sequence[str],
    *,
    config: Config | None = None,
    jobs: int | None = None,
    use_cache: bool = True,
    diff: str | None = None,
    arches: Sequence[str] = (),
    ported: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[ScanReport]:
    """A scan for each of several targets; the tree is listed once, each file read and parsed once for all of them.

    ``arches``: one for each of these, in place of the configuration's; ``ported``: see ``Context``.
    """
    root = Path(path)
    if not os.path.lexists(root):
        raise UsageError(f"{path} does not exist")
    config = config or load(root)
    machines = [Versions(config.torch, config.rocm, arch) for arch in (arches or (config.arch,))]
    unknown = [rule for rule in config.ignore if rule not in all_rules()]
    if unknown:
        raise UsageError(f"ignore: there is no rule {', '.join(unknown)}{did_you_mean(unknown[0], all_rules())}")
    known = baselines.read(Path(config.baseline)) if config.baseline else None
    changed = git.changed_lines(root if root.is_dir() else root.parent, diff) if diff else None

    tree = Folder(root, exclude=config.exclude, submodules=True) if root.is_dir() else None
    listing = list_tree(tree) if tree is not None else find_files(root, config.exclude)
    max_size = int(config.max_size * 1_000_000)
    kept_in = cache_folder() if use_cache else None
    with runner.without_collector():
        projects = [read_project(tree, TARGETS[name], kept_in) if tree else (ProjectView(), None) for name in targets]
    asked = [(TARGETS[name], view, versions) for name, (view, _) in zip(targets, projects) for versions in machines]

    def look() -> list[Answer]:
        contexts: list[Context] = []
        for name, (view, losses) in zip(targets, projects):
            target = TARGETS[name]
            with runner.without_collector():
                told = facts.read(listing.files, target, max_size, losses, view.asked_for, view.gate_names)
            contexts += [Context(target, versions, told, ported) for versions in machines]
        outcomes = _scanned(contexts, listing, jobs or default_jobs(), kept_in, max_size, progress)
        running = Running(tree) if tree else None
        answers: list[Answer] = []
        for (target, view, _), found in zip(asked, outcomes):
            new = baselines.Filter(known) if known is not None else None
            kept = tuple(_as_built(outcome, view) for outcome in _kept(found, config, changed, new))
            if running is not None:
                kept = tuple(running.as_run(outcome, target, view.off, ported=ported) for outcome in kept)
            optional = running.optional(kept, view) if running is not None else view.optional
            answers.append(Answer(kept, optional, new.hidden if new else 0))
        return answers

    if tree is None or kept_in is None or known is not None or changed is not None:
        answers = look()
    else:
        question = (tuple(targets), machines, ported, max_size, sorted(config.ignore))
        store = Answers(kept_in, tree, listing, question)
        answers = store.get() or []
        if answers:
            progress(len(listing.files), len(listing.files))
        else:
            answers = look()
            store.put(answers)
    reports: list[ScanReport] = []
    for (target, view, versions), answer in zip(asked, answers):
        view = replace(view, optional=answer.optional)
        result = ScanResult(str(path), target.name, answer.outcomes, asdict(versions))
        verdict = judge(result, target.title, view)
        if not ported:
            result = replace(
                result, outcomes=tuple(with_lowered_severity(outcome, view) for outcome in answer.outcomes)
            )
        own = replace(config, target=target.name)
        reports.append(ScanReport(result, verdict, target, own, dict(listing.other), answer.hidden, diff, view))
    return reports


def _scanned(
    contexts: Sequence[Context],
    listing: Listing,
    jobs: int,
    kept_in: Path | None,
    max_size: int,
    progress: Callable[[int, int], None],
) -> list[list[Outcome]]:
    cache = caches.Cache(kept_in) if kept_in else None
    try:
        return runner.scan_for(contexts, listing, jobs=jobs, cache=cache, max_size=max_size, progress=progress)
    finally:
        if cache is not None:
            cache.close()


def _kept(
    outcomes: Sequence[Outcome], config: Config, changed: git.Changed | None, new: baselines.Filter | None
) -> tuple[Outcome, ...]:
    """The outcomes with the findings that were asked for."""

    def wanted(finding: Finding) -> bool:
        if finding.rule in config.ignore:
            return False
        if changed is not None and not _touched(finding, changed.lines.get(finding.path)):
            return False
        return new is None or finding.severity is Severity.WORKS or new(finding)

    unknown_lines = set(changed.not_compared) if changed else ()
    return tuple(
        Skipped(outcome.path, _KEPT_ELSEWHERE) if outcome.path in unknown_lines else _filtered(outcome, wanted)
        for outcome in outcomes
    )


def _filtered(outcome: Outcome, wanted: Callable[[Finding], bool]) -> Outcome:
    if not isinstance(outcome, Scanned) or not outcome.findings:
        return outcome
    return replace(outcome, findings=tuple(finding for finding in outcome.findings if wanted(finding)))


def _as_built(outcome: Outcome, project: ProjectView) -> Outcome:
    """What nothing builds breaks nothing: there a finding informs."""
    unused = project.roles.get(outcome.path) in _UNUSED
    if not isinstance(outcome, Scanned) or not (
        unused or outcome.path in project.not_built or outcome.path in project.skipped
    ):
        return outcome
    return replace(outcome, findings=tuple(_mild(finding, project, unused) for finding in outcome.findings))


_UNUSED = frozenset({Role.DEAD.value, Role.DATA.value})


def _mild(finding: Finding, project: ProjectView, unused: bool) -> Finding:
    worse = finding.severity.rank > Severity.INFO.rank
    counts = standing(finding, project) in (Standing.COUNTS, Standing.INSTALL)
    return replace(finding, severity=Severity.INFO) if worse and (unused or not counts) else finding


def _touched(finding: Finding, lines: set[int] | None) -> bool:
    return lines is not None and any(line in lines for line in range(finding.line, finding.end_line + 1))
