"""What a ROCm back end in Rust has to supply: the names of cudarc that a crate uses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from rewarp.fixes.crate import CratePlace, Wanting
from rewarp.rules.rust._shapes import FAMILIES

_TWINS = {
    "CudaContext": "hip::Device",
    "CudaDevice": "hip::Device",
    "CudaStream": "hip::Stream",
    "CudaEvent": "hip::Event",
    "CudaModule": "hip::Module",
    "CudaFunction": "hip::Function",
    "CudaSlice": "hip::DeviceMemory",
    "LaunchConfig": "hip::Dim3",
    "PinnedHostSlice": "hip::PinnedMemory",
    "DriverError": "hip::Error",
    "PushKernelArg": "hip::AsKernelArg",
    "DeviceRepr": "hip::AsKernelArg",
    "CudaBlas": "rocblas::Handle",
    "CublasError": "rocblas::Error",
    "Gemm": "rocblas::GemmType",
    "CudaRng": "rocrand::PseudoRng",
    "Cudnn": "miopen::Handle",
    "ConvForward": "miopen::ConvolutionDescriptor",
    "TensorDescriptor": "miopen::TensorDescriptor",
}
"""Types of cudarc, and those of rocm-rs 0.5 that take their place."""
_USE = re.compile(rb"\bcudarc::")
_SHOWN = 12


def names_to_supply(crate: CratePlace) -> Iterator[Wanting]:
    """One entry for each part of cudarc that a crate uses."""
    used: dict[str, Counter[str]] = defaultdict(Counter)
    files: dict[str, set[str]] = defaultdict(set)
    for document in crate.documents:
        for match in _USE.finditer(document.code):
            for module, name in _paths(document.code, match.end()):
                used[module][name] += 1
                files[module].add(document.source.path)
    for module, names in sorted(used.items()):
        if module not in FAMILIES:
            continue
        listed = [
            f"{name} → rocm_rs::{_TWINS[name]}" if name in _TWINS else name for name, _ in names.most_common() if name
        ]
        more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
        what = f"{crate.name} uses cudarc::{module} in {len(files[module])} file{'s' * (len(files[module]) > 1)}: "
        what += (", ".join(listed[:_SHOWN]) + more) if listed else "the module itself"
        why = f"a ROCm back end has to supply these; AMD has {FAMILIES[module] or 'no twin of it'}"
        yield Wanting(crate.manifest, None, what, why)


def _paths(code: bytes, at: int, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """(module, name) for each leaf of a use tree or path that starts here: ``driver::{CudaSlice, sys::CUresult}``."""
    for path in _leaves(code, at, prefix)[0]:
        parts = [part for part in path if part not in ("self", "*")]
        if parts:
            named = next((part for part in parts[1:] if part[:1].isupper()), parts[-1] if len(parts) > 1 else "")
            yield parts[0], named


def _leaves(code: bytes, at: int, prefix: tuple[str, ...]) -> tuple[list[tuple[str, ...]], int]:
    word = re.compile(rb"\s*(\w+|\*|\{)").match(code, at)
    if not word or len(prefix) > 12:
        return [prefix], at
    if word[1] == b"{":
        found: list[tuple[str, ...]] = []
        at = word.end()
        while at < len(code) and not re.compile(rb"\s*\}").match(code, at):
            more, end = _leaves(code, at, prefix)
            found += more
            comma = re.compile(rb"\s*(?:as\s+\w+\s*)?,?").match(code, end)
            at = comma.end() if comma and comma.end() > at else end + 1
        close = re.compile(rb"\s*\}").match(code, at)
        return found, close.end() if close else at
    path = (*prefix, word[1].decode())
    step = re.compile(rb"\s*::\s*(?=[\w{*])").match(code, word.end())
    return _leaves(code, step.end(), path) if step else ([path], word.end())
