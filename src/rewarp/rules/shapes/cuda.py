"""Shapes that many CUDA C++ rules share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rewarp.findings import Severity
from rewarp.lang.cpp.conditions import Macro, fold_directive
from rewarp.lang.cpp.file import CodeFile, Directive, Include, is_declaration
from rewarp.lang.cpp.switches import nvidias_switches
from rewarp.lang.kinds import CPP_KINDS, Kind
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.targets import Context

KINDS = CPP_KINDS

# Names with a rule of their own; CU-004 leaves them to it.
TEXTURE_NAMES = re.compile(
    rb"tex(1D|2D|3D|Cubemap)\w*|surf(1D|2D|3D|Cubemap)\w*|cuda(Texture|Surface)\w*|cudaBindTexture\w*|cudaUnbindTexture"
    rb"|cuda(Create|Destroy|Get)(Texture|Surface)\w*|cu(Tex|Surf)(Ref|Object)\w*|CU(tex|surf)(ref|Object|object)\w*"
)
HOPPER_NAMES = re.compile(
    rb"__cluster_dims__|__cluster_size__|CUtensorMap\w*|CU_TENSOR_MAP_\w+|cuTensorMap\w+|cuda\w*Cluster\w*|cu\w+Cluster\w*"
    rb"|CU_LAUNCH_ATTRIBUTE_(CLUSTER|PROGRAMMATIC)\w*|cudaLaunchAttributeProgrammatic\w+|cudaGridDependencySynchronize"
    rb"|cudaTriggerProgrammaticLaunchCompletion|programmaticStreamSerializationAllowed"
)

_OPEN, _CLOSE = b"([{", b")]}"
_TYPE = re.compile(rb"\w+\s+(\w+)\s*[:{]")
_DEFINES = {
    **dict.fromkeys((b"struct", b"class", b"union", b"enum"), _TYPE),
    b"define": re.compile(rb"(?<=[# \t])define[ \t]+([A-Za-z_]\w*)"),
    b"using": re.compile(rb"using\s+(\w+)\s*="),
    b"typedef": re.compile(rb"typedef\s[^;{}()]{0,1000}\b(\w+)\s*;"),
}
_HIP_WORD = re.compile(r"[A-Za-z_]\w*")
_AMDS = re.compile(
    r"\b(?:__HIP_DEVICE_COMPILE__|__HIP__|__HIPCC__|__HIP_PLATFORM_AMD__|__AMDGCN__|(?:\w+_)?(?:HIP|ROCM)(?:_\w+)?)\b"
)
_ARCH = "__CUDA_ARCH__"
_SHORT = 400
# An #else that only says that nothing can be done here.
_DIRECTIVE_LINE = re.compile(rb"(?m)^[ \t]*#[^\n]*")
_GIVES_UP = re.compile(
    rb"^[ \t]*#[ \t]*error\b|^(?![ \t]*#)[^\n]*?\b(?:__trap|__builtin_trap|abort|\w*assert\w*|\w*unsupported\w*"
    rb"|\w*not_implemented\w*|no_device_code|\w*invalid\w*|printf|brkpt)\b",
    re.I | re.M,
)


_ASM = re.compile(rb"\b(?:asm|__asm|__asm__)\b")


class Guard(IntEnum):
    """What HIP compiles in place of a branch that needs ``__CUDA_ARCH__``."""

    NOTHING = 0
    EXTRA = 1
    """Nothing, and so does an Ampere GPU: a few lines for newer ones."""
    GIVES_UP = 2
    """An #else that stops the program."""
    ELSE = 3


class Uses(NamedTuple):
    """Some names of one API, as a file uses them."""

    names: list[str]
    """In order of first use."""
    total: int
    first: Span
    header: str = ""
    """The header of the project that supplies all of them on the target, if one does."""

    @property
    def note(self) -> str:
        """That they are supplied, and where; empty when they are not."""
        return f"{self.header} supplies {'it' if len(self.names) == 1 else 'them'} for HIP" if self.header else ""


def reachable(document: CodeFile, context: Context, offsets: Iterable[int]) -> list[int]:
    """The places that the target's compiler gets to see."""
    return [at for at in offsets if not document.unreachable(Span(at, at), context.target)]


@lru_cache(maxsize=2)
def _arch_guards(document: CodeFile, context: Context) -> list[tuple[Span, Guard]]:
    """Code that is compiled only where ``__CUDA_ARCH__`` is defined, and what HIP has instead."""
    own = own_names(document)
    tests = {name for name in (_ARCH, *context.project.arch_macros) if name.encode() in document.words}
    if not tests or _ARCH.encode() in own or _ARCH in supplied(document, context):
        return []

    def macros(name: str) -> Macro:
        return False if name in tests else context.target.macro(name)

    def on_ampere(name: str) -> Macro:
        return 800 if name == _ARCH else context.target.macro(name)

    def skips(test: Directive) -> bool:
        tested = not tests.isdisjoint(_HIP_WORD.findall(test.condition))
        return tested and fold_directive(test.word, test.condition, macros) is False

    found: list[tuple[Span, Guard]] = []
    for conditional in document.every_conditional():
        dead = [arm.body for arm in conditional.arms if skips(arm.test)]
        if not dead or conditional.end is None:
            continue
        test, last = conditional.arms[-1].test, conditional.arms[-1].body
        if any(asks_for_amd(arm.test) for arm in conditional.arms):
            guard = Guard.ELSE  # HIP has a branch of its own beside it
        elif dead[-1] is last or is_empty(document, last):
            newer = last.end - last.start < _SHORT and fold_directive(test.word, test.condition, on_ampere) is False
            guard = Guard.EXTRA if newer else Guard.NOTHING
        else:
            gives_up = _GIVES_UP.search(document.code, last.start, last.end)
            guard = Guard.GIVES_UP if gives_up else Guard.ELSE
        found += [(body, guard) for body in dead]
    return found


def asks_for_amd(test: Directive) -> bool:
    """Whether a branch is AMD's by what it asks: ``#elif defined(__HIP_DEVICE_COMPILE__)``."""
    return test.word in ("if", "ifdef", "elif") and "!" not in test.condition and bool(_AMDS.search(test.condition))


def amd_has_its_branch(document: CodeFile, directive: Directive) -> bool:
    """Whether the branches of one ``#if`` tell NVIDIA's compiler and AMD's apart."""
    for conditional in document.every_conditional():
        if any(arm.test == directive for arm in conditional.arms):
            return any(asks_for_amd(arm.test) for arm in conditional.arms if arm.test != directive)
    return False


def needs_nvidias_switch(document: CodeFile, directive: Directive) -> bool:
    """Whether a condition asks for the project's own switch for CUDA as well, and the file has the one for HIP beside it."""
    return (
        "|" not in directive.condition
        and "!" not in directive.condition
        and any(name in nvidias_switches(document) for name in _HIP_WORD.findall(directive.condition))
    )


def is_empty(document: CodeFile, body: Span) -> bool:
    """Whether a branch holds no code: comments, pragmas and messages do no work in place of another branch."""
    return not _DIRECTIVE_LINE.sub(b"", document.code[body.start : body.end]).strip()


def arch_guard(document: CodeFile, context: Context, at: int) -> Guard | None:
    """What stands beside a place that HIP skips because it does not define ``__CUDA_ARCH__``; None if it does not skip it."""
    return max((guard for span, guard in _arch_guards(document, context) if span.start <= at < span.end), default=None)


def arch_guarded(document: CodeFile, context: Context, at: int, *, hint: bool = False) -> bool:
    """Whether HIP skips a place and compiles an #else instead, or misses only a hint to newer GPUs."""
    guard = arch_guard(document, context, at)
    return guard is not None and (guard >= Guard.GIVES_UP or (hint and guard is Guard.EXTRA))


def else_of_asm(document: CodeFile, context: Context, directive: Directive) -> bool:
    """Whether a branch that HIP skips for want of ``__CUDA_ARCH__`` holds PTX, and an #else does the work without it."""
    span = _guards_with_else(document, context).get(directive.where.end)
    return span is not None and _ASM.search(document.code, span.start, span.end) is not None


@lru_cache(maxsize=2)
def _guards_with_else(document: CodeFile, context: Context) -> dict[int, Span]:
    """By their beginning: every condition of a file asks."""
    return {span.start: span for span, guard in _arch_guards(document, context) if guard is Guard.ELSE}


def supplied(document: CodeFile, context: Context) -> Mapping[str, str]:
    """CUDA names that the project's headers supply to this file on the target, with the header of each."""
    return context.project.supplied(document.source.path)


def uses(
    document: CodeFile, context: Context, names: Iterable[bytes], *, device: bool = False, hints: bool = False
) -> Uses | None:
    """Where a file uses these names, leaving out what a platform gate keeps off the target, and names that
    a header of the project supplies there (unless it supplies all of them). For names of device code, what
    stands behind a test of ``__CUDA_ARCH__`` is left out too: HIP does not compile it. ``hints`` are names that
    change no result, so that it does not matter if nothing stands in their place."""
    found: list[tuple[int, bytes, int]] = []
    for name in names:
        places = reachable(document, context, document.words[name])
        if device:
            places = [at for at in places if not arch_guarded(document, context, at, hint=hints)]
        if places:
            found.append((places[0], name, len(places)))
    if not found:
        return None
    found.sort()
    headers = supplied(document, context)
    header = headers.get(found[0][1].decode(), "")
    if missing := [item for item in found if item[1].decode() not in headers]:
        found, header = missing, ""
    at, first, _ = found[0]
    return Uses([name.decode() for _, name, _ in found], sum(n for *_, n in found), Span(at, at + len(first)), header)


def listed(names: list[str], limit: int = 5) -> str:
    """``a, b and c``; a long list is cut short."""
    if len(names) > limit:
        return ", ".join(names[:limit]) + f" and {len(names) - limit} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def known_names(document: CodeFile, *libraries: str, supported: bool = True) -> list[bytes]:
    """The words of a file that the table lists under these libraries and the file does not define itself; with
    ``supported``, those that HIP, or rewarp's support header, has under another name."""
    own = own_names(document)
    words = cuda.names().keys() & document.words.keys()
    found = []
    for word in words - own:
        twin = cuda.twin(word)
        if twin is None or twin.library not in libraries:
            continue
        # HIP has __shfl and its kin as well, with another meaning: other rules speak of those.
        renamed = (
            twin.status != "unsupported" and twin.hip != twin.cuda and (twin.supported or twin.library != "device")
        )
        if renamed if supported else not (twin.supported or renamed):
            found.append(word)
    return found


@lru_cache(maxsize=2)
def own_names(document: CodeFile) -> frozenset[bytes]:
    """Macros and types the file defines, such as ``#define cudaMalloc hipMalloc``."""
    found = (
        pattern.match(document.code, at) for word, pattern in _DEFINES.items() for at in document.words.get(word, ())
    )
    return frozenset(match[1] for match in found if match)


def declares(document: CodeFile, name: bytes) -> bool:
    """Whether a file declares or defines a function, variable or type of this name."""
    return any(is_declaration(document.code, at) for at in document.words[name])


def knows_hip(document: CodeFile, context: Context) -> bool:
    """Whether the file already tells HIP from CUDA: a HIP macro in an ``#if``, or a HIP header."""
    macros = context.target.true_macros
    for directive in document.directives:
        if any(macros.fullmatch(word) for word in _HIP_WORD.findall(directive.condition)):
            return not directive.include_guard
    return any(include.path.startswith(("hip/", "rocm", "hipblas", "hipcub")) for include in document.includes)


def torch_headers(document: CodeFile) -> list[Include]:
    return [i for i in document.includes if i.path.startswith(("torch/", "ATen/", "c10/"))]


def milder(document: CodeFile, context: Context, found: Uses | None = None) -> tuple[Severity | None, str]:
    """A rename that something already takes care of informs, it does not alarm."""
    if found and found.header:
        return Severity.INFO, f"; {found.note}"
    if knows_hip(document, context):
        return Severity.INFO, "; the file already has branches for HIP"
    if torch_headers(document) or document.source.path in context.project.hipified:
        return Severity.INFO, "; torch's extension build renames them for ROCm"
    return None, ""


def is_device_code(document: CodeFile) -> bool:
    """CUDA by its name, or a header that holds device code."""
    if document.kind is Kind.CUDA:
        return True
    return any(word in document.words for word in (b"__device__", b"__global__", b"threadIdx", b"__forceinline__"))


def closing(code: bytes, at: int) -> int:
    """The offset after the bracket that closes the one at ``at``; the end of the code if none does."""
    depth = 0
    for index in range(at, len(code)):
        byte = code[index]
        if byte in _OPEN:
            depth += 1
        elif byte in _CLOSE:
            depth -= 1
            if depth <= 0:
                return index + 1
    return len(code)


def arguments(code: bytes, at: int) -> Iterator[Span]:
    """The arguments of a call whose ``(`` stands at ``at``, split at commas outside brackets."""
    end = closing(code, at) - 1
    depth, start = 0, at + 1
    for index in range(at + 1, end):
        byte = code[index]
        if byte in _OPEN:
            depth += 1
        elif byte in _CLOSE:
            depth -= 1
        elif byte == ord(",") and not depth:
            yield Span(start, index)
            start = index + 1
    yield Span(start, end)
