"""The headers of the PyTorch that is installed here, as one for ROCm has them.

Extensions include torch's headers. A torch for CUDA or the CPU brings all of them but those that torch's own build makes for
ROCm of its headers for CUDA, under other names: ``c10/hip`` of ``c10/cuda``, ``ATen/hip`` of ``ATen/cuda``. These are made
here in the same way, by renaming alone, for checking: nothing is run or linked with them. Torch is not imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rewarp.files import NewFile, cache_folder, write_together
from rewarp.tables import cuda

BEHIND = Path(__file__).parent / "torch_behind"
"""The parts of rocThrust that torch's own headers ask for. A real rocThrust, where there is one, goes first."""
LIBRARIES = ("hipblas/hipblas.h", "hipblaslt/hipblaslt.h", "hipsparse/hipsparse.h", "hipsolver/hipsolver.h")
"""What its header of contexts includes."""

_OF_TORCH = re.compile(r"(?:torch|ATen|c10|caffe2|TH[CH])/")
_FOR_ROCM = ("-D__HIP_PLATFORM_AMD__=1", "-DUSE_ROCM=1", "-DHIPBLAS_V2")
_FOR_EXTENSIONS = (
    "-DCUDA_HAS_FP16=1", "-D__HIP_NO_HALF_OPERATORS__=1", "-D__HIP_NO_HALF_CONVERSIONS__=1",
    "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1", "-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_EXTENSION_NAME=extension",
)  # fmt: skip
"""What torch's builder adds (torch/utils/cpp_extension.py)."""
_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)([<"])([^>"\n]+)[>"]', re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_VERSION = re.compile(r"^__version__ = '([^']+)'", re.MULTILINE)
_STANDARD = re.compile(r"-std=c\+\+(\d\d)\b")
_OLDEST_STANDARD = 17
_OF_ROCMS_TORCH = re.compile(
    r"MasqueradingAsCUDA|\b(?:c10|at)::hip\b|'(?:HIP(?:Stream|Guard|\w+Guard|\w*Allocator)|hip)'"
)
_MADE_BY = "1"
"""Goes up where what is made of the same headers changes."""
_HANDLES = {
    "hipblas/hipblas.h": ("hipblasHandle_t",),
    "hipblaslt/hipblaslt.h": ("hipblasLtHandle_t",),
    "hipsparse/hipsparse.h": ("hipsparseHandle_t",),
    "hipsolver/hipsolver.h": ("hipsolverHandle_t", "hipsolverDnHandle_t"),
}


@dataclass(frozen=True)
class TorchHeaders:
    """One torch, by its folder of headers."""

    include: Path
    version: str
    standard: int
    """The C++ that its own builder asks for."""
    made: Path | None
    """The folder of headers for ROCm that were made of its own; None for a torch that has them."""

    def options(self, *, translated: bool, by_torch: bool) -> tuple[str, ...]:
        """For a unit, before its own: where torch is, and what torch's builds for ROCm define. ``translated``: whether the
        unit still includes headers by the names that they have for CUDA; ``by_torch``: whether torch's builder compiles it."""
        found = [*_FOR_ROCM, *(_FOR_EXTENSIONS if by_torch else ()), f"-std=c++{self.standard}"]
        places = [self.made / "as_cuda"] if translated and self.made else []
        places += [self.made / "include"] if self.made else []
        places += [self.include, self.include / "torch/csrc/api/include", Path(sysconfig.get_paths()["include"])]
        for place in places:
            found += ["-isystem", str(place)]
        return (*found, "-idirafter", str(BEHIND))

    def handles(self) -> Path | None:
        """A folder of headers that declare the handles of libraries, and nothing else of them."""
        return self.made / "handles" if self.made else None

    def is_own(self, file: str | None) -> bool:
        """Whether a file is one of torch's headers, or made of one."""
        places = (self.include, *((self.made,) if self.made else ()))
        return file is not None and any(Path(file).is_relative_to(place) for place in places)

    def lacks(self, message: str) -> bool:
        """Whether an error is about a name that a torch for ROCm may have, and what was made here has not."""
        return bool(self.made and _OF_ROCMS_TORCH.search(message))

    def __str__(self) -> str:
        made = "; its c10/hip and ATen/hip made of c10/cuda and ATen/cuda" if self.made else ""
        return f"the headers of torch {self.version}{made}"


def asks_for_torch(includes: Iterable[str]) -> bool:
    return any(map(_OF_TORCH.match, includes))


def installed() -> TorchHeaders | None:
    """Those of the torch of this Python; None where there is none, or one without headers."""
    found = importlib.util.find_spec("torch")
    places = [Path(place) for place in found.submodule_search_locations or ()] if found else []
    return next((torch_in(place) for place in places if (place / "include/ATen/ATen.h").is_file()), None)


@lru_cache(maxsize=8)
def torch_in(package: Path) -> TorchHeaders:
    include = package / "include"
    version = _VERSION.search(_text(package / "version.py"))
    named = version[1] if version else "of unknown version"
    asked = [int(digits) for digits in _STANDARD.findall(_text(package / "utils/cpp_extension.py"))]
    standard = max((_OLDEST_STANDARD, *(digits for digits in asked if digits < 50)))
    has_own = (include / "c10/hip/HIPStream.h").is_file()
    return TorchHeaders(include, named, standard, None if has_own else _made(include, named))


def _made(include: Path, version: str) -> Path:
    digest = hashlib.sha256(repr((_MADE_BY, str(include), version, sorted(cuda.renames().items()))).encode())
    place = cache_folder() / "torch" / digest.hexdigest()[:24]
    if not (place / "include").is_dir():
        files = [NewFile(place / name, text.encode()) for name, text in _headers(include)]
        write_together(files)
    return place


def _headers(include: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(include.rglob("*")):
        path = file.relative_to(include)
        if path.parts[0] not in ("ATen", "c10") or "cuda" not in path.parts[:-1] or not file.is_file():
            continue
        name = _in_hip(path.as_posix())
        yield f"include/{name}", renamed(_text(file))
        yield f"as_cuda/{path.as_posix()}", f"#include <{name}>\n"
    if not (include / "ATen/cuda/CUDAConfig.h").is_file():  # made by the build for CUDA alone
        yield (
            "include/ATen/hip/HIPConfig.h",
            "#pragma once\n#define AT_CUDNN_ENABLED() 0\n#define AT_ROCM_ENABLED() 1\n",
        )
    if not (include / "c10/cuda/impl/cuda_cmake_macros.h").is_file():
        yield "include/c10/hip/impl/hip_cmake_macros.h", "#pragma once\n"
    for header, names in _HANDLES.items():
        types = "".join(f"typedef struct rewarp_{name[:-2]} *{name};\n" for name in names)
        yield f"handles/{header}", f"#pragma once\n{types}"


def renamed(text: str) -> str:
    """A header for CUDA in HIP's names, as torch's own build renames it; torch's names stay."""
    names = cuda.renames()
    return _NAME.sub(
        lambda found: names.get(found[0].encode(), b"").decode() or found[0], _INCLUDE.sub(_included, text)
    )


def _included(found: re.Match[str]) -> str:
    name = found[3]
    if "/cuda/" in name and _OF_TORCH.match(name):
        return f"{found[1]}<{_in_hip(name)}>"
    twin = cuda.header(name.encode())
    headers = [one for one in twin.hip.split(";") if one and one != "rewarp_hip.h"] if twin else []
    return "\n".join(f"#include <{one}>" for one in headers) if headers else found[0]


def _in_hip(name: str) -> str:
    return name.replace("cuda", "hip").replace("CUDA", "HIP")


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
