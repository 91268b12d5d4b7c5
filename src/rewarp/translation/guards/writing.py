"""Conditions as HIP's compiler shall read them: each test of NVIDIA's macros becomes what was decided for it."""

from __future__ import annotations

import re

from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.translation import nvidia_equivalent
from rewarp.translation.changes import Replacement
from rewarp.translation.guards.compilers import DEVICE, Compilers
from rewarp.translation.guards.conditions import ARCH, MACRO, TESTED, Candidate, words

_HIP_CODE = f"defined({DEVICE})"


def rewritten(
    document: CodeFile, compilers: Compilers, test: Directive, device: Candidate, host: Candidate
) -> list[Replacement]:
    """A condition's edits, where these are pretended for the device and the host."""
    if test.word.endswith("def"):
        return _rewritten_def(document.code, test, device, host)
    code, aliases, project = document.code, compilers.aliases, compilers.project
    found: list[Replacement] = []
    start, end = test.where
    start = code.index(test.word.encode(), start) + len(test.word)
    for atom in words(project.arch_aliases).atom.finditer(code, start, end):
        text = atom[0].decode()
        if text.startswith("defined") and aliases & set(re.findall(r"\w+", text)):
            continue  # it has a value for the host too
        if (atom[0] in TESTED or text in aliases) and _is_computed_with(code, atom.start(), atom.end()):
            continue  # the names' pass puts a number there
        on_device = bool(compilers.fold("if", text, compilers.pretending(device.macros())))
        on_host = bool(compilers.fold("if", text, compilers.pretending(host.macros(), on_device=False)))
        if not _is_decidable(compilers, text):
            on_device, on_host = _guess(text), host is device and _guess(text)
        new = _condition(on_device, on_host)
        note = "" if new == _HIP_CODE and text.startswith("defined") else f" /* {' '.join(text.split())} */"
        found.append(Replacement(atom.start(), atom.end(), f"{new}{note}".encode()))
    return found


def _is_decidable(compilers: Compilers, atom: str) -> bool:
    closest = Candidate(nvidia_equivalent.ARCH, nvidia_equivalent.CUDA)
    return compilers.fold("if", atom, compilers.pretending(closest.macros())) is not None


def _guess(atom: str) -> bool:
    """Against a number nobody knows, the newest wins."""
    newest_left = re.match(r"\s*(?:\(\s*)?(?:__CUDA|CUDA)", atom)
    return bool(re.search(r">" if newest_left else r"<", atom))


def _rewritten_def(code: bytes, test: Directive, device: Candidate, host: Candidate) -> list[Replacement]:
    """``#ifdef __CUDA_ARCH__`` and its kin."""
    match = re.compile(MACRO).search(code, *test.where)
    if not match:
        return []
    name = match[0].decode()
    on_device = device.macros()[name] is not False
    if name == ARCH and on_device and host.arch is False:
        return [Replacement(match.start(), match.end(), b"__HIP_DEVICE_COMPILE__")]
    word_at = code.index(test.word.encode(), test.where.start)
    truth = on_device != test.word.endswith("ndef")
    word = "elif" if test.word.startswith("el") else "if"
    new = f"{word} {int(truth)} /* {test.word} {name} */"
    return [Replacement(word_at, match.end(), new.encode())]


def _is_computed_with(code: bytes, start: int, end: int) -> bool:
    """Whether a macro stands in an arithmetic expression, where true or false would be the wrong kind of answer."""
    before, after = code[:start].rstrip(b" \t(")[-1:], code[end : end + 40].lstrip(b" \t)")[:2]
    return before in b"+-*/%<>=" or (after[:1] in b"+-*/%<>=" and after[:1] != b"") or after == b"!="


def _condition(on_device: bool, on_host: bool) -> str:
    if on_device == on_host:
        return str(int(on_device))
    return _HIP_CODE if on_device else f"!{_HIP_CODE}"
