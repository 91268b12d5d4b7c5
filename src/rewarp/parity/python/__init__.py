"""Parity of Python: base classes with a subclass for each platform, registries, branches on the platform."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from rewarp.parity.units import Analysis, Coverage, Problem, Side
from rewarp.project.role_names import is_aside

_METHOD_CALL = re.compile(rb"\.([A-Za-z_]\w*)\(")


def is_wanted(path: str) -> bool:
    return path.endswith(".py") and not is_aside(path)


def _paths(side: Side) -> Iterator[str]:
    return (place.path for place in side.evidence)


def analyse(files: Mapping[str, bytes], a: str, b: str) -> Analysis:
    from rewarp.parity.python.comparing.branches import branch_units, registry_units
    from rewarp.parity.python.comparing.interfaces import Comparison
    from rewarp.parity.python.comparing.modules import Modules
    from rewarp.parity.python.following.follower import Follower
    from rewarp.parity.python.following.hierarchy import Hierarchy
    from rewarp.parity.python.reading.facts import owner_of, read_file
    from rewarp.parity.reading.store import facts

    wanted = {path: data for path, data in files.items() if is_wanted(path)}
    modules = facts(read_file, wanted)
    users: Counter[str] = Counter()
    for path, data in wanted.items():
        if owner_of(path, "") is None:
            users.update(name.decode() for name in _METHOD_CALL.findall(data))
    follower = Follower(Hierarchy(modules))
    comparison = Comparison(follower, a, b, users)
    comparison.run()
    modules_of_both = Modules(follower, wanted, a, b)
    units = [*comparison.units, *registry_units(follower, a, b), *branch_units(follower, wanted, a, b)]
    units += modules_of_both.units()
    folders = {path.rpartition("/")[0] for unit in units for side in (unit.a, unit.b) for path in _paths(side)}
    problems = [
        # What lies apart from all that was compared, as a script that writes kernels does, could hold no unit.
        Problem(
            path,
            module.error[0],
            f"does not parse: {module.error[1]}",
            owner_of(path, "") in (a, b) and path.rpartition("/")[0] in folders,
        )
        for path, module in modules.items()
        if module.error
    ]
    classes = [item for found in follower.tree.by_name.values() for item in found]
    own = [item for item in classes if owner_of(item.path, item.name) == a and item.methods]
    named = {place.text.removeprefix("class ").partition(".")[0] for unit in units for place in unit.a.evidence}
    # Like functions, those that code with units in it names, besides where they are defined.
    known, words = modules_of_both.named(units)
    seen = Coverage.of(
        "classes",
        {
            f"{item.name} ({item.path})": item.name in named or words[item.name.encode()] > (item.path in known)
            for item in own
        },
    )
    coverage = [seen, modules_of_both.coverage(units)] if units else []
    return Analysis(units, problems if units else [], [*comparison.found_by, *modules_of_both.found_by], coverage)
