"""Interfaces of C++: abstract classes with an implementation for each back end, and tables of functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rewarp.parity.cpp.following.bodies import BodyVerdict, classify, joined
from rewarp.parity.cpp.reading.declarations import Class, Function, Table
from rewarp.parity.cpp.reading.program import Program
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.units import Place, Side, Status, Unit

_NOTHING = frozenset({"NULL", "nullptr", "0", "nil", "{ }"})
_FAR = 12


class Hierarchy:
    """The classes of one back end's program and what they derive from."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.bodies: dict[tuple[str, str], list[Function]] = defaultdict(list)
        for function in program.functions:
            if function.owner:
                self.bodies[function.owner, function.name].append(function)

    def ancestors(self, name: str) -> list[Class]:
        """Bases, the nearest first."""
        found: list[Class] = []
        todo = [base for item in self.program.classes.get(name, []) for base in item.bases]
        seen = {name}
        while todo and len(found) < _FAR * 4:
            base = todo.pop(0)
            if base in seen:
                continue
            seen.add(base)
            for item in self.program.classes.get(base, [])[:1]:
                found.append(item)
                todo += item.bases
        return found

    def owned(self) -> Iterable[Class]:
        for name, classes in self.program.classes.items():
            if name and self.program.owns(classes[0].path, name) and classes[0].bases:
                yield classes[0]

    def method(self, leaf: Class, interface: Class, wanted: Function) -> BodyVerdict:
        """What a class does for one method of an interface."""
        here, name = Place(leaf.path, leaf.line, leaf.name), wanted.name
        overloads = [method for method in interface.methods if method.name == name]
        for item in (leaf, *self.ancestors(leaf.name)):
            if item.name == interface.name:
                break
            declared = _meant(wanted, overloads, [method for method in item.methods if method.name == name])
            bodies = _meant(wanted, overloads, self.bodies.get((item.name, name), []))
            if bodies:
                found = [self._compiled(item, same) for same in _by_signature(bodies)]
                return joined([(f"{item.name}::{name}", verdict) for verdict in found])
            if any("pure" not in method.flags for method in declared):
                why = f"{item.name} declares it, and its body was not found"
                return BodyVerdict(Status.UNKNOWN, why, (declared[0].place,))
        return self._inherited(interface, wanted, here)

    def _compiled(self, item: Class, bodies: list[Function]) -> BodyVerdict:
        """Of one method's bodies; where one class has them in several files, one is for builds without the back end."""
        verdicts = [classify(self.program, body) for body in bodies]
        if len({body.path for body in bodies}) == len(bodies) and len(self.program.classes.get(item.name, [])) == 1:
            order = list(Status)
            return min(verdicts, key=lambda verdict: order.index(verdict.status))
        return joined([(f"{item.name}::{bodies[0].name}", verdict) for verdict in verdicts])

    def _brought(self, interface: Class, wanted: Function) -> list[Function]:
        """The bodies that an interface itself has for a method."""
        overloads = [method for method in interface.methods if method.name == wanted.name]
        return _meant(wanted, overloads, self.bodies.get((interface.name, wanted.name), []))

    def _inherited(self, interface: Class, wanted: Function, here: Place) -> BodyVerdict:
        name, bodies = wanted.name, self._brought(interface, wanted)
        if not bodies:
            pure = "pure" in wanted.flags
            status = Status.MISSING if pure else Status.UNKNOWN
            why = f"{here.text} does not override {interface.name}::{name}"
            return BodyVerdict(status, why + ("" if pure else ", whose body was not found"), (here,))
        inherited = classify(self.program, bodies[0])
        why = f"only {interface.name}::{name}, which {inherited.why}"
        fails = inherited.status in (Status.ERROR, Status.STUB)
        return BodyVerdict(inherited.status if fails else Status.DEFAULT, why, (here, *inherited.evidence))

    def works_by_default(self, interface: Class, wanted: Function) -> bool:
        """Whether what an interface brings for a method does work, and does not only answer a constant."""
        verdicts = [classify(self.program, body) for body in self._brought(interface, wanted)]
        return bool(verdicts) and all(one.status is Status.IMPLEMENTED and one.does_work for one in verdicts)


def _by_signature(functions: list[Function]) -> Iterable[list[Function]]:
    found: dict[tuple[str, ...], list[Function]] = defaultdict(list)
    for function in functions:
        found[function.signature].append(function)
    return found.values()


def virtual_units(a: Program, b: Program, users: Mapping[str, int]) -> tuple[list[Unit], list[str]]:
    """One unit for each virtual method of an interface that both back ends implement."""
    tree_a, tree_b = Hierarchy(a), Hierarchy(b)
    leaves_a, leaves_b = _leaves(tree_a), _leaves(tree_b)
    units: list[Unit] = []
    found_by: list[str] = []
    for base, family_a in leaves_a.items():
        family_b = leaves_b.get(base, {})
        paired = [name for name in family_a if name in family_b]
        if not paired:
            continue
        interface = a.classes[base][0]
        methods = [one for one in interface.methods if "virtual" in one.flags and not one.name.startswith("~")]
        for name in paired:
            ones, others = family_a[name], family_b[name]
            names = ", ".join(dict.fromkeys(item.name for item in (*ones, *others)))
            found_by.append(f"interface {base}: {names} (by name and base class)")
            owner = base if len(paired) == 1 else f"{base} ({name})"
            for method, title in _titled(methods):
                side_a = side_of(joined([(leaf.name, tree_a.method(leaf, interface, method)) for leaf in ones]))
                side_b = side_of(joined([(leaf.name, tree_b.method(leaf, interface, method)) for leaf in others]))
                if side_a.status.does_something and side_b.status is Status.DEFAULT:
                    if tree_b.works_by_default(interface, method):
                        side_b = replace(
                            side_b, status=Status.IMPLEMENTED, why=f"inherits {base}::{title}, which does work"
                        )
                reached = users.get(method.name, 0)
                units.append(Unit("virtual method", owner, title, side_a, side_b, is_told(side_a, side_b), reached))
        units += _classes(base, family_a, family_b, b)
    return units, found_by


def _titled(methods: list[Function]) -> list[tuple[Function, str]]:
    """Each method once, overloads with the types that tell them apart."""
    found = {(method.name, method.signature): method for method in methods}
    names = [name for name, _ in found]
    return [
        (method, f"{name}({', '.join(signature)})" if names.count(name) > 1 else name)
        for (name, signature), method in found.items()
    ]


def _meant(wanted: Function, overloads: list[Function], found: list[Function]) -> list[Function]:
    """Of functions of one name those that are this overload; where there are no overloads, all."""
    same = [one for one in found if one.signature == wanted.signature]
    if same or len({one.signature for one in overloads}) < 2:
        return same or found
    others = {one.signature for one in overloads}
    # Types may be written in another way: what is nobody else's overload and takes as many is this one.
    return [one for one in found if one.signature not in others and len(one.signature) == len(wanted.signature)]


def is_told(a: Side, b: Side) -> bool:
    """Whether two sides can be held against each other: a body that is empty and says nothing of being unfinished may be
    all that this back end needs."""
    return Status.NO_OP not in (a.status, b.status)


def _leaves(tree: Hierarchy) -> dict[str, dict[str, list[Class]]]:
    """For each interface, the back end's own classes that derive from it, by their name without the back end."""
    owned = {item.name: item for item in tree.owned()}
    inner = {base for item in owned.values() for base in item.bases}
    found: dict[str, dict[str, list[Class]]] = defaultdict(lambda: defaultdict(list))
    for item in owned.values():
        if item.name in inner:
            continue  # another class of the back end derives from it
        for base in tree.ancestors(item.name):
            is_interface = any("virtual" in method.flags for method in base.methods)
            if is_interface and backend_of(base.name) is None and base.name not in owned:
                found[base.name][neutral(item.name)].append(item)
    return found


def _classes(
    base: str, ones: Mapping[str, list[Class]], others: Mapping[str, list[Class]], b: Program
) -> Iterable[Unit]:
    """Each class of A of an interface that B implements; scored where most have a namesake, so that names tell."""
    paired = sum(name in others for name in ones)
    if paired == len(ones):
        return
    for name, classes in ones.items():
        place = Place(classes[0].path, classes[0].line, classes[0].name)
        side = Side(Status.IMPLEMENTED, f"{classes[0].name} derives from {base}", (place,))
        other = Side(Status.MISSING, f"no class of {b.backend} corresponds to {classes[0].name}")
        if name in others:
            twin = others[name][0]
            places = (Place(twin.path, twin.line, twin.name),)
            other = Side(Status.IMPLEMENTED, f"{twin.name} derives from {base}", places)
        yield Unit("class", base, name, side, other, scored=2 * paired >= len(ones))


def table_units(a: Program, b: Program, users: Mapping[str, int]) -> tuple[list[Unit], list[str]]:
    """One unit for each place of a table of functions that both back ends fill."""
    units: list[Unit] = []
    found_by: list[str] = []
    tables_a, tables_b = _tables(a), _tables(b)
    for kind, ones in tables_a.items():
        others = tables_b.get(kind, [])
        if not others:
            continue
        names = ", ".join(dict.fromkeys(table.name for table in (*ones, *others)))
        found_by.append(f"table {kind}: {names}")
        pairs = _paired_tables(ones, others)
        for one, matching in pairs:
            owner = kind if len(pairs) == 1 else f"{kind} ({neutral(one.name)})"
            fields_a, fields_b = _filled(a, one), [(table, _filled(b, table)) for table in matching]
            for name in dict.fromkeys([*fields_a, *(name for _, fields in fields_b for name in fields)]):
                side_a = fields_a.get(name) or _absent(one)
                side_b = joined([(table.name, fields.get(name) or _absent(table)) for table, fields in fields_b])
                sides = side_of(side_a), side_of(side_b)
                units.append(Unit("table entry", owner, name, *sides, users=users.get(name, 0)))
    return units, found_by


def _paired_tables(ones: list[Table], others: list[Table]) -> list[tuple[Table, list[Table]]]:
    """Each table of A with B's of the same name but for whose it is: one for each filter, each memory type. Where no name
    tells and there is but one of A, it is B's whole."""
    pairs = [(one, [table for table in others if neutral(table.name) == neutral(one.name)]) for one in ones]
    found = [(one, matching) for one, matching in pairs if matching]
    return found or ([(ones[0], others)] if len(ones) == 1 else [])


def _tables(program: Program) -> dict[str, list[Table]]:
    found: dict[str, list[Table]] = defaultdict(list)
    for table in program.tables:
        if program.owns(table.path, table.name) and _is_of_functions(program, table):
            found[table.type].append(table)
    return found


def _is_of_functions(program: Program, table: Table) -> bool:
    if any(item.pointers for item in program.classes.get(table.type, [])):
        return True
    known = sum(entry.value.lstrip("& ") in program.by_name for entry in table.entries)
    return known >= 2 and known * 2 > sum(entry.value not in _NOTHING for entry in table.entries)


def _filled(program: Program, table: Table) -> dict[str, BodyVerdict]:
    """What stands in each place of a table, by the name of the place."""
    item = next((item for item in program.classes.get(table.type, []) if item.pointers), None)
    pointers = item.pointers if item else []
    # Where places alone decide, what a comment calls a place need not be its name.
    by_place = item is not None and not item.fields and len(table.entries) <= len(pointers)
    found: dict[str, BodyVerdict] = {}
    for index, entry in enumerate(table.entries):
        name = pointers[index] if index < len(pointers) else f"#{index + 1}"
        if entry.field and not (entry.is_remark and by_place):
            name = entry.field
        here = Place(table.path, entry.line, f"{table.name}.{name} = {entry.value}")
        value = entry.value.lstrip("& ")
        if value in _NOTHING:
            found[name] = BodyVerdict(Status.MISSING, f"{table.name} holds {value}", (here,))
            continue
        functions = program.resolve(value, table.path)
        if functions:
            status, why, evidence, _ = classify(program, functions[0])
            found[name] = BodyVerdict(status, f"{value} {why}", (here, *evidence))
        elif value.isidentifier() and not value.isupper() and (name in pointers or not pointers):
            found[name] = BodyVerdict(Status.UNKNOWN, f"{value} has no definition that was found", (here,))
        elif value.startswith("["):
            found[name] = BodyVerdict(Status.IMPLEMENTED, "is written in place", (here,))
    return found


def _absent(table: Table) -> BodyVerdict:
    return BodyVerdict(Status.MISSING, f"{table.name} leaves it out", (Place(table.path, table.line, table.name),))


def side_of(verdict: BodyVerdict) -> Side:
    return Side(verdict.status, verdict.why, verdict.evidence)
