"""Extensions written for an old torch: what its C++ interface has lost since is bypassed on ROCm, where torch is never that
old. For NVIDIA, who may still build with the old one, the compiler sees the same as before."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from rewarp.edits import Edit, apply
from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.cpp.translation import builds_torch_extension
from rewarp.port.proving.evidence import certificate
from rewarp.port.tree import Tree
from rewarp.registry import Trait, is_about
from rewarp.source import SourceFile, Span
from rewarp.verify.isolation.file_verdict import IsolationVerdict

_STATE = re.compile(rb"^[ \t]*extern[ \t]+THCState[ \t]*\*[ \t]*\w+[ \t]*;[^\n]*$", re.M)
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]THC/[^\n]*$", re.M)
_ANY_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include\b[^\n]*$", re.M)
_WORD = re.compile(rb"\b(?:THC\w*|THCuda\w*|AT_CHECK)\b")
_STILL_THERE = re.compile(rb"THC/(?:THCAtomics|THCDeviceUtils)\.cuh")
_NEW_NAMES = {
    b"AT_CHECK": (b"", b"#define AT_CHECK TORCH_CHECK"),
    b"THCudaCheck": (b"#include <c10/cuda/CUDAException.h>", b"#define THCudaCheck C10_CUDA_CHECK"),
    b"THCCeilDiv": (b"#include <ATen/ceil_div.h>", b"#define THCCeilDiv at::ceil_div"),
}
_DISPATCH = re.compile(rb"\bAT_DISPATCH_\w+\s*\(\s*(([\w.\[\]]+?)\.type\(\))\s*,")
_TYPE = b"DISPATCH_TYPE"
"""Of a tensor what AT_DISPATCH_* takes: its scalar type, since torch 2.6 that alone."""
_TEXTS = ("readme", "install", "requirements", "environment", "setup.py", "dockerfile")
_OLD = re.compile(rb"(?i)(?<![\w-])(?:py)?torch\W{0,6}(?:version\W{0,3})?v?(?:0\.\d|1\.[0-4](?!\d))")
_WHY = "What torch's C++ interface has lost since is bypassed on ROCm, whose torch is newer."
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)


def speaks_of_old_torch(tree: Tree) -> bool:
    """Whether a text at the top of the project, or one that lists packages, names a torch before 1.5."""
    for path in tree.paths():
        name = posixpath.basename(path).lower()
        if path.count("/") <= 1 and name.startswith(_TEXTS) and _OLD.search(tree.read(path) or b""):
            return True
    return False


def run(tree: Tree, context: PortContext) -> PhaseResult:
    result = PhaseResult()
    if not builds_torch_extension(tree, context.target):
        return result
    found = [f for f in tree.findings(context.target) if is_about(f.rule, Trait.GONE_FROM_TORCH)]
    for path in sorted({finding.path for finding in found if kind_of_path(finding.path) in CPP_KINDS}):
        data = tree.read(path) or b""
        after = bypassed(path, data, _defined(tree, path))
        if after is None:
            continue
        rules = tuple(sorted({finding.rule for finding in found if finding.path == path}))
        change = Change(path, after, PortPhase.LIBRARIES, _WHY, rules)
        proof = certificate(tree, tree.with_changes([change]))
        if all(file.verdict is IsolationVerdict.IDENTICAL for file in proof.files):
            result.changes.append(change)
        else:
            why = next(file.why for file in proof.files if file.verdict is not IsolationVerdict.IDENTICAL)
            result.manual.append(Manual(path, None, PortPhase.LIBRARIES, _WHY.rstrip("."), why, ", ".join(rules)))
    return result


def _defined(tree: Tree, path: str) -> frozenset[bytes]:
    """The macros that the project's own headers define for a file."""
    paths = [path for path in tree.paths() if kind_of_path(path) in CPP_KINDS]
    includes = IncludeMap.of(SourceFile(path, tree.read(path) or b"") for path in paths)
    return frozenset(name for one in includes.reached([path]) for name in _DEFINED.findall(tree.read(one) or b""))


def bypassed(path: str, data: bytes, defined: frozenset[bytes] = frozenset()) -> bytes | None:
    """The source with what is gone behind ``#ifndef USE_ROCM``, and new names for old ones on ROCm; None where that is not
    all that it needs. ``defined``: macros that the project's headers define for it."""
    if b"\r" in data and data.count(b"\r\n") == data.count(b"\r") == data.count(b"\n"):
        after = bypassed(path, data.replace(b"\r\n", b"\n"), defined)
        return after.replace(b"\n", b"\r\n") if after is not None else None
    try:
        document = CodeFile(SourceFile(path, data), kind_of_path(path) or Kind.CUDA)
        code = document.code
    except UnreadableSource:
        return None
    if b"\r" in data or document.source.view != data or b"USE_ROCM" in data:
        return None
    lines = [*_lines(_INCLUDE, data), *_lines(_STATE, data)]
    lines = [span for span in lines if not _STILL_THERE.search(data[span.start : span.end])]
    own = defined | set(_DEFINED.findall(data))
    rest = {m[0] for m in _WORD.finditer(code) if not any(s.start <= m.start() < s.end for s in lines)} - own
    rest = {name for name in rest if not name.startswith((b"THCAtomics", b"THCDeviceUtils"))}
    dispatched = list(_DISPATCH.finditer(code)) if _TYPE not in data else []
    if not rest <= _NEW_NAMES.keys() or not (lines or rest or dispatched):
        return None
    edits = [edit for span in lines for edit in (_before(span, b"#ifndef USE_ROCM\n"), _after(span, b"\n#endif"))]
    if rest or dispatched:
        includes = [span for span in _lines(_ANY_INCLUDE, data) if b"\n#if" not in data[: span.start]]
        if not includes:
            return None
        edits.append(_after(includes[-1], b"\n" + b"\n".join(_names(rest, bool(dispatched)))))
    edits = _merged(edits)
    edits += [Edit(Span(*match.span(1)), _TYPE + b"(" + match[2] + b")") for match in dispatched]
    return apply(data, edits)


def _names(gone: Collection[bytes], dispatches: bool) -> list[bytes]:
    """The lines that say on ROCm what names mean which torch has no more, and what a dispatch is over."""
    headers, names = zip(*(_NEW_NAMES[name] for name in sorted(gone))) if gone else ((), ())
    block = [b"#ifdef USE_ROCM", *filter(None, headers), *names]
    if dispatches:
        block += [
            b"#define %s(tensor) tensor.scalar_type()" % _TYPE,
            b"#else",
            b"#define %s(tensor) tensor.type()" % _TYPE,
        ]
    return [*block, b"#endif"]


def _lines(pattern: re.Pattern[bytes], data: bytes) -> Iterator[Span]:
    return (Span(*match.span()) for match in pattern.finditer(data))


def _before(span: Span, text: bytes) -> Edit:
    return Edit(Span(span.start, span.start), text)


def _after(span: Span, text: bytes) -> Edit:
    return Edit(Span(span.end, span.end), text)


def _merged(edits: list[Edit]) -> list[Edit]:
    """Insertions at one place as one, in their order."""
    found: dict[int, bytes] = {}
    for edit in edits:
        found[edit.span.start] = found.get(edit.span.start, b"") + edit.text
    return [Edit(Span(at, at), text) for at, text in sorted(found.items())]
