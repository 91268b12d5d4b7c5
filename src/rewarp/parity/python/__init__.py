"""Parity of Python: base classes with a subclass for each platform, registries, branches on the platform."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from rewarp.parity.model import Problem, Unit
from rewarp.project.role_names import is_aside

_METHOD_CALL = re.compile(rb"\.([A-Za-z_]\w*)\(")


def is_wanted(path: str) -> bool:
    return path.endswith(".py") and not is_aside(path)


def analyse(files: Mapping[str, bytes], a: str, b: str) -> tuple[list[Unit], list[Problem], list[str]]:
    """Units, problems, and how the pairs were found."""
    from rewarp.parity.python.branches import branch_units, registry_units
    from rewarp.parity.python.facts import owner_of, read_file
    from rewarp.parity.python.following import Follower
    from rewarp.parity.python.hierarchy import Hierarchy
    from rewarp.parity.python.interfaces import Comparison
    from rewarp.parity.store import facts

    wanted = {path: data for path, data in files.items() if is_wanted(path)}
    modules = facts(read_file, wanted)
    users: Counter[str] = Counter()
    for path, data in wanted.items():
        if owner_of(path, "") is None:
            users.update(name.decode() for name in _METHOD_CALL.findall(data))
    follower = Follower(Hierarchy(modules))
    comparison = Comparison(follower, a, b, users)
    comparison.run()
    units = [*comparison.units, *registry_units(follower, a, b), *branch_units(modules, a, b)]
    problems = [
        Problem(path, module.error[0], f"does not parse: {module.error[1]}", owner_of(path, "") in (a, b))
        for path, module in modules.items()
        if module.error
    ]
    return units, problems if units else [], comparison.found_by
