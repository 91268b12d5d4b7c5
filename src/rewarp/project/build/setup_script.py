"""What a ``setup.py``, or a module that compiles when it is used, hands to setuptools and torch on a platform.

The script is followed, not run (``project/execution``). The machine that builds has the platform's toolkit and a GPU of its;
environment variables have the defaults that the script gives them."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from rewarp.project.build import paddle
from rewarp.project.build.units import BuildUnit, Given, Reason
from rewarp.project.execution import Choice, External, Guarded, Guards, Instance, Interpreter, Unknown, readable
from rewarp.project.execution.files import ROOT
from rewarp.project.execution.values import consistent, written
from rewarp.project.gates import Platform, Value
from rewarp.project.modules import PythonModules
from rewarp.project.packaging import Packaging, find_packages, package_folder
from rewarp.workspace import Tree

_POSITIONAL = "name sources include_dirs define_macros undef_macros library_dirs libraries".split()
_LOADS = ("torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline")
_SETUPS = ("setuptools.setup", "distutils.core.setup", "skbuild.setup", "numpy.distutils.core.setup", paddle.SETUP)
_FINDS = ("setuptools.find_packages", "setuptools.find_namespace_packages")
_CUDA, _CXX, _C = (".cu",), (".cpp", ".cc", ".cxx", ".c++"), (".c",)
_HIP_DEFINES = ("USE_ROCM=1", "__HIP_PLATFORM_AMD__=1")
"""What torch's builder gives every source on ROCm."""
_HOMES = {"nvidia": "CUDA_HOME", "rocm": "ROCM_HOME"}


class SetupBuild(NamedTuple):
    """What a script comes to on one platform."""

    units: tuple[BuildUnit, ...]
    unread: tuple[tuple[Reason, str], ...]
    refusals: tuple[tuple[Reason, str], ...]
    installed: Packaging | None = None
    """The packages that it installs; None where it never comes to ``setup``, or gives it none."""


_known: WeakKeyDictionary[Tree, dict[tuple[str, str], SetupBuild]] = WeakKeyDictionary()


def read_setup(tree: Tree, path: str, platform: Platform, modules: PythonModules | None = None) -> SetupBuild:
    """Followed once for each tree and platform. ``modules``: shared between scripts of one tree, so that each module is
    parsed once."""
    builds = _known.setdefault(tree, {})
    key = path, platform.name
    if key not in builds:
        builds[key] = _Script(tree, path, platform, modules).build()
    return builds[key]


class _Script:
    def __init__(self, tree: Tree, path: str, platform: Platform, modules: PythonModules | None) -> None:
        self.path, self.platform = path, platform
        self.machine = Interpreter(tree, _building(platform), self._called, modules)
        self.made: list[Instance] = []
        """Extensions, in the order in which the script makes them."""
        self.loaded: list[Instance] = []
        self.given: list[dict[str, Any]] = []
        """All that it is given."""
        self.setup_calls: list[Any] = []
        """What ``setup`` is given as ``ext_modules``."""

    def build(self) -> SetupBuild:
        self.machine.run(self.path)
        refusal = self.machine.refusal
        if refusal is None or (refusal.name == "SystemExit" and not refusal.message):
            self._enter_uncalled()
        units = [unit for extension, guards in self._built() for unit in self._units(extension, guards)]
        unread = tuple((Reason(file, line), why) for file, line, why in self.machine.unread)
        refusals: tuple[tuple[Reason, str], ...] = ()
        if refusal is not None and refusal.message:
            refusals = ((Reason(refusal.file, refusal.line or self.machine._line), readable(refusal.message)),)
        return SetupBuild(tuple(dict.fromkeys(units)), unread, refusals, self._installed())

    def _enter_uncalled(self) -> None:
        """Functions that compile something, and that are not called here: they are at run time."""
        for function in [one for one in self.machine.functions if one.scope.file == self.path and not one.called]:
            names = {_last(node.func) for node in ast.walk(function.node) if isinstance(node, ast.Call)}
            compiles = bool(names & {"load", "load_inline"}) or (
                not self.setup_calls and any(map(_is_extension, names))
            )
            if compiles and not function.called:
                self.machine.enter(function)
        self.machine.refusal = None

    # --- what the script calls --------------------------------------------------------

    def _called(self, function: External, arguments: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
        path = function.path
        if path in _FINDS:
            return self._found(arguments, keywords, namespaces="namespace" in path)
        if path in _SETUPS or path == "setup":
            return self._set_up(path, keywords)
        if path in _LOADS:
            return self._make(function, arguments, keywords, node, self.loaded)
        if path.endswith("cythonize") and arguments:
            return arguments[0]
        if _is_extension(path.rpartition(".")[2]):
            return self._make(function, arguments, keywords, node, self.made)
        return None

    def _set_up(self, path: str, keywords: dict[str, Any]) -> Any:
        if paddle.is_paddles(path):
            for item, _ in self._flat(keywords.get("ext_modules")):
                if isinstance(item, Instance):
                    item.attributes["name"] = keywords.get("name")
        self.setup_calls.append((keywords.get("ext_modules"), self.machine.path))
        self.given.append(keywords)
        return Unknown("setup()")

    def _make(
        self, function: External, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, to: list[Instance]
    ) -> Instance:
        names = _POSITIONAL[1:] if paddle.is_paddles(function.path) else _POSITIONAL
        given = {**dict(zip(names, arguments)), **keywords}
        machine = self.machine
        made = Instance(function, given, machine.scope.file, node.lineno, machine.path, made_as=function)
        to.append(made)
        return made

    def _found(self, arguments: list[Any], keywords: dict[str, Any], *, namespaces: bool) -> Any:
        """``find_packages``, answered from the tree."""
        given = {**dict(zip(("where", "exclude", "include"), arguments)), **keywords}
        where = self.machine.files.inside(_text(given.get("where", ".")))
        patterns = [[_text(item) for item, _ in self._flat(given.get(name))] for name in ("include", "exclude")]
        if where is None:
            return None
        return find_packages(self.machine.modules.tree, where, *patterns, namespaces=namespaces)

    def _installed(self) -> Packaging | None:
        found = Packaging(self.path)
        root, tree = posixpath.dirname(self.path), self.machine.modules.tree
        for given in self.given:
            folders = next((one for one, _ in self._options(given.get("package_dir")) if isinstance(one, dict)), {})
            places = {_text(name): self._place(_text(folder)) for name, folder in folders.items()}
            where = "" if "" in places else root
            for item, _ in (*self._flat(given.get("packages")), *self._flat(given.get("py_modules"))):
                if not isinstance(item, str):
                    found.known = False
                    continue
                place = package_folder("" if item.partition(".")[0] in places else where, item, places)
                is_module = f"{place}.py" in tree
                to = found.modules if is_module else found.packages
                to[f"{place}.py" if is_module else place] = f"{self.path} installs {item}"
        return found if self.given and (found.packages or found.modules or not found.known) else None

    # --- what is built ----------------------------------------------------------------

    def _built(self) -> Iterator[tuple[Instance, Guards]]:
        found: list[tuple[Instance, Guards]] = []
        whole = bool(self.setup_calls)
        for modules, guards in self.setup_calls:
            for item, more in self._flat(modules):
                if isinstance(item, Instance):
                    found.append((item, (*guards, *more)))
                elif item is not None:
                    whole = False
        if not whole:
            known = {id(extension) for extension, _ in found}
            found += [(one, one.guards) for one in self.made if id(one) not in known]
        yield from found
        yield from ((one, one.guards) for one in self.loaded)

    def _flat(self, value: Any) -> Iterator[Guarded]:
        """Everything in a value that may be a list, one of several, or nested."""
        if isinstance(value, Choice):
            for option in value.options:
                for item, guards in self._flat(option.item):
                    yield Guarded(item, (*option.guards, *guards))
        elif isinstance(value, (list, tuple, set)):
            for member in value:
                item, guards = member if isinstance(member, Guarded) else Guarded(member, ())
                for inner, more in self._flat(item):
                    yield Guarded(inner, (*guards, *more))
        elif value is not None:
            yield Guarded(value, ())

    def _units(self, extension: Instance, guards: Guards) -> Iterator[BuildUnit]:
        attributes = extension.attributes
        kind = extension.made_as or extension.kind
        builder = kind.path.rpartition(".")[2] if isinstance(kind, External) else ""
        of_paddle = isinstance(kind, External) and paddle.is_paddles(kind.path)
        given = [one for one in self._flat(attributes.get("sources")) if not isinstance(one.item, (int, float))]
        sources = [(self._place(_text(item)), more) for item, more in given]
        names = [source for source, _ in sources]
        hipified = self.platform.name == "rocm" and not of_paddle and _hipifies(builder, names)
        target = next((_text(item) for item, _ in self._flat(attributes.get("name"))), "<extension>")
        for source, more in sources:
            if not consistent((*guards, *more)):
                continue
            language = self._language(source, builder)
            keys = paddle.compiler_key(self.platform.name) if of_paddle else ("nvcc", "hipcc")
            words = self._words(attributes, language, keys)
            defines, flags, includes = self._sorted(words)
            if of_paddle:
                with_device = any(name.endswith(_CUDA) for name in names)
                device = language in ("CUDA", "HIP")
                defines += paddle.defines(self.platform.name, device=device, with_device=with_device)
            elif self.platform.name == "rocm" and builder != "Extension":
                defines += [Given(define) for define in _HIP_DEFINES]
            yield BuildUnit(
                source=source,
                target=target,
                system="setup.py",
                language=language,
                reason=Reason(extension.file, extension.line),
                conditions=_conditions((*guards, *more)),
                hipified=hipified,
                defines=tuple(defines),
                flags=tuple(flags),
                includes=tuple(includes),
            )

    def _place(self, path: str) -> str:
        """A path in the tree; one that leads out of it as it is."""
        if path.startswith("<"):
            return path
        full = self.machine.files.absolute(path)
        return full[len(ROOT) + 1 :] if full.startswith(ROOT + "/") else "." if full == ROOT else full

    def _language(self, source: str, builder: str) -> str | None:
        suffix = posixpath.splitext(source.rstrip(">"))[1].lower()
        if suffix in _CUDA:
            return "HIP" if self.platform.name == "rocm" and builder != "Extension" else "CUDA"
        return "HIP" if suffix == ".hip" else "CXX" if suffix in _CXX else "C" if suffix in _C else None

    # --- options ----------------------------------------------------------------------

    def _words(self, attributes: dict[str, Any], language: str | None, keys: tuple[str, ...]) -> list[Guarded]:
        """``keys``: under which the options for device code are looked for."""
        words: list[Guarded] = []
        for item, guards in self._flat_pairs(attributes.get("define_macros")):
            words.append(Guarded(item, guards))
        for name in ("include_dirs", "extra_include_paths"):
            for item, guards in self._flat(attributes.get(name)):
                words.append(Guarded("-I" + _text(item), guards))
        words += [Guarded("-U" + _text(item), guards) for item, guards in self._flat(attributes.get("undef_macros"))]
        on_gpu = language in ("CUDA", "HIP")
        for option in self._options(attributes.get("extra_compile_args")):
            given, guards = option
            if isinstance(given, dict):
                chosen = [given.get(name) for name in (keys if on_gpu else ("cxx",))]
            else:
                chosen = [given]
            for value in chosen:
                words += [Guarded(_text(item), (*guards, *more)) for item, more in self._flat(value)]
        for item, guards in self._flat(attributes.get("extra_cuda_cflags" if on_gpu else "extra_cflags")):
            words.append(Guarded(_text(item), guards))
        return words

    def _options(self, value: Any) -> list[Guarded]:
        if isinstance(value, Choice):
            return [Guarded(item, (*o.guards, *more)) for o in value.options for item, more in self._options(o.item)]
        return [] if value is None else [Guarded(value, ())]

    def _flat_pairs(self, value: Any) -> Iterator[Guarded]:
        """``define_macros``: pairs of a name and a value."""
        for option, guards in self._options(value):
            for member in option if isinstance(option, (list, tuple)) else ():
                pair, more = member if isinstance(member, Guarded) else Guarded(member, ())
                if isinstance(pair, tuple) and len(pair) == 2:
                    name, given = pair
                    text = f"-D{_text(name)}" if given is None else f"-D{_text(name)}={_text(given)}"
                    yield Guarded(text, (*guards, *more))

    def _sorted(self, words: list[Guarded]) -> tuple[list[Given], list[Given], list[Given]]:
        defines: list[Given] = []
        flags: list[Given] = []
        includes: list[Given] = []
        waiting = ""
        for word, guards in words:
            conditions = _conditions(guards)
            word, waiting = waiting + word, ""
            if word in ("-I", "-D", "-U", "-isystem"):
                waiting = word
            elif word.startswith("-D"):
                defines.append(Given(word[2:], conditions))
            elif word.startswith("-U"):
                defines.append(Given("-" + word[2:], conditions))
            elif word.startswith(("-I", "-isystem")):
                includes.append(Given(self._place(re.sub(r"^(-I|-isystem)\s*", "", word)), conditions))
            elif word:
                flags.append(Given(word, conditions))
        return [*dict.fromkeys(defines)], flags, [*dict.fromkeys(includes)]


def _building(platform: Platform) -> Platform:
    """The platform as a machine sees it that has its toolkit and one of its GPUs."""
    home = _HOMES.get(platform.name)
    if home is None:
        return platform
    there = {
        f"torch.utils.cpp_extension.{home}": Value(True, is_text=True, of_platform=True),
        "torch.cuda.is_available()": Value.of(True, True),
        "torch.backends.cudnn.is_available()": Value.of(True, True),
    }
    return replace(platform, paths={**platform.paths, **there})


def _is_extension(name: str) -> bool:
    return name.endswith("Extension") and not name.startswith(("Build", "build"))


def _hipifies(builder: str, sources: list[str]) -> bool:
    """Whether torch's build on ROCm translates the sources: an extension for CUDA always, ``load`` if one is CUDA's."""
    if builder in ("load", "load_inline"):
        return any(source.endswith(_CUDA) for source in sources)
    return builder == "CUDAExtension"


def _conditions(guards: Guards) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(guard) for guard in guards))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return readable(value)
    return str(value) if isinstance(value, (int, float, PurePosixPath)) else f"<{written(value)}>"


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
