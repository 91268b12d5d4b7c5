"""What a script asks of Python's own library: paths, globs, the environment, texts and lists."""

from __future__ import annotations

import posixpath
import re
from pathlib import PurePosixPath
from typing import Any

from rewarp.lang.python_operators import TEXT_METHODS
from rewarp.project.execution.expressions import Expressions
from rewarp.project.execution.files import Files
from rewarp.project.execution.functions import FUNCTIONS, MISSING, Arguments, Keywords
from rewarp.project.execution.operators import as_text, is_plain
from rewarp.project.execution.scopes import Module, replaced
from rewarp.project.execution.values import (
    External,
    Guarded,
    OpenFile,
    Unknown,
    denied,
    has_hole,
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
_FIELD = re.compile(r"\{(\w*)\}")
_ROCM_VARIABLES = {
    "ROCM_VERSION": "6.2",
    "ROCM_HOME": "/opt/rocm",
    "ROCM_PATH": "/opt/rocm",
    "USE_ROCM": "1",
    "USE_HIP": "1",
}
"""What who builds for ROCm sets, where a script asks for it."""
_PATH_METHODS = frozenset({"with_suffix", "with_name", "with_stem", "as_posix", "is_absolute", "match"})
_PATHS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath"})


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
        return _CONSTANTS.get(path, MISSING)

    def is_missing(self, value: Any) -> bool:
        return value is MISSING

    def library_call(self, path: str, arguments: Arguments, keywords: Keywords) -> Any:
        """What a function of the library gives; ``MISSING`` for those that are not known."""
        function = FUNCTIONS.get(path)
        if path in _PATHS:
            return PurePosixPath(posixpath.join(*map(as_text, arguments))) if arguments else PurePosixPath(".")
        if function is None:
            return MISSING
        try:
            return function(self, arguments, keywords)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            return MISSING

    # --- the environment --------------------------------------------------------------

    def variable(self, name: Any, default: Any = MISSING) -> Any:
        """What is not set by the script has its default; without one nothing is known of it."""
        if not is_plain(name):
            return Unknown(f"os.environ.get({written(name)})")
        if name in self.environment:
            return self.environment[name]
        if self.platform.name == "rocm" and name in _ROCM_VARIABLES:
            return _ROCM_VARIABLES[name]
        return Unknown(f"os.environ.get({name!r})") if default is MISSING else default

    # --- methods ----------------------------------------------------------------------

    def method(self, owner: Any, name: str, arguments: Arguments, keywords: Keywords) -> Any:
        """A method of a value of Python's own."""
        found = MISSING
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
            found = MISSING
        if found is not MISSING:
            return found
        given = ", ".join(map(written, arguments))
        return Unknown(f"{written(owner)}.{name}({given})"[:300], is_text=isinstance(owner, str) and name == "format")

    def _environ(self, name: str, arguments: Arguments) -> Any:
        if name == "get":
            return self.variable(*arguments[:2])
        if name == "setdefault" and len(arguments) == 2 and is_plain(arguments[0]):
            return self.environment.setdefault(arguments[0], arguments[1])
        return Unknown("a copy of os.environ") if name == "copy" else MISSING

    def _text(self, owner: str, name: str, arguments: Arguments, keywords: Keywords) -> Any:
        if name == "join" and len(arguments) == 1:
            members = self.members(arguments[0])
            if members is None or any(guards for _, guards in members):
                return MISSING
            return self.limited(owner.join(as_text(item) for item, _ in members))
        if name == "format":
            return self._format(owner, arguments, keywords)
        if name in ("encode", "decode", "strip", "rstrip", "replace") and has_hole(owner):
            return owner if name != "replace" else MISSING
        if name not in TEXT_METHODS or has_hole(owner) or not all(map(is_plain, (*arguments, *keywords.values()))):
            return MISSING
        found = getattr(owner, name)(*arguments, **keywords)
        return self.limited(list(found) if isinstance(found, list) else found)

    def _format(self, owner: str, arguments: Arguments, keywords: Keywords) -> Any:
        if _FIELD.sub("", owner).strip("{}") != _FIELD.sub("", owner):
            return MISSING
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
        return MISSING

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
        return dict(owner) if name == "copy" else MISSING

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
            return MISSING if names is None else [owner / one for one in names]
        if name == "joinpath":
            return PurePosixPath(posixpath.join(text, *map(as_text, arguments)))
        if name == "relative_to":
            return PurePosixPath(self.relative(text, as_text(arguments[0])))
        if name in ("read_text", "open"):
            read = self.files.read(text)
            return MISSING if read is None else OpenFile(read) if name == "open" else read
        if name in _PATH_METHODS and not has_hole(text):
            return getattr(owner, name)(*arguments)
        return MISSING

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

    def relative(self, path: str, start: str) -> str:
        full, base = self.files.absolute(path), self.files.absolute(start)
        return posixpath.relpath(full, base) if full.startswith("/") and base.startswith("/") else path

    def path_attribute(self, owner: PurePosixPath, name: str) -> Any:
        if name == "parent":
            return owner.parent
        if name == "parents":
            return list(owner.parents)
        if name in ("name", "stem", "suffix", "parts", "suffixes"):
            return getattr(owner, name)
        return MISSING
