"""HIP for whole programs: a shared library that programs link or load, compiled on first use and kept in the cache.

``folder()`` holds ``libamdhip64`` and ``libhiprtc`` under the names that programs ask for; with it on the library path, a
program that was built for AMD runs here. Code is translated on first use by a Python of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from functools import lru_cache
from pathlib import Path

from rewarp.files import write_bytes
from rewarp.machine.library import (
    CORE,
    MachineError,
    compile_shared,
    hosted_options,
    library,
    machine_folder,
    system_libraries,
)
from rewarp.machine.runtime.cards import cards_source

HIP = Path(__file__).parent / "hip"
_NAMES = {
    "libamdhip64.so": ("", ".5", ".6", ".7"),
    "libhiprtc.so": ("", ".5", ".6", ".7"),
}
_PROTOTYPE = re.compile(r"^[\w\s*]*?\b((?:hip|hiprtc)[A-Z]\w*)\s*\(", re.MULTILINE)
_MADE = re.compile(r"^API\s[^;{]*?\b(\w+)\(", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^\s*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
# Older structures behind the old names: who asks for them is told so.
_OLD = ("hipGetDeviceProperties", "hipChooseDevice", "hipGetDevicePropertiesR0000", "hipChooseDeviceR0000")


@lru_cache(maxsize=1)
def folder() -> Path:
    """The folder of the libraries, which are made if they are not there yet. Raises MachineError."""
    headers = _headers()
    digest = hashlib.sha256(sys.executable.encode())
    for file in (*sorted(_machine_sources()), headers / "hip" / "hip_runtime_api.h"):
        digest.update(file.name.encode() + file.read_bytes())
    place = machine_folder() / f"hip-{digest.hexdigest()[:24]}"
    built = place / "libamdhip64.so"
    if not built.exists():
        texts = [source.read_text("utf-8") for source in sorted(HIP.glob("*.c"))]
        options = [*hosted_options(), "-fvisibility=hidden", "-D__HIP_PLATFORM_AMD__", "-I", str(HIP), "-I", str(CORE)]
        stubs = [_stubs(headers, texts), cards_source()]
        place.mkdir(parents=True, exist_ok=True)
        write_bytes(place / "python", f"{sys.executable}\n".encode())
        (place / "images").mkdir(exist_ok=True)
        # By its name one process knows it as one, also where something was linked with an earlier build of it.
        linked = [*system_libraries(), "-soname", built.name]
        compile_shared(built, [*texts, *stubs], [*options, "-isystem", str(headers)], linked)
    for base, endings in _NAMES.items():
        for ending in endings:
            with contextlib.suppress(FileExistsError):
                if f"{base}{ending}" != built.name:
                    os.symlink(built.name, place / f"{base}{ending}")
    for lanes in (32, 64):
        library(lanes).core_file()
    return place


def _machine_sources() -> list[Path]:
    """Everything that decides what an image holds and how it is run."""
    return [file for file in Path(__file__).parents[1].rglob("*") if file.suffix in (".py", ".c", ".h")]


def _headers() -> Path:
    from rewarp.toolchain import discovery

    for found in discovery.candidates():
        for include in found.includes:
            if (include / "hip" / "hiprtc.h").exists():
                return include
    raise MachineError('the HIP runtime needs HIP\'s headers: pip install "rewarp[machine]"')


def _stubs(headers: Path, texts: list[str]) -> str:
    """Functions of HIP that are not made: each says its name and fails."""
    made = {name for text in texts for name in _MADE.findall(text)}
    asked: set[str] = set()
    for name in ("hip_runtime_api.h", "hiprtc.h"):
        text = _COMMENT.sub("", (headers / "hip" / name).read_text("utf-8", "replace"))
        text = text.partition("#if defined(__cplusplus) && !defined(__HIP_DISABLE_CPP_FUNCTIONS__)")[0]
        asked |= set(_PROTOTYPE.findall(text))
    left = sorted((asked - made) | set(_OLD))
    lines = (
        f'__attribute__((visibility("default"))) int {name}(void) {{ return missing("{name}"); }}' for name in left
    )
    return "int missing(const char *);\n" + "\n".join(lines) + "\n"
