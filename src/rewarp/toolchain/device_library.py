"""AMD's device libraries (ocml: mathematics, ockl: printf, malloc …) as options of one compilation.

They ask for what they run on by constants named `__oclc_*`. A ROCm install has a file per constant and value; Triton's
wheel has none, so they are always made here, from what the architecture and the options say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rewarp.toolchain.arches import isa_version, wave_size

_LIBRARIES = ("ocml.bc", "ockl.bc")
_BYTE, _WORD = "unsigned char", "int"


def library_files(folder: Path | None) -> tuple[Path, ...]:
    """The libraries in a folder; none where one of them is missing."""
    files = tuple(folder / name for name in _LIBRARIES) if folder else ()
    return files if all(file.is_file() for file in files) else ()


def code_object_version(arch: str) -> int:
    """What ROCm 6 and 7 both load; clang's own default changes from release to release."""
    return 6 if "generic" in arch else 5


def lanes(arch: str, options: Sequence[str]) -> int:
    """The wave size of this compilation: RDNA can be told to use 64."""
    for option in reversed(options):
        if option in ("-mwavefrontsize64", "-mno-wavefrontsize64"):
            return 64 if option == "-mwavefrontsize64" else 32
    return wave_size(arch)


def constants_source(arch: str, options: Sequence[str]) -> str:
    """C that defines the constants, for the AMD target."""
    fast = _switched("fast-math", options) or "-Ofast" in options
    values: Mapping[str, tuple[str, int]] = {
        "finite_only_opt": (_BYTE, fast or _switched("finite-math-only", options)),
        "unsafe_math_opt": (_BYTE, fast or _switched("unsafe-math-optimizations", options)),
        "daz_opt": (_BYTE, _switched("gpu-flush-denormals-to-zero", options)),
        "correctly_rounded_sqrt32": (_BYTE, _switched("hip-fp32-correctly-rounded-divide-sqrt", options, default=True)),
        # Libraries of ROCm 6 ask for the first of these two, later ones for the second.
        "wavefrontsize64": (_BYTE, lanes(arch, options) == 64),
        "wavefrontsize_log2": (_BYTE, lanes(arch, options).bit_length() - 1),
        "ISA_version": (_WORD, isa_version(arch)),
        "ABI_version": (_WORD, code_object_version(arch) * 100),
    }
    constant = "const __attribute__((address_space(4)))"
    return "".join(f"{constant} {type_} __oclc_{name} = {int(value)};\n" for name, (type_, value) in values.items())


def link_options(files: Sequence[Path]) -> list[str]:
    """What makes clang take the functions it needs out of bitcode files."""
    return [word for file in files for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(file))]


def _switched(name: str, options: Sequence[str], *, default: bool = False) -> bool:
    last = next((option for option in reversed(options) if option in (f"-f{name}", f"-fno-{name}")), None)
    return default if last is None else last == f"-f{name}"
