"""The verbs, for Python: what the commands do, without printing."""

from __future__ import annotations

import os
from collections.abc import Callable
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
from rewarp.registry import all_rules
from rewarp.targets import TARGETS, Context, Target, Versions
from rewarp.verdict import ProjectView, Standing, Verdict, judge, standing
from rewarp.verdict.project import read_project
from rewarp.workspace import Folder, find_files, list_tree


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

    def at_least(self, severity: Severity) -> list[Finding]:
        """Findings that are so bad or worse, and count."""
        return [
            finding
            for finding in self.findings
            if finding.severity.rank >= severity.rank and standing(finding, self.project) is Standing.COUNTS
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
    root = Path(path)
    if not os.path.lexists(root):
        raise UsageError(f"{path} does not exist")
    config = config or load(root)
    target = TARGETS[config.target]
    versions = Versions(config.torch, config.rocm, config.arch)
    unknown = [rule for rule in config.ignore if rule not in all_rules()]
    if unknown:
        raise UsageError(f"ignore: there is no rule {', '.join(unknown)}{did_you_mean(unknown[0], all_rules())}")
    known = baselines.Filter(baselines.read(Path(config.baseline))) if config.baseline else None
    changed = git.changed_lines(root if root.is_dir() else root.parent, diff) if diff else None

    tree = Folder(root, exclude=config.exclude, submodules=True) if root.is_dir() else None
    listing = list_tree(tree) if tree is not None else find_files(root, config.exclude)
    max_size = int(config.max_size * 1_000_000)
    kept_in = cache_folder() if use_cache else None
    view, losses = read_project(tree, target, kept_in) if tree is not None else (ProjectView(), None)
    context = Context(target, versions, facts.read(listing.files, target, max_size, losses))
    cache = caches.Cache(kept_in) if kept_in else None
    try:
        outcomes = runner.scan_files(
            listing,
            context,
            jobs=jobs or default_jobs(),
            cache=cache,
            max_size=max_size,
            progress=progress,
        )
    finally:
        if cache is not None:
            cache.close()

    def wanted(finding: Finding) -> bool:
        if finding.rule in config.ignore:
            return False
        if changed is not None and not _touched(finding, changed.lines.get(finding.path)):
            return False
        return known is None or finding.severity is Severity.WORKS or known(finding)

    unknown_lines = set(changed.not_compared) if changed else ()
    kept = tuple(
        Skipped(outcome.path, _KEPT_ELSEWHERE) if outcome.path in unknown_lines else _filtered(outcome, wanted)
        for outcome in outcomes
    )
    result = ScanResult(str(path), target.name, kept, asdict(versions))
    return ScanReport(
        result,
        judge(result, target.title, view),
        target,
        config,
        dict(listing.other),
        known.hidden if known else 0,
        diff,
        view,
    )


def _filtered(outcome: Outcome, wanted: Callable[[Finding], bool]) -> Outcome:
    if not isinstance(outcome, Scanned) or not outcome.findings:
        return outcome
    return replace(outcome, findings=tuple(finding for finding in outcome.findings if wanted(finding)))


def _touched(finding: Finding, lines: set[int] | None) -> bool:
    return lines is not None and any(line in lines for line in range(finding.line, finding.end_line + 1))
