"""Operations that back ends choose by a `switch`: who says that it can, who does it, and for which data types.

`supports_op` and `compute_forward` are asked with each operation assumed in turn, then with each data type that
either side's code compares: a type counts where the answer may be yes and the way to the kernel does not end in an
error, however deep.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rewarp.parity.cpp.declarations import Function
from rewarp.parity.cpp.evaluation import Evaluator, Found
from rewarp.parity.cpp.expressions import is_constant
from rewarp.parity.cpp.program import Program, is_wanted, owner_of_path
from rewarp.parity.cpp.ways import INSIDE, may_succeed
from rewarp.parity.model import Place, Side, Status, Unit

_SUPPORTS = re.compile(r"support|_can_|^can_|capab|is_valid|is_available", re.I)
_ASIDE = re.compile(r"name|string|_str\b|desc|print|log|fus|flops|bytes|size|cost|estimate|hash|debug|check|dump", re.I)
_TYPE_WORD = re.compile(r"(d?type|data_?type|scalar_?type|dtype)(\(\))?$", re.I)
_TYPE_FAMILY = re.compile(r"(^|_)(D?TYPE|DATA_?TYPE|SCALAR_?TYPE)(_|$)|^(ScalarType|DataType|DType|dtype)$", re.I)
_ROOTED = re.compile(r"(?P<root>.*[\w)\]])->(?P<field>\w+(\(\))?)\Z")
_CALL_OF_ROOT = re.compile(r"(?P<function>\w+)\((?P<root>[^(),]+(\([^()]*\))?)\)\Z")
_NO_OPERATIONS = re.compile(r"STATUS|ERROR|RESULT|LAYOUT|FORMAT|LEVEL|MODE|STATE|EVENT|KIND|ARCH|VENDOR|SEVERITY", re.I)
_FEWEST = 3
_MANY = 5
_OTHER = "other types"


@dataclass(frozen=True)
class Dispatch:
    """A function of one back end that chooses by an enumeration."""

    function: Function
    template: str
    """What it chooses by, with `$` for the thing that is asked about: `$->op`."""
    root: str
    found: Found


@dataclass(frozen=True)
class Family:
    """An enumeration of operations that both sides choose by."""

    name: str
    template: str
    labels: tuple[str, ...]
    around: tuple[tuple[str, str], ...] = ()
    """The cases around it, by template."""


class Chooser:
    """One back end's way through one family."""

    def __init__(self, program: Program, family: Family, dispatches: Iterable[Dispatch]) -> None:
        self.program, self.family = program, family
        mine = [item for item in dispatches if item.template == family.template]
        supports = [item for item in mine if _is_support(item.function)]
        computes = [item for item in mine if not _is_support(item.function) and not _ASIDE.search(item.function.name)]
        self.support = _largest(supports)
        self.compute = _largest(computes)

    @property
    def is_there(self) -> bool:
        return self.support is not None or self.compute is not None

    def ways(self) -> list[Dispatch]:
        return [way for way in (self.support, self.compute) if way is not None]

    def needs_nothing(self, label: str) -> bool:
        """Whether the case of an operation is there and empty: a reshape, a view."""
        if self.compute is None or label not in self.compute.found.labels:
            return False
        may, evaluator = self.ask(self.compute, label)
        return may and not evaluator.called

    def ask(self, way: Dispatch, label: str, position: str = "", constant: str = "") -> tuple[bool, Evaluator]:
        """Whether one function may succeed for an operation, and what was met on the way."""
        assumed = {template.replace("$", way.root): case for template, case in self.family.around}
        assumed[self.family.template.replace("$", way.root)] = label
        if position:
            assumed[position.replace("$", way.root)] = constant
        evaluator = Evaluator(self.program, assumed)
        # A function may leave early for reasons of its own (an empty tensor): what counts is the way of the case.
        may = may_succeed(evaluator.run(way.function))
        return may and all(may_succeed(end) or bool(end & INSIDE) for end in evaluator.cases), evaluator

    def can(self, label: str, position: str, constant: str) -> bool:
        return all(self.ask(way, label, position, constant)[0] for way in self.ways())

    def takes_others(self, label: str, position: str) -> bool | None:
        """Whether types that nobody names are taken; None where whoever is asked for support does not look at them."""
        if self.support and position not in {where for where, _ in self.types(label, [self.support])}:
            return None
        return self.can(label, position, _OTHER)

    def types(self, label: str, ways: list[Dispatch] | None = None) -> set[tuple[str, str]]:
        """The data types that the code compares on its way, by position (`$->src[0]->type`)."""
        found: set[tuple[str, str]] = set()
        for way in ways or self.ways():
            _, evaluator = self.ask(way, label)
            for path, constant in evaluator.compared:
                if path.startswith(way.root + "->") and _TYPE_WORD.search(path) and not re.search(r"\[[a-zA-Z_]", path):
                    found.add(("$" + path[len(way.root) :], constant))
        return found


def _largest(items: list[Dispatch]) -> Dispatch | None:
    return max(items, key=lambda item: len(item.found.labels), default=None)


def units(a: Program, b: Program, calls: Mapping[str, int]) -> tuple[list[Unit], list[str]]:
    """One unit for each operation, and how the families were found."""
    dispatches_a, dispatches_b = list(dispatches(a)), list(dispatches(b))
    found: list[Unit] = []
    by: list[str] = []
    for family in _families(dispatches_a, dispatches_b):
        one, other = Chooser(a, family, dispatches_a), Chooser(b, family, dispatches_b)
        if not one.is_there or not (other.is_there or one.support) or not _is_of_operations(family, one, other):
            continue
        names = [way.function.qualified for side in (one, other) for way in side.ways()]
        by.append(f"operations {family.name}*: {', '.join(dict.fromkeys(names))}")
        for label in family.labels:
            side_a, side_b = _sides(one, other, label)
            name = label[len(family.name) :].lstrip("_") or label
            found.append(
                Unit("operation", family.name.rstrip("_"), name, side_a, side_b, users=_users(calls, family.name, name))
            )
    return found, by


def _is_of_operations(family: Family, one: Chooser, other: Chooser) -> bool:
    """Whether an enumeration means things to do: somebody is asked whether he can, or much is told apart."""
    if one.support or other.support:
        return True
    return len(family.labels) >= _MANY and not _NO_OPERATIONS.search(family.name)


def dispatches(program: Program) -> Iterable[Dispatch]:
    """Every function of the back end's own that chooses by an enumeration."""
    for function in program.functions:
        if not program.owns(function.path, function.name) or function.body is None:
            continue
        if "switch" not in function.tokens.list[slice(*function.body)]:
            continue
        evaluator = Evaluator(program, {}, calls_deep=1)
        evaluator.run(function)
        joined: dict[str, Dispatch] = {}
        for found in evaluator.switches:
            rooted = _ROOTED.match(found.path) or _CALL_OF_ROOT.match(found.path)
            if rooted is None or _TYPE_WORD.search(found.path):
                continue
            root = rooted["root"]
            template = found.path.replace(root, "$", 1) if found.path.startswith(root) else f"{rooted['function']}($)"
            before = joined.get(template)
            if before:  # one function may choose twice by the same thing
                found = Found(
                    found.path, {**found.labels, **before.found.labels}, before.found.inside, found.at, found.qualifier
                )
            joined[template] = Dispatch(function, template, root, found)
        yield from joined.values()


def _is_support(function: Function) -> bool:
    return bool(_SUPPORTS.search(function.name)) and "bool" in function.flags


def _families(a: list[Dispatch], b: list[Dispatch]) -> Iterable[Family]:
    for template in dict.fromkeys(item.template for item in a):
        mine = [item for item in a if item.template == template and not _is_aside(item)]
        theirs = [item for item in b if item.template == template and not _is_aside(item)]
        labels_a = {label for item in mine for label in item.found.labels if is_constant(label)}
        labels_b = {label for item in theirs for label in item.found.labels if is_constant(label)}
        labels = sorted(labels_a | labels_b)
        if len(labels_a) < _FEWEST or (theirs and not labels_a & labels_b):
            continue
        qualifier = next((item.found.qualifier for item in mine if item.found.qualifier), "")
        name = qualifier or _common_prefix(labels)
        if not name or _TYPE_FAMILY.search(name):
            continue
        yield Family(name, template, tuple(labels), _around(mine))


def _is_aside(item: Dispatch) -> bool:
    return not _is_support(item.function) and bool(_ASIDE.search(item.function.name))


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
    positions = sorted(looked[0] & looked[1]) or sorted(looked[0] | looked[1], key=_rank)[:1]
    matrix: _Matrix = {}
    for position in positions:
        constants = sorted({constant for where, constant in types[0] | types[1] if where == position})
        shown = "" if len(positions) == 1 else _position(position) + " "
        for constant in constants:
            does = [one.can(label, position, constant) if position in looked[0] else None]
            does += [other.can(label, position, constant) if position in looked[1] else None]
            if True in does:
                matrix[shown + _type_name(constant)] = (does[0], does[1])
        others = one.takes_others(label, position), other.takes_others(label, position)
        if position in looked[0] & looked[1] and others in ((True, False), (False, True)):
            matrix[shown + _OTHER] = others
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
    for way in chooser.ways():
        if idle and way is chooser.compute and chooser.support and label not in way.found.labels:
            continue
        may, evaluator = chooser.ask(way, label)
        line = way.found.labels.get(label)
        place = Place(way.function.path, line or way.function.line, label if line else way.function.qualified)
        evidence.append(place)
        if may:
            continue
        if evaluator.failure:
            return Status.ERROR, f"{way.function.name} always ends in an error", (*evidence, *evaluator.failure[1:])
        if way is chooser.support or line is None:
            what = "answers no" if way is chooser.support else "has no case for it"
            return Status.MISSING, f"{way.function.name} {what}", tuple(evidence)
        return Status.ERROR, f"{way.function.name} always gives up", tuple(evidence)
    return Status.IMPLEMENTED, " and ".join(_verb(way, chooser) for way in chooser.ways()), tuple(evidence)


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
    if constant == _OTHER:
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
