"""Operations that back ends register: one macro for each, with its name and, somewhere, whose it is.

`PD_REGISTER_KERNEL(abs, GPU, …)`, `ONNX_OPERATOR_KERNEL_EX(Cast, …, kCudaExecutionProvider, …)`,
`TORCH_LIBRARY_IMPL(ns, CUDA, m) { m.impl("op", …); }`, `REGISTER_DISPATCH(add_stub, …)` in a folder that says whose it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rewarp.parity.cpp.following.bodies import classify
from rewarp.parity.cpp.reading.declarations import CppFile
from rewarp.parity.cpp.reading.expansion import REGISTERS, Invocation, invocations
from rewarp.parity.cpp.reading.expressions import call_at, split
from rewarp.parity.cpp.reading.program import Program, owner_of_path
from rewarp.parity.cpp.reading.tokens import Tokens
from rewarp.parity.names.backends import backend_of
from rewarp.parity.units import Coverage, Place, Side, Status, Unit

_GPU = re.compile(r"(k|DEVICE_|DeviceType::k)?GPU(Place)?", re.I)
_ANY_GPU = "gpu"
_SHARING = frozenset({"cuda", "rocm"})
"""Back ends that a project means together when it says GPU, where it builds for both."""
_HIP_BUILD = re.compile(
    rb"__HIP_PLATFORM_AMD__|\w*(?:USE|WITH|ENABLE)_(?:ROCM|HIP)\b|hipcc|enable_language\(\s*HIP", re.I
)
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_NO_NAME = re.compile(r"k[A-Z]\w*Domain|\d.*|true|false")
_CALLED = re.compile(r"[a-zA-Z]*[Rr]egister[A-Za-z_]*")
_FAR = 400
_BLOCKS = re.compile(r"TORCH_LIBRARY_IMPL\w*")
_FEWEST = 3


class Registered(NamedTuple):
    """One registration as one back end compiles it."""

    name: str
    backend: str | None
    place: Place
    words: tuple[str, ...]
    """The names in it: one of them does the work."""
    family: str
    """The macro, without whose it is."""


def units(a: Program, b: Program, files: Mapping[str, bytes]) -> tuple[list[Unit], list[str], list[Coverage]]:
    """One unit for each operation that A registers, where B registers some in the same way."""
    both_gpu = {a.backend, b.backend} == _SHARING and any(map(_HIP_BUILD.search, files.values()))
    ours, theirs = _by_name(a, both_gpu), _by_name(b, both_gpu)
    total = sum(map(len, ours.values()))
    found: list[Unit] = []
    by: list[str] = []
    for family, ones in sorted(ours.items()):
        others = theirs.get(family, {})
        if len(ones) < _FEWEST or not others:
            continue
        by.append(f"registrations by {family}: {len(ones)} of {a.backend}, {len(others)} of {b.backend}")
        for name in dict.fromkeys([*ones, *others]):
            sides = (_side(a, ones.get(name, []), family), _side(b, others.get(name, []), family))
            found.append(Unit("registered operation", family, name, *sides))
    seen = {unit.name for unit in found}
    names = {name: name in seen for ones in ours.values() for name in ones}
    return found, by, [Coverage.of("registered operations", names)] if total else []


def _by_name(program: Program, both_gpu: bool) -> dict[str, dict[str, list[Registered]]]:
    found: dict[str, dict[str, list[Registered]]] = defaultdict(lambda: defaultdict(list))
    for file in program.files:
        for one in _registered(file):
            is_mine = one.backend == program.backend
            if one.backend == _ANY_GPU:
                is_mine = program.backend == "cuda" or (both_gpu and program.backend in _SHARING)
            elif one.backend == "cuda" and program.backend == "rocm":
                is_mine = program.owns(file.path) or (both_gpu and owner_of_path(file.path) is None)
            if is_mine:
                found[one.family][one.name].append(one)
    return found


def _registered(file: CppFile) -> Iterator[Registered]:
    yield from _calls(file.tokens)
    for part in (file, *file.written):
        for call in invocations(part.tokens):
            if REGISTERS.fullmatch(call.name) and call.name not in file.tokens.defined:
                if _BLOCKS.fullmatch(call.name):
                    yield from _block(part.tokens, call)
                elif one := _one(part.tokens, call):
                    yield one


def _calls(tokens: Tokens) -> Iterator[Registered]:
    """Calls that say what is done and for whom: `RegisterOp(OpId::kMatmul, DeviceType::kCUDA, &matmul)`, wherever they stand."""
    for at, text in enumerate(tokens.list):
        if "egister" not in text or not _CALLED.fullmatch(text):
            continue
        call = call_at(tokens, at, tokens.size)
        if call is None:
            continue
        arguments = [tokens.list[slice(*part)] for part in call.arguments]
        whose = [(part, _whose(part[-1])) for part in arguments if _is_constant(part)]
        names = [part[-1] for part, backend in whose if backend is None and len(part) > 1]
        names += [
            tokens.literal(start) for start, end in call.arguments if end == start + 1 and tokens.list[start][0] == '"'
        ]
        backend = next((backend for _, backend in whose if backend), None)
        if backend and names:
            line = tokens.line(at)
            words = tuple(word for part in arguments for word in part if _NAME.match(word))
            yield Registered(names[0], backend, Place(tokens.path, line, f"{text}({names[0]}, …)"), words, text)


def _is_constant(part: list[str]) -> bool:
    """`OpId::kMatmul`, `kCUDA`: names, and `::` between them."""
    return len(part) % 2 == 1 and all(
        (text == "::") == bool(at % 2) and (at % 2 or _NAME.match(text)) for at, text in enumerate(part)
    )


def _one(tokens: Tokens, call: Invocation) -> Registered | None:
    arguments = [tokens.list[slice(*part)] for part in split(tokens, (call.at + 2, call.close), ",")]
    literals = [index for index in range(call.at + 2, call.close) if tokens.list[index].startswith('"')]
    name = next((part[0] for part in arguments if len(part) == 1 and _is_name(part[0])), "")
    if arguments and (len(arguments[0]) > 1 or arguments[0][0].startswith('"')) and literals:
        name = tokens.literal(literals[0])  # `Name("MatMul").Device(DEVICE_GPU)`, `"matmul"`
    if not name:
        return None
    words = [text for part in arguments for text in part if _NAME.match(text)]
    line = tokens.line(call.at)
    place = Place(tokens.path, line, f"{call.name}({name}, …)")
    plain = [part[-1] for part in arguments if part and all(_NAME.match(text) or text == "::" for text in part)]
    backend = next((whose for text in plain[1:] if (whose := _whose(text))), None)
    backend = backend or _whose(call.name) or next((w for text in _after(tokens, call) if (w := _whose(text))), None)
    return Registered(name, backend or _of_path(tokens.path), place, tuple(words), _family(call.name))


def _block(tokens: Tokens, call: Invocation) -> Iterator[Registered]:
    """`m.impl("op", …)` for each operation of a library."""
    parts = [tokens.list[slice(*part)] for part in split(tokens, (call.at + 2, call.close), ",")]
    brace = call.close + 1
    if len(parts) != 3 or tokens.list[brace] != "{" or brace not in tokens.partner:
        return
    backend = _whose(parts[1][-1])
    for index in range(brace, tokens.partner[brace]):
        if tokens.list[index] == "impl" and (inner := call_at(tokens, index, tokens.partner[brace])):
            literal = next((at for at in range(*inner.arguments[0]) if tokens.list[at].startswith('"')), None)
            if literal is not None:
                name = f"{parts[0][-1]}::{tokens.literal(literal).rpartition('::')[2]}"
                words = tuple(
                    text for text in tokens.list[inner.arguments[0][1] : inner.arguments[-1][1]] if _NAME.match(text)
                )
                place = Place(tokens.path, tokens.line(index), tokens.line_text(tokens.line(index))[:120])
                yield Registered(name, backend, place, words, "TORCH_LIBRARY_IMPL")


def _is_name(text: str) -> bool:
    return bool(_NAME.match(text)) and _whose(text) is None and not _NO_NAME.fullmatch(text)


def _whose(text: str) -> str | None:
    return backend_of(text) or (_ANY_GPU if _GPU.fullmatch(text) or "_GPU_" in f"_{text}_" else None)


def _of_path(path: str) -> str | None:
    return owner_of_path(path) or (_ANY_GPU if "gpu" in path.lower().split("/") else None)


def _after(tokens: Tokens, call: Invocation) -> Iterator[str]:
    """What is chained to a call: `.SetIsMatchedHob(… DeviceType::kCUDA …)`."""
    for index in range(call.close + 1, min(call.close + _FAR, tokens.size)):
        if tokens.list[index] in (";", "{", "}") or (index == call.close + 1 and tokens.list[index] != "."):
            return
        yield tokens.list[index]


def _family(macro: str) -> str:
    """A macro without whose it is, and without the words that tell only how much it is told."""
    kept = [
        word for word in macro.split("_") if not _whose(word) and word not in ("VERSIONED", "TYPED", "TWO", "THREE")
    ]
    return "_".join(word for word in kept if word)


def _side(program: Program, found: list[Registered], family: str) -> Side:
    if not found:
        return Side(Status.MISSING, f"{program.backend} registers none of this name by {family}")
    for one in found:
        for word in one.words:
            functions = [item for item in program.by_name.get(word, ()) if item.path == one.place.path]
            if len(functions) == 1:
                verdict = classify(program, functions[0])
                if not verdict.status.does_something:
                    return Side(verdict.status, f"{word} {verdict.why}", (one.place, *verdict.evidence))
    return Side(Status.IMPLEMENTED, "is registered", tuple(one.place for one in found[:3]))
