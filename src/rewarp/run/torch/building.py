"""An extension's sources as one shared library: CUDA translated, kernels for an AMD card, bindings for torch's CPU side."""

from __future__ import annotations

import hashlib
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rewarp import toolchain as toolchains
from rewarp.machine import MachineError
from rewarp.run.building import Builder
from rewarp.run.linking import link
from rewarp.run.results import Request
from rewarp.run.staging import Stage, existing, stage
from rewarp.run.torch.sources import cuda_operators, for_cpu_tensors
from rewarp.toolchain import Toolchain
from rewarp.toolchain.torch_headers import BEHIND
from rewarp.verify.build.flags import read_flags

_HERE = Path(__file__).parent
INCLUDE = _HERE / "include"
_STANDARD = "-std=c++20"
_HEADERS = (
    *(f"ATen/hip/{name}" for name in (
        "HIPContext.h", "HIPContextLight.h", "HIPUtils.h", "HIPApplyUtils.cuh", "HIPDevice.h", "Exceptions.h", "Atomic.cuh",
        "DeviceUtils.cuh", "detail/KernelUtils.h",
    )),
    *(f"c10/hip/{name}" for name in ("HIPException.h", "HIPFunctions.h", "HIPGuard.h", "HIPMacros.h", "HIPStream.h")),
)  # fmt: skip
"""Headers of ROCm's torch that ours stands for, as translated sources name them."""
_OF_GPU_BUILDS = frozenset(("c10_cuda", "torch_cuda", "c10_hip", "torch_hip", "cudart", "amdhip64"))
_OF_TORCH = ("c10", "torch_cpu", "torch", "torch_python")


@dataclass(frozen=True)
class Extension:
    """What torch was asked to build."""

    name: str
    sources: tuple[Path, ...]
    output: Path
    words: tuple[str, ...] = ()
    """For the compiler, nvcc's and the host's together."""
    includes: tuple[Path, ...] = ()
    links: tuple[str, ...] = ()
    """Words for the linker."""
    keeps_record: bool = False
    """Whether a library that was built from the same is taken as it is."""


def build(extension: Extension, arch: str, runtime: Path) -> None:
    """Raises NotBuilt with places in the extension's own files."""
    existing(extension.sources)
    compiler = compiler_for(arch)
    flags = read_flags(extension.words, Path.cwd())
    includes = [place for place in (*extension.includes, *flags.includes) if not _is_foreign(place)]
    options = [_of_hip(word) for word in flags.options if not word.startswith("-std=")]
    options += [word for file in flags.forced for word in ("-include", str(file))]
    options += [f"-DTORCH_EXTENSION_NAME={extension.name}", "-DTORCH_API_INCLUDE_EXTENSION_H"]
    record = extension.output.with_name(f"{extension.output.name}.rewarp")
    with tempfile.TemporaryDirectory(prefix="rewarp-torch-") as place:
        folder = Path(os.path.realpath(place))
        operators = cuda_operators(source.read_bytes() for source in extension.sources)
        prepare = partial(for_cpu_tensors, operators=operators)
        staged = stage(extension.sources, includes, folder / "source", prepare)
        made_from = _digest(staged, folder, (arch, str(runtime), compiler.identity, *options, *extension.links))
        if extension.keeps_record and extension.output.is_file() and _content(record) == made_from:
            return
        library = _made(extension, staged, compiler, arch, runtime, folder, options)
        extension.output.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library, extension.output)
        if extension.keeps_record:
            record.write_text(made_from, "utf-8")


def _made(
    extension: Extension, staged: Stage, compiler: Toolchain, arch: str, runtime: Path, folder: Path, options: list[str]
) -> Path:
    options = [*torch_options(_forwarding(folder / "torch")), *options]
    libraries, folders = _libraries(extension.links)
    request = Request(extension.sources, options=tuple(options), libraries=libraries, library_folders=folders)
    objects = Builder(compiler, staged, request, arch, folder / arch).objects()
    made = folder / "extension.so"
    link(compiler, objects, made, runtime=runtime, libraries=libraries, folders=folders, shared=True)
    return made


def compiler_for(arch: str) -> Toolchain:
    found = toolchains.find_for([arch])[arch]
    if found.standard_library:
        raise MachineError("extensions need the C++ library that torch was built with: install g++")
    return found


def torch_options(headers: Path) -> list[str]:
    """Where torch's headers are, behind our own, and what ROCm's torch defines."""
    torch, cpp_extension = _torch()
    includes = [*cpp_extension.include_paths(), sysconfig.get_paths()["include"]]
    options = ["-I", str(headers), "-I", str(INCLUDE), *(word for one in includes for word in ("-isystem", one))]
    options += ["-idirafter", str(BEHIND), _STANDARD]
    options += [*cpp_extension.COMMON_HIP_FLAGS, *cpp_extension.COMMON_HIPCC_FLAGS]
    return [*options, "-fPIC", f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"]


def torch_libraries() -> Path:
    torch, _ = _torch()
    return Path(torch.__file__).parent / "lib"


def _torch() -> tuple[Any, Any]:
    try:
        import torch
        from torch.utils import cpp_extension
    except ImportError as error:
        raise MachineError(f"torch is not installed: {error}") from None
    return torch, cpp_extension


def _forwarding(folder: Path) -> Path:
    for name in _HEADERS:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#include <rewarp_torch.h>\n", "utf-8")
    return folder


def _is_foreign(place: Path) -> bool:
    """Whether headers there are torch's or CUDA's, and nothing of the extension's."""
    return place.is_relative_to(torch_libraries().parent) or (place / "cuda_runtime.h").is_file() or not place.is_dir()


def _of_hip(option: str) -> str:
    """`-U__CUDA_NO_HALF_OPERATORS__` and the like, as torch itself says them to AMD's compiler."""
    return option.replace("__CUDA_NO_", "__HIP_NO_") if option.startswith(("-D__CUDA_NO_", "-U__CUDA_NO_")) else option


def _libraries(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    words = list(words)
    names = [word[2:] for word in words if word.startswith("-l")]
    folders = [Path(word[2:]) for word in words if word.startswith("-L")]
    kept = [name for name in names if name not in _OF_GPU_BUILDS and name not in _OF_TORCH]
    return (*_OF_TORCH, *kept), (torch_libraries(), *(folder for folder in folders if folder.is_dir()))


def _digest(staged: Stage, folder: Path, words: Sequence[str]) -> str:
    torch, _ = _torch()
    digest = hashlib.sha256(repr((torch.__version__, *(str(word).replace(str(folder), "") for word in words))).encode())
    sources = sorted({file for _, file in staged.units} | set(folder.rglob("*")))
    for file in (*sources, *sorted(INCLUDE.rglob("*")), *sorted(BEHIND.rglob("*"))):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _content(file: Path) -> str:
    return file.read_text("utf-8") if file.is_file() else ""
