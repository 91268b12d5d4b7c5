"""The units of Makefiles: what their rules hand to a compiler."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from rewarp.project.build.command_line import read_words, split_words
from rewarp.project.build.make_text import UNKNOWN, MakeText, Rule, TooMuch, readable, stem_of
from rewarp.project.build.switches import FILE_WORDS, platform_of
from rewarp.project.build.units import Build, BuildUnit, Given, Part, Reason, Switch
from rewarp.project.gates import NVIDIA, Platform
from rewarp.project.role_names import Role, names_role
from rewarp.tables.nvcc import flags
from rewarp.workspace import Tree

_NAME = re.compile(r"(?i)(?:gnu)?makefile(?:\.(\w+))?")
_NOT_MAKE = ("in", "am", "win", "msvc", "vc", "txt", "md", "inc", "template", "osx", "macos")
_SOURCES = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c")
_AUTOMATIC = re.compile(r"\$(?:\((@|<|\^|\*|\+)([DF]?)\)|([@<^*+]))")
_IMPLICIT = {
    ".c": "$(CC) $(CPPFLAGS) $(CFLAGS) -c",
    **dict.fromkeys((".cpp", ".cc", ".cxx"), "$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c"),
}
_MOST_UNITS = 20_000


def read_make(tree: Tree, platform: Platform) -> Part:
    return Part.joined(read_makefile(tree, platform, path) for path in _makefiles(tree, platform))


def replaced_makefiles(tree: Tree, build: Build) -> dict[str, str]:
    """By Makefile, the one that a platform reads in its place, where that compiles device code for it and hands its compiler nothing
    that only nvcc understands."""
    there = _makefiles(tree, build.platform)
    own = {posixpath.dirname(path): path for path in there}
    units = [unit for unit in build.units if unit.system == "make" and unit.language == "HIP"]
    found = {}
    for path in _makefiles(tree, NVIDIA):
        instead = own.get(posixpath.dirname(path))
        made = [unit for unit in units if unit.reason.file in (path, instead)]
        if instead and instead != path and made and not any(map(has_nvcc_options, made)):
            found[path] = instead
    return found


def has_nvcc_options(unit: BuildUnit) -> bool:
    """Whether its compiler is handed what only nvcc understands."""
    words = (text for text, conditions in unit.flags if not conditions and "<" not in text)
    return any(flag.sure and flag.status == "error" for word in words for flag in flags(word))


def _makefiles(tree: Tree, platform: Platform) -> list[str]:
    """Of each folder the Makefile for the platform; that of another platform is not for this one."""
    by_folder: dict[str, dict[str, str]] = {}
    for path in tree.files():
        called = posixpath.basename(path)
        name = _NAME.fullmatch(called)
        if name and (name[1] or "").lower() not in _NOT_MAKE and not names_role(called, Role.DEAD):
            by_folder.setdefault(posixpath.dirname(path), {}).setdefault((name[1] or "").lower(), path)
    own = FILE_WORDS.get(platform.name, ())
    found: list[str] = []
    for files in by_folder.values():
        named = next((files[kind] for kind in own if kind in files), None)
        if named or "" in files:
            found.append(named or files[""])
    return found


def read_makefile(tree: Tree, platform: Platform, path: str) -> Part:
    """What one Makefile compiles on a platform."""
    try:
        make = MakeText(tree, path, {})
        switches = _switches(make, platform)
        if switches:
            make = MakeText(tree, path, {switch.name: switch.value for switch in switches})
        units = list(_Units(make, tree).all())
    except TooMuch as error:
        return Part(systems=(path,), unread=((Reason(path, 1), str(error)),))
    foreign = {"nvidia": "HIP", "rocm": "CUDA"}.get(platform.name)
    kept = tuple(
        unit for unit in units if unit.language not in (foreign, *(("CUDA", "HIP") if foreign is None else ()))
    )
    refusals: tuple[tuple[Reason, str], ...] = ()
    if len(kept) < len(units) and not any(unit.is_device_code for unit in kept):
        gone = next(unit for unit in units if unit not in kept)
        refusals = ((gone.reason, f"{'nvcc' if gone.language == 'CUDA' else 'hipcc'} is not there"),)
    unread = tuple((Reason(file, line), why) for file, line, why in make.notes) + tuple(
        (Reason(rule.file, rule.line), f"what {readable(' '.join(rule.targets))[:80]} is made of is not known")
        for rule in make.rules
        if any(UNKNOWN in name for name in rule.prerequisites)
    )
    branches = tuple(
        (file, frozenset(make.read_lines.get(file, ())), frozenset(lines)) for file, lines in make.passed_over.items()
    )
    branches += tuple((file, frozenset(lines), frozenset()) for file, lines in make.read_lines.items())
    return Part(kept, (path,), switches if units else (), unread, refusals, branches=branches)


def _switches(make: MakeText, platform: Platform) -> tuple[Switch, ...]:
    """Variables that conditions ask for, that nothing sets and that name a platform: they are given on the command line."""
    found: list[Switch] = []
    for name, (file, line) in make.tested.items():
        of = platform_of(name)
        if of is not None and not make.values.get(name) and of == platform.name:
            found.append(Switch(name, "1", Reason(file, line)))
    return tuple(found)


def _defined(given: Given) -> Given:
    """``-D DIM=$(DIM)``, where nothing sets the variable: whoever calls make gives it, or the macro means nothing."""
    name, equals, value = given.text.partition("=")
    return Given(given.text, (*given.conditions, f"{name} is given")) if equals and not value else given


class _Units:
    def __init__(self, make: MakeText, tree: Tree) -> None:
        self.make, self.tree = make, tree
        self._explicit: dict[str, list[Rule]] = {}
        for rule in make.rules:
            for target in rule.targets:
                if "%" not in target:
                    self._explicit.setdefault(target, []).append(rule)
        self._patterns = [(target, rule) for rule in make.rules for target in rule.targets if "%" in target]
        self._patterns += [
            (f"%{new}", Rule([], [f"%{old}"], rule.file, rule.line, rule.conditions, rule.recipe))
            for rule in make.rules
            if (suffixes := re.fullmatch(r"(\.\w+)(\.\w+)", rule.targets[0] if rule.targets else ""))
            for old, new in [suffixes.groups()]
        ]

    def all(self) -> Iterator[BuildUnit]:
        seen: set[tuple[str, str, str]] = set()
        for target, rules in self._explicit.items():
            if (target.startswith(".") and "/" not in target) or target in (
                "clean",
                "distclean",
                "install",
                "uninstall",
                "test",
                "check",
                "format",
            ):
                continue
            for rule in rules:
                for unit in self._of_rule(target, rule):
                    key = (unit.source, unit.target, unit.language or "")
                    if key not in seen:
                        seen.add(key)
                        yield unit
                    if len(seen) > _MOST_UNITS:
                        raise TooMuch(f"more than {_MOST_UNITS:,} sources are compiled")

    def _of_rule(self, target: str, rule: Rule) -> Iterator[BuildUnit]:
        needed = [name for other in self._explicit[target] for name in other.prerequisites] if rule.recipe else []
        if rule.recipe:
            yield from self._compiled(target, needed, rule, "")
        elif target.endswith(".o"):
            yield from self._by_pattern(target, rule, rule.prerequisites)
        for name in rule.prerequisites:
            if name not in self._explicit and not name.endswith(_SOURCES):
                yield from self._by_pattern(name, rule, (), of=target)

    def _by_pattern(self, name: str, asked: Rule, given: Sequence[str], of: str = "") -> Iterator[BuildUnit]:
        """What a pattern, or a rule that make has of itself, compiles to make a file."""
        for pattern, rule in self._patterns:
            stem = stem_of(pattern, name)
            if stem is None or not rule.recipe:
                continue
            needed = [prerequisite.replace("%", stem, 1) for prerequisite in rule.prerequisites]
            if all(
                self._path(n) in self.tree.entries or n in self._explicit or not n.endswith(_SOURCES) for n in needed
            ):
                if any(self._path(n) in self.tree.entries for n in needed):
                    yield from self._compiled(
                        of or name, [*needed, *given], rule, stem, made=name, more=asked.conditions
                    )
                    return
        if name.endswith(".o"):
            sources = [n for n in given if n.endswith(tuple(_IMPLICIT))] or [
                name[:-2] + suffix for suffix in _IMPLICIT if self._path(name[:-2] + suffix) in self.tree.entries
            ]
            if sources:
                line = f"{_IMPLICIT[posixpath.splitext(sources[0])[1]]} {sources[0]}"
                rule = Rule([name], sources[:1], asked.file, asked.line, asked.conditions, [(asked.line, line)])
                yield from self._compiled(of or name, sources[:1], rule, "", made=name)

    def _compiled(
        self, target: str, needed: Sequence[str], rule: Rule, stem: str, made: str = "", more: tuple[str, ...] = ()
    ) -> Iterator[BuildUnit]:
        for line, text in rule.recipe:
            words = split_words(self.make.expanded(self._automatic(text, made or target, needed, stem)))
            for command in _commands(words):
                found = read_words(command, self.make.folder)
                if found is None:
                    continue
                for source in found.sources:
                    if source in self.tree.entries:
                        conditions = tuple(dict.fromkeys((*more, *rule.conditions)))
                        yield BuildUnit(
                            source,
                            readable(target),
                            "make",
                            found.language(source),
                            Reason(rule.file, line),
                            conditions,
                            defines=tuple(_defined(given) for given in found.defines),
                            flags=found.flags,
                            includes=found.includes,
                        )

    def _automatic(self, text: str, target: str, needed: Sequence[str], stem: str) -> str:
        values = {
            "@": target,
            "<": needed[0] if needed else "",
            "^": " ".join(needed),
            "*": stem,
            "+": " ".join(needed),
        }

        def value(match: re.Match[str]) -> str:
            found = values[match[1] or match[3]]
            if match[2]:
                change = posixpath.dirname if match[2] == "D" else posixpath.basename
                found = " ".join(change(word) for word in found.split())
            return found

        return _AUTOMATIC.sub(value, text)

    def _path(self, name: str) -> str:
        return posixpath.normpath(posixpath.join(self.make.folder, name))


def _commands(words: Sequence[str]) -> Iterator[list[str]]:
    """A recipe line's commands, without what make takes before them."""
    current: list[str] = []
    for word in (*words, ";"):
        if word in (";", "&&", "||", "|"):
            if current:
                current[0] = current[0].lstrip("@-+")
                yield [word for word in current if (word and UNKNOWN not in word) or word.endswith(_SOURCES)]
            current = []
        else:
            current.append(word)
