"""Functions of Python's library, as far as build scripts use them."""

from __future__ import annotations

import itertools
import math
import posixpath
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from rewarp.project.execution.operators import as_text, is_plain
from rewarp.project.execution.scopes import Class, Raised
from rewarp.project.execution.values import (
    Choice,
    External,
    Guarded,
    Instance,
    OpenFile,
    Unknown,
    choose,
    truth,
    written,
)

if TYPE_CHECKING:
    from rewarp.project.execution.library import Library

Arguments = list[Any]
Keywords = dict[str, Any]
MISSING = object()
"""What a function gives that is not known."""


def _on_text(function: Callable[..., str]) -> Callable[[Library, Arguments, Keywords], Any]:
    return lambda machine, arguments, _: function(*map(as_text, arguments))


def _absolute(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    return machine.files.absolute(as_text(arguments[0]))


def _glob(machine: Library, arguments: Arguments, keywords: Keywords) -> Any:
    pattern = as_text(arguments[0])
    root = keywords.get("root_dir")
    recursive = truth(keywords.get("recursive", False)) is True
    if root is None:
        return machine.files.glob(pattern, recursive)
    base = as_text(root)
    found = machine.files.glob(posixpath.join(base, pattern), recursive)
    return [posixpath.relpath(path, base) for path in found]


def _collected(kind: type[Any]) -> Callable[[Library, Arguments, Keywords], Any]:
    def collect(machine: Library, arguments: Arguments, _: Keywords) -> Any:
        if not arguments:
            return kind()
        members = machine.members(arguments[0])
        if members is None:
            return MISSING
        return kind([one if one.guards else one.item for one in members])

    return collect


def _number(kind: type[Any]) -> Callable[[Library, Arguments, Keywords], Any]:
    def convert(_: Library, arguments: Arguments, __: Keywords) -> Any:
        given = arguments[0] if arguments else 0
        if isinstance(given, str) and len(given) < 20:
            return kind(given) if is_plain(given) else MISSING
        return kind(given) if isinstance(given, (int, float)) else MISSING

    return convert


def _bool(_: Library, arguments: Arguments, __: Keywords) -> Any:
    known = truth(arguments[0]) if arguments else False
    if known is not None:
        return known
    return Unknown(written(arguments[0])) if isinstance(arguments[0], Unknown) else MISSING


def _length(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    members = machine.members(arguments[0])
    if members is None or any(guards for _, guards in members):
        return MISSING
    return len(members)


def _quantified(ends: bool) -> Callable[[Library, Arguments, Keywords], Any]:
    def ask(machine: Library, arguments: Arguments, _: Keywords) -> Any:
        members = machine.members(arguments[0])
        if members is None:
            return MISSING
        truths = [truth(item) for item, _ in members]
        if any(known is ends and not guards for known, (_, guards) in zip(truths, members)):
            return ends
        return not ends if all(known is not None and known is not ends for known in truths) else MISSING

    return ask


def _mapped(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    function, *over = arguments
    members = machine.members(over[0]) if len(over) == 1 else None
    if members is None:
        return MISSING
    found = []
    for item, guards in members:
        with machine.under(guards):
            result = machine.call_value(function, [item], {})
        found.append(Guarded(result, guards) if guards else result)
    return found


def _filtered(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    function, over = arguments
    members = machine.members(over)
    if members is None:
        return MISSING
    found: list[Any] = []
    for item, guards in members:
        with machine.under(guards):
            known = truth(item if function is None else machine.call_value(function, [item], {}))
        if known is None:
            return MISSING
        if known:
            found.append(Guarded(item, guards) if guards else item)
    return found


def _exit(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    code = arguments[0] if arguments else 0
    message = "" if code in (0, None) else f"exits with {written(code)}"
    raise Raised("SystemExit", message, machine.scope.file, 0)


def _opened(machine: Library, arguments: Arguments, keywords: Keywords) -> Any:
    mode = as_text(arguments[1] if len(arguments) > 1 else keywords.get("mode", "r"))
    text = machine.files.read(as_text(arguments[0])) if "r" in mode else None
    return MISSING if text is None else OpenFile(text)


def _read_attribute(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    owner, name, *default = arguments
    if not isinstance(name, str):
        return MISSING
    found = machine.lifted(lambda one: machine.attribute(one, name), owner)
    if isinstance(found, Unknown) and isinstance(owner, Instance) and default:
        return default[0]
    return found


def _has_attribute(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    owner, name = arguments
    if isinstance(owner, Instance) and isinstance(owner.kind, Class) and owner.kind.foreign() is None:
        return name in owner.attributes or owner.kind.find(name) is not None
    if isinstance(owner, External) and owner.path in ("torch.version", "torch") and name in ("hip", "cuda", "version"):
        return True
    return MISSING


def _is_instance(_: Library, arguments: Arguments, __: Keywords) -> Any:
    value, kinds = arguments
    names = {"str": str, "list": list, "tuple": tuple, "dict": dict, "int": int, "bool": bool, "set": set}
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    known = [names[kind.path] for kind in every if isinstance(kind, External) and kind.path in names]
    if len(known) != len(every) or isinstance(value, (Unknown, External, Choice)):
        return MISSING
    return isinstance(value, tuple(known))


def _walked(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    found = machine.files.walk(as_text(arguments[0]))
    return MISSING if found is None else found


def _listed(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    found = machine.files.names(as_text(arguments[0]) if arguments else ".")
    return MISSING if found is None else found


def _chained(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    found: list[Any] = []
    for argument in arguments:
        machine.extend(found, argument)
    return found


def _summed(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    start = arguments[1] if len(arguments) > 1 else 0
    members = machine.members(arguments[0])
    if not isinstance(start, list) or members is None:
        return MISSING
    return _chained(machine, [start, *(item for item, _ in members)], {})


def _product(machine: Library, arguments: Arguments, keywords: Keywords) -> Any:
    sides = [machine.members(argument) for argument in arguments] * int(keywords.get("repeat", 1))
    if any(side is None or any(guards for _, guards in side) for side in sides):
        return MISSING
    if math.prod(len(side or ()) for side in sides) > 5000:
        return MISSING
    return list(itertools.product(*([item for item, _ in side or ()] for side in sides)))


def _modules_in(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    found = []
    for folder, _guards in machine.members(arguments[0]) or ():
        for name in machine.files.names(as_text(folder)) or ():
            package = machine.files.nature(posixpath.join(as_text(folder), name, "__init__.py")) == "file"
            if package or (name.endswith(".py") and name != "__init__.py"):
                found.append((None, name.removesuffix(".py"), package))
    return found


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, Guarded):
        return Guarded(_copied(value.item), value.guards)
    if isinstance(value, Choice):
        return choose([Guarded(_copied(item), guards) for item, guards in value.options])
    return value


def _from_keys(_: Library, arguments: Arguments, __: Keywords) -> Any:
    keys, *value = arguments
    return {key: (value or [None])[0] for key in keys if is_plain(key)} if isinstance(keys, (list, tuple)) else MISSING


FUNCTIONS: dict[str, Callable[[Library, Arguments, Keywords], Any]] = {
    "os.path.join": _on_text(posixpath.join),
    "os.path.dirname": _on_text(posixpath.dirname),
    "os.path.basename": _on_text(posixpath.basename),
    "os.path.normpath": _on_text(posixpath.normpath),
    "os.path.splitext": lambda _, arguments, __: posixpath.splitext(as_text(arguments[0])),
    "os.path.split": lambda _, arguments, __: posixpath.split(as_text(arguments[0])),
    "os.path.expanduser": _on_text(str),
    "os.path.abspath": _absolute,
    "os.path.realpath": _absolute,
    "os.path.relpath": lambda m, a, _: m.relative(as_text(a[0]), as_text(a[1]) if len(a) > 1 else m.files.folder),
    "os.path.exists": lambda machine, arguments, _: machine.there("", as_text(arguments[0])),
    "os.path.isfile": lambda machine, arguments, _: machine.there("file", as_text(arguments[0])),
    "os.path.isdir": lambda machine, arguments, _: machine.there("folder", as_text(arguments[0])),
    "os.getcwd": lambda machine, _, __: machine.files.folder,
    "pathlib.Path.cwd": lambda machine, _, __: PurePosixPath(machine.files.folder),
    "os.fspath": lambda _, arguments, __: as_text(arguments[0]),
    "os.getenv": lambda machine, arguments, _: machine.variable(*arguments[:2]),
    "os.walk": _walked,
    "os.listdir": _listed,
    "glob.glob": _glob,
    "glob.iglob": _glob,
    "platform.system": lambda *_: "Linux",
    "str": lambda _, arguments, __: as_text(arguments[0]) if arguments else "",
    "int": _number(int),
    "float": _number(float),
    "bool": _bool,
    "len": _length,
    "any": _quantified(True),
    "all": _quantified(False),
    "list": _collected(list),
    "tuple": _collected(tuple),
    "sorted": _collected(list),
    "reversed": _collected(list),
    "set": _collected(set),
    "frozenset": _collected(set),
    "dict": lambda machine, arguments, keywords: {**(arguments[0] if arguments else {}), **keywords},
    "dict.fromkeys": _from_keys,
    "map": _mapped,
    "filter": _filtered,
    "sum": _summed,
    "itertools.chain": _chained,
    "itertools.chain.from_iterable": lambda m, arguments, _: _summed(m, [arguments[0], []], {}),
    "itertools.product": _product,
    "pkgutil.iter_modules": _modules_in,
    "types.SimpleNamespace": lambda m, _, keywords: Instance(External("types.SimpleNamespace"), dict(keywords)),
    "argparse.Namespace": lambda m, _, keywords: Instance(External("argparse.Namespace"), dict(keywords)),
    "range": lambda _, arguments, __: list(range(*arguments))[:5000] if max(arguments) < 5000 else MISSING,
    "enumerate": lambda m, a, _: [(at, item) for at, (item, _) in enumerate(m.members(a[0]) or ())],
    "zip": lambda m, a, _: list(zip(*([item for item, _ in m.members(one) or ()] for one in a))),
    "isinstance": _is_instance,
    "getattr": _read_attribute,
    "hasattr": _has_attribute,
    "open": _opened,
    "io.open": _opened,
    "codecs.open": _opened,
    "print": lambda *_: None,
    "warnings.warn": lambda *_: None,
    "copy.deepcopy": lambda _, arguments, __: _copied(arguments[0]),
    "copy.copy": lambda _, arguments, __: _copied(arguments[0]),
    "sys.exit": _exit,
    "exit": _exit,
    "quit": _exit,
    "os._exit": _exit,
    "os.putenv": lambda *_: None,
}
