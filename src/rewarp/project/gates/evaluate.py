"""What a Python expression is on one platform: facts about PyTorch, followed through names, functions and modules."""

from __future__ import annotations

import ast
import re
import weakref
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple, Protocol

from rewarp.lang.python_names import PythonNames
from rewarp.lang.python_parameters import defaults, parameters, positional
from rewarp.project.gates.compare import compared, contained, platform_word, text_of_platform, unwrapped, words_in
from rewarp.project.gates.flow import BoundBy, Flow, importable
from rewarp.project.gates.platforms import PLATFORMS, Platform, by_name
from rewarp.project.gates.values import ARGUMENT, UNKNOWN, Value, joined

_DEPTH = 12
_TRANSPARENT = frozenset(
    "cache lru_cache staticmethod classmethod property cached_property assume_constant_result no_grad".split()
)
"""Decorators that leave the result of a function as it is."""
_HAS = {
    "torch.version": frozenset({"hip", "cuda"}),
    "torch": frozenset({"version", "cuda", "backends", "distributed", "utils"}),
}
_IS_CUDA = re.compile(r"(?i)_*(is|on)_cuda_*")
Local = Mapping[str, Value]
_FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)


class Modules(Protocol):
    """The modules of the project, for imports inside it."""

    def find(self, importer: str, dotted: str) -> tuple[PythonNames, str] | None:
        """The module of the project that holds what a dotted path means, and the name (with dots) inside it."""


class Evaluator:
    """Evaluates expressions of one file on one platform. Nothing is run."""

    def __init__(self, document: PythonNames, platform: Platform, modules: Modules | None = None) -> None:
        # A proxy: the document may own this, and a cycle would keep whole trees alive until a collection.
        self.document: PythonNames = document if isinstance(document, weakref.ProxyTypes) else weakref.proxy(document)
        self._kept = modules
        self.platform = platform
        self._local: Local = {}
        self._held_here: dict[ast.Name, Value] = {}
        self._results: dict[Hashable, Value] = {}
        self._bound_by = BoundBy()
        self._depth = 0
        self._others: dict[str, tuple[PythonNames, Evaluator]] = {}

    def truth(self, node: ast.AST | None, local: Local | None = None) -> bool | None:
        return self.value(node, local).truth

    def value(self, node: ast.AST | None, local: Local | None = None) -> Value:
        """``local``: what names hold that the caller knows of."""
        if local is not None and local is not self._local:
            with self._within(local):
                return self.value(node)
        if node is None or self._depth > _DEPTH:
            return UNKNOWN
        self._depth += 1
        try:
            return self._value(node)
        finally:
            self._depth -= 1

    @contextmanager
    def _within(self, local: Local) -> Iterator[None]:
        before = self._local, self._held_here
        self._local, self._held_here = local, {}
        try:
            yield
        finally:
            self._local, self._held_here = before

    def known(self, node: ast.AST) -> Value:
        """What is known of an expression before it is looked into: for a subclass, of a platform narrower than these."""
        return UNKNOWN

    def _value(self, node: ast.AST) -> Value:
        told = self.known(node)
        if told.truth is not None:
            return told
        if isinstance(node, ast.Constant):
            return Value.of(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.value(node.operand).negated()
        if isinstance(node, ast.BoolOp):
            return self._bool(node)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.NamedExpr):
            return self.value(node.value)
        if isinstance(node, ast.IfExp):
            test = self.value(node.test)
            ways = [way for taken, way in ((True, node.body), (False, node.orelse)) if test.truth is not (not taken)]
            return joined(map(self.value, ways)).by(test)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(node)
        return UNKNOWN

    def _bool(self, node: ast.BoolOp) -> Value:
        decisive = isinstance(node.op, ast.Or)
        values = [self.value(operand) for operand in node.values]
        for at, value in enumerate(values):
            if value.truth is decisive:
                passed = values[:at]
                if all(other.truth is (not decisive) for other in passed):
                    return value.by(*passed)
                return Value(decisive).by(value)
        if any(value.truth is None for value in values):
            return UNKNOWN
        return values[-1].by(*values[:-1])

    # --- comparisons --------------------------------------------------------------

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            return UNKNOWN
        operator, right = node.ops[0], node.comparators[0]
        left = self.value(node.left)
        if isinstance(operator, (ast.In, ast.NotIn)):
            if self.document.path(right) == "torch.__version__" and not self.platform.strict:
                return text_of_platform(node.left, operator, self.platform)
            found = contained(left, operator, right)
        else:
            found = compared(left, operator, self.value(right))
        if found.truth is None and not left.known and not self.platform.strict:
            found = self._platform_text(node.left, operator, right)
        return found

    def _platform_text(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Value:
        """``DEVICE_TYPE == "hip"``: a name for the platform, or for a device, beside what platforms are called."""
        if not isinstance(operator, (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)):
            return UNKNOWN
        left = unwrapped(left)
        name = self.document.raw(left.func if isinstance(left, ast.Call) else left)
        path = self.document.path(left) or ""
        tells_apart = bool(name) and name in self._platform_names
        holds = platform_word(self.platform, name, path, right, tells_apart)
        if holds is None:
            return UNKNOWN
        positive = isinstance(operator, (ast.Eq, ast.In, ast.Is))
        step = f"{name or 'this'} is read as the name of the platform"
        return Value.of(holds is positive).by(Value(by_name=True, of_platform=True, why=(step,)))

    @cached_property
    def _platform_names(self) -> frozenset[str]:
        """What this file compares with a word for this platform that is no type of a device."""
        sure = self.platform.words - {"cuda"} or frozenset()
        if "cuda" in self.platform.words:  # "hip" beside it: the name tells the two apart
            sure |= {"hip", "rocm"}
        found: set[str] = set()
        for compare in self.document.nodes(ast.Compare):
            if any(words_in(right) & sure for right in compare.comparators):
                left = unwrapped(compare.left)
                found.add(self.document.raw(left.func if isinstance(left, ast.Call) else left))
        return frozenset(found)

    # --- calls --------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Value:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called in ("bool", "isinstance", "hasattr", "getattr") and node.args and not node.keywords:
            return self._builtin(called, node)
        path = self.document.path(node.func) or ""
        if path in ("importlib.util.find_spec", "find_spec") and len(node.args) == 1:
            package = self.document.string(node.args[0])
            there = importable(self.platform.packages, package) if package else None
            if there is False:
                return Value.of(None, True, f"{package} does not exist for {self.platform.title}")
            return Value(True) if there else UNKNOWN
        return self._named(node)

    def _builtin(self, called: str, node: ast.Call) -> Value:
        inner = self.value(node.args[0])
        if called == "bool" and len(node.args) == 1:
            return inner.negated().negated() if inner.truth is not None else UNKNOWN
        if called == "isinstance" and len(node.args) == 2:
            if self.document.raw(node.args[1]) != "str":
                return UNKNOWN
            return Value.of(inner.is_text).by(inner) if inner.known or inner.is_text else UNKNOWN
        if called == "hasattr" and len(node.args) == 2:
            return self._has(node)
        if called == "getattr" and len(node.args) >= 2 and self.document.path(node) in self.platform.paths:
            return self.platform.paths[self.document.path(node) or ""]
        return UNKNOWN

    def _has(self, node: ast.Call) -> Value:
        owner, attribute = self.document.path(node.args[0]), self.document.string(node.args[1])
        if owner and attribute in _HAS.get(owner, ()):
            return Value.of(True)
        if (owner, attribute) == ("torch", "hpu"):
            return Value.of(self.platform.name in ("gaudi", "hpu"), True, "torch.hpu is Gaudi's")
        return UNKNOWN

    # --- names --------------------------------------------------------------------

    def _named(self, node: ast.Name | ast.Attribute | ast.Call) -> Value:
        if isinstance(node, ast.Name) and node.id in self._local:
            local = self._local[node.id]
            return local if local.truth is not None or local is ARGUMENT else self._by_name(node)
        fact = self.platform.paths.get(self.document.path(node) or "")
        root = self.document.raw(node).partition(".")[0]
        if fact is not None and root not in self._globals and not (self.platform.strict and root in ("self", "cls")):
            return fact
        followed = self._followed(node)
        return followed if followed.truth is not None or followed is ARGUMENT else self._by_name(node)

    def _followed(self, node: ast.Name | ast.Attribute | ast.Call) -> Value:
        if isinstance(node, ast.Name):
            if node not in self._held_here:
                self._held_here[node] = UNKNOWN  # for whoever asks for it on the way to its value
                self._held_here[node] = self._held(node)
            return self._held_here[node]
        if isinstance(node, ast.Call):
            return self._returned(node)
        owner = node.value
        if isinstance(owner, ast.Name) and owner.id in ("self", "cls"):
            return self._of_self(node)
        return self._exported(self.document.path(node))

    def _held(self, node: ast.Name) -> Value:
        scope = self.document.binder(node)
        if scope is None or node.id in self._globals:
            return UNKNOWN
        bindings = self.document.bindings(node)
        step = f"{self.document.source.path}:{node.lineno}: {node.id}"
        if len(bindings) == 1:
            only = bindings[0]
            if only.path is not None:
                return self._exported(only.path)
            return self.value(only.value).through(step) if only.value is not None and not only.suffix else UNKNOWN
        if isinstance(scope, ast.Lambda):
            return UNKNOWN
        around = [node, *self.document.ancestors(node)]
        inside = around[: around.index(scope)] if scope in around else []
        if any(isinstance(item, (*_FunctionNode, ast.Lambda)) for item in inside):
            inside = []  # a function inside runs later
        if isinstance(scope, _FunctionNode) and any(arg.arg == node.id for arg in parameters(scope.args)):
            return UNKNOWN
        if any(walrus.target.id == node.id for walrus in self.document.nodes(ast.NamedExpr)):
            return UNKNOWN
        flow = Flow(self.platform.packages, self.value, self._bound_by, node.id, inside, self.platform.paths)
        return flow.held(getattr(scope, "body", [])).through(step)

    @cached_property
    def _globals(self) -> frozenset[str]:
        """Names of the module that functions set."""
        return frozenset(name for node in self.document.nodes(ast.Global) for name in node.names)

    def _by_name(self, node: ast.Name | ast.Attribute | ast.Call) -> Value:
        """A name that cannot be followed is believed, where it says which platform this is."""
        if self.platform.strict:
            return UNKNOWN
        function = node.func if isinstance(node, ast.Call) else node
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        truth: bool | None = None
        if _IS_CUDA.fullmatch(name):
            # Who calls asks for the platform; `tensor.is_cuda` is about where a tensor lies, which is `cuda` on ROCm too.
            asks = isinstance(node, ast.Call) and not node.args
            imported = isinstance(node, ast.Name) and any(b.path for b in self.document.bindings(node))
            truth = self.platform.name in ("nvidia", "cuda") if asks or imported else None
        else:
            truth = by_name(self.platform, name)
        if truth is None:
            return UNKNOWN
        step = f"{name} says {'yes' if truth else 'no'} by its name on {self.platform.title}"
        return Value(truth, of_platform=True, by_name=True, why=(step,))

    # --- functions ----------------------------------------------------------------

    def _returned(self, call: ast.Call) -> Value:
        function = call.func
        if isinstance(function, ast.Name):
            defined = self._definitions(function)
            if defined:
                return joined(self._result(item, call) for item in defined)
            return self._exported(self.document.path(function), call)
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name) and function.value.id in ("self", "cls"):
                return self._of_self(function, call)
            return self._exported(self.document.path(function), call)
        return UNKNOWN

    def _definitions(self, name: ast.Name) -> list[ast.FunctionDef]:
        """The functions that a name may mean here, those left out that the platform does not come to."""
        scope = self.document.binder(name)
        found = [f for f in self._functions.get(name.id, ()) if self.document.scope(f) is scope]
        bindings = self.document.bindings(name) if found else []
        return [f for f in found if not self._is_dead(f)] if len(bindings) == len(found) else []

    def _is_dead(self, node: ast.AST) -> bool:
        child = node
        for parent in self.document.ancestors(node):
            if isinstance(parent, ast.If) and child is not parent.test:
                if self.truth(parent.test) is (child not in parent.body):
                    return True
            child = parent
        return False

    @cached_property
    def _functions(self) -> dict[str, list[ast.FunctionDef]]:
        found: dict[str, list[ast.FunctionDef]] = {}
        for function in self.document.nodes(ast.FunctionDef):
            found.setdefault(function.name, []).append(function)
        return found

    def _result(self, function: ast.FunctionDef, call: ast.Call | None, bound: bool = False) -> Value:
        """What a function returns, with the arguments of a call; ``bound``: the first parameter is the object."""
        for decorator in function.decorator_list:
            written = self.document.raw(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if written.rpartition(".")[2] not in _TRANSPARENT:
                return UNKNOWN
        if any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global)) for node in ast.walk(function)):
            return UNKNOWN
        static = any(self.document.raw(decorator) == "staticmethod" for decorator in function.decorator_list)
        local = self._arguments(function, call, skip=bound and not static)
        # 1 and True are equal, as are an argument and what is not known: told apart.
        asked = function, tuple((name, v, type(v.value), v is ARGUMENT) for name, v in local.items())
        if asked not in self._results:
            self._results[asked] = UNKNOWN  # for a function that calls itself
            self._depth += 1
            try:
                if self._depth <= _DEPTH:
                    with self._within(local):
                        flow = Flow(self.platform.packages, self.value, self._bound_by)
                        self._results[asked] = flow.result(function.body)
            finally:
                self._depth -= 1
        return self._results[asked].through(f"{self.document.source.path}:{function.lineno}: {function.name}()")

    def _arguments(self, function: ast.FunctionDef, call: ast.Call | None, skip: bool) -> Local:
        local = dict.fromkeys((arg.arg for arg in parameters(function.args)), ARGUMENT)
        local.update((arg.arg, self.value(default)) for arg, default in defaults(function.args))
        if call is None:
            return local
        if any(isinstance(arg, ast.Starred) for arg in call.args) or any(k.arg is None for k in call.keywords):
            return dict.fromkeys(local, ARGUMENT)
        for arg, value in zip(positional(function.args)[skip:], call.args):
            local[arg.arg] = self._given(value)
        for keyword in call.keywords:
            if keyword.arg in local:
                local[keyword.arg] = self._given(keyword.value)
        return local

    def _given(self, node: ast.expr) -> Value:
        value = self.value(node)
        return ARGUMENT if value.truth is None else value

    def _of_self(self, node: ast.Attribute, call: ast.Call | None = None) -> Value:
        """A method, property or attribute of the class around; a plain constant may be another in a subclass."""
        if self.platform.strict:
            return UNKNOWN
        owner = self.document.enclosing(node, ast.ClassDef)
        methods = [item for item in owner.body if isinstance(item, ast.FunctionDef)] if owner else []
        for method in methods:
            is_property = any("property" in self.document.raw(decorator) for decorator in method.decorator_list)
            if method.name == node.attr and is_property is (call is None):
                value = self._result(method, call, bound=True)
                return value if value.of_platform else UNKNOWN
        values = self.document.self_values(node) if call is None else []
        held = self.value(values[0]) if len(values) == 1 else UNKNOWN
        return held if held.of_platform else UNKNOWN

    # --- other modules ------------------------------------------------------------

    def _exported(self, path: str | None, call: ast.Call | None = None) -> Value:
        """What a name of another module of the project holds, or what a function there returns."""
        fact = self.platform.paths.get((path or "") + ("()" if call else ""))
        if fact is not None:
            return fact
        found = self._kept.find(self.document.source.path, path) if self._kept and path else None
        if found is None or self._depth > _DEPTH:
            return UNKNOWN
        document, name = found
        other = self._of(document)
        other._depth = self._depth + 1
        try:
            return other.module_value(name, self._call_from_elsewhere(call) if call else None)
        finally:
            other._depth = 0

    def _call_from_elsewhere(self, call: ast.Call) -> ast.Call:
        """A call as another module sees it: without arguments it cannot read."""
        constant = all(isinstance(arg, ast.Constant) for arg in call.args)
        constant = constant and all(isinstance(k.value, ast.Constant) and k.arg for k in call.keywords)
        star = ast.Starred(ast.Name("arguments"))
        return call if constant else ast.Call(call.func, [star], [])

    def _of(self, document: PythonNames) -> Evaluator:
        path = document.source.path
        if path not in self._others:
            self._others[path] = document, Evaluator(document, self.platform, self._kept)
            self._others[path][1]._others = self._others
        return self._others[path][1]

    def module_value(self, name: str, call: ast.Call | None = None) -> Value:
        """What a name of this module holds once it has run, or what the function of that name returns."""
        bindings = self.document.module_bindings(name)
        if not bindings or name in self._globals:
            return UNKNOWN
        step = f"{self.document.source.path}: {name}"
        if call is not None:
            functions = [f for f in self._functions.get(name, ()) if self.document.scope(f) is self.document.tree]
            if len(functions) == len(bindings):
                return joined(self._result(f, call) for f in functions if not self._is_dead(f))
            paths = {binding.path for binding in bindings}
            return self._exported(paths.pop(), call) if len(paths) == 1 else UNKNOWN
        if len(bindings) == 1 and bindings[0].path is not None:
            return self._exported(bindings[0].path)
        flow = Flow(self.platform.packages, self.value, self._bound_by, name, facts=self.platform.paths)
        return flow.held(self.document.tree.body).through(step)


class Answer(NamedTuple):
    """What a condition is on each of the three platforms."""

    nvidia: Value
    rocm: Value
    gaudi: Value

    @property
    def truths(self) -> tuple[bool | None, bool | None, bool | None]:
        return self.nvidia.truth, self.rocm.truth, self.gaudi.truth


def answer(document: PythonNames, node: ast.expr, modules: Modules | None = None) -> Answer:
    return Answer(*(Evaluator(document, platform, modules).value(node) for platform in PLATFORMS))
