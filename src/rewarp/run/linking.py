"""The host's linker, and what stands for functions of ROCm that no library here has."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.files import cache_folder
from rewarp.machine.runtime import libraries as stand_ins
from rewarp.run.results import NotBuilt, Step
from rewarp.toolchain import Toolchain
from rewarp.toolchain.metadata import undefined_symbols
from rewarp.toolchain.process import NoAnswer, TimeLimit, output_of

_SECONDS = 900.0
_OF_ROCM = re.compile(r"(?:__)?(?:hip|roc|rccl|nccl|miopen|rsmi_|amdsmi_|hsa_|roctx)\w*")
_UNDEFINED = re.compile(r"undefined (?:reference to [`'‘]|symbol: )([^'’\n]+)")
_NOT_FOUND = re.compile(
    r"(?:cannot find -l|unable to find library -l|unable to find dynamic system library ')([\w+.-]+)"
)
_CUDA_LIBRARIES = {"cublas": "hipblas", "cublasLt": "hipblaslt", "cufft": "hipfft", "curand": "hiprand"} | {
    "cusparse": "hipsparse", "cusolver": "hipsolver", "nccl": "rccl", "nvrtc": "hiprtc", "cufftw": "hipfftw"
}  # fmt: skip
_IN_THE_RUNTIME = ("cudart", "cudart_static", "cuda", "cudadevrt", "amdhip64", "nvToolsExt", "culibos")
_STUBS = """
extern char *getenv(const char *);
extern int open(const char *, int, ...), fflush(void *), dprintf(int, const char *, ...);
extern void _exit(int);
static void missing(const char *name) {
    const char *path = getenv("REWARP_MACHINE_REPORT");
    int file = path ? open(path, 02001) : -1;
    fflush(0);
    if (file >= 0) dprintf(file, "{\\"kind\\": \\"missing\\", \\"function\\": \\"%s\\"}\\n", name);
    dprintf(2, "rewarp: the runtime has no %s\\n", name);
    _exit(70);
}
"""
"""A program that comes to such a function ends there, by name; one that only holds the call runs."""


@dataclass(frozen=True)
class Linked:
    program: Path
    missing: tuple[str, ...] = ()
    """Functions of ROCm's that only a stand-in answers, by ending the program."""


def host_linker(toolchain: Toolchain) -> tuple[str, ...]:
    """The machine's own compiler where host code was compiled with its headers, else zig, which brings libc++."""
    found = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    if found and not toolchain.standard_library:
        return (found,)
    if toolchain.clang[1:] == ("clang",):
        return (toolchain.clang[0], "c++", "-fno-sanitize=undefined")
    return toolchain.clang


def library_name(name: str) -> str | None:
    """The ROCm twin of a library; None for what is in the runtime itself."""
    return None if name in _IN_THE_RUNTIME else _CUDA_LIBRARIES.get(name, name)


def link(
    toolchain: Toolchain,
    objects: Sequence[Path],
    program: Path,
    *,
    runtime: Path,
    libraries: Iterable[str] = (),
    folders: Sequence[Path] = (),
    shared: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> Linked:
    """Raises NotBuilt where the linker fails, for another reason than functions that ROCm has and the runtime lacks."""
    wanted = dict.fromkeys(filter(None, map(library_name, libraries)))
    options = [*(["-shared"] if shared else []), f"-L{runtime}", *(f"-L{folder}" for folder in folders)]
    options += _computed_on_the_host(objects, wanted)
    options += [*(f"-l{name}" for name in wanted), *_own_libraries(runtime, wanted)]
    options += ["-lamdhip64", f"-Wl,-rpath,{runtime}", "-pthread", "-ldl", "-lm"]
    command = host_linker(toolchain)
    if command[1:2] == ("c++",) and not (cache_folder() / "zig").is_dir():
        tell("linking with zig c++, which builds its C++ library the first time: a minute or two")
    work = program.parent
    said = _run([*command, *map(str, objects), *options, "-o", str(program)], work)
    undefined = tuple(dict.fromkeys(_UNDEFINED.findall(said)))
    missing = tuple(name for name in undefined if _OF_ROCM.fullmatch(name))
    if missing and missing == undefined:
        objects = [*objects, _stand_in(toolchain, missing, work)]
        said = _run([*command, *map(str, objects), *options, "-o", str(program)], work)
    if said:
        raise NotBuilt(Step.LINK, _reason(said), undefined=tuple(dict.fromkeys(_UNDEFINED.findall(said))))
    return Linked(program, missing)


def _computed_on_the_host(objects: Iterable[Path], wanted: Iterable[str]) -> list[str]:
    """BLAS and the like, made where a function of theirs is called or they are asked for."""
    called = [name for file in objects for name in undefined_symbols(file, of_host=True)]
    names = stand_ins.needed([*called, *wanted])
    if not names:
        return []
    place = stand_ins.folder(*names)
    return ["-Wl,--as-needed", f"-L{place}", f"-Wl,-rpath,{place}", *(f"-l{name}" for name in names)]


def _own_libraries(runtime: Path, wanted: Iterable[str]) -> list[str]:
    """All that the runtime brings: those that nothing asks for are left out by the linker."""
    names = sorted(file.name[3:-3] for file in runtime.glob("lib*.so"))
    return ["-Wl,--as-needed", *(f"-l{name}" for name in names if name not in {*wanted, "amdhip64"})]


def _run(command: Sequence[str], work: Path) -> str:
    """What the linker said; nothing where it did its work."""
    try:
        status, said = output_of(command, str(work), TimeLimit(_SECONDS), kept=cache_folder() / "zig")
    except NoAnswer as error:
        raise NotBuilt(Step.LINK, str(error)) from None
    return (said or f"the linker ended with status {status}") if status else ""


def _reason(said: str) -> str:
    undefined = list(dict.fromkeys(_UNDEFINED.findall(said)))
    if undefined:
        more = f" and {len(undefined) - 3} more" if len(undefined) > 3 else ""
        return f"nothing defines {', '.join(undefined[:3])}{more}"
    lacking = dict.fromkeys(_NOT_FOUND.findall(said))
    if lacking:
        return f"there is no library {', '.join(lacking)}"
    lines = said.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0])


def _stand_in(toolchain: Toolchain, names: Sequence[str], work: Path) -> Path:
    source, made = work / "missing.c", work / "missing.o"
    functions = (f'void {name}(void) {{ missing("{name}"); }}\n' for name in names)
    source.write_text(_STUBS + "".join(functions), "utf-8")
    done = toolchain.compile_host(source, language="c", options=("-w",), output=made)
    if not done.ok:
        raise NotBuilt(Step.LINK, str(done.errors[0]), done.diagnostics)
    return made
