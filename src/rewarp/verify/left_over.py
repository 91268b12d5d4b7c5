"""What of CUDA is left in sources for HIP, and which sources are NVIDIA's by right: a counterpart for AMD stands beside them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.switches import nvidias_switches
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.targets import ROCM
from rewarp.translation.tree import TranslatedFile
from rewarp.verify.isolation.roles import names_amd

_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
_DECLARED = re.compile(
    rb"(?<![\w>])(?!(?:return|else|goto|case|throw|new|delete)\b)[A-Za-z_][\w:<>, ]{0,80}[\w>][ \t*&]{1,8}(\w{1,80})[ \t]{0,8}(?:\{[^{};\n]{0,80}\}|=[^=;\n]{0,200})?;"
)
"""Variables and members. A call of a function is none of these."""
_OTHER_SYSTEM = re.compile(
    r"[ \t]*#[ \t]*(?:el)?if\b(?=[^|]*\b(?:_WIN32|_WIN64|_MSC_VER|__APPLE__)\b)(?![^\n]*![ \t]*defined)[^|]*&&[^|]*$"
)
"""A condition that does not hold on Linux, whatever else it asks."""
_HIP_WORD = re.compile(r"\b\w*(?:HIP|ROCM|AMD)\w*\b")
_NVIDIAS_WORD = re.compile(r"(?<![a-z])(?:cuda|nvidia|nv)(?![a-z0-9])")
_C_LIKE = (".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".c", ".cpp", ".cc", ".cxx", ".cmake")


def is_hip(file: TranslatedFile) -> bool:
    return file.translation is not None and (
        file.path.endswith(".hip") or b"hip/hip_runtime" in file.translation.source.view
    )


def names_left(file: TranslatedFile, folders: Sequence[Path]) -> list[tuple[int, str]]:
    """Where names and headers of CUDA stand that HIP has under another name, or not at all; each once, in order. A header that
    lies in one of ``folders`` is the project's own, and a name that the file defines is defined."""
    translation = file.translation
    if translation is None:
        return []
    document = CodeFile(translation.source, kind_of_path(file.path) or Kind.CPP)
    defined = set(_DEFINED.findall(document.code))
    some_unknown = any(problem.kind == "unknown" for problem in translation.problems)
    declared = set(_DECLARED.findall(document.code)) if some_unknown else set()
    nvidias = _branches_of_nvidia(document)
    found: dict[str, int] = {}

    def is_left(at: int) -> bool:
        if document.unreachable(Span(at, at), ROCM) or any(where.start <= at < where.end for where in nvidias):
            return False  # a branch for NVIDIA, beside one for HIP
        return not _OTHER_SYSTEM.match(translation.source.line_text(translation.source.line_at(at)))

    for start, end, _ in translation.replacements:
        text = translation.source.view[start:end]
        if _IDENTIFIER.fullmatch(text) and text not in defined and is_left(start):
            found.setdefault(text.decode("utf-8", "replace"), start)
    for problem in translation.problems:
        symbol, at = problem.symbol, problem.where.start
        told = problem.kind in ("unsupported", "unknown") and symbol and not _has_same_name(symbol)
        if problem.kind == "unknown" and symbol.encode() in declared:
            continue  # no table has it, and the file names something of its own so
        if told and symbol.encode() not in defined and is_left(at):
            found.setdefault(symbol, at)
    for include in document.includes:
        header = cuda.header(include.path.encode())
        own = any((folder / include.path).is_file() for folder in folders)
        other = header is not None and header.hip != include.path  # thrust goes by the same names
        if other and not own and is_left(document.span(include.where).start):
            found.setdefault(include.path, document.span(include.where).start)
    return sorted((at, name) for name, at in found.items())


def _has_same_name(symbol: str) -> bool:
    """Whether HIP has it as CUDA has it: what is told of such a name is no name left over."""
    twin = cuda.twin(symbol.encode())
    return twin is not None and twin.hip == twin.cuda


def _branches_of_nvidia(document: CodeFile) -> list[Span]:
    """``#ifdef USE_CUDA`` with ``#elif USE_HIP``, or an ``#ifdef`` of its own, beside it, with the line of the question."""
    found: list[Span] = []
    switches = nvidias_switches(document)
    for conditional in document.every_conditional():
        arms = [arm.test for arm in conditional.arms]
        found += [
            Span(document.span(arm.test.where).start, arm.body.end)
            for arm in conditional.arms
            if arm.test.word in ("if", "ifdef", "elif") and _needs_one(arm.test.condition, switches)
        ]
        if not any(_asks_for_amd(test.word, test.condition) for test in arms if test.word != "else"):
            continue
        for arm in conditional.arms:
            test = arm.test
            if test.word in ("if", "ifdef", "elif") and not _HIP_WORD.search(test.condition):
                if re.search(r"(?i)cuda|nvcc|nvidia", test.condition):
                    found.append(Span(document.span(test.where).start, arm.body.end))
    return found


def _needs_one(condition: str, switches: frozenset[str]) -> bool:
    plain = "|" not in condition and "!" not in condition
    return plain and not switches.isdisjoint(re.findall(r"[A-Za-z_]\w*", condition))


def _asks_for_amd(word: str, condition: str) -> bool:
    names = re.findall(r"[A-Za-z_]\w*", condition)
    return word in ("if", "ifdef", "elif") and "!" not in condition and any(map(names_amd, names))


def originals(paths: Iterable[str]) -> frozenset[str]:
    """CUDA files whose translation, or whose counterpart for AMD, stands beside them: they are for NVIDIA alone."""
    everything = frozenset(paths)
    stems = {_stem(path) for path in everything}

    def translated(path: str) -> bool:
        stem, suffix = posixpath.splitext(path)
        own = posixpath.basename(stem).lower()
        if own in (
            "cuda",
            "nvidia",
            "nv",
        ):  # vendors/cuda.h beside vendors/hip.h, platforms/cuda.py beside platforms/rocm.py
            folder = posixpath.dirname(path)
            return any(posixpath.join(folder, word + suffix) in everything for word in ("hip", "rocm", "amd"))
        if suffix not in _C_LIKE:
            return False
        twins = [f"{stem}_hip{suffix}", f"{path}.hip"]
        if suffix == ".cu":
            twins += [f"{stem}.hip", f"{stem}.hip.cpp", f"{stem}_hip.cpp"]
        # nvector/cuda/nvector_cuda.cu beside nvector/hip/nvector_hip.hip.cpp
        named = _NVIDIAS_WORD.search(_stem(path)) is not None
        other = (
            any(_NVIDIAS_WORD.sub(word, _stem(path)) in stems for word in ("hip", "rocm", "amd")) if named else False
        )
        return other or not everything.isdisjoint(twins)

    return frozenset(filter(translated, everything))


def _stem(path: str) -> str:
    """A path without what follows the first dot of its name, in small letters with words apart: SetupCuda is setup-cuda."""
    folder, name = posixpath.split(path)
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name.partition(".")[0])
    return posixpath.join(folder, spaced).lower()
