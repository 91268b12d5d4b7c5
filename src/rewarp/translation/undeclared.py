"""Names that are declared nowhere, in templates: nvcc does not read a template that nobody instantiates, HIP's compiler looks
up every name in it that no argument decides.

Told only where nothing else can be meant: the file sees nothing but the project's own files and headers of CUDA, C and C++,
the name stands nowhere but in bodies of function templates, it is first used as a number or an array (or called, where it has
the form of a macro and nothing in the template waits for a type), and no such header could hold it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Changes, Options, Problem
from rewarp.translation.lexing import Lexed
from rewarp.translation.lost_names import Definition, definitions
from rewarp.translation.names import looks_cuda
from rewarp.translation.reported_rules import NO_TWIN

_WORD = re.compile(rb"(?<![\w.])[A-Za-z_]\w*")
_DEFINE = re.compile(rb"^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*", re.M)
_TEMPLATE = re.compile(rb"\btemplate\b")
_IS_CLASS = re.compile(rb"\b(?:struct|class|union|enum)\s+[^()]*\Z")
# What stands on both sides of a number that is used: neither a type nor a call.
_BEFORE = re.compile(rb"(?:[\w)\]]\s*(?:[-+/%]|[<>=!]=|\s<\s)|[^=!<>]=|[-+*/%]=|\breturn)\s*\Z")
_AFTER = re.compile(rb"\s*(?:\[|[-+/%;)]|[<>=!]=|\s[<*]\s)(?![-+>])")
# A call that no argument can decide: a macro by its form, in a template without types for parameters.
_MACRO = re.compile(rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_CALLED = re.compile(rb"[ \t]*\(")
_CALLED_IN_C = re.compile(
    rb"U?INT(?:8|16|32|64|MAX)_C|(?:CPU|FD|W|ATOMIC|CU\w*|NVP\w|THRUST|IS|IF)_\w+|TEMP_FAILURE_RETRY|TIME\w+_TO_TIME\w+"
)
_HAS_TYPES = re.compile(rb"\b(?:typename|class|auto)\b|\btemplate\s*<[^;{}]*\btemplate\b")
# What the headers of C, C++ and POSIX define without a namespace, by its form.
_OF_C = re.compile(
    rb"_.*|std\w+|errno|environ|opt(?:arg|ind|err|opt)|timezone|daylight|signgam|nullptr|true|false|this|NULL|EOF|BUFSIZ|NAN"
    rb"|INFINITY|I|RAND_MAX|\w+_(?:MIN|MAX|BIT|DIG|EPSILON|WIDTH)|HUGE_VAL\w*|M_\w+|E[A-Z0-9]+|EXIT_\w+|(?:SEEK|SIG|CLOCKS?|FE|FP|LC|O"
    rb"|S|PROT|MAP|F|RTLD|SA|PTHREAD|RLIMIT|RUSAGE)_\w+|SIG[A-Z]+|memory_order_\w+|n(?:pos|ullopt|othrow)|endl|end|begin|size|data"
)
_OF_CUDA = frozenset(b"threadIdx blockIdx blockDim gridDim warpSize".split())
_C_HEADERS = frozenset(
    b"assert ctype errno fenv float inttypes limits locale math memory setjmp signal stdarg stdbool stddef stdint stdio stdlib string"
    b" strings tgmath time unistd sys/time sys/types wchar".split()
)


def find_undeclared(
    files: Sequence[tuple[CodeFile, Lexed]], include_map: Callable[[], IncludeMap]
) -> dict[str, list[Span]]:
    """By file, the first use of each name that is declared nowhere."""
    documents = {document.source.path: (document, lexed) for document, lexed in files}
    outside: dict[str, set[bytes]] = {}
    found: dict[str, list[Span]] = {}
    for path, (document, lexed) in documents.items():
        if not path.endswith(".cu") or b"template" not in document.source.view:
            continue
        suspects = list(_suspects(document.code, lexed))
        if not suspects:
            continue
        reach = include_map()
        seen = reach.reached([path])
        if reach.includers.get(path) or not all(_is_known(*documents[one], reach) for one in seen):
            continue
        for one in seen:
            if one not in outside:
                outside[one] = _declared(documents[one][0].code)
        words = set().union(*(outside[one] for one in seen))
        left = [where for where in suspects if document.code[slice(*where)] not in words]
        if left:
            found[path] = left
    return found


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return bool(options.project.undeclared)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Says it at the first use."""
    changes = Changes()
    for where in options.project.undeclared.get(document.source.path, ()):
        name = document.code[slice(*where)].decode()
        message = f"{name} is declared nowhere: nvcc lets that pass in a template that nobody instantiates, HIP's compiler does not"
        fix = f"Declare {name}, or take the template out. If the build defines it, nothing is wrong here."
        changes.problems.append(Problem(NO_TWIN, where, "unsupported", message, fix, name))
    return changes


def _suspects(code: bytes, lexed: Lexed) -> Iterator[Span]:
    """The first use in each function template of what looks like a number or an array that nobody declared there."""
    known = cuda.names()
    told: set[bytes] = set()
    for one in _functions(code):
        head = _head(code, one)
        if not _TEMPLATE.search(head):
            continue
        decided = not _HAS_TYPES.search(head)
        met: set[bytes] = set()
        for match in _WORD.finditer(code, *one.body):
            name = match[0]
            if name in met or name in told:
                continue
            met.add(name)
            if (
                name in known
                or name in _OF_CUDA
                or _OF_C.fullmatch(name)
                or looks_cuda(name)
                or _CALLED_IN_C.fullmatch(name)
            ):
                continue
            before = code[max(one.body.start, match.start() - 40) : match.start()]
            is_used = _AFTER.match(code, match.end()) or (
                decided and _MACRO.fullmatch(name) and _CALLED.match(code, match.end())
            )
            if match.start() > one.body.start + len(head) and is_used and _BEFORE.search(before):
                told.add(name)
                yield Span(*match.span())


def _functions(code: bytes) -> Iterator[Definition]:
    return (one for one in definitions(code) if not _IS_CLASS.search(_head(code, one)))


def _head(code: bytes, one: Definition) -> bytes:
    return code[one.body.start : code.find(b"{", one.body.start)]


def _declared(code: bytes) -> set[bytes]:
    """All words but those in the bodies of function templates; words of macros wherever they stand."""
    words: set[bytes] = set()
    at = 0
    for one in _functions(code):
        if _TEMPLATE.search(_head(code, one)):
            words.update(_WORD.findall(code[at : one.body.start]))
            words.add(one.name)
            at = one.body.end
    words.update(_WORD.findall(code[at:]))
    for directive in _DEFINE.finditer(code):
        words.update(_WORD.findall(directive[0]))
    return words


def _is_known(document: CodeFile, lexed: Lexed, reach: IncludeMap) -> bool:
    """Whether all that a file includes is the project's, CUDA's, or C's and C++'s."""
    view, path = document.source.view, document.source.path
    for line in lexed.lines:
        if not line.path:
            if line.word.startswith(b"include"):
                return False  # a macro's
            continue
        name = view[line.path.start + 1 : line.path.end - 1]
        if cuda.header(name) or name.removesuffix(b".h") in _C_HEADERS or re.fullmatch(rb"[a-z_]+", name):
            continue
        if not any(
            one.endswith(name.rpartition(b"/")[2].decode("utf-8", "replace")) for one in reach.included_by(path)
        ):
            return False
    return True
