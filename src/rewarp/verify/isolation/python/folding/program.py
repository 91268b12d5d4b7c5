"""The program that is left for an NVIDIA user: every gate at its value, what it rules out cut away.

Both versions of a file are folded the same way and then compared, so each step here must keep what the code does. Cut
branches still count in one way: a name bound in them is local to the whole function, a `yield` in them makes it a
generator. Each function therefore carries the scopes of its original text into the comparison.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TypeVar

from rewarp.verify.isolation.python.folding.readers import READS_DOCUMENTATION, SourceReaders
from rewarp.verify.isolation.python.folding.shapes import fits, gives_bool, simplified
from rewarp.verify.isolation.python.gates.gates import Gates
from rewarp.verify.isolation.python.gates.names import LOOKS_LIKE_GATE
from rewarp.verify.isolation.python.reading.scopes import Function, FunctionNode

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_READS_LOCALS = {"locals", "vars", "eval", "exec", "dir"}
_ANNOTATIONS = ("annotation", "returns")
"""Left as written: a program may read them, and then as text."""
_TRUE, _FALSE = ast.Constant(True), ast.Constant(False)
Written = tuple[str, str]
"""A statement of a module ("") or of a class (its name), as text to compare."""
_Node = TypeVar("_Node", bound=ast.AST)


class Folder:
    """Folds one module into a new tree; the original stays as it is."""

    def __init__(self, gates: Gates, known: frozenset[str], shared: frozenset[Written]) -> None:
        self.gates = gates
        self._known = known
        """Names that the other version has, too: they stay, as what they hold is compared where it is set."""
        self._shared = shared
        """What both versions have word for word: it needs no folding, as the rest decides whether it meets the same."""
        self.scopes = gates.scopes
        self.readers = SourceReaders(gates)
        self.origins: dict[ast.AST, ast.AST] = {}
        """The statement as written, of a statement in the folded tree."""
        self._idle: set[ast.AST] = set()
        self._keep_docstrings = bool(
            READS_DOCUMENTATION.search(gates.module.project.read(gates.module.path) or b"__doc__")
        )

    def module(self) -> list[ast.stmt]:
        tree = self.gates.module.tree
        docstring = tree.body[:1] if self._keep_docstrings and ast.get_docstring(tree, clean=False) is not None else []
        return [*docstring, *self._block(tree.body, "")]

    # --- statements ---------------------------------------------------------------

    def _block(self, statements: list[ast.stmt], owner: str | None = None) -> list[ast.stmt]:
        folded: list[ast.stmt] = []
        for statement in statements:
            shared = owner is not None and (owner, text_of(statement)) in self._shared
            for one in [statement] if shared else self._statement(statement):
                self.origins.setdefault(one, statement)
                folded.append(one)
                if isinstance(one, _ENDS):
                    return folded
        return folded

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.Pass):
            return []
        if isinstance(node, ast.Expr):
            # A value that is thrown away: what decides is only whether getting it does something.
            return [] if self.gates.fact(node.value) is not None else self._expression_statement(node)
        if isinstance(node, ast.If):
            return self._if(node)
        if isinstance(node, ast.While):
            return self._while(node)
        if isinstance(node, ast.Assert):
            test = self._test(node.test)
            return [] if test is _TRUE else [_like(node, ast.Assert(test, node.msg and self._expr(node.msg)))]
        if isinstance(node, ast.Match):
            return self._match(node)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            new = self._rebuilt(node)
            new.body = _filled(_without_last(new.body, ast.Continue))
            return [new]
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self._try(node)  # type: ignore[arg-type]
        if isinstance(node, Function):
            return [self._function(node)]
        if isinstance(node, ast.ClassDef):
            return [self._class(node)]
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is None:
            return [_like(node, ast.Return(None))]
        new_statement = self._rebuilt(node)
        if self._sets_nothing_else(node):
            self._idle.add(new_statement)
        return [new_statement]

    def _expression_statement(self, node: ast.Expr) -> list[ast.stmt]:
        value = self._expr(node.value)
        return [] if isinstance(value, ast.Constant) else [_like(node, ast.Expr(value))]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        test = self._test(node.test)
        if test is _TRUE or test is _FALSE:
            return self._block(node.body if test is _TRUE else node.orelse)
        body, orelse = self._block(node.body), self._block(node.orelse)
        if not body and not orelse and self.gates.fact(node.test) is not None:
            return []
        return [_like(node, ast.If(test, _filled(body), orelse))]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        test = self._test(node.test)
        if test is _FALSE:
            return self._block(node.orelse)
        body = _without_last(self._block(node.body), ast.Continue)
        return [_like(node, ast.While(test, _filled(body), self._block(node.orelse)))]

    def _match(self, node: ast.Match) -> list[ast.stmt]:
        subject = self.gates.fact(node.subject)
        if subject is not None and subject.known:
            for case in node.cases:
                taken = fits(case, subject.value)
                if taken is None:
                    break
                if taken:
                    return self._block(case.body)
            else:
                return []
        return [self._rebuilt(node)]

    def _try(self, node: ast.Try) -> list[ast.stmt]:
        body = self._block(node.body)
        if not body:
            # Nothing is left that could fail: no handler runs. What `finally` guards is now the `else`.
            orelse, finalbody = self._block(node.orelse), self._block(node.finalbody)
            guarded = orelse and finalbody
            return [_like(node, type(node)(orelse, [], [], finalbody))] if guarded else orelse or finalbody
        new = self._rebuilt(node, leave=("body",))
        new.body = body
        return body if not new.handlers and not new.finalbody else [new]

    def _function(self, node: FunctionNode) -> FunctionNode:
        why = self.readers.why(node)
        if why:
            self._note_gates_inside(node, why)
            return node
        body = self._block(node.body)
        if self._counts_docstring(node):
            body = [node.body[0], *body]
        body = self._without_idle(_without_last(body, ast.Return), node)
        new = self._rebuilt(node, leave=("body",))
        new.body = [self._scope_mark(node, body), *body]
        return new

    def _class(self, node: ast.ClassDef) -> ast.ClassDef:
        why = self.readers.why(node)
        if why:
            self._note_gates_inside(node, why)
            return node
        body = self._block(node.body, node.name)
        if self._counts_docstring(node):
            body = [node.body[0], *body]
        new = self._rebuilt(node, leave=("body",))
        new.body = [self._scope_mark(node, body), *body]
        return new

    def _counts_docstring(self, node: FunctionNode | ast.ClassDef) -> bool:
        """Decorators and base classes may put a docstring to use (command-line help, schemas)."""
        used = bool(node.decorator_list) or (isinstance(node, ast.ClassDef) and bool(node.bases or node.keywords))
        return (used or self._keep_docstrings) and ast.get_docstring(node, clean=False) is not None

    def _scope_mark(self, node: FunctionNode | ast.ClassDef, body: list[ast.stmt]) -> ast.stmt:
        """What the original text says of the names that are left: not to be seen from what is left alone."""
        scope = self.scopes.made_by[node]
        used = _names(body)
        mark = (
            "scope",
            "generator" if scope.generator else "",
            "annotated" if scope.is_class and scope.annotated else "",
            *sorted(f"local {name}" for name in scope.bindings if name in used),
            *sorted(f"global {name}" for name in scope.global_names if name in used),
            *sorted(f"nonlocal {name}" for name in scope.nonlocal_names if name in used),
        )
        return _like(node, ast.Expr(_like(node, ast.Constant(mark))))  # type: ignore[arg-type]

    def _sets_nothing_else(self, node: ast.stmt) -> bool:
        """An assignment of a gate to a plain name, or an import that has surely happened before."""
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            fact = self.gates.fact(node.value) if node.value is not None else None
            plain = fact is not None and fact.platform
            simple = isinstance(node, ast.Assign) or isinstance(self.scopes.of[node].node, Function)
            return plain and simple and all(isinstance(target, ast.Name) for target in targets)
        if isinstance(node, ast.Import):
            return self.gates.imports_torch(node) and self.gates.has_torch(node)
        return False

    def _without_idle(self, body: list[ast.stmt], node: FunctionNode) -> list[ast.stmt]:
        """Without local names that hold a gate and that nothing left reads."""
        scope = self.scopes.made_by[node]
        if _names(node.body).keys() & _READS_LOCALS or self.gates.module.project.reads_frames:
            return body
        used = _names(body)
        kept: list[ast.stmt] = []
        for statement in body:
            names = _set_names(statement) if statement in self._idle else []
            unread = all(used[name] == 1 for name in names)
            if not names or not unread or scope.global_names.union(scope.nonlocal_names).intersection(names):
                kept.append(statement)
        return kept

    def _note_gates_inside(self, node: ast.AST, why: str) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, (ast.If, ast.IfExp, ast.While, ast.Assert)):
                fact = self.gates.fact(inner.test) if not isinstance(inner.test, ast.Constant) else None
                if fact is not None or LOOKS_LIKE_GATE.search(ast.unparse(inner.test)):
                    self.gates.module.note(inner, f"a gate inside changes what is compiled: {why}")
                    self.gates.module.note(node, f"a gate inside changes what is compiled: {why}")

    # --- expressions --------------------------------------------------------------

    def _test(self, node: ast.expr) -> ast.expr:
        """A condition, of which only the truth counts."""
        fact = self.gates.fact(node)
        if fact is not None and fact.truth is not None:
            return _TRUE if fact.truth else _FALSE
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._test(node.operand)
            if inner is _TRUE or inner is _FALSE:
                return _FALSE if inner is _TRUE else _TRUE
            return _like(node, ast.UnaryOp(ast.Not(), inner))
        if isinstance(node, ast.BoolOp):
            return self._bool_test(node)
        if LOOKS_LIKE_GATE.search(ast.unparse(node)):
            self.gates.module.note(node, f"{ast.unparse(node)} is not a gate whose definition could be followed")
        return self._expr(node)

    def _bool_test(self, node: ast.BoolOp) -> ast.expr:
        passes, stops = (_TRUE, _FALSE) if isinstance(node.op, ast.And) else (_FALSE, _TRUE)
        values: list[ast.expr] = []
        for operand in node.values:
            test = self._test(operand)
            if test is passes:
                continue
            values.append(test)
            if test is stops:
                if len(values) > 1:
                    before = " and ".join(ast.unparse(value) for value in node.values[: len(values) - 1])
                    self.gates.module.note(node, f"{before} is evaluated before the gate, and may do something")
                break
        if not values:
            return passes
        return values[0] if len(values) == 1 else _like(node, ast.BoolOp(node.op, values))

    def _expr(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Constant):
            fact = self.gates.fact(node)
            if fact is not None and fact.known and not (isinstance(node, ast.Name) and node.id in self._known):
                return _like(node, ast.Constant(fact.value))  # type: ignore[arg-type]
        elif node.kind:
            return _like(node, ast.Constant(node.value))
        if isinstance(node, ast.IfExp):
            test = self._test(node.test)
            if test is _TRUE or test is _FALSE:
                return self._expr(node.body if test is _TRUE else node.orelse)
            return _like(node, ast.IfExp(test, self._expr(node.body), self._expr(node.orelse)))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return _like(node, ast.UnaryOp(node.op, self._test(node.operand)))
        if isinstance(node, ast.BoolOp):
            return self._bool_value(node)
        if self._is_all_or_nothing(node):
            return node
        return simplified(self._rebuilt(node))

    def _is_all_or_nothing(self, node: ast.expr) -> bool:
        """Whether cutting something away inside could change what the rest means: see `_scope_mark`."""
        if isinstance(node, ast.Lambda):
            scope = self.scopes.made_by[node]
            return scope.generator or any(not isinstance(b.node, ast.arg) for bs in scope.bindings.values() for b in bs)
        return isinstance(node, ast.GeneratorExp) and any(isinstance(inner, ast.Await) for inner in ast.walk(node))

    def _bool_value(self, node: ast.BoolOp) -> ast.expr:
        passing = isinstance(node.op, ast.And)
        values: list[ast.expr] = []
        for number, operand in enumerate(node.values):
            fact = self.gates.fact(operand)
            last = number == len(node.values) - 1
            if fact is not None and fact.truth is passing:
                # The last one is the value itself, unless what stands before it is that very bool.
                if not last or (values and fact.boolean and gives_bool(values[-1])):
                    continue
            values.append(self._expr(operand))
            if fact is not None and fact.truth is (not passing):
                break
        return values[0] if len(values) == 1 else _like(node, ast.BoolOp(node.op, values))

    # --- rebuilding ---------------------------------------------------------------

    def _rebuilt(self, node: _Node, leave: tuple[str, ...] = ()) -> _Node:
        """A copy with every part folded."""
        leave = (*leave, *_ANNOTATIONS)
        fields = {name: self._part(value) if name not in leave else value for name, value in ast.iter_fields(node)}
        if isinstance(node, ast.comprehension):
            fields["ifs"] = [test for test in map(self._test, node.ifs) if test is not _TRUE]
        new = type(node)(**fields)
        if "body" in fields and "body" not in leave and isinstance(fields["body"], list):
            new.body = _filled(fields["body"])  # type: ignore[attr-defined]
        return _like(node, new)

    def _part(self, value: object) -> object:
        if isinstance(value, list):
            if value and all(isinstance(item, ast.stmt) for item in value):
                return self._block(value)
            return [self._part(item) for item in value]
        if isinstance(value, ast.expr):
            return self._expr(value)
        return self._rebuilt(value) if isinstance(value, ast.AST) else value


def written(tree: ast.Module) -> frozenset[Written]:
    """The statements of a module and of its classes, apart from texts and imports: those are cheap, and looked into."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    blocks = [("", tree.body), *((node.name, node.body) for node in classes)]
    return frozenset(
        (owner, text_of(statement))
        for owner, body in blocks
        for statement in body
        if isinstance(statement, (*Function, ast.ClassDef))
    )


def text_of(node: ast.AST) -> str:
    """What a node says, wherever it stands. A node that was asked is never changed afterwards."""
    known = getattr(node, "_rewarp_text", None)
    if known is None:
        known = node._rewarp_text = ast.dump(node)  # type: ignore[attr-defined]
    return str(known)


def scope_of(statement: ast.AST) -> frozenset[str]:
    """What a scope mark says; nothing for any other statement."""
    value = (
        statement.value.value if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) else ()
    )
    return frozenset(value) if isinstance(value, tuple) else frozenset()


def _like(old: ast.AST, new: _Node) -> _Node:
    return ast.copy_location(new, old)


def _filled(body: list[ast.stmt]) -> list[ast.stmt]:
    return body or [ast.Pass()]


def _without_last(body: list[ast.stmt], kind: type[ast.stmt]) -> list[ast.stmt]:
    """Without a `return` or `continue` that only says what happens anyway."""
    if body and isinstance(body[-1], kind) and getattr(body[-1], "value", None) is None:
        return body[:-1]
    return body


def _names(body: list[ast.stmt]) -> Counter[str]:
    """Every name that occurs in statements, however deep."""
    found: Counter[str] = Counter()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                found[node.id] += 1
            elif isinstance(node, (*Function, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
                found[node.name or ""] += 1
            elif isinstance(node, ast.MatchMapping):
                found[node.rest or ""] += 1
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                found.update(node.names)
            elif isinstance(node, ast.alias):
                found[(node.asname or node.name).partition(".")[0]] += 1
    return found


def _set_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Import):
        return [(alias.asname or alias.name).partition(".")[0] for alias in statement.names]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]
