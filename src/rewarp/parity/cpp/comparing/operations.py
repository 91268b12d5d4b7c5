"""Operations that back ends choose by a `switch`: who says that it can, who does it, and for which data types.

`supports_op` and `compute_forward` are asked with each operation assumed in turn, then with each data type that
either side's code compares: a type counts where the answer may be yes and the way to the kernel does not end in an
error, however deep.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from rewarp.parity.cpp.following.bodies import classify
from rewarp.parity.cpp.following.dispatch import OTHER, Chooser, Dispatch, Family, dispatches
from rewarp.parity.cpp.following.evaluation import Evaluator
from rewarp.parity.cpp.reading.expressions import is_constant
from rewarp.parity.cpp.reading.program import Program, is_wanted, owner_of_path
from rewarp.parity.units import Place, Side, Status, Unit

_TYPE_FAMILY = re.compile(r"(^|_)(D?TYPE|DATA_?TYPE|SCALAR_?TYPE)(_|$)|^(ScalarType|DataType|DType|dtype)$", re.I)
_NO_OPERATIONS = re.compile(r"STATUS|ERROR|RESULT|LAYOUT|FORMAT|LEVEL|MODE|STATE|EVENT|KIND|ARCH|VENDOR|SEVERITY", re.I)
_FEWEST = 3
_MANY = 5


def units(a: Program, b: Program, calls: Mapping[str, int]) -> tuple[list[Unit], list[str]]:
    """One unit for each operation, and how the families were found."""
    dispatches_a, dispatches_b = list(dispatches(a)), list(dispatches(b))
    found: list[Unit] = []
    by: list[str] = []
    for family in _families(dispatches_a, dispatches_b):
        one, other = Chooser(a, family, dispatches_a), Chooser(b, family, dispatches_b)
        if not one.is_there or not (other.is_there or one.support) or not _is_of_operations(family, one, other):
            continue
        names = [way.function.qualified for side in (one, other) for way in side.dispatches()]
        by.append(f"operations {family.name}*: {', '.join(dict.fromkeys(names))}")
        for label in family.labels:
            side_a, side_b = _sides(one, other, label)
            name = label[len(family.name) :].lstrip("_") or label
            found.append(
                Unit("operation", family.name.rstrip("_"), name, side_a, side_b, users=_users(calls, family.name, name))
            )
    return found, by


def _is_of_operations(family: Family, one: Chooser, other: Chooser) -> bool:
    """Whether an enumeration lists operations: a support query takes one, or code dispatches on many of its values."""
    if one.support or other.support:
        return True
    return len(family.labels) >= _MANY and not _NO_OPERATIONS.search(family.name)


def _families(a: list[Dispatch], b: list[Dispatch]) -> Iterable[Family]:
    for template, qualifier in _enumerations(a):
        mine = [item for item in a if item.is_of(template, qualifier) and not item.is_aside]
        theirs = [item for item in b if item.is_of(template, qualifier) and not item.is_aside]
        labels_a = {label for item in mine for label in item.found.labels if is_constant(label)}
        labels_b = {label for item in theirs for label in item.found.labels if is_constant(label)}
        labels = sorted(labels_a | labels_b)
        if len(labels_a) < _FEWEST or (theirs and not labels_a & labels_b):
            continue
        name = qualifier or _common_prefix(labels)
        if not name or _TYPE_FAMILY.search(name):
            continue
        yield Family(name, template, tuple(labels), _around(mine), qualifier)


def _enumerations(items: list[Dispatch]) -> list[tuple[str, str]]:
    """What is chosen by, and the enumeration that its cases are of: one name may hold two (`ReduceOp::Add`, `JitOp::Add`)."""
    found = dict.fromkeys((item.template, item.found.qualifier) for item in items)
    named = {template for template, qualifier in found if qualifier}
    return [(template, qualifier) for template, qualifier in found if qualifier or template not in named]


def _around(items: list[Dispatch]) -> tuple[tuple[str, str], ...]:
    """The case that every use of a nested family stands in: `GGML_OP_UNARY`."""
    for item in items:
        for path, label in item.found.inside:
            if path.startswith(item.root) and label:
                return (("$" + path[len(item.root) :], label),)
    return ()


def _common_prefix(labels: list[str]) -> str:
    first, last = min(labels), max(labels)
    common = next((i for i, (one, other) in enumerate(zip(first, last)) if one != other), min(len(first), len(last)))
    return first[: first.rfind("_", 0, common) + 1]


def _sides(one: Chooser, other: Chooser, label: str) -> tuple[Side, Side]:
    idle = one.needs_nothing(label) or other.needs_nothing(label)
    states = [_state(chooser, label, idle) for chooser in (one, other)]
    if all(status is Status.IMPLEMENTED for status, _, _ in states):
        matrix = _matrix(one, other, label)
        sides = [
            _typed(chooser, label, state, matrix, i) for i, (chooser, state) in enumerate(zip((one, other), states))
        ]
        return sides[0], sides[1]
    return Side(*states[0]), Side(*states[1])


_Matrix = dict[str, tuple["bool | None", "bool | None"]]
"""For each data type, who does it; None: that side does not ask for the type."""


def _matrix(one: Chooser, other: Chooser, label: str) -> _Matrix:
    """Data types at the positions that both sides look at, and at the first operand where one does."""
    types = one.types(label), other.types(label)
    looked = [{position for position, _ in found} for found in types]
    named = {position for position, constant in types[0] | types[1] if constant}
    positions = sorted(looked[0] & looked[1] & named) or sorted((looked[0] | looked[1]) & named, key=_rank)[:1]
    matrix: _Matrix = {}
    for position in positions:
        constants = sorted({constant for where, constant in types[0] | types[1] if where == position} - {""})
        shown = "" if len(positions) == 1 else _position(position) + " "
        for constant in constants:
            does = [one.can(label, position, constant) if position in looked[0] else None]
            does += [other.can(label, position, constant) if position in looked[1] else None]
            if True in does:
                matrix[shown + _type_name(constant)] = (does[0], does[1])
        others = one.takes_others(label, position), other.takes_others(label, position)
        if position in looked[0] & looked[1] and others in ((True, False), (False, True)):
            matrix[shown + OTHER] = others
    return matrix


def _rank(position: str) -> tuple[bool, str]:
    """The first operand before the others, and these before the result."""
    return "[" not in position, position


_State = tuple[Status, str, tuple[Place, ...]]


def _state(chooser: Chooser, label: str, idle: bool) -> _State:
    """What one side does for an operation, data types apart; an idle one needs only the word that it is supported."""
    if not chooser.is_there:
        return Status.MISSING, f"nothing of {chooser.program.backend} chooses by {chooser.family.name}*", ()
    evidence: list[Place] = []
    for way in chooser.dispatches():
        if idle and way is chooser.compute and chooser.support and label not in way.found.labels:
            continue
        may, evaluator = chooser.ask(way, label)
        line = way.found.labels.get(label)
        place = Place(way.function.path, line or way.function.line, label if line else way.function.qualified)
        evidence.append(place)
        if may:
            nothing = None if idle or way is chooser.support else _does_nothing(chooser, evaluator)
            if nothing is not None:
                why = f"{way.function.name} only calls {nothing.text}, which does nothing"
                return Status.NO_OP, why, (*evidence, nothing)
            continue
        if evaluator.failure:
            return Status.ERROR, f"{way.function.name} always ends in an error", (*evidence, *evaluator.failure[1:])
        if way is chooser.support or line is None:
            what = "answers no" if way is chooser.support else "has no case for it"
            return Status.MISSING, f"{way.function.name} {what}", tuple(evidence)
        return Status.ERROR, f"{way.function.name} always gives up", tuple(evidence)
    return Status.IMPLEMENTED, " and ".join(_verb(way, chooser) for way in chooser.dispatches()), tuple(evidence)


def _does_nothing(chooser: Chooser, evaluator: Evaluator) -> Place | None:
    """The function that a case calls and that does nothing, where it calls nothing else."""
    functions = [found[0] for found in evaluator.case_calls if len(found) == 1]
    if not functions or len(functions) != len(evaluator.case_calls):
        return None
    idle = all(classify(chooser.program, function).status is Status.NO_OP for function in functions)
    return functions[0].place if idle else None


def _verb(way: Dispatch, chooser: Chooser) -> str:
    return f"{way.function.name} {'may answer yes' if way is chooser.support else 'has a way'}"


def _typed(chooser: Chooser, label: str, state: _State, matrix: _Matrix, index: int) -> Side:
    """One side of an operation that both do, with its data types."""
    status, why, evidence = state
    # A side that does not ask for the type does whatever comes, as far as can be told.
    dtypes = {name: Status.MISSING if does[index] is False else Status.IMPLEMENTED for name, does in matrix.items()}
    lacking = [name for name, state_of_type in dtypes.items() if state_of_type is Status.MISSING]
    conditions = _conditions(chooser, label)
    if lacking and len(lacking) == len(dtypes):
        return Side(Status.ERROR, f"{why}, but for no data type that the other side does", evidence, dtypes)
    if lacking:
        status, why = Status.PARTIAL, f"not for {', '.join(lacking)}"
    elif conditions:
        why += f", on conditions: {conditions[0].text}"
    return Side(status, why, (*evidence, *conditions), dtypes)


def _conditions(chooser: Chooser, label: str) -> tuple[Place, ...]:
    if chooser.support is None:
        return ()
    _, evaluator = chooser.ask(chooser.support, label)
    return tuple(dict.fromkeys(evaluator.refusals))[:4]


def _position(path: str) -> str:
    """`$->src[0]->type` is `src0`, `$->type` the result."""
    inner = path.removeprefix("$->").removesuffix("->type").removesuffix("type")
    return re.sub(r"\W+", "", inner) or "result"


def _type_name(constant: str) -> str:
    if constant == OTHER:
        return constant
    name = re.sub(r"^.*?_?(?:D?TYPE|DATA_?TYPE|SCALAR_?TYPE)_", "", constant, flags=re.I)
    return name.lower()


def calls_elsewhere(files: Mapping[str, bytes]) -> Counter[str]:
    """How often each function is called in files that belong to no back end."""
    found: Counter[bytes] = Counter()
    for path, data in files.items():
        if is_wanted(path) and owner_of_path(path) is None:
            found.update(re.findall(rb"\b[A-Za-z_]\w*(?=\()", data))
    return Counter({name.decode(): count for name, count in found.items()})


def _users(calls: Mapping[str, int], family: str, name: str) -> int:
    """Calls of what users of the library write for an operation: `ggml_mul_mat` for `GGML_OP_MUL_MAT`."""
    project, separator, _ = family.partition("_")
    wanted = {f"{project.lower()}_{name.lower()}"} if separator else {name, name.lower()}
    return sum(calls.get(word, 0) for word in wanted)
