"""Declarative files: requirements, pyproject.toml, setup.cfg, Cargo.toml.

What is compared is what they declare, and a difference is told in the words of who installs.
"""

from __future__ import annotations

import configparser
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.lang.kinds import Kind
from rewarp.lang.requirements import normalise, requirement
from rewarp.lang.toml import TomlFile
from rewarp.source import SourceFile
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.packaging import by_default, extra_users

_TOOLS = frozenset(
    "ruff mypy black isort pytest pylint codespell typos coverage yapf flake8 pyright bandit towncrier tox nox".split()
)
"""Tools that developers run: nothing of them reaches who installs or runs the project."""
_CFG_TOOLS = re.compile(r"(?:flake8|isort|mypy|tool:pytest|pycodestyle|pydocstyle|yapf|coverage|pylint)(?:$|[:.-])")

Lines = list[tuple[int, str]]


def compare_requirements(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    said = Says(path, before, after, "requirements as pip reads them")
    old, new = (_requirement_lines(data) for data in (before, after))
    same = Counter(text for _, text in old) == Counter(text for _, text in new)
    if same and _options(old) != _options(new):
        return said(IsolationVerdict.DIFFERENT, "pip is told the same in another order", [Place(None, None, "options")])
    if same:
        return said(IsolationVerdict.IDENTICAL, "the same requirements")
    gone, come = moved(old, new), moved(new, old)
    return said(IsolationVerdict.DIFFERENT, "; ".join(_told(gone, come)), changed_places(gone, come))


def _requirement_lines(data: bytes) -> Lines:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    found, number = [], 1
    for logical in re.split(r"(?<!\\)\n", text):
        joined = re.sub(r"(^|\s)#.*", "", logical.replace("\\\n", ""))
        if joined.strip():
            found.append((number, " ".join(joined.split())))
        number += logical.count("\n") + 1
    return found


def _options(lines: Lines) -> list[str]:
    return [text for _, text in lines if text.startswith("-")]


def moved(one: Lines, other: Lines) -> Lines:
    left = Counter(text for _, text in other)
    found = []
    for number, text in one:
        if left[text]:
            left[text] -= 1
        else:
            found.append((number, text))
    return found


def changed_places(gone: Lines, come: Lines) -> list[Place]:
    return [
        *(Place(number, None, f"- {text}") for number, text in gone),
        *(Place(None, number, f"+ {text}") for number, text in come),
    ]


def _told(gone: Lines, come: Lines) -> Iterator[str]:
    """What an install now does differently."""
    before = {_package(text): text for _, text in gone}
    after = {_package(text): text for _, text in come}
    for name, text in after.items():
        if name.startswith("-"):
            yield f"pip is now told {text}"
        elif name in before:
            yield f"{name} was {before[name]!r} and is now {text!r}"
        else:
            yield f"now also installs {text}"
    for name, text in before.items():
        if name not in after:
            yield f"pip is no longer told {text}" if name.startswith("-") else f"no longer installs {text}"


def _package(text: str) -> str:
    item = requirement(text, None)
    return item.name if item and not text.startswith("-") else text


# --- TOML -----------------------------------------------------------------------------------


def compare_pyproject(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    return _compare_toml(path, before, after, Kind.PYPROJECT, _inert_in_pyproject, context)


def compare_cargo(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    def inert(where: tuple[str, ...], old: Any, new: Any, was: Any, now: Any) -> bool:
        if where in by_default.explained(was, now):
            return by_default.in_every_build(path, context)
        if by_default.still_asked(where, old, new, now, context):
            return True
        return _inert_in_cargo(where, old, new, was, now) or _asks_for_nothing(where, old, new, context)

    return _compare_toml(path, before, after, Kind.CARGO, inert, context)


def _asks_for_nothing(where: tuple[str, ...], old: Any, new: Any, context: Context) -> bool:
    """A feature that also asks crates of this tree for features which are new there and turn nothing on; a program more that
    is built for AMD only."""
    if len(where) == 1 and where[0] in ("bin", "example", "test", "bench") and isinstance(new, list):
        kept = old if isinstance(old, list) else []
        more = [item for item in new if item not in kept]
        return [item for item in new if item in kept] == kept and all(map(_is_for_amd, more))
    if where[:1] != ("features",) or not (isinstance(old, list) and isinstance(new, list)):
        return False
    added = [entry for entry in new if entry not in old]
    return [entry for entry in new if entry in old] == old and all(_is_new_and_empty(entry, context) for entry in added)


def _is_for_amd(program: Any) -> bool:
    return isinstance(program, dict) and "rocm" in (program.get("required-features") or ())


def _is_new_and_empty(entry: str, context: Context) -> bool:
    crate, _, feature = str(entry).partition("/")
    for path in context.trees.paths("after"):
        if not path.endswith("Cargo.toml"):
            continue
        now, was = (_cargo(path, context.trees.read(path, side)) for side in ("after", "before"))
        if now.get("package", {}).get("name") == crate:
            return now.get("features", {}).get(feature) == [] and feature not in was.get("features", {})
    return False


def _cargo(path: str, data: bytes | None) -> dict[str, Any]:
    try:
        return TomlFile(SourceFile(path, data or b""), Kind.CARGO).data
    except UnreadableSource:
        return {}


def _compare_toml(path: str, before: bytes, after: bytes, kind: Kind, is_inert: Any, context: Context) -> FileVerdict:
    said = Says(path, before, after, "what it declares")
    try:
        old, new = (TomlFile(SourceFile(path, data), kind).data for data in (before, after))
    except UnreadableSource as error:
        return said(IsolationVerdict.UNPROVABLE, f"cannot be read: {error.reason}")
    found = list(_differences(old, new, ()))
    differences = [item for item in found if not is_inert(*item, old, new)]
    if differences:
        told = [_toml_words(*item) for item in differences]
        return said(IsolationVerdict.DIFFERENT, "; ".join(told[:4]), [Place(None, None, text) for text in told])
    if why := _who_asks(path, found, context):
        return said(IsolationVerdict.UNPROVABLE, why, [Place(None, None, why)])
    inert = [".".join(where) for where, _, _ in found]
    return said(
        IsolationVerdict.IDENTICAL,
        f"only {', '.join(inert)}: nobody gets that without asking for it" if inert else "declares the same",
    )


def _who_asks(path: str, found: Iterable[tuple[tuple[str, ...], Any, Any]], context: Context) -> str | None:
    """Who asks for a new extra, group or feature by its name, or for all there are."""
    for where, _, new in found:
        table = where[-2:-1] if where[-1:] and not isinstance(new, dict) else where[-1:]
        names = list(new) if isinstance(new, dict) else [where[-1]]
        if (
            table == ("optional-dependencies",)
            and isinstance(new, dict)
            and (other := extra_users.extras_elsewhere(context.trees))
        ):
            return f"the extras that {other} declares no longer count"
        for name in names:
            if table in (("optional-dependencies",), ("dependency-groups",)) and (
                why := extra_users.extra(name, context.trees, path if _names_amd(name) else None)
            ):
                return why
            if table == ("features",) and (why := extra_users.feature(name, context.trees)):
                return why
    return None


_ABSENT = object()


def _differences(old: Any, new: Any, where: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            yield from _differences(old.get(name, _ABSENT), new.get(name, _ABSENT), (*where, name))
    elif type(old) is not type(new) or repr(old) != repr(new):  # 1 == True
        yield where, old, new


def _inert_in_pyproject(where: tuple[str, ...], old: Any, new: Any, before: Any, after: Any) -> bool:
    if where[:1] == ("tool",) and where[1:2] and where[1] in _TOOLS:
        return True
    if old is not _ABSENT:
        # Who asks for an extra that AMD's users ask for by its name is looked up below.
        return (
            where[:2] == ("project", "optional-dependencies")
            and len(where) == 3
            and _is_extra_for_amd(where[2], before)
        )
    if where == ("project", "optional-dependencies"):
        dynamic = "optional-dependencies" in after.get("project", {}).get("dynamic", ())
        return not dynamic and not any(_is_asked_for(extra, before) for extra in new)
    extras = before.get("project", {}).get("optional-dependencies", {})
    if where[:2] == ("project", "optional-dependencies") and len(where) == 3:
        return normalise(where[2]) not in map(normalise, extras) and not _is_asked_for(where[2], before)
    if where == ("dependency-groups",):
        return not any(_is_default_group(group, before, after) for group in new)
    return where[:1] == ("dependency-groups",) and len(where) == 2 and not _is_default_group(where[1], before, after)


_FOR_AMD = re.compile(r"(?:^|[-_])(?:rocm|hip|amd|amdgpu)\d*(?:$|[-_])", re.I)
_FOR_OTHERS = re.compile(
    r"(?:^|[-_])(?:no|non|not|without|cuda|nvidia|cpu|common|shared|xpu|npu|or|and)(?:$|[-_])", re.I
)


def _is_extra_for_amd(extra: str, before: dict[str, Any]) -> bool:
    """An extra that is AMD's by its name, and that nothing asks for but others of AMD's."""
    if not _names_amd(extra):
        return False
    project = before.get("project", {})
    extras = project.get("optional-dependencies", {})
    others = {name: value for name, value in extras.items() if not _names_amd(name)}
    rest = {**project, "optional-dependencies": others}
    return not _is_asked_for(extra, {**before, "project": rest})


def _names_amd(extra: str) -> bool:
    return bool(_FOR_AMD.search(extra)) and not _FOR_OTHERS.search(extra)


_INSTALL_ALL_GROUPS = frozenset({"pdm", "poetry"})
"""Tools that install every group that is not said to be optional."""


def _is_default_group(group: str, before: Any, after: Any) -> bool:
    """Whether somebody who names no group gets it: uv's default groups (dev, or what is set), all of them with other tools."""
    for side in (before, after):
        tools = side.get("tool", {}) if isinstance(side, dict) else {}
        if not isinstance(tools, dict) or not _INSTALL_ALL_GROUPS.isdisjoint(tools):
            return True
        uv = tools.get("uv", {})
        default = uv.get("default-groups", ["dev"]) if isinstance(uv, dict) else "all"
        if not isinstance(default, list) or normalise(group) in (normalise(str(name)) for name in default):
            return True
    return normalise(group) == "dev"


def _is_asked_for(extra: str, before: Any) -> bool:
    """Whether a requirement asked for it before it was there, and now gets it: `this-package[extra]`."""
    asked = (re.search(r"\[([^\[\]]*)\]", text) for text in _texts(before))
    return any(normalise(extra) in map(normalise, found[1].split(",")) for found in asked if found)


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, (dict, list)):
        for item in data.values() if isinstance(data, dict) else data:
            yield from _texts(item)


def _inert_in_cargo(where: tuple[str, ...], old: Any, new: Any, before: Any, after: Any) -> bool:
    if old is not _ABSENT:
        return False
    if where == ("features",):
        return "default" not in new
    if where[:1] == ("features",) and len(where) == 2:
        return where[1] != "default"
    if where[:2] == ("workspace", "dependencies") and len(where) == 3:
        return True
    if where in (("dependencies",), ("build-dependencies",)):
        return all(_is_optional(item) for item in new.values())
    return where[:1] in (("dependencies",), ("build-dependencies",)) and len(where) == 2 and _is_optional(new)


def _is_optional(dependency: Any) -> bool:
    return isinstance(dependency, dict) and dependency.get("optional") is True


def _toml_words(where: tuple[str, ...], old: Any, new: Any) -> str:
    name = ".".join(where)
    if old is _ABSENT:
        return f"{name} is new: {new!r}"
    if new is _ABSENT:
        return f"{name} is gone; it was {old!r}"
    if isinstance(old, list) and isinstance(new, list) and all(isinstance(item, str) for item in (*old, *new)):
        told = _told(
            moved([(0, i) for i in old], [(0, i) for i in new]), moved([(0, i) for i in new], [(0, i) for i in old])
        )
        return f"{name}: " + ("; ".join(told) or "in another order")
    return f"{name} was {old!r} and is now {new!r}"


# --- setup.cfg ------------------------------------------------------------------------------


def compare_setup_cfg(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    said = Says(path, before, after, "what it declares")
    try:
        old, new = _sections(before), _sections(after)
    except (configparser.Error, UnicodeDecodeError) as error:
        return said(IsolationVerdict.UNPROVABLE, f"cannot be read: {error}")
    found = [item for item in _differences(old, new, ()) if not _inert_in_setup_cfg(*item)]
    extras = set(new.get("options.extras_require", ())) - set(old.get("options.extras_require", ()))
    for why in filter(None, (extra_users.extra(extra, context.trees) for extra in sorted(extras))):
        return said(IsolationVerdict.UNPROVABLE, why, [Place(None, None, why)])
    if not found:
        return said(IsolationVerdict.IDENTICAL, "declares the same, but for extras that nobody gets without asking")
    told = [_toml_words(*item) for item in found]
    return said(IsolationVerdict.DIFFERENT, "; ".join(told[:4]), [Place(None, None, text) for text in told])


def _inert_in_setup_cfg(where: tuple[str, ...], old: Any, new: Any) -> bool:
    return bool(_CFG_TOOLS.match(where[0])) or (where[0] == "options.extras_require" and old is _ABSENT)


def _sections(data: bytes) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser()
    parser.read_string(data.decode("utf-8-sig"))
    return {name: dict(parser.items(name)) for name in parser.sections()}
