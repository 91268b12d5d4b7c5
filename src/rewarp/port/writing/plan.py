"""The hash of a plan: what a port is about to do, and to which tree. Whoever applies a plan that was looked at names it."""

from __future__ import annotations

import hashlib

from rewarp import __version__
from rewarp.errors import UsageError
from rewarp.port.result import Port
from rewarp.port.writing.patch import as_patch


def plan_hash(port: Port) -> str:
    """Of the version, the target, every file of the tree as it is, and the patch."""
    digest = hashlib.sha256()
    before = port.before
    parts = [__version__.encode(), port.target.name.encode(), as_patch(port.after)]
    for path in sorted(before.paths()):
        parts += [path.encode("utf-8", "surrogateescape"), before.read(path) or b""]
    for part in parts:
        digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()


def refuse_another(plan: str, expected: str) -> None:
    """Raises UsageError where this is not the plan that was looked at."""
    if plan != expected.strip().lower():
        raise UsageError(
            f"the plan is {plan[:12]}…, not {expected[:12]}…: the tree, the phases, the target or rewarp has changed since "
            "it was made; nothing was written"
        )
