"""A script of a tree, followed from its first line, and the modules that it imports."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable
from typing import Any

from rewarp.project.execution.calls import Hook, Left
from rewarp.project.execution.files import ROOT, Files
from rewarp.project.execution.paths import TooMuch
from rewarp.project.execution.scopes import Function, Module, Raised, Scope
from rewarp.project.execution.statements import Statements
from rewarp.project.execution.values import External, Unknown
from rewarp.project.gates.flow import importable
from rewarp.project.gates.platforms import Platform
from rewarp.project.modules import PythonModules
from rewarp.workspace import Tree

_MOST_MODULES = 100
_DEEPEST_IMPORT = 10
"""A script that imports all of its package does not build by what lies so deep."""
_BUILD_PACKAGES = frozenset("setuptools distutils packaging wheel pip pkg_resources".split())
"""What is there wherever something is built."""


class Interpreter(Statements):
    """Follows one script of a tree on one platform."""

    def __init__(self, tree: Tree, platform: Platform, hook: Hook, modules: PythonModules | None = None) -> None:
        super().__init__()
        self.platform, self.hook = platform, hook
        self.modules = modules or PythonModules(tree)
        self.files = Files(tree, "")
        self.refusal: Raised | None = None
        """Where the script certainly fails."""
        self.unread: list[tuple[str, int, str]] = []
        self._modules: dict[str, Module] = {}

    def run(self, path: str) -> Module | None:
        """Follow a script from its first line; None where it cannot be read."""
        self.files = Files(self.modules.tree, posixpath.dirname(path))
        found: Module | None = self._followed(lambda: self._run_module(path, "__main__"))
        return found

    def enter(self, function: Function) -> None:
        """Follow a function that nobody called, with arguments that nobody knows."""
        self.path, self._steps = (), 0
        self._followed(lambda: self.call_function(function, [], {}))

    def _followed(self, steps: Callable[[], Any]) -> Any:
        file = self.scope.file
        try:
            return steps()
        except Raised as raised:
            self.refusal = raised
        except TooMuch:
            self.unread.append((self.scope.file or file, self._line, "the script does more than is followed"))
        except RecursionError:
            self.unread.append((self.scope.file or file, self._line, "the script is nested deeper than is followed"))
        return None

    # --- modules ----------------------------------------------------------------------

    def _run_module(self, path: str, name: str) -> Module | None:
        if path in self._modules:
            return self._modules[path]
        document = self.modules.document(path)
        if document is None:
            self.unread.append((path, 0, "it is not Python that can be read"))
            return None
        before, scope = self.scope, Scope(path, None, self.path)
        module = self._modules[path] = Module(path, scope)
        scope.names |= {"__file__": posixpath.join(ROOT, path), "__name__": name, "__doc__": None}
        self.scope = scope
        self._depth += 1
        try:
            self.block(document.tree.body)
        finally:
            self.scope = before
            self._depth -= 1
        return module

    def import_file(self, path: str) -> Any:
        """What ``importlib`` makes of a file, by its path."""
        inside = self.files.inside(path)
        module = self._run_module(inside, posixpath.basename(inside)) if inside and inside.endswith(".py") else None
        return module or Unknown(f"the module {path}")

    def library_call(self, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if path == "importlib.import_module" and arguments and isinstance(arguments[0], str):
            return self._module_named(arguments[0]) or External(arguments[0])
        if path == "importlib.util.spec_from_file_location" and len(arguments) > 1:
            return self.import_file(str(arguments[1]))
        if path.endswith((".module_from_spec", ".exec_module")) and arguments:
            return arguments[0]
        return super().library_call(path, arguments, keywords)

    def follow_import(self, statement: ast.Import) -> Left:
        for alias in statement.names:
            self._check_import(alias.name, statement)
            found = self._module_named(alias.name if alias.asname else alias.name.partition(".")[0])
            bound = alias.asname or alias.name.partition(".")[0]
            self.scope.assign(bound, found or External(alias.name if alias.asname else bound), self.path)
        return []

    def follow_import_from(self, statement: ast.ImportFrom) -> Left:
        dotted = "." * statement.level + (statement.module or "")
        module = self._module_named(dotted)
        if module is None and not statement.level:
            self._check_import(dotted, statement)
        for alias in statement.names:
            if alias.name == "*":
                if isinstance(module, Module):
                    for name, held in module.scope.names.items():
                        if not name.startswith("_"):
                            self.scope.assign(name, held, self.path)
                continue
            value: Any
            if isinstance(module, Module) and alias.name in module.scope.names:
                value = module.scope.names[alias.name]
            elif module is None and not statement.level:
                value = self.external(f"{dotted}.{alias.name}")
            else:
                joint = dotted + alias.name if dotted.endswith(".") else f"{dotted}.{alias.name}"
                value = self._module_named(joint) or Unknown(joint)
            self.scope.assign(alias.asname or alias.name, value, self.path)
        return []

    def _module_named(self, dotted: str) -> Module | None:
        path = self.modules.file(self.scope.file, dotted)
        if path is None or path == self.scope.file:
            return None
        if path not in self._modules and (self._depth > _DEEPEST_IMPORT or len(self._modules) >= _MOST_MODULES):
            return None
        return self._run_module(path, dotted)

    def _check_import(self, module: str, statement: ast.stmt) -> None:
        if self.modules.file(self.scope.file, module) is None and importable(self.platform.name, module) is False:
            raise Raised("ModuleNotFoundError", f"no module {module}", self.scope.file, statement.lineno)

    def doubtful_imports(self, statement: ast.stmt) -> list[str]:
        """Imports that may fail."""
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            names = [statement.module or ""]
        else:
            return []
        return [
            f"import {name}"
            for name in names
            if name.partition(".")[0] not in _BUILD_PACKAGES
            and self.modules.file(self.scope.file, name) is None
            and importable(self.platform.name, name) is None
        ]
