"""The work on one repository: clone, scan, and what else was asked for. Runs in a process of its own, see ``children``."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewarp import api
from rewarp.cache import own_code
from rewarp.config import Config
from rewarp.errors import UsageError, did_you_mean
from rewarp.findings import Finding
from rewarp.fleet import clone
from rewarp.fleet.request import Ending, Request, Status, Wanted
from rewarp.fleet.sources import NotTaken
from rewarp.fleet.store import Store
from rewarp.registry import all_rules
from rewarp.targets import TARGETS

if TYPE_CHECKING:
    from rewarp.verify.checks import Evidence

_LONGEST = 400
"""Characters of a line of code that a result keeps."""


def code_digest() -> str:
    """Of the rewarp that works here."""
    return own_code().hex()[:32]


def key_of(commit: str, wanted: Wanted) -> str:
    """The same key, the same answer. Submodules are in it as what they are here, left out."""
    compilers = _compilers(wanted) if wanted.port or wanted.verify or wanted.run else ()
    parts = [commit, {"submodules": None}, code_digest(), asdict(wanted), compilers]
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=20).hexdigest()


@lru_cache(maxsize=1)
def _compilers(wanted: Wanted) -> tuple[str, ...]:
    from rewarp.toolchain import find_for

    try:
        return tuple(f"{arch} {compiler.identity}" for arch, compiler in find_for(_arches(wanted)).items())
    except UsageError:
        return ()


def _arches(wanted: Wanted) -> tuple[str, ...]:
    """What is compiled for."""
    from rewarp.toolchain import DEFAULT_ARCHES

    return (wanted.arch,) if wanted.arch else DEFAULT_ARCHES


def check(wanted: Wanted) -> None:
    """Raises UsageError for what no repository could be asked."""
    unknown = [rule for rule in wanted.ignore if rule not in all_rules()]
    if unknown:
        raise UsageError(f"--ignore: there is no rule {unknown[0]}{did_you_mean(unknown[0], all_rules())}")
    if wanted.max_size <= 0:
        raise UsageError("--max-size must be positive")
    if wanted.arch and (wanted.port or wanted.verify):
        from rewarp.toolchain import is_arch
        from rewarp.toolchain.arches import not_an_arch

        if not is_arch(wanted.arch):
            raise not_an_arch(wanted.arch)


def look_at(request: Request, folder: Path) -> Ending:
    """Look at one repository, in a folder that is thrown away afterwards."""
    start = time.monotonic()
    repository, store = request.repository, Store(Path(request.store))
    commit: str | None = None
    try:
        if request.code != code_digest():
            raise clone.NotCloned(
                "another rewarp, or Python, than the one that asks is installed here: results would not compare"
            )
        if not store.is_there():
            raise clone.NotCloned(f"{request.store} is not the folder of results here: the machines must share it")
        commit = clone.commit_of(repository.source, repository.revision)
        key = key_of(commit, request.wanted)
        reused = request.use_cache and store.has_part(key)
        if not reused:
            checkout = folder / "repository"
            clone.clone(repository.source, commit, checkout, request.limits.disk)
            row, findings, patch = _results(checkout, request)
            store.write_part(key, row, findings, patch)
    except (clone.TooLarge, NotTaken) as error:
        return Ending(Status.REFUSED, str(error), commit, seconds=time.monotonic() - start)
    except (clone.NotCloned, UsageError) as error:
        return Ending(Status.FAILED, str(error), commit, seconds=time.monotonic() - start)
    return Ending(Status.DONE, "", commit, key, reused, time.monotonic() - start)


def _results(root: Path, request: Request) -> tuple[dict[str, Any], Iterator[dict[str, Any]], bytes]:
    wanted = request.wanted
    # Not the repository's own settings: it could leave out what it likes, and repositories would not compare.
    config = Config(
        target=wanted.target,
        torch=wanted.torch,
        rocm=wanted.rocm,
        arch=wanted.arch,
        exclude=wanted.exclude,
        ignore=wanted.ignore,
        max_size=wanted.max_size,
    )
    report = api.scan(root, config=config, jobs=1, use_cache=request.use_cache)
    row = _row(report, len(clone.submodules(root)))
    patch = b""
    ported = True
    if wanted.port:
        try:
            made, patch = _ported(root, config, request)
            row |= made
        except UsageError as error:  # links where the port would write, for instance: what the scan found stands
            ported = False
            row |= {"port_done": False, "verify_why": f"port: {error}".replace(f"{root}/", "")}
    if ported and (wanted.verify or wanted.run):
        row |= _verified(root, config, request)
    return row, (_finding(finding, report) for finding in report.findings), patch


def _row(report: api.ScanReport, submodules: int) -> dict[str, Any]:
    verdict, result = report.verdict, report.result
    support = report.project.support
    return {
        "submodules": submodules,
        "conclusion": verdict.conclusion.value,
        "headline": verdict.headline,
        "better": verdict.better,
        "support": support.is_there if support else None,
        "approach": verdict.strategy.approach.value if verdict.strategy else None,
        "files": len(result.scanned),
        "lines": sum(outcome.lines for outcome in result.scanned),
        "unread": len(result.failed),
        "findings": len(result.findings),
        "in_the_way": len(verdict.in_the_way),
        "rewrites": len(verdict.rewrite),
        "left_lines": verdict.left.lines,
        "left_files": verdict.left.files,
        "whole_lines": verdict.whole.lines,
    }


def _finding(finding: Finding, report: api.ScanReport) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "title": all_rules()[finding.rule].title,
        "severity": finding.severity.value,
        "level": finding.severity.level.value,
        "phase": finding.phase.value,
        "effort": finding.effort.value,
        "safety": finding.safety.value,
        "standing": report.standing(finding).value,
        "in_the_way": finding.sort_key in report.verdict.in_the_way,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "symbol": finding.symbol,
        "message": finding.message,
        "fix": finding.fix,
        "snippet": finding.snippet[:_LONGEST],
        "fingerprint": finding.fingerprint,
    }


def _ported(root: Path, config: Config, request: Request) -> tuple[dict[str, Any], bytes]:
    """The port, written over the checkout, so that what is verified next is what it made."""
    from rewarp.port import engine
    from rewarp.port.tree import Tree
    from rewarp.port.writing.in_place import write_in_place
    from rewarp.port.writing.patch import as_patch

    tree = Tree(root, config, jobs=1, use_cache=request.use_cache)
    port = engine.port(tree, TARGETS[config.target], arches=_arches(request.wanted))
    patch = as_patch(port.after)
    row = {
        "port_done": port.done,
        "port_files": len(port.after.changes()),
        "port_left": len(port.manual) + len(port.left),
    }
    write_in_place(port, force=True)
    return row, patch


def _verified(root: Path, config: Config, request: Request) -> dict[str, Any]:
    wanted = request.wanted
    levels: dict[str, Evidence] = {}
    if wanted.verify:
        levels |= {"static": _static(root, config, request), "build": _build(root, request)}
        if wanted.port:
            from rewarp.verify.isolation.certificate import certify

            levels["isolation"] = certify("HEAD", None, root).evidence()
    if wanted.run:
        from rewarp.verify.machine import Wanted as Programs
        from rewarp.verify.machine import verify_machine

        levels["machine"] = verify_machine(root, Programs(cores=1), exclude=wanted.exclude)
    counts: Counter[str] = Counter()
    for evidence in levels.values():
        counts.update(check.outcome.value for check in evidence.checks)
    return {
        **{f"verify_{name}": evidence.outcome.value for name, evidence in levels.items()},
        "checks_passed": counts["passed"],
        "checks_failed": counts["failed"],
        "checks_not_made": counts["not checked"],
        "verify_why": _why(levels),
    }


def _why(levels: Mapping[str, Evidence]) -> str | None:
    """The first check that failed on each level, in words."""
    told = []
    for name, evidence in levels.items():
        failed = next((check for check in evidence.checks if check.outcome.value == "failed"), None)
        if failed:
            told.append(f"{name}: {failed.what}: {failed.why}"[:_LONGEST])
    return "; ".join(told) or None


def _static(root: Path, config: Config, request: Request) -> Evidence:
    from rewarp.verify.static import verify_static

    return verify_static(root, config=config, jobs=1, use_cache=request.use_cache)


def _build(root: Path, request: Request) -> Evidence:
    from rewarp.toolchain import find_for
    from rewarp.verify.build import verify_build
    from rewarp.verify.checks import Level
    from rewarp.verify.tree import not_checked

    arches = _arches(request.wanted)
    try:
        compilers = find_for(arches)
    except UsageError as error:
        return not_checked(Level.BUILD, str(error))
    exclude, cached = request.wanted.exclude, request.use_cache
    return verify_build(root, arches=arches, compilers=compilers, exclude=exclude, jobs=1, use_cache=cached)
