"""What a name holds at a place, and what a function returns, along the statements that a platform comes to."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from rewarp.project.gates.platforms import PACKAGES_OF
from rewarp.project.gates.values import UNKNOWN, Value, joined

EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit"})
"""What ends a program."""
_ENDS = EXITS | {"pytest.skip", "pytest.fail"}
_PRESENT = frozenset(sys.stdlib_module_names) | {"torch"}
_State = tuple[Value, ...]
"""What the name may hold; empty where it is not bound yet."""


def importable(platform: str, module: str) -> bool | None:
    """Whether a module can be imported on a platform; with no platform given nothing is said of packages for one alone."""
    if module.partition(".")[0] in _PRESENT:
        return True
    if not platform:
        return None
    owner = next((PACKAGES_OF[p] for p in PACKAGES_OF if module == p or module.startswith(p + ".")), platform)
    return None if owner == platform else False


class _Found(Exception):
    def __init__(self, state: _State) -> None:
        self.state = state


_ANY = "*"
"""In place of a name: a statement that may matter to each."""


class BoundBy(dict[ast.AST, frozenset[str]]):
    """The names that a piece of code binds, anywhere in it."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, tuple[list[ast.stmt], Mapping[str, list[int]]]] = {}
        """By identity, each block and where in it a name is bound; the block is held, so that no other gets its identity."""

    def __missing__(self, node: ast.AST) -> frozenset[str]:
        names = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        return self.setdefault(node, frozenset(names))

    def concerning(self, block: list[ast.stmt], name: str) -> list[ast.stmt]:
        """The statements of a block that may bind a name, or decide what comes after them; in their order."""
        if id(block) not in self._blocks:
            found: dict[str, list[int]] = defaultdict(list)
            for at, statement in enumerate(block):
                for bound in self._plainly_bound(statement):
                    found[bound].append(at)
            self._blocks[id(block)] = block, found
        by_name = self._blocks[id(block)][1]
        places = sorted({*by_name.get(_ANY, ()), *by_name.get(name, ())})
        return [block[at] for at in places]

    def _plainly_bound(self, statement: ast.stmt) -> Iterable[str]:
        """The names that a statement gives a value and does nothing else that the flow asks about."""
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            names = [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
            return [_ANY] if "*" in names else names
        if isinstance(statement, _DEFINITIONS):
            return [statement.name]
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            return self[statement]
        return [_ANY]


class Flow:
    """Follows one name (or none) through blocks, taking the branches that the platform takes."""

    def __init__(
        self,
        platform: str,
        value: Callable[[ast.expr], Value],
        bound_by: BoundBy,
        name: str = "",
        around: Sequence[ast.AST] = (),
        facts: Mapping[str, Value] = MappingProxyType({}),
    ) -> None:
        """``around``: the place that asks and what stands around it, inside out; ``facts``: what is known of names from outside."""
        self._platform = platform
        self._facts = facts
        self._value = value
        self._bound_by = bound_by
        self._name = name
        self._around = frozenset(around)
        self.returned: list[Value] = []

    def held(self, block: list[ast.stmt]) -> Value:
        """What the name holds at the place that asks, or after the block."""
        try:
            state = self._block(block, ())
        except _Found as found:
            state = found.state
        return joined(state or ())

    def result(self, block: list[ast.stmt]) -> Value:
        """What a body returns."""
        if self._block(block, ()) is not None:
            self.returned.append(Value.of(None))
        return joined(self.returned)

    def _block(self, block: list[ast.stmt], state: _State) -> _State | None:
        """None where no path comes to the end."""
        after: _State | None = state
        # Who asks for many names of a long module asks of each the few statements that matter to it.
        for statement in block if self._around else self._bound_by.concerning(block, self._name):
            if after is None and statement not in self._around:
                continue
            after = self._statement(statement, after or ())
        return after

    def _statement(self, statement: ast.stmt, state: _State) -> _State | None:
        if statement in self._around and not self._inside(statement):
            raise _Found(state)
        if isinstance(statement, ast.If):
            return self._if(statement, state)
        if isinstance(statement, ast.Try):
            return self._try(statement, state)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return self._block(statement.body, self._bound_in(statement.items, state))
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(statement, state)
        if isinstance(statement, ast.Match):
            found = [self._block(case.body, state) for case in statement.cases]
            return _merged([state, *found])
        if isinstance(statement, ast.Return):
            self.returned.append(Value.of(None) if statement.value is None else self._value(statement.value))
            return None
        if isinstance(statement, (ast.Raise, ast.Continue, ast.Break)):
            return None
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return None if ast.unparse(statement.value.func) in _ENDS else state
        if isinstance(statement, ast.Assert) and self._value(statement.test).truth is False:
            return None
        return self._bind(statement, state)

    def _inside(self, statement: ast.stmt) -> bool:
        """Whether the place that asks stands in one of the statement's blocks."""
        blocks = [getattr(statement, field, None) or [] for field in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(statement, "handlers", ())]
        blocks += [case.body for case in getattr(statement, "cases", ())]
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return False
        return any(inner in self._around for block in blocks for inner in block)

    def _if(self, statement: ast.If, state: _State) -> _State | None:
        truth = self._value(statement.test).truth
        outcomes: list[_State | None] = []
        for taken, block in ((True, statement.body), (False, statement.orelse)):
            asks_here = any(inner in self._around for inner in block)
            if asks_here or truth is not (not taken):
                outcomes.append(self._block(block, state))
        return _merged(outcomes)

    def _loop(self, statement: ast.For | ast.AsyncFor | ast.While, state: _State) -> _State | None:
        inside = self._bound_in([statement], state)
        self._block(statement.body, inside)
        self._block(statement.orelse, inside)
        return inside

    def _try(self, statement: ast.Try, state: _State) -> _State | None:
        seen: list[_State] = [state]
        works, fails, after = True, False, state
        for inner in statement.body:
            can = self._runs(inner)
            fails = fails or can is not True
            if can is False:
                works = False
                break
            step = self._statement(inner, after)
            if step is None:
                works = False
                break
            after = step
            seen.append(after)
        outcomes: list[_State | None] = [self._block(statement.orelse, after)] if works else []
        before_failure = tuple(value for item in seen for value in item)
        for handler in statement.handlers:
            asks_here = any(inner in self._around for inner in handler.body)
            if asks_here or fails:
                outcomes.append(self._block(handler.body, before_failure))
        merged = _merged(outcomes)
        if not statement.finalbody:
            return merged
        after_all = self._block(statement.finalbody, merged or ())
        return after_all if merged is not None else None

    def _runs(self, statement: ast.stmt) -> bool | None:
        """Whether a statement of a ``try`` runs through: True only where nothing in it can fail."""
        if isinstance(statement, ast.Import):
            able = [importable(self._platform, alias.name) for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            module = statement.module or ""
            if all(self._fact(statement, alias) is not None for alias in statement.names):
                return True
            sure = statement.level == 0 and module.partition(".")[0] != "torch"
            able = [importable(self._platform, module) if sure or module in ("torch", "torch.version") else None]
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return)):
            value = self._value(statement.value) if statement.value is not None else Value.of(None)
            able = [True if value.known or value.is_text else None]
        else:
            able = [True if isinstance(statement, (ast.Pass, *_DEFINITIONS)) else None]
        return False if False in able else None if None in able else True

    def _bind(self, statement: ast.stmt, state: _State) -> _State:
        name = self._name
        if not name:
            return state
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    return (self._value(statement.value),)
            return self._bound_in(statement.targets, state)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            bound = statement.target.id == name and statement.value is not None
            return (self._value(statement.value),) if bound and statement.value is not None else state
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            named = [a for a in statement.names if (a.asname or a.name.partition(".")[0]) in (name, "*")]
            fact = self._fact(statement, named[-1]) if named else None
            return (fact or UNKNOWN,) if named else state
        if isinstance(statement, _DEFINITIONS):
            return (Value(True),) if statement.name == name else state
        return self._bound_in([statement], state)

    def _fact(self, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> Value | None:
        """What an import brings, where it is known of torch: ``from torch.utils.cpp_extension import IS_HIP_EXTENSION``."""
        if isinstance(statement, ast.Import) or statement.level or not statement.module:
            return None
        return self._facts.get(f"{statement.module}.{alias.name}")

    def _bound_in(self, nodes: Sequence[ast.AST], state: _State) -> _State:
        return (UNKNOWN,) if any(self._name in self._bound_by[node] for node in nodes) else state


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _merged(outcomes: Sequence[_State | None]) -> _State | None:
    ways = [state for state in outcomes if state is not None]
    if not ways:
        return None
    if any(not state for state in ways) and any(ways):
        # Not bound on one way: reading it there fails, so whoever reads it came by another.
        ways = [state for state in ways if state]
    return tuple(dict.fromkeys(value for state in ways for value in state))
