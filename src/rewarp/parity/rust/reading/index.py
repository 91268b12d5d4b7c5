"""Every declaration of a Rust workspace, and whom a call means: resolved, guessed or external."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeVar

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.call_graph import Edge
from rewarp.parity.names.backends import backend_of
from rewarp.parity.rust.reading.cfg import folder_backend, gate_of, is_implementation, lacks
from rewarp.parity.rust.reading.dtypes import DTypes
from rewarp.parity.rust.reading.facts import Constant, FileFacts, Function, Impl, Macro, MacroUse, Module, Trait, Type
from rewarp.parity.rust.reading.features import Features
from rewarp.parity.rust.reading.lowering import body_of
from rewarp.parity.rust.reading.macros import expand
from rewarp.parity.rust.reading.reader import read_items
from rewarp.parity.rust.reading.std_methods import OF_ALL_TYPES
from rewarp.parity.rust.reading.tree import TOO_DEEP, Expression, MacroCall

_DEEPEST_MACRO = 4
_MOST_GUESSES = 2


@dataclass(frozen=True)
class Callee:
    """Whom a call may mean; several where `cfg` defines one name more than once."""

    edge: Edge
    functions: tuple[Function, ...] = ()


_Placed = TypeVar("_Placed", Macro, Constant)
EXTERNAL = Callee(Edge.EXTERNAL)


def crate_of(path: str) -> str:
    """The folder of the crate that a file belongs to."""
    return path.partition("/src/")[0] if "/src/" in path else path.partition("/")[0]


class Index:
    """The declarations of all files, what macros write included."""

    def __init__(
        self,
        facts: Mapping[str, FileFacts],
        files: Mapping[str, bytes],
        features: Features | None = None,
        undeclared: Collection[str] = (),
    ) -> None:
        self.files = files
        self.undeclared = {path for path in undeclared if is_implementation(path)}
        self._features = features or Features({})
        self.never_built: dict[tuple[str, str], int] = {}
        """Files and features that no crate has, with the first line of what stands under one."""
        self.facts = {path: facts[path] for path in sorted(facts) if is_implementation(path)}
        self.unseen: list[MacroUse] = []
        """Macros of the project whose use could not be seen through."""
        self.too_deep: list[Function] = []
        """Functions nested deeper than can be read."""
        self._meanings: dict[tuple[str, str], str] = {}
        self._callees: dict[tuple[str, str, int, str, str, str | None], Callee] = {}
        self._bodies: dict[tuple[str, tuple[int, int], bytes], Expression] = {}
        self.macros: dict[str, list[Macro]] = defaultdict(list)
        for found in self.facts.values():
            for macro in found.macros:
                self.macros[macro.name].append(macro)
        self._all = [found for found in (*self.facts.values(), *self._written_by_macros()) if self._is_declared(found)]
        self._modules = self._module_conditions()
        self._collect()

    def _written_by_macros(self) -> list[FileFacts]:
        written: list[FileFacts] = []
        waiting = [(use, 0) for found in self.facts.values() for use in found.macro_uses]
        while waiting:
            use, depth = waiting.pop()
            macro = self.macro(use.name, use.path)
            if macro is None or depth >= _DEEPEST_MACRO:
                continue
            source = expand(macro, use.arguments)
            if source is None:
                self.unseen.append(use)
                continue
            found = read_items(source, use)
            written.append(found)
            waiting += [(inner, depth + 1) for inner in found.macro_uses]
        return written

    def _module_conditions(self) -> dict[str, tuple[str, ...]]:
        """The conditions under which a file is part of the build, by its path."""
        conditions: dict[str, tuple[str, ...]] = {}
        for found in self.facts.values():
            folder, _, file = found.path.rpartition("/")
            inside = folder if file in ("mod.rs", "lib.rs", "main.rs") else f"{folder}/{file.removesuffix('.rs')}"
            for module in found.modules:
                for path in _files_of(module, folder, inside):
                    if path in self.facts:
                        conditions[path] = module.cfg
        return conditions

    def _collect(self) -> None:
        self.traits: dict[str, list[Trait]] = defaultdict(list)
        self.types: dict[str, list[Type]] = defaultdict(list)
        self.impls: list[Impl] = []
        self.free: dict[str, list[Function]] = defaultdict(list)
        self.methods: dict[str, list[Function]] = defaultdict(list)
        self._aliases: dict[str, dict[str, str]] = defaultdict(dict)
        self._constants: dict[str, list[Constant]] = defaultdict(list)
        for found in self._all:
            above = self._file_condition(found.path)
            for trait in found.traits:
                self.traits[trait.name].append(trait)
            for kind in found.types:
                if self._is_built(kind, above):
                    self.types[kind.name].append(replace(kind, cfg=above + kind.cfg))
            for impl in found.impls:
                if not self._is_built(impl, above):
                    continue
                functions = tuple(replace(f, cfg=above + f.cfg) for f in impl.functions if self._is_built(f, above))
                self.impls.append(replace(impl, functions=functions, cfg=above + impl.cfg))
                for function in functions:
                    self.methods[function.name].append(function)
            for function in found.functions:
                if self._is_built(function, above):
                    self.free[function.name].append(replace(function, cfg=above + function.cfg))
            for constant in found.constants:
                self._constants[constant.name].append(constant)
            self._aliases[found.path].update(found.aliases)
        self._by_owner: dict[tuple[str, str], list[Function]] = defaultdict(list)
        self._impls_of: dict[str, list[Impl]] = defaultdict(list)
        for impl in self.impls:
            self._impls_of[impl.type].append(impl)
            for function in impl.functions:
                self._by_owner[impl.type, function.name].append(function)

    def _is_declared(self, found: FileFacts) -> bool:
        return found.path not in self.undeclared

    def _is_built(self, item: Function | Impl | Type, above: tuple[str, ...]) -> bool:
        feature = self._features.never_built(above + item.cfg, item.path)
        if feature:
            self.never_built.setdefault((item.path, feature), item.line)
        return not feature

    def _file_condition(self, path: str) -> tuple[str, ...]:
        """The conditions of a file and of the files whose modules it stands in."""
        found = self._modules.get(path, ())
        folder = path.rpartition("/")[0]
        for above in (f"{folder}/mod.rs", f"{folder}.rs"):
            if above != path and above in self._modules:
                return self._file_condition(above) + found
        return found

    @cached_property
    def dtypes(self) -> DTypes:
        return DTypes(kind for kinds in self.types.values() for kind in kinds)

    @cached_property
    def blanket(self) -> tuple[Impl, ...]:
        return tuple(impl for impl in self.impls if impl.is_blanket)

    def is_name_of_a_function(self, name: str) -> bool:
        """Whether anything in the tree that can be called has this name."""
        return name in self.methods or name in self.free or name in self._declared

    @cached_property
    def _declared(self) -> frozenset[str]:
        return frozenset(f.name for traits in self.traits.values() for trait in traits for f in trait.functions)

    def impls_of(self, name: str) -> list[Impl]:
        return self._impls_of.get(name, [])

    def condition(self, path: str) -> tuple[str, ...]:
        return self._file_condition(path)

    def body(self, function: Function) -> Expression:
        """The body of a function; read once."""
        key = (function.path, function.span, function.source)
        if key not in self._bodies:
            source = function.source or self.files.get(function.path, b"")[slice(*function.span)]
            try:
                self._bodies[key] = body_of(source, function.line)
            except RecursionError:
                self.too_deep.append(function)
                self._bodies[key] = MacroCall(function.line, TOO_DEEP, "")
        return self._bodies[key]

    def macro(self, name: str, path: str) -> Macro | None:
        """The macro of the project that a name means in a file: the nearest one."""
        return _nearest(self.macros.get(last_segment(name), ()), path)

    def constant(self, path: str, file: str) -> Constant | None:
        """The constant that a path such as `contiguous::cos::HALF` means: the one whose modules fit best."""
        *modules, name = (segment.strip() for segment in path.split("::"))
        found = self._constants.get(name, ())
        fitting = [c for c in found if not modules or (c.module or (c.owner,))[-len(modules) :] == tuple(modules)]
        fitting = fitting or [c for c in found if modules and modules[-1] in (*c.module, c.owner)]
        return _nearest(fitting if modules else [c for c in fitting if c.path == file] or fitting, file)

    def associated(self, name: str, traits: Iterable[str]) -> list[Constant]:
        """A constant that types which have one of these traits define: `KERNEL` of every `UnaryOpT`."""
        wanted = frozenset(traits)
        return [
            constant
            for constant in self._constants.get(name, ())
            if constant.owner and wanted & {impl.trait for impl in self.impls_of(constant.owner)}
        ]

    def alias(self, name: str, path: str) -> str:
        """The type that a name means in a file."""
        if (name, path) not in self._meanings:
            self._meanings[name, path] = self._alias(name, path)
        return self._meanings[name, path]

    def _alias(self, name: str, path: str) -> str:
        if name in self.types or name in self.traits:
            return name
        own = self._aliases.get(path, {}).get(name)
        if own is not None and own != name:
            return own
        targets = {found[name] for found in self._aliases.values() if name in found}
        return targets.pop() if len(targets) == 1 and len(name) > 1 else self._nearest_alias(name, path)

    def _nearest_alias(self, name: str, path: str) -> str:
        folder = path.rpartition("/")[0]
        near = {found[name] for file, found in self._aliases.items() if name in found and file.startswith(folder)}
        return near.pop() if len(near) == 1 else name

    def backend(self, item: Function | Impl | Trait | Type) -> str | None:
        """The back end that owns a piece of code: by its type, by `cfg`, by its file."""
        if isinstance(item, Function):
            name, cfg = item.owner, item.cfg
        elif isinstance(item, Impl):
            name, cfg = item.type, item.cfg
        else:
            name, cfg = item.name, () if isinstance(item, Trait) else item.cfg
        return _owner(name, cfg, item.path)

    def is_dummy(self, item: Function | Impl | Type) -> bool:
        """Whether code only stands in for a back end that a build leaves out."""
        backend = self.backend(item)
        return backend is not None and (lacks(item.cfg, backend) or "dummy" in item.path.rpartition("/")[2])

    def function(self, path: str, arity: int, caller: Function, *, is_generic: bool = False) -> Callee:
        """Whom a call by path means: `foo`, `Self::foo`, `kernels::foo`, `Type::foo`."""
        segments = [re.sub(r"<.*", "", segment).strip() for segment in re.sub(r"::<.*?>(?=::|$)", "", path).split("::")]
        name = segments[-1]
        free = [f for f in self.free.get(name, ()) if _is_visible(f, caller) and (f.generics or not is_generic)]
        if len(segments) == 1:
            return self._choose(free, arity, caller, _is_same_crate(caller))
        qualifier = caller.owner if segments[-2] == "Self" else self.alias(segments[-2], caller.path)
        is_own = qualifier in self.types or qualifier in self.traits
        if is_own or (self._by_owner.get((qualifier, name)) and name not in OF_ALL_TYPES):
            # A method that is called by path is given itself as the first argument.
            found = self.method(qualifier, name, arity, caller)
            return found if found.functions else self.method(qualifier, name, arity - 1, caller)
        if qualifier in ("crate", "super", "self"):
            return self._choose(free, arity, caller, _is_same_crate(caller))
        return self._choose(free, arity, caller, lambda f: qualifier in _modules(f))

    def method(self, owner: str, name: str, arity: int, caller: Function) -> Callee:
        """Whom a method call on a value of a known type means; the type may be empty."""
        key = (owner, name, arity, caller.path, caller.owner, self.backend(caller))
        if key not in self._callees:
            self._callees[key] = self._method(owner, name, arity, caller)
        return self._callees[key]

    def _method(self, owner: str, name: str, arity: int, caller: Function) -> Callee:
        if owner:
            own = self.alias(owner, caller.path)
            declared, inherited = self._by_owner.get((own, name), []), self._inherited(own, name)
            # Two back ends may give the same name to types of their own.
            side = self._on_the_side_of(caller)
            near = [f for f in declared if side(f)] or [f for f in inherited if side(f)]
            found = near or declared or inherited
            # A type's own method comes before one of the same name that a trait brings.
            found = [f for f in found if not f.trait] or found
            if found and (own in self.types or own in self.traits or name not in OF_ALL_TYPES):
                return self._choose(found, arity, caller, lambda _: True)
            if owner in self.types and owner not in self.traits:
                return EXTERNAL
        if name in OF_ALL_TYPES:
            return EXTERNAL
        same_side = self._on_the_side_of(caller)
        candidates = [f for f in self.methods.get(name, ()) if f.takes_self and f.arity == arity and same_side(f)]
        owners = {f.owner for f in candidates}
        if not candidates or len(owners) > _MOST_GUESSES:
            return EXTERNAL
        return Callee(Edge.GUESSED, self._choose(candidates, arity, caller, lambda _: True).functions)

    def _on_the_side_of(self, caller: Function) -> Callable[[Function], bool]:
        backend = self.backend(caller)
        return lambda f: self.backend(f) in (backend, None) and not self.is_dummy(f)

    def of_dtype(self, name: str, arity: int, caller: Function) -> Callee | None:
        """Whom a method on `T::DTYPE` means: one of an enum of data types."""
        found = [f for f in self.methods.get(name, ()) if f.owner in self.dtypes.enums and f.arity == arity]
        callee = self._choose(found, arity, caller, lambda _: True)
        return callee if callee.edge is Edge.RESOLVED else None

    def of_generic(self, name: str, arity: int, caller: Function) -> Callee:
        """Whom a method on a value of a type parameter means: one that an `impl` for all types brings."""
        found: list[Function] = []
        for impl in self.blanket:
            own = [f for f in impl.functions if f.name == name]
            found += own or [f for t in self.traits.get(impl.trait, ()) for f in t.functions if f.name == name]
        side = self._on_the_side_of(caller)
        chosen = [f for f in found if side(f) and f.arity == arity]
        return self._choose(chosen, arity, caller, lambda _: True)

    def _inherited(self, owner: str, name: str) -> list[Function]:
        """What the traits of a type bring by default."""
        traits = {impl.trait for impl in self.impls_of(owner)} | ({owner} if owner in self.traits else set())
        return [
            function
            for trait in sorted(traits)
            for found in self.traits.get(trait, ())
            for function in found.functions
            if function.name == name and function.has_body
        ]

    def _choose(
        self, found: Iterable[Function], arity: int, caller: Function, certain: Callable[[Function], bool]
    ) -> Callee:
        """The nearest of the functions that fit."""
        candidates = [f for f in found if not self.is_dummy(f) or self.is_dummy(caller)]
        candidates = [f for f in candidates if f.arity == arity] or candidates
        if not candidates:
            return EXTERNAL
        sure = [f for f in candidates if certain(f)]
        side = self._on_the_side_of(caller)
        best = max(_nearness(f, caller, side(f)) for f in sure or candidates)
        chosen = tuple(f for f in sure or candidates if _nearness(f, caller, side(f)) == best)
        alike = len({(f.owner, f.trait, f.path) for f in chosen}) == 1
        return Callee(Edge.RESOLVED if sure and alike else Edge.GUESSED, chosen[: 2 * _MOST_GUESSES])


@lru_cache(maxsize=50_000)
def _owner(name: str, cfg: tuple[str, ...], path: str) -> str | None:
    return backend_of(name) or gate_of(cfg) or folder_backend(path)


def _nearness(function: Function, caller: Function, is_on_side: bool) -> tuple[bool, ...]:
    return (
        function.path == caller.path,
        is_on_side,
        function.path.rpartition("/")[0] == caller.path.rpartition("/")[0],
        crate_of(function.path) == crate_of(caller.path),
    )


def _is_same_crate(caller: Function) -> Callable[[Function], bool]:
    return lambda function: crate_of(function.path) == crate_of(caller.path)


def _is_visible(function: Function, caller: Function) -> bool:
    """Whether a function that is not public stands in the file of its caller, or in a module around it."""
    home = function.path.removesuffix(".rs").removesuffix("/mod").removesuffix("/lib").removesuffix("/main")
    return function.is_public or function.path == caller.path or caller.path.startswith(f"{home}/")


def _modules(function: Function) -> set[str]:
    """The names under which a function's module can be called."""
    parts = function.path.removesuffix(".rs").removesuffix("/mod").split("/")
    crate = crate_of(function.path).rpartition("/")[2].replace("-", "_")
    return {parts[-1], parts[-2] if len(parts) > 1 else "", crate, *function.module} - {"", "src", "lib"}


def _files_of(module: Module, folder: str, inside: str) -> tuple[str, ...]:
    prefix = f"{inside}/" if inside else ""
    if module.file:
        return (f"{folder}/{module.file}" if folder else module.file, f"{prefix}{module.file}")
    return f"{prefix}{module.name}.rs", f"{prefix}{module.name}/mod.rs"


def _nearest(found: Iterable[_Placed], path: str) -> _Placed | None:
    return max(
        found,
        key=lambda item: (item.path == path, crate_of(item.path) == crate_of(path), folder_backend(item.path) == folder_backend(path)),
        default=None,
    )  # fmt: skip
