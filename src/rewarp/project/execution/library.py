"""What a script asks of Python's own library: paths, globs, the environment, texts and lists."""

from __future__ import annotations

import itertools
import math
import posixpath
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from rewarp.project.execution.expressions import Expressions, as_text, is_plain
from rewarp.project.execution.files import Files
from rewarp.project.execution.scopes import Class, Module, Raised, replaced
from rewarp.project.execution.values import (
    Choice,
    External,
    Guarded,
    Instance,
    OpenFile,
    Unknown,
    choose,
    denied,
    has_hole,
    truth,
    written,
)

_CONSTANTS: dict[str, Any] = {
    "sys.platform": "linux",
    "os.name": "posix",
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.path.curdir": ".",
    "os.pardir": "..",
    "os.path.pardir": "..",
    "os.linesep": "\n",
    "torch.utils.cpp_extension.IS_WINDOWS": False,
    "torch.utils.cpp_extension.IS_MACOS": False,
    "torch.utils.cpp_extension.IS_LINUX": True,
    "__debug__": True,
}
"""A build for a GPU of either vendor is one on Linux."""
_TEXT_METHODS = frozenset(
    "split rsplit splitlines strip lstrip rstrip lower upper startswith endswith replace removeprefix removesuffix "
    "partition rpartition isdigit isalpha isalnum isidentifier title capitalize casefold count find rfind".split()
)
_FIELD = re.compile(r"\{(\w*)\}")
_PATH_METHODS = frozenset({"with_suffix", "with_name", "with_stem", "as_posix", "is_absolute", "match"})
_PATHS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath"})
_MISSING = object()
Arguments = list[Any]
Keywords = dict[str, Any]


class Library(Expressions):
    """Python's library, as far as build scripts use it."""

    files: Files

    def __init__(self) -> None:
        super().__init__()
        self.environment: dict[str, Any] = {}
        """Variables that the script sets itself."""

    def call_value(self, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
        raise NotImplementedError

    def constant(self, path: str) -> Any:
        return _CONSTANTS.get(path, _MISSING)

    def is_missing(self, value: Any) -> bool:
        return value is _MISSING

    def library_call(self, path: str, arguments: Arguments, keywords: Keywords) -> Any:
        """What a function of the library gives; ``_MISSING`` for those that are not known."""
        function = _FUNCTIONS.get(path)
        if path in _PATHS:
            return PurePosixPath(posixpath.join(*map(as_text, arguments))) if arguments else PurePosixPath(".")
        if function is None:
            return _MISSING
        try:
            return function(self, arguments, keywords)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            return _MISSING

    # --- the environment --------------------------------------------------------------

    def variable(self, name: Any, default: Any = _MISSING) -> Any:
        """What is not set by the script has its default; without one nothing is known of it."""
        if not is_plain(name):
            return Unknown(f"os.environ.get({written(name)})")
        if name in self.environment:
            return self.environment[name]
        return Unknown(f"os.environ.get({name!r})") if default is _MISSING else default

    # --- methods ----------------------------------------------------------------------

    def method(self, owner: Any, name: str, arguments: Arguments, keywords: Keywords) -> Any:
        """A method of a value of Python's own."""
        found = _MISSING
        try:
            if isinstance(owner, External) and owner.path == "os.environ":
                found = self._environ(name, arguments)
            elif isinstance(owner, str):
                found = self._text(owner, name, arguments, keywords)
            elif isinstance(owner, (list, set)):
                found = self._list(owner, name, arguments)
            elif isinstance(owner, dict):
                found = self._mapping(owner, name, arguments, keywords)
            elif isinstance(owner, PurePosixPath):
                found = self._path(owner, name, arguments)
            elif isinstance(owner, Module) and name == "__dir__":
                found = list(owner.scope.names)
            elif isinstance(owner, OpenFile):
                found = self._file(owner, name)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            found = _MISSING
        if found is not _MISSING:
            return found
        given = ", ".join(map(written, arguments))
        return Unknown(f"{written(owner)}.{name}({given})"[:300], is_text=isinstance(owner, str) and name == "format")

    def _environ(self, name: str, arguments: Arguments) -> Any:
        if name == "get":
            return self.variable(*arguments[:2])
        if name == "setdefault" and len(arguments) == 2 and is_plain(arguments[0]):
            return self.environment.setdefault(arguments[0], arguments[1])
        return Unknown("a copy of os.environ") if name == "copy" else _MISSING

    def _text(self, owner: str, name: str, arguments: Arguments, keywords: Keywords) -> Any:
        if name == "join" and len(arguments) == 1:
            members = self.members(arguments[0])
            if members is None or any(guards for _, guards in members):
                return _MISSING
            return self.limited(owner.join(as_text(item) for item, _ in members))
        if name == "format":
            return self._format(owner, arguments, keywords)
        if name in ("encode", "decode", "strip", "rstrip", "replace") and has_hole(owner):
            return owner if name != "replace" else _MISSING
        if name not in _TEXT_METHODS or has_hole(owner) or not all(map(is_plain, (*arguments, *keywords.values()))):
            return _MISSING
        found = getattr(owner, name)(*arguments, **keywords)
        return self.limited(list(found) if isinstance(found, list) else found)

    def _format(self, owner: str, arguments: Arguments, keywords: Keywords) -> Any:
        if _FIELD.sub("", owner).strip("{}") != _FIELD.sub("", owner):
            return _MISSING
        counted = iter(arguments)

        def filled(field: re.Match[str]) -> str:
            key = field[1]
            return as_text(next(counted) if not key else arguments[int(key)] if key.isdigit() else keywords[key])

        return self.limited(_FIELD.sub(filled, owner))

    def _list(self, owner: Any, name: str, arguments: Arguments) -> Any:
        guards = self.path
        if name in ("append", "add", "insert"):
            item = arguments[-1]
            new = Guarded(item, guards) if guards else item
            if isinstance(owner, set):
                owner.add(new)
            else:
                owner.insert(len(owner) if name == "append" else 0, new)
            return None
        if name in ("extend", "update"):
            for argument in arguments:
                self.extend(owner, argument)
            return None
        if name in ("remove", "discard"):
            self._remove(owner, arguments[0])
            return None
        if name in ("sort", "reverse", "clear") and isinstance(owner, list):
            if name == "clear" and not guards:
                owner.clear()
            return None
        if name == "copy":
            return type(owner)(owner)
        if name == "pop" and isinstance(owner, list) and not guards and not any(isinstance(i, Guarded) for i in owner):
            return owner.pop(*arguments)
        if name in ("difference", "union", "intersection") and isinstance(owner, set):
            sign = {"difference": "-", "union": "|", "intersection": "&"}[name]
            return self._sets(owner, sign, arguments[0])
        return _MISSING

    def extend(self, owner: Any, more: Any) -> None:
        """``owner += more`` where it stands."""
        members = self.members(more)
        for item, guards in [Guarded(self.some(more), ())] if members is None else members:
            every = (*self.path, *guards)
            new = Guarded(item, every) if every else item
            owner.add(new) if isinstance(owner, set) else owner.append(new)
        self.limited(list(owner))

    def _remove(self, owner: Any, wanted: Any) -> None:
        kept: list[Any] = []
        gone = False
        for item in owner:
            inner, guards = item if isinstance(item, Guarded) else (item, ())
            if not gone and is_plain(inner) and is_plain(wanted) and inner == wanted:
                gone = True
                if self.path:
                    kept.append(Guarded(inner, (*guards, *denied(self.path))))
            else:
                kept.append(item)
        owner.clear()
        owner.update(kept) if isinstance(owner, set) else owner.extend(kept)

    def _mapping(self, owner: dict[Any, Any], name: str, arguments: Arguments, keywords: Keywords) -> Any:
        if name == "get":
            return self.item(owner, arguments[0]) if arguments[0] in owner else (arguments[1:] or [None])[0]
        if name == "items":
            return [(key, self.item(owner, key)) for key in owner]
        if name == "keys":
            return list(owner)
        if name == "values":
            return [self.item(owner, key) for key in owner]
        if name == "update":
            given = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
            for key, value in {**given, **keywords}.items():
                owner[key] = replaced(owner.get(key), value, self.path)
            return None
        if name == "setdefault":
            return owner.setdefault(arguments[0], arguments[1] if len(arguments) > 1 else None)
        if name == "pop" and arguments[0] in owner:
            return owner.pop(arguments[0]) if not self.path else owner[arguments[0]]
        return dict(owner) if name == "copy" else _MISSING

    def _path(self, owner: PurePosixPath, name: str, arguments: Arguments) -> Any:
        text = str(owner)
        if name in ("resolve", "absolute", "expanduser"):
            return PurePosixPath(self.files.absolute(text))
        if name in ("exists", "is_file", "is_dir"):
            return self.there({"exists": "", "is_file": "file", "is_dir": "folder"}[name], text)
        if name in ("glob", "rglob"):
            pattern = posixpath.join(text, "**" if name == "rglob" else "", as_text(arguments[0]))
            return [PurePosixPath(path) for path in self.files.glob(pattern, True)]
        if name == "iterdir":
            names = self.files.names(text)
            return _MISSING if names is None else [owner / one for one in names]
        if name == "joinpath":
            return PurePosixPath(posixpath.join(text, *map(as_text, arguments)))
        if name == "relative_to":
            return PurePosixPath(self._relative(text, as_text(arguments[0])))
        if name in ("read_text", "open"):
            read = self.files.read(text)
            return _MISSING if read is None else OpenFile(read) if name == "open" else read
        if name in _PATH_METHODS and not has_hole(text):
            return getattr(owner, name)(*arguments)
        return _MISSING

    def _file(self, owner: OpenFile, name: str) -> Any:
        if name == "read":
            return self.limited(owner.text)
        lines = owner.text.splitlines(keepends=True)
        return lines if name == "readlines" else (lines or [""])[0] if name == "readline" else None

    # --- paths ------------------------------------------------------------------------

    def there(self, wanted: str, path: str) -> Any:
        nature = self.files.nature(path)
        if nature is None:
            test = {"": "exists", "file": "isfile", "folder": "isdir"}[wanted]
            return Unknown(f"os.path.{test}({written(path)})")
        return nature == wanted if wanted else nature != "nothing"

    def _relative(self, path: str, start: str) -> str:
        full, base = self.files.absolute(path), self.files.absolute(start)
        return posixpath.relpath(full, base) if full.startswith("/") and base.startswith("/") else path

    def path_attribute(self, owner: PurePosixPath, name: str) -> Any:
        if name == "parent":
            return owner.parent
        if name == "parents":
            return list(owner.parents)
        if name in ("name", "stem", "suffix", "parts", "suffixes"):
            return getattr(owner, name)
        return _MISSING


# --- functions ------------------------------------------------------------------------------


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
            return _MISSING
        return kind([one if one.guards else one.item for one in members])

    return collect


def _number(kind: type[Any]) -> Callable[[Library, Arguments, Keywords], Any]:
    def convert(_: Library, arguments: Arguments, __: Keywords) -> Any:
        given = arguments[0] if arguments else 0
        if isinstance(given, str) and len(given) < 20:
            return kind(given) if is_plain(given) else _MISSING
        return kind(given) if isinstance(given, (int, float)) else _MISSING

    return convert


def _bool(_: Library, arguments: Arguments, __: Keywords) -> Any:
    known = truth(arguments[0]) if arguments else False
    if known is not None:
        return known
    return Unknown(written(arguments[0])) if isinstance(arguments[0], Unknown) else _MISSING


def _length(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    members = machine.members(arguments[0])
    if members is None or any(guards for _, guards in members):
        return _MISSING
    return len(members)


def _quantified(ends: bool) -> Callable[[Library, Arguments, Keywords], Any]:
    def ask(machine: Library, arguments: Arguments, _: Keywords) -> Any:
        members = machine.members(arguments[0])
        if members is None:
            return _MISSING
        truths = [truth(item) for item, _ in members]
        if any(known is ends and not guards for known, (_, guards) in zip(truths, members)):
            return ends
        return not ends if all(known is not None and known is not ends for known in truths) else _MISSING

    return ask


def _mapped(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    function, *over = arguments
    members = machine.members(over[0]) if len(over) == 1 else None
    if members is None:
        return _MISSING
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
        return _MISSING
    found: list[Any] = []
    for item, guards in members:
        with machine.under(guards):
            known = truth(item if function is None else machine.call_value(function, [item], {}))
        if known is None:
            return _MISSING
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
    return _MISSING if text is None else OpenFile(text)


def _read_attribute(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    owner, name, *default = arguments
    if not isinstance(name, str):
        return _MISSING
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
    return _MISSING


def _is_instance(_: Library, arguments: Arguments, __: Keywords) -> Any:
    value, kinds = arguments
    names = {"str": str, "list": list, "tuple": tuple, "dict": dict, "int": int, "bool": bool, "set": set}
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    known = [names[kind.path] for kind in every if isinstance(kind, External) and kind.path in names]
    if len(known) != len(every) or isinstance(value, (Unknown, External, Choice)):
        return _MISSING
    return isinstance(value, tuple(known))


def _walked(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    found = machine.files.walk(as_text(arguments[0]))
    return _MISSING if found is None else found


def _listed(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    found = machine.files.names(as_text(arguments[0]) if arguments else ".")
    return _MISSING if found is None else found


def _chained(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    found: list[Any] = []
    for argument in arguments:
        machine.extend(found, argument)
    return found


def _summed(machine: Library, arguments: Arguments, _: Keywords) -> Any:
    start = arguments[1] if len(arguments) > 1 else 0
    members = machine.members(arguments[0])
    if not isinstance(start, list) or members is None:
        return _MISSING
    return _chained(machine, [start, *(item for item, _ in members)], {})


def _product(machine: Library, arguments: Arguments, keywords: Keywords) -> Any:
    sides = [machine.members(argument) for argument in arguments] * int(keywords.get("repeat", 1))
    if any(side is None or any(guards for _, guards in side) for side in sides):
        return _MISSING
    if math.prod(len(side or ()) for side in sides) > 5000:
        return _MISSING
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
    return {key: (value or [None])[0] for key in keys if is_plain(key)} if isinstance(keys, (list, tuple)) else _MISSING


_FUNCTIONS: dict[str, Callable[[Library, Arguments, Keywords], Any]] = {
    "os.path.join": _on_text(posixpath.join),
    "os.path.dirname": _on_text(posixpath.dirname),
    "os.path.basename": _on_text(posixpath.basename),
    "os.path.normpath": _on_text(posixpath.normpath),
    "os.path.splitext": lambda _, arguments, __: posixpath.splitext(as_text(arguments[0])),
    "os.path.split": lambda _, arguments, __: posixpath.split(as_text(arguments[0])),
    "os.path.expanduser": _on_text(str),
    "os.path.abspath": _absolute,
    "os.path.realpath": _absolute,
    "os.path.relpath": lambda m, a, _: m._relative(as_text(a[0]), as_text(a[1]) if len(a) > 1 else m.files.folder),
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
    "range": lambda _, arguments, __: list(range(*arguments))[:5000] if max(arguments) < 5000 else _MISSING,
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
