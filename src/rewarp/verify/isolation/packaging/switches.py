"""CMake switches that are off where nobody asks for AMD, looked up in the tree and not believed by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.cmake import Command, NotRead, parse, residue
from rewarp.verify.isolation.packaging.settings import asked_for, composed
from rewarp.verify.isolation.roles import Role, names_amd, role_of, says_amd
from rewarp.verify.isolation.tree import Trees

_FOUND_NOT_CHOSEN = re.compile(r"_(FOUND|DIR|PATH|ROOT|HOME|VERSION\w*|LIBRARIES|LIBRARY|INCLUDE_DIRS?)$")
"""What a machine has decides these, not who builds."""
_OFF_VALUES = ("OFF", "FALSE", "0", "NO", "N", '"OFF"')
_TO_COMPILERS = ("target_compile_definitions", "add_compile_definitions", "add_definitions")
_MADE_OWN = re.compile(
    rb"\b(?:function|macro)\s*\(\s*[\"']?(?:target_compile_definitions|add_(?:compile_)?definitions|\$)", re.I
)
_TARGET = "TARGET "
_MAKE_TARGETS = ("add_library", "add_executable", "add_custom_target")
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_QUIET = (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT)
_HELD = re.compile(r"\$(?:ENV)?\{[^{}]*\}|@\w+@|\$<[^<>]*>")
_ONLY_SAY = ("message", "find_package_message")
_JOINS = ("string", "list")
_HARMLESS = ("if", "elseif", "else", "endif", "message", "mark_as_advanced", "unset")


class NvidiaSwitches:
    """What is certain about CMake variables on one side of a change."""

    def __init__(self, trees: Trees, side: Side) -> None:
        self._trees, self._side = trees, side
        self._off: dict[str, bool] = {}
        self._plain: tuple[str, ...] | None = None
        self.doubts: dict[str, str] = {}

    def is_off(self, name: str) -> bool:
        if name not in self._off:
            self._off[name] = False  # while it is being found out, nothing may rest on it
            self._off[name] = self._found_off(name)
        return self._off[name]

    def _found_off(self, name: str) -> bool:
        if name.startswith(_TARGET):
            return self._is_no_target(name.removeprefix(_TARGET))
        name, _, value = name.partition("=")
        if value:
            return self._is_not(name, value)
        if not names_amd(name) or _FOUND_NOT_CHOSEN.search(name):
            return False
        # A setting below `if(NAME)` cannot be what first turns it on.
        doubt = next(self._settings(name), None)
        if doubt:
            self.doubts[name] = doubt
        else:
            self._trees.assume(f"An NVIDIA build leaves the CMake variable {name} off.")
        return doubt is None

    def _is_no_target(self, name: str) -> bool:
        """Whether a target of the project's own is made, and spoken of, below AMD's switches alone."""
        if not _PLAIN.fullmatch(name) or not names_amd(name.upper()):
            return False
        speaking = self._trees.containing(name, self._side)
        if any(role_of(path) not in (*_QUIET, Role.C, Role.CMAKE) for path in speaking):
            return False  # a file that is configured into one of CMake, or a build beside CMake's
        asked = _TARGET + name
        is_made = False
        for path in self._cmake_files():
            try:
                statements = parse(self._trees.read(path, self._side) or b"")
            except NotRead:
                return False
            # What stands below the question itself cannot be what first makes it.
            live = residue(statements, lambda one: one == asked or self.is_off(one))
            if any(_may_say(command, name) for command in live):
                return False
            made = residue(statements, lambda one: False) if path in speaking else []
            is_made = is_made or any(one.name in _MAKE_TARGETS and one.arguments[:1] == (name,) for one in made)
        return is_made

    def _cmake_files(self) -> list[str]:
        return [path for path in self._trees.paths(self._side) if role_of(path) is Role.CMAKE]

    def _is_not(self, name: str, value: str) -> bool:
        """A language or platform is chosen by value: `GPU_LANG STREQUAL "HIP"`."""
        if value.strip('"').upper() not in ("HIP", "ROCM") or not re.fullmatch(r"[A-Za-z_]\w*", name):
            return False
        for path in self._trees.containing(name, self._side):
            if role_of(path) is not Role.CMAKE:
                continue
            try:
                statements = parse(self._trees.read(path, self._side) or b"")
            except NotRead:
                return False
            # What stands below the question itself cannot be what first chooses it.
            commands = residue(statements, lambda asked: asked == f"{name}={value}")
            if any(value.strip('"').lower() in str(_given(command, name)).lower() for command in commands):
                return False
        self._trees.assume(f"An NVIDIA build does not have {value} as the CMake variable {name}.")
        return True

    def _settings(self, name: str) -> Iterator[str]:
        if why := composed(name, self._trees, self._side):
            yield why
        for path in self._trees.containing(name, self._side):
            role = role_of(path)
            data = self._trees.read(path, self._side)
            if role is Role.CMAKE:
                if self.is_passed_by(path):
                    continue
                commands = self._live(data, name, guard=name)
                plain = self._defines_no_variable()
                yield from (f"{path}:{one.line} may turn it on" for one in commands if one.name not in plain)
            elif role not in (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT, Role.C):
                yield from asked_for(name, path, self._trees, self._side)

    def is_passed_by(self, path: str) -> bool:
        """A CMake file that is for AMD by its own path, and that no command of an NVIDIA build names."""
        folder, _, name = path.rpartition("/")
        word = folder.rpartition("/")[2] if name == "CMakeLists.txt" else name.removesuffix(".cmake")
        if not says_amd(path) or not word:
            return False
        others = (other for other in self._trees.containing(word, self._side) if other != path)
        for other in others:
            if role_of(other) is Role.CMAKE and self.live_lines(self._trees.read(other, self._side), word):
                return False
        self._trees.assume(f"An NVIDIA build does not go through {path}.")
        return True

    def live_lines(self, data: bytes | None, word: str, guard: str = "") -> list[int]:
        """Lines at which an NVIDIA build may do something with a word other than ask about it."""
        return [command.line for command in self._live(data, word, guard)]

    def _live(self, data: bytes | None, word: str, guard: str = "") -> list[Command]:
        try:
            commands = residue(parse(data or b""), lambda name: name == guard or self.is_off(name))
        except NotRead:
            return [Command("unread", (), 1)]
        return [command for command in commands if _uses(command, word)]

    def _defines_no_variable(self) -> tuple[str, ...]:
        """Commands of CMake that give macros to a compiler, and variables to nobody; none where the project has made them its own."""
        if self._plain is None:
            texts = (
                self._trees.read(path, self._side) or b""
                for name in _TO_COMPILERS
                for path in self._trees.containing(name, self._side)
                if role_of(path) is Role.CMAKE or path.endswith(".in")
            )
            self._plain = () if any(map(_MADE_OWN.search, texts)) else _TO_COMPILERS
        return self._plain


def _given(command: Command, name: str) -> tuple[str, ...]:
    """What a command gives a variable: of a setting that is kept, neither the kind nor the sentence about it."""
    first, *rest = command.arguments or ("",)
    if first != name:
        return ()
    kept = rest.index("CACHE") if command.name == "set" and "CACHE" in rest else len(rest)
    return tuple(rest[:kept])


def _uses(command: Command, word: str) -> bool:
    if command.name in _HARMLESS:
        return False
    used = re.compile(rf"(?:(?<!\w)|(?<=-D)|(?<=/D)){re.escape(word)}(?!\w)")
    if not any(used.search(argument.replace(f"${{{word}}}", "")) for argument in command.arguments):
        return False  # `${WORD}` is what it holds
    name, *rest = command.arguments or ("",)
    if command.name == "option" and name == word:
        return len(rest) > 1 and rest[1].upper() not in _OFF_VALUES
    if command.name == "set" and name == word:
        return (
            not rest
            or rest[0].upper() not in _OFF_VALUES
            or (len(rest) > 1 and rest[1] not in ("CACHE", "PARENT_SCOPE"))
        )
    return True


def _may_say(command: Command, name: str) -> bool:
    """Whether a command has a target's name, or may put it together from parts."""
    for argument in command.arguments if command.name not in _ONLY_SAY else ():
        text = argument.strip('"')
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            return True
        if _HELD.search(text):
            parts = [re.escape(part) for part in _HELD.split(text)]
            if (any(parts) or len(parts) > 2) and re.fullmatch(".*".join(parts), name, re.I | re.S):
                return True
        elif command.name in _JOINS and len(text) > 1 and (name.startswith(text) or name.endswith(text)):
            return True
    return False
