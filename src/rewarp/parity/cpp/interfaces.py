"""Interfaces of C++: abstract classes with an implementation for each back end, and tables of functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rewarp.parity.backends import backend_of, neutral
from rewarp.parity.cpp.bodies import Verdict, classify, joined
from rewarp.parity.cpp.declarations import Class, Function, Table
from rewarp.parity.cpp.program import Program
from rewarp.parity.model import Place, Side, Status, Unit

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

    def method(self, leaf: Class, interface: Class, name: str) -> Verdict:
        """What a class does for one method of an interface."""
        here = Place(leaf.path, leaf.line, leaf.name)
        for item in (leaf, *self.ancestors(leaf.name)):
            if item.name == interface.name:
                break
            declared = [method for method in item.methods if method.name == name]
            bodies = self.bodies.get((item.name, name), [])
            if bodies:
                return joined([(f"{item.name}::{name}", classify(self.program, body)) for body in bodies])
            if any("pure" not in method.flags for method in declared):
                why = f"{item.name} declares it, and its body was not found"
                return Verdict(Status.UNKNOWN, why, (declared[0].place,))
        return self._inherited(interface, name, here)

    def _inherited(self, interface: Class, name: str, here: Place) -> Verdict:
        bodies = self.bodies.get((interface.name, name), [])
        if not bodies:
            declared = next((method for method in interface.methods if method.name == name), None)
            pure = declared is None or "pure" in declared.flags
            status = Status.MISSING if pure else Status.UNKNOWN
            why = f"{here.text} does not override {interface.name}::{name}"
            return Verdict(status, why + ("" if pure else ", whose body was not found"), (here,))
        inherited = classify(self.program, bodies[0])
        why = f"only {interface.name}::{name}, which {inherited.why}"
        return Verdict(Status.DEFAULT, why, (here, *inherited.evidence))


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
        methods = list(dict.fromkeys(method.name for method in interface.methods if "virtual" in method.flags))
        methods = [name for name in methods if not name.startswith("~")]
        for name in paired:
            ones, others = family_a[name], family_b[name]
            names = ", ".join(dict.fromkeys(item.name for item in (*ones, *others)))
            found_by.append(f"interface {base}: {names} (by name and base class)")
            owner = base if len(paired) == 1 else f"{base} ({name})"
            for method in methods:
                side_a = _side(joined([(leaf.name, tree_a.method(leaf, interface, method)) for leaf in ones]))
                side_b = _side(joined([(leaf.name, tree_b.method(leaf, interface, method)) for leaf in others]))
                units.append(Unit("virtual method", owner, method, side_a, side_b, users=users.get(method, 0)))
        units += _absent_classes(base, family_a, family_b, paired, b)
    return units, found_by


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


def _absent_classes(
    base: str, ones: Mapping[str, list[Class]], others: Mapping[str, list[Class]], paired: list[str], b: Program
) -> Iterable[Unit]:
    """Classes that only A has, of an interface that B implements elsewhere."""
    for name, classes in ones.items():
        if name in paired or name in others:
            continue
        place = Place(classes[0].path, classes[0].line, classes[0].name)
        side = Side(Status.IMPLEMENTED, f"{classes[0].name} derives from {base}", (place,))
        missing = Side(Status.MISSING, f"no class of {b.backend} corresponds to {classes[0].name}")
        yield Unit("class", base, name, side, missing)


def table_units(a: Program, b: Program, users: Mapping[str, int]) -> tuple[list[Unit], list[str]]:
    """One unit for each place of a table of functions that both back ends fill."""
    units: list[Unit] = []
    found_by: list[str] = []
    tables_a, tables_b = _tables(a), _tables(b)
    for kind, ones in tables_a.items():
        others = tables_b.get(kind, [])
        if not others:
            continue
        found_by.append(f"table {kind}: {', '.join(dict.fromkeys(table.name for table in (*ones, *others)))}")
        one = ones[0]
        matching = [table for table in others if neutral(table.name) == neutral(one.name)] or others
        fields_a, fields_b = _filled(a, one), [(table, _filled(b, table)) for table in matching]
        for name in dict.fromkeys([*fields_a, *(name for _, fields in fields_b for name in fields)]):
            side_a = fields_a.get(name) or _absent(one)
            side_b = joined([(table.name, fields.get(name) or _absent(table)) for table, fields in fields_b])
            units.append(Unit("table entry", kind, name, _side(side_a), _side(side_b), users=users.get(name, 0)))
    return units, found_by


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


def _filled(program: Program, table: Table) -> dict[str, Verdict]:
    """What stands in each place of a table, by the name of the place."""
    item = next((item for item in program.classes.get(table.type, []) if item.pointers), None)
    pointers = item.pointers if item else []
    # Where places alone decide, what a comment calls a place need not be its name.
    by_place = item is not None and not item.fields and len(table.entries) <= len(pointers)
    found: dict[str, Verdict] = {}
    for index, entry in enumerate(table.entries):
        name = pointers[index] if index < len(pointers) else f"#{index + 1}"
        if entry.field and not (entry.is_remark and by_place):
            name = entry.field
        here = Place(table.path, entry.line, f"{table.name}.{name} = {entry.value}")
        value = entry.value.lstrip("& ")
        if value in _NOTHING:
            found[name] = Verdict(Status.MISSING, f"{table.name} holds {value}", (here,))
            continue
        functions = program.resolve(value, table.path)
        if functions:
            status, why, evidence = classify(program, functions[0])
            found[name] = Verdict(status, f"{value} {why}", (here, *evidence))
        elif value.isidentifier() and not value.isupper():
            found[name] = Verdict(Status.UNKNOWN, f"{value} has no definition that was found", (here,))
        elif value.startswith("["):
            found[name] = Verdict(Status.IMPLEMENTED, "is written in place", (here,))
    return found


def _absent(table: Table) -> Verdict:
    return Verdict(Status.MISSING, f"{table.name} leaves it out", (Place(table.path, table.line, table.name),))


def _side(verdict: Verdict) -> Side:
    return Side(verdict.status, verdict.why, verdict.evidence)
