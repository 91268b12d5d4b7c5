"""Statements of a script that is followed without being run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from rewarp.lang.python_parameters import defaults
from rewarp.project.execution.calls import Calls, Left
from rewarp.project.execution.operators import as_text
from rewarp.project.execution.paths import Fork
from rewarp.project.execution.scopes import Class, Function, Raised, Scope, replaced
from rewarp.project.execution.values import (
    External,
    Guard,
    Guarded,
    Guards,
    Instance,
    Unknown,
    denied,
    further,
    shortened,
    written,
)

_MOST_ITERATIONS = 200
_LONGEST_CHAIN = 24


class Statements(Calls):
    """Follows blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: list[Function] = []
        """Every function that was defined."""

    def doubtful_imports(self, statement: ast.stmt) -> list[str]:
        """Imports that may fail."""
        raise NotImplementedError

    def follow_import(self, statement: ast.Import) -> Left:
        raise NotImplementedError

    def follow_import_from(self, statement: ast.ImportFrom) -> Left:
        raise NotImplementedError

    # --- statements -------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> Left:
        """Follow a block. How it is left before its end: by what, under which guards."""
        left: Left = []
        rest: Guards = ()
        scope, depth = self.scope, self._depth
        for statement in statements:
            try:
                with self.under(rest):
                    out = self._statement(statement)
            except Raised:
                if not rest:
                    raise
                self.scope, self._depth = scope, depth
                return [*left, ("raise", rest)]
            for kind, guards in out:
                left.append((kind, further((*rest, *guards), self.path)))
                if not guards:
                    return [*left[:-1], (kind, further(rest, self.path))] if rest else left
                if kind != "raise":
                    rest = further((*rest, *denied(guards)), ())
        return left

    def _statement(self, statement: ast.stmt) -> Left:
        self._line = statement.lineno
        method = _STATEMENTS.get(type(statement))
        return method(self, statement) if method else []

    def _expression(self, statement: ast.Expr) -> Left:
        value = statement.value
        if isinstance(value, (ast.Yield, ast.YieldFrom)):
            given = self.value(value.value)
            if isinstance(value, ast.Yield):
                self.scope.yielded.append(Guarded(given, self.path) if self.path else given)
            else:
                self.extend(self.scope.yielded, given)
        else:
            self.value(value)
        return []

    def _assign(self, statement: ast.Assign) -> Left:
        value = self.value(statement.value)
        for target in statement.targets:
            self.bind(target, value)
        return []

    def _annotated(self, statement: ast.AnnAssign) -> Left:
        if statement.value is not None:
            self.bind(statement.target, self.value(statement.value))
        elif isinstance(statement.target, ast.Name) and self.scope.hidden:
            self.scope.names.setdefault(statement.target.id, Unknown(statement.target.id))  # a field of a class
        return []

    def bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.scope.assign(target.id, value, self.path)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            names = owner.attributes if isinstance(owner, Instance) else getattr(owner, "names", None)
            if isinstance(names, dict):
                names[target.attr] = self._replacing(names, target.attr, value)
        elif isinstance(target, ast.Subscript):
            self._store(self.value(target.value), self.value(target.slice), value)

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> None:
        members = self.members(value)
        fits = members is not None and len(members) == len(target.elts) and not any(g for _, g in members)
        for at, part in enumerate(target.elts):
            exact = fits and members is not None and not isinstance(part, ast.Starred)
            inner = part.value if isinstance(part, ast.Starred) else part
            self.bind(inner, members[at].item if exact and members else Unknown(f"{written(value)}[{at}]"))

    def _replacing(self, names: dict[Any, Any], name: Any, value: Any) -> Any:
        guards = further(self.path, self.scope.base)
        return replaced(names[name], value, guards) if guards and name in names else value

    def _store(self, owner: Any, key: Any, value: Any) -> None:
        if isinstance(owner, External) and owner.path == "os.environ" and isinstance(key, str):
            self.environment[key] = self._replacing(self.environment, key, value)
        elif isinstance(owner, dict) and isinstance(key, (str, int, type(None))):
            owner[key] = self._replacing(owner, key, value)
        elif isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner) and not self.path:
            owner[key] = value

    def _augmented(self, statement: ast.AugAssign) -> Left:
        target = statement.target
        current = self.value(_loaded(target))
        value = self.value(statement.value)
        if isinstance(statement.op, ast.Add) and isinstance(current, list):
            self.extend(current, value)
            return []

        def combined(one: Any, other: Any) -> Any:
            if isinstance(one, list) and isinstance(statement.op, ast.Add):
                self.extend(one, other)
                return one
            return self.combined(one, statement.op, other)

        self.bind(target, self.lifted(combined, current, value))
        return []

    def _delete(self, statement: ast.Delete) -> Left:
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and not self.path:
                owner, key = self.value(target.value), self.value(target.slice)
                if isinstance(owner, dict) and isinstance(key, (str, int)):
                    owner.pop(key, None)
        return []

    # --- ways -------------------------------------------------------------------------

    def _if(self, statement: ast.If) -> Left:
        """A whole chain of ``elif`` at once: there may be more of them than Python lets functions call each other."""
        sides: list[tuple[Guards, list[ast.stmt]]] = []
        guards: Guards = ()
        while True:
            with self.under(guards):
                found = self.decide(self.value(statement.test), statement.test)
            if isinstance(found, Fork):
                sides.append(((*guards, *found.yes), statement.body))
                guards = (*guards, *found.no)
                if len(guards) > _LONGEST_CHAIN:
                    guards = (*guards[:_LONGEST_CHAIN], Guard("none of the conditions before"))
            elif found:
                sides.append((guards, statement.body))
                break
            rest = statement.orelse
            if len(rest) != 1 or not isinstance(rest[0], ast.If):
                sides.append((guards, rest))
                break
            statement = rest[0]
        return self.block(sides[0][1]) if sides[0][0] == () else self._both(sides)

    def _both(self, sides: list[tuple[Guards, list[ast.stmt]]]) -> Left:
        """Follow blocks of which one is taken, nobody knows which."""
        left: Left = []
        ends = 0
        for guards, block in sides:
            inner = self._under(guards, block)
            left += [(kind, (*guards, *further(more, guards))) for kind, more in inner]
            ends += any(not more for _, more in inner)
        return [*left, ("end", ())] if ends == len(sides) else left

    def _under(self, guards: Guards, block: list[ast.stmt]) -> Left:
        scope, depth = self.scope, self._depth
        with self.under(guards):
            try:
                return self.block(block)
            except Raised:  # nobody knows whether it comes to that
                self.scope, self._depth = scope, depth
                return [("raise", ())]

    def _for(self, statement: ast.For | ast.AsyncFor) -> Left:
        over = self.value(statement.iter)
        members = self.members(over)
        iterations = [Guarded(self.some(over), ())] if members is None else members
        return self._loop(((guards, item) for item, guards in iterations), statement)

    def _while(self, statement: ast.While) -> Left:
        def iterations() -> Iterator[tuple[Guards, Any]]:
            for _ in range(_MOST_ITERATIONS):
                found = self.decide(self.value(statement.test), statement.test)
                if found is False:
                    return
                yield (found.yes if isinstance(found, Fork) else ()), None
                if isinstance(found, Fork):
                    return

        return self._loop(iterations(), statement)

    def _loop(self, iterations: Iterator[tuple[Guards, Any]], statement: ast.For | ast.AsyncFor | ast.While) -> Left:
        left: Left = []
        rest: Guards = ()
        for guards, item in iterations:
            with self.under(rest):
                every = (*rest, *guards)
                if isinstance(statement, (ast.For, ast.AsyncFor)):
                    with self.under(guards):
                        self.bind(statement.target, item)
                out = self._under(guards, statement.body) if guards else self.block(statement.body)
            ended = False
            for kind, more in out:
                here = further((*every, *more), self.path)
                if kind in ("return", "raise", "end"):
                    left.append((kind, here))
                if kind in ("break", "return", "end"):
                    # What the turns before leave open holds here: denied once more it would double with each turn.
                    now = further((*guards, *more), (*self.path, *rest))
                    ended = ended or not now
                    rest = further((*rest, *denied(now)), ()) if now else rest
            if ended:
                break
        else:
            left += self.block(statement.orelse) if not rest else []
        return left

    def _try(self, statement: ast.Try) -> Left:
        doubtful = (
            [guard for inner in statement.body for guard in self.doubtful_imports(inner)] if statement.handlers else []
        )
        scope, depth = self.scope, self._depth
        left: Left = []
        if doubtful:
            guard = Guard(" and ".join(doubtful))
            handlers = statement.handlers[0].body
            left = self._both([((guard,), [*statement.body, *statement.orelse]), ((guard.negated(),), handlers)])
        else:
            try:
                left = self.block(statement.body)
                left += self.block(statement.orelse) if not any(not guards for _, guards in left) else []
            except Raised as raised:
                self.scope, self._depth = scope, depth
                handler = next((one for one in statement.handlers if self._catches(one, raised)), None)
                if handler is None:
                    self.block(statement.finalbody)
                    raise
                if handler.name:
                    self.scope.assign(handler.name, Unknown(handler.name), self.path)
                left = self.block(handler.body)
        return [*left, *self.block(statement.finalbody)]

    def _catches(self, handler: ast.ExceptHandler, raised: Raised) -> bool:
        if handler.type is None:
            return True
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {ast.unparse(kind).rpartition(".")[2] for kind in kinds}
        if raised.name == "SystemExit":
            return bool(names & {"SystemExit", "BaseException"})
        parents = {"ModuleNotFoundError": "ImportError"}
        return bool(names & {raised.name, parents.get(raised.name, ""), "Exception", "BaseException"})

    def _with(self, statement: ast.With | ast.AsyncWith) -> Left:
        for item in statement.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        return self.block(statement.body)

    # --- ends -------------------------------------------------------------------------

    def _return(self, statement: ast.Return) -> Left:
        value = self.value(statement.value)
        scope: Scope = self.scope
        scope.returned.append(Guarded(value, further(self.path, scope.base)))
        return [("return", ())]

    def _raise(self, statement: ast.Raise) -> Left:
        raised = statement.exc
        called = raised.func if isinstance(raised, ast.Call) else raised
        name = ast.unparse(called).rpartition(".")[2] if called is not None else "Exception"
        given = raised.args[:1] if isinstance(raised, ast.Call) else []
        message = as_text(self.value(given[0])) if given else name
        raise Raised(name, message, self.scope.file, statement.lineno)

    def _assert(self, statement: ast.Assert) -> Left:
        if self.decide(self.value(statement.test), statement.test) is False:
            message = as_text(self.value(statement.msg)) if statement.msg else shortened(ast.unparse(statement.test))
            raise Raised("AssertionError", message, self.scope.file, statement.lineno)
        return []

    # --- definitions ------------------------------------------------------------------

    def _function(self, statement: ast.FunctionDef | ast.AsyncFunctionDef) -> Left:
        outer = self.scope
        while outer.hidden and outer.parent is not None:
            outer = outer.parent
        function = Function(statement, outer, statement.name)
        for arg, default in defaults(statement.args):
            function.defaults[arg.arg] = self.value(default)
        for decorator in statement.decorator_list:
            name = ast.unparse(decorator).rpartition(".")[2]
            kind = {"cached_property": "property", "abstractproperty": "property"}.get(name, name)
            if kind in ("property", "staticmethod", "classmethod"):
                function.kind = kind
        self.functions.append(function)
        self.scope.assign(statement.name, function, self.path)
        return []

    def _class(self, statement: ast.ClassDef) -> Left:
        bases = tuple(self.value(base) for base in statement.bases)
        before, self.scope = self.scope, Scope(self.scope.file, self.scope, self.path)
        self.scope.hidden = True
        try:
            self.block(statement.body)
            names = self.scope.names
        finally:
            self.scope = before
        self.scope.assign(statement.name, Class(statement.name, bases, names, before.file), self.path)
        return []

    def _global(self, statement: ast.Global) -> Left:
        self.scope.declared.update(statement.names)
        return []


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


_STATEMENTS: dict[type[ast.stmt], Callable[[Statements, Any], Left]] = {
    ast.Expr: Statements._expression,
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.Delete: Statements._delete,
    ast.If: Statements._if,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.Try: Statements._try,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Return: Statements._return,
    ast.Raise: Statements._raise,
    ast.Assert: Statements._assert,
    ast.FunctionDef: Statements._function,
    ast.AsyncFunctionDef: Statements._function,
    ast.ClassDef: Statements._class,
    ast.Global: Statements._global,
    ast.Import: lambda self, node: self.follow_import(node),
    ast.ImportFrom: lambda self, node: self.follow_import_from(node),
    ast.Break: lambda *_: [("break", ())],
    ast.Continue: lambda *_: [("continue", ())],
}
