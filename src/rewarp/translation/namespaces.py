"""Namespaces: ``cub::`` becomes ``hipcub::``; what one holds and ROCm lacks is reported."""

from __future__ import annotations

import re
from collections.abc import Callable

from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Names, Problem, Project, Replacement
from rewarp.translation.reported_rules import NO_TWIN, RUNTIME_API

_SCOPE = re.compile(rb"\s*::")
_BEFORE_SCOPE = re.compile(rb"([A-Za-z_]\w*)::\s*\Z")
_SCOPES = re.compile(rb"(?<![\w>])(?:::\s*)?(?!thrust\b|cuda_cub\b|detail\b)(?:[A-Za-z_]\w*\s*::\s*)+\Z")
_NAMESPACE_WORD = re.compile(rb"\bnamespace\s+(?:\w+\s*=\s*)?(?:::\s*)?\Z")
_HIP_ALIAS = re.compile(rb"\s*=\s*(?:::\s*)?(?:hip|roc)\w*\s*;")
_PART_OF_ANOTHER = re.compile(rb"(?:\w|\w\s*::\s*)\Z")
_ALIAS = re.compile(rb"namespace(?<!\wnamespace)\s+(\w+)\s*=\s*(?:::\s*)?(\w+)\s*;")
_MEMBER = re.compile(rb"\s*::\s*(\w+)")
_LIBCUDACXX = re.compile(rb"cuda\s*::\s*(\w+)")
_OF_STD = re.compile(rb"\s*::\s*(\w+)")
_SUPPLIED_OF_STD = frozenset((b"exchange", b"swap"))
_ALL_OF_CUDA = re.compile(rb"cuda\s*;")
_LIBCUDACXX_HEADER = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*<cuda/", re.MULTILINE)
_LIBCUDACXX_FIX = "Use HIP's atomics, std:: or libhipcxx, which AMD keeps apart from ROCm."


class NamespaceTranslator:
    """The uses of namespaces in one file."""

    def __init__(self, code: bytes, project: Project, skip: Callable[[int], bool] | None, found: Names) -> None:
        self.code = code
        self.project = project
        self.skip = skip
        """Whether a place is left alone."""
        self.found = found

    def translate(self, name: bytes, places: list[int], twin: cuda.Twin) -> None:
        """Renames one namespace at its places, and reports members of it that ROCm lacks."""
        code = self.code
        for at in places:
            before = code[max(0, at - 80) : at]
            scope = _BEFORE_SCOPE.search(before) if before.rstrip().endswith(b"::") else None
            if not (_SCOPE.match(code, at + len(name)) or _NAMESPACE_WORD.search(before)):
                continue
            if _HIP_ALIAS.match(code, at + len(name)):
                continue
            if name == b"cuda":
                self._cuda(at, scope[1] if scope else b"")
            elif scope is None:
                self._named(name, at, twin)
            elif name == b"cub" and not self.project.wraps_cub:
                self._wrapped_by_the_build(at, before)
        if twin.status != "unsupported":
            self._report_members(name, twin.library)

    def _cuda(self, at: int, outer: bytes) -> None:
        """``thrust::cuda`` has a twin; NVIDIA's own ``cuda::`` (libcu++) has none in ROCm; others' are theirs."""
        if outer in (b"thrust", b"system"):
            self.found.replacements.append(Replacement(at, at + 4, b"hip"))
            self.found.mapped += 1
            return
        rest = _LIBCUDACXX.match(self.code, at)
        if outer:
            return
        if not rest:
            if _ALL_OF_CUDA.match(self.code, at):
                self._as_a_whole(at)
            return
        member = cuda.member("libcudacxx", rest[1])
        text = f"cuda::{rest[1].decode()}"
        if rest[1] == b"std" and self._of_std(at, rest.end()):
            return
        if rest[1] == b"std":
            self.found.replacements.append(Replacement(at, rest.start(1), b""))
            self.found.noted += 1
            if not any(problem.symbol == text for problem in self.found.problems):
                message = "cuda::std became std: what is constexpr there works in device code, the rest does not"
                where = Span(at, rest.end(1))
                self.found.problems.append(Problem(RUNTIME_API, where, "noted", message, "Check it.", text))
        elif not member or b"cuda" in self.project.own_names:
            return
        elif member.status == "supplied":
            self.found.replacements.append(Replacement(at, at + 4, b"rewarp"))
            self.found.supplied.add(text.encode())
            self.found.mapped += 1
        else:
            self.found.unsupported += 1
            message = f"{text} is libcu++, which ROCm does not carry"
            self._problem(NO_TWIN, b"cuda", at, "unsupported", message, member.note or _LIBCUDACXX_FIX)

    def _of_std(self, at: int, end: int) -> bool:
        """``cuda::std::swap`` comes from the support header: the standard library's is for the host before C++20."""
        name = _OF_STD.match(self.code, end)
        if name is None or name[1] not in _SUPPLIED_OF_STD:
            return False
        self.found.replacements.append(Replacement(at, end, b"rewarp::of_std"))
        self.found.supplied.add(b"cuda::std::" + name[1])
        self.found.mapped += 1
        return True

    def _as_a_whole(self, at: int) -> None:
        """``using namespace cuda;``, or another name for it: what is meant of its members is not looked for. OpenCV has a
        namespace of that name too."""
        if b"cuda" in self.project.own_names or not _LIBCUDACXX_HEADER.search(self.code):
            return
        self.found.unsupported += 1
        message = "the namespace of libcu++ as a whole: ROCm does not carry it"
        self._problem(
            NO_TWIN, b"cuda", at, "unsupported", message, "Name the members where they are used: cuda::ceil_div."
        )

    def _named(self, name: bytes, at: int, twin: cuda.Twin) -> None:
        if twin.status == "unsupported":
            self.found.unsupported += 1
            self._problem(NO_TWIN, name, at, "unsupported", f"{twin.cuda}:: has no twin in ROCm", twin.note)
            return
        if twin.hip and twin.hip != twin.cuda:
            self.found.replacements.append(Replacement(at, at + len(name), twin.hip.encode()))
        if twin.status == "supplied":
            self.found.supplied.add(name)
            self.found.mapped += 1
            message = f"{twin.cuda} comes from the support header: {twin.note}"
            self._problem(RUNTIME_API, name, at, "noted", message, "Check how fast it is.")
        elif twin.status == "noted":
            self.found.noted += 1
            self._problem(RUNTIME_API, name, at, "noted", f"{twin.cuda} became {twin.hip}: {twin.note}", "Check it.")
        else:
            self.found.mapped += 1

    def _wrapped_by_the_build(self, at: int, before: bytes) -> None:
        """``mine::cub::BlockReduce`` where nothing in the project makes a namespace of that name: a flag of the build does, and hipCUB
        knows of none."""
        scopes = _SCOPES.search(before)
        member = _MEMBER.match(self.code, at + len(b"cub"))
        if not scopes or not member or not cuda.member("cub", member[1]):
            return
        self.found.replacements.append(Replacement(at - len(scopes[0]), at + len(b"cub"), b"hipcub"))
        self.found.noted += 1
        wrapped = f"{b''.join(scopes[0].split()).decode()}cub"
        message = f"{wrapped} became hipcub: only a flag of the build can have made it, and hipCUB knows of none"
        self._problem(RUNTIME_API, b"cub", at, "noted", message, "Check that it is CUB.")

    def _report_members(self, name: bytes, library: str) -> None:
        """What is asked of a namespace, or of another name for it, that its twin does not have."""
        aliases = dict.fromkeys(match[1] for match in _ALIAS.finditer(self.code) if match[2] == name)
        scope = rb"(?:" + b"|".join([name, *aliases]) + rb")\s*::\s*(?:experimental\s*::\s*)?"
        for match in re.finditer(scope + rb"(\w+)", self.code):
            if _PART_OF_ANOTHER.search(self.code, max(0, match.start() - 40), match.start()):
                continue
            member = cuda.member(library, match[1])
            if member and member.status == "unsupported" and not (self.skip and self.skip(match.start())):
                self.found.unsupported += 1
                message = f"{name.decode()}::{member.cuda} has no HIP twin"
                fix = member.note or "Find another way on ROCm, or keep the code behind a platform macro."
                self._problem(NO_TWIN, match[1], match.start(1), "unsupported", message, fix)

    def _problem(self, rule: str, name: bytes, at: int, kind: str, message: str, fix: str) -> None:
        self.found.problems.append(Problem(rule, Span(at, at + len(name)), kind, message, fix, name.decode()))
