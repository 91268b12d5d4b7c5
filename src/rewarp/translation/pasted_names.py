"""Names that a macro of the project pastes together where it is called: ``CAT(cuda, Malloc)(&p, n)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import call_arguments, skip_space, stripped
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import NO_TWIN

_TWO = rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\([ \t]*(\w+)[ \t]*,[ \t]*(\w+)[ \t]*\)[ \t]+"
_PASTE = re.compile(_TWO + rb"\(?[ \t]*\2[ \t]*##[ \t]*\3[ \t]*\)?[ \t]*\r?$", re.M)
_PASSED_ON = re.compile(_TWO + rb"(\w+)[ \t]*\([ \t]*\2[ \t]*,[ \t]*\3[ \t]*\)[ \t]*\r?$", re.M)
_DEFINING = re.compile(rb"#[ \t]*define[ \t]+\Z")


def pasting_macros(views: Iterable[bytes]) -> frozenset[bytes]:
    """Macros of two arguments that paste them together, themselves or through another one."""
    found: set[bytes] = set()
    passed: dict[bytes, bytes] = {}
    for view in views:
        if b"##" in view:
            found.update(match[1] for match in _PASTE.finditer(view))
        if b"define" in view:
            passed.update((match[1], match[4]) for match in _PASSED_ON.finditer(view))
    while more := {name for name, other in passed.items() if other in found} - found:
        found |= more
    return frozenset(found)


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return any(name in view for name in options.project.pasting_macros)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Both halves get the halves of the twin, where it can be split as the name was; else the name is told."""
    changes = Changes()
    code = document.code
    words = b"|".join(sorted(map(re.escape, options.project.pasting_macros)))
    for match in re.finditer(rb"(?<!\w)(?:" + words + rb")(?=\s*\()", code):
        call = call_arguments(code, skip_space(code, match.end()))
        if call is None or len(call[0]) != 2 or _DEFINING.search(code, max(0, match.start() - 40), match.start()):
            continue
        first, last = (stripped(code, argument) for argument in call[0])
        name = code[slice(*first)] + code[slice(*last)]
        twin = cuda.twin(name)
        if twin is None or twin.hip.encode() == name:
            continue
        rest = code[slice(*last)]
        where = Span(match.start(), call[1] + 1)
        if not twin.supported or not twin.hip:
            fix = twin.note or "Find another way on ROCm, or keep the code behind a platform macro."
            text = name.decode()
            changes.problems.append(Problem(NO_TWIN, where, "unsupported", f"{text} has no HIP twin", fix, text))
        elif twin.hip.encode().endswith(rest):
            changes.replacements.append(Replacement(*first, twin.hip.encode()[: -len(rest)]))
        else:
            message = f"{name.decode()} is pasted together, and its twin {twin.hip} cannot be"
            changes.problems.append(
                Problem(NO_TWIN, where, "unknown", message, "Write the HIP name out.", name.decode())
            )
    return changes
