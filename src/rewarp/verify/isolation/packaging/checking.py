"""Workflows that can only pass or fail: nothing leaves them, and nobody waits for how they end."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.workflow import FILTERS, Pipeline, names_job
from rewarp.verify.isolation.roles import Role, role_of
from rewarp.verify.isolation.tree import Trees

_PLACE = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
COMMENT = re.compile(rb"^[ \t]*#[^\n]*$", re.M)
_CALLS = re.compile(rb"uses:[ \t]*[\"']?\./([\w./-]+)")
_TITLE = re.compile(rb"^name:[ \t]*[\"']?([^\"'\n#]+)", re.M)
_DEPTH = 3
Leaves = Callable[[bytes, Trees], bool]


def only_checks(path: str, trees: Trees, leaves: Leaves) -> bool:
    """Whether a workflow of GitHub's, before and after the change, does nothing that reaches what is published."""
    sides: tuple[Side, Side] = ("before", "after")
    return bool(_PLACE.fullmatch(path)) and all(
        _keeps(path, trees, side, leaves, _DEPTH) and _is_not_waited_for(path, trees, side, _DEPTH) for side in sides
    )


def _keeps(path: str, trees: Trees, side: Side, leaves: Leaves, depth: int) -> bool:
    """Whether nothing leaves a workflow, nor the workflows and actions of the project that it calls."""
    data = COMMENT.sub(b"", trees.read(path, side) or b"")
    if leaves(data, trees) or not depth:
        return False
    called = {place.decode().rstrip("/") for place in _CALLS.findall(data)}
    there = trees.side(side).entries
    files = [
        one if one in there else f"{one}/action.yml" if f"{one}/action.yml" in there else f"{one}/action.yaml"
        for one in called
    ]
    return all(one in there and _keeps(one, trees, side, leaves, depth - 1) for one in files)


def _is_not_waited_for(path: str, trees: Trees, side: Side, depth: int) -> bool:
    """Whether no job goes on only once this workflow has passed: who calls it speaks of that job nowhere else, and is not waited for."""
    if not depth:
        return False
    name = posixpath.basename(path).encode()
    title = _TITLE.search(trees.read(path, side) or b"")
    for other, data in _ci_files(trees, side):
        text = FILTERS.sub(b"", COMMENT.sub(b"", data))
        if other == path:
            continue
        if b"workflow_run" in text and ((title and title[1].strip() in text) or name in text):
            return False
        if name not in text:
            continue
        calls = [f"./{path}".encode() in line and b"uses:" in line for line in text.splitlines() if name in line]
        if (
            not all(calls)
            or not _calls_aside(other, data, path)
            or not _is_not_waited_for(other, trees, side, depth - 1)
        ):
            return False
    return True


def _ci_files(trees: Trees, side: Side) -> Iterator[tuple[str, bytes]]:
    for path in trees.paths(side):
        if role_of(path) is Role.CI and (data := trees.read(path, side)):
            yield path, data


def _calls_aside(other: str, data: bytes, path: str) -> bool:
    """Whether the jobs that call a workflow are spoken of by no other job."""
    pipeline = Pipeline.of(other, data)
    if pipeline is None or not pipeline.jobs:
        return False
    calling = [job for job, text in pipeline.jobs.items() if path in text]
    return bool(calling) and not any(
        names_job(text, job) for job in calling for name, text in pipeline.jobs.items() if name != job
    )
