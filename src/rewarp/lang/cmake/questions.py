"""What if() asks about files, commands, targets and policies."""

from __future__ import annotations

import posixpath
import re

from rewarp.lang.cmake.evaluator import HANDLERS, Evaluator
from rewarp.lang.cmake.modules import PACKAGE_TARGETS
from rewarp.lang.cmake.values import Literal, has_choice

_LAST_POLICY = 219


def answer(machine: Evaluator, test: str, word: str) -> bool | None:
    """None where it is not known."""
    if test == "IS_ABSOLUTE":
        return word.startswith(("/", "~"))
    if test == "POLICY":
        policy = re.fullmatch(r"CMP(\d{4})", word)
        return bool(policy and int(policy[1]) <= _LAST_POLICY)
    if test == "COMMAND":
        if word.lower() in HANDLERS:
            return True
        defined = [machine.all_of(function.guards) for function in machine.functions.get(word.lower(), ())]
        if True in defined:
            return True
        return None if machine.missing or any(truth is not False for truth in defined) else False
    if test == "TARGET":
        return _target(machine, word)
    if test == "DEFINED":
        name = word[word.index("{") + 1 : -1]
        if word.startswith("CACHE{"):
            value = machine.scopes.cached(name)
            return None if value is not None and has_choice(value) else value is not None
        return machine.setting.environment[name] is not None if name in machine.setting.environment else None
    if test in ("EXISTS", "IS_DIRECTORY", "IS_READABLE"):
        return _exists(machine, test, word)
    return None


def _target(machine: Evaluator, word: str) -> bool | None:
    name = machine.aliases.get(word, word)
    target = machine.targets.get(name)
    if target is None:
        return None if machine.missing or PACKAGE_TARGETS.fullmatch(word) else False
    values = [machine.conditions.value(guard) for guard in target.guards]
    return None if any(isinstance(value, Literal) for value in values) else all(values)


def _exists(machine: Evaluator, test: str, word: str) -> bool | None:
    if not word:
        return False
    place = machine.inside(posixpath.join(machine.directory.path, word))
    build = machine.inside(machine.setting.build)
    if place is None or (build and (place + "/").startswith(build + "/")):
        return None
    entries = machine.files.entries
    if place in entries:
        entry = entries[place]
        if getattr(entry, "nature", "file") in ("submodule", "symlink"):
            return None
        return test != "IS_DIRECTORY"
    if place == "" or any(path.startswith(place + "/") for path in entries):
        return True
    # A submodule that nobody has fetched would be there in a build.
    return None if any(f"{place}/".startswith(f"{folder}/") for folder in _submodules(machine)) else False


def _submodules(machine: Evaluator) -> list[str]:
    text = (machine.files.read(".gitmodules") or b"").decode("utf-8", "replace")
    return re.findall(r"(?m)^\s*path\s*=\s*(\S+?)/*\s*$", text)
