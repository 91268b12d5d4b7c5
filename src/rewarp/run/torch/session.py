"""torch's own ways to build an extension, led to rewarp: ``load``, ``load_inline``, ``CUDAExtension`` in a setup.py."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.machine import MachineError
from rewarp.machine.cuda_on_cpu import replaced
from rewarp.machine.program import check_arch
from rewarp.machine.runtime import folder as runtime_folder
from rewarp.run.torch.building import Extension, build
from rewarp.run.torch.memory import known_memory
from rewarp.toolchain.demangle import demangled

_ARCH, _WATCH = "REWARP_MACHINE_ARCH", "REWARP_MACHINE_WATCH"
_JIT = "_write_ninja_file_and_build_library"
_chosen: list[str] = []
"""The card that this process has: the runtime asks for it once."""


@contextlib.contextmanager
def torch_extension(arch: str = "gfx942") -> Iterator[None]:
    """Inside, torch's extensions are built for an AMD card, and their kernels run here on tensors of the CPU. Raises
    UsageError where this process has another card already."""
    check_arch(arch)
    try:
        from torch.utils import cpp_extension
    except ImportError as error:
        raise MachineError(f"torch is not installed: {error}") from None
    if _chosen and _chosen[0] != arch:
        raise UsageError(f"this process runs extensions as {_chosen[0]} code: {arch} needs a process of its own")
    _chosen[:] = [arch]
    runtime = runtime_folder()
    os.environ[_ARCH] = arch
    os.environ.setdefault(_WATCH, "0")
    with contextlib.ExitStack() as stack:
        stack.enter_context(known_memory(arch, runtime))
        stack.enter_context(replaced(cpp_extension, "CUDA_HOME", str(runtime)))
        stack.enter_context(replaced(cpp_extension, _JIT, _jit(getattr(cpp_extension, _JIT), arch, runtime)))
        builder = cpp_extension.BuildExtension
        stack.enter_context(replaced(builder, "build_extensions", _by_setuptools(arch, runtime)))
        yield


def launches() -> dict[str, int]:
    """How often each kernel of an extension ran in this process."""
    if not _chosen:
        return {}
    found: dict[str, int] = {}
    note = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_uint64)

    def each(name: bytes, count: int) -> None:
        found[demangled(name.decode(errors="replace")).partition("(")[0]] = count

    ctypes.CDLL(str(runtime_folder() / "libamdhip64.so")).rewarp_machine_kernels(note(each))
    return found


def _jit(original: Callable[..., Any], arch: str, runtime: Path) -> Callable[..., None]:
    signature = inspect.signature(original)

    def build_library(*args: Any, **kwargs: Any) -> None:
        given: Mapping[str, Any] = signature.bind(*args, **kwargs).arguments
        if given.get("is_standalone"):
            raise UsageError(f"{given['name']}: an extension that is a program of its own is one for rewarp run")
        words = [*(given["extra_cflags"] or ()), *(given["extra_cuda_cflags"] or ())]
        output = Path(given["build_directory"], f"{given['name']}.so")
        includes = given["extra_include_paths"] or ()
        build(
            Extension(
                given["name"], _paths(given["sources"]), output, tuple(words), _paths(includes),
                tuple(given["extra_ldflags"] or ()), keeps_record=True,
            ),
            arch,
            runtime,
        )  # fmt: skip

    return build_library


def _by_setuptools(arch: str, runtime: Path) -> Callable[[Any], None]:
    def build_extensions(command: Any) -> None:
        for extension in command.extensions:
            given = extension.extra_compile_args or []
            words = [word for each in given.values() for word in each] if isinstance(given, dict) else list(given)
            words += [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in extension.define_macros]
            words += [f"-U{name}" for name in extension.undef_macros]
            links = [*(extension.extra_link_args or ()), *(f"-l{name}" for name in extension.libraries)]
            links += [f"-L{place}" for place in extension.library_dirs]
            output = Path(command.get_ext_fullpath(extension.name))
            name = extension.name.rpartition(".")[2]
            includes = _paths(extension.include_dirs)
            build(
                Extension(name, _paths(extension.sources), output, tuple(words), includes, tuple(links)), arch, runtime
            )

    return build_extensions


def _paths(names: Any) -> tuple[Path, ...]:
    return tuple(Path(os.path.abspath(name)) for name in names)
