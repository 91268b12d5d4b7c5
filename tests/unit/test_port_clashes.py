"""What HIP's headers define, too, is kept for other compilers where HIP's compiler reads the sources themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import plain

from rewarp.port import engine
from rewarp.port.changes import PortPhase
from rewarp.port.result import Port
from rewarp.port.tree import Tree
from rewarp.targets import TARGETS
from rewarp.verify.isolation.file_verdict import IsolationVerdict

CMAKE = (
    "cmake_minimum_required(VERSION 3.24)\nproject(k LANGUAGES CXX CUDA)\n"
    "set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)\nadd_executable(k k.cu ops.cu)\n"
)
DECLARED = (
    "#pragma once\n#include <cuda_runtime.h>\n"
    "__host__ __device__ float2 operator+=(float2& a, const float2& b);\n"
    "__host__ __device__ int2 operator*(const int2& a, const int2& b);\n"
    "\n"
    "__host__ __device__ int2 operator+(const int2& a, const int& b);\n"
)
OPERATORS = (
    '#include "ops.cuh"\n'
    "__host__ __device__ float2 operator+=(float2& a, const float2& b) {\n  a.x += b.x; a.y += b.y;\n  return a;\n}\n"
    "__host__ __device__ int2 operator*(const int2& a, const int2& b) {\n  return make_int2(a.x * b.x, a.y * b.y);\n}\n"
    "__host__ __device__ int2 operator+(const int2& a, const int& b) {\n  return make_int2(a.x + b, a.y + b);\n}\n"
)
KERNEL = (
    '#include "ops.cuh"\n__global__ void k(float2 *x, int2 *y) { x[0] += x[1]; y[0] = y[1] * y[2] + 3; }\n'
    "int main() { k<<<1, 1>>>(nullptr, nullptr); return cudaDeviceSynchronize(); }\n"
)
FILES = {"CMakeLists.txt": CMAKE, "ops.cuh": DECLARED, "ops.cu": OPERATORS, "k.cu": KERNEL}
GUARD = b"#if !defined(__HIP_PLATFORM_AMD__)"


def ported(root: Path, files: dict[str, str], phases: frozenset[PortPhase] = frozenset(PortPhase)) -> Port:
    tree = Tree(plain(root, {path: text.encode() for path, text in files.items()}))
    return engine.port(tree, TARGETS["rocm"], phases=phases, arches=("gfx942",))


UNTESTED = frozenset(PortPhase) - {PortPhase.VERIFICATION}


def test_operators_that_hip_has_are_kept_for_others(tmp_path: Path) -> None:
    port = ported(tmp_path, FILES)
    header = port.after.read("ops.cuh") or b""
    assert header.count(GUARD) == 1, "one guard for two declarations that follow one another"
    assert header.index(GUARD) < header.index(b"operator+=") < header.index(b"operator*") < header.index(b"#endif")
    assert header.index(b"#endif") < header.index(b"operator+(")
    assert (port.after.read("ops.cu") or b"").count(GUARD) == 1
    assert port.after.read("k.cu") == KERNEL.encode()
    assert port.proof is not None
    assert {file.verdict for file in port.proof.certificate.files} == {IsolationVerdict.IDENTICAL}
    assert "CMakeLists.txt" in {change.path for change in port.changes}
    again = engine.port(
        Tree(plain(tmp_path / "again", {p: port.after.read(p) or b"" for p in port.after.paths()})),
        TARGETS["rocm"],
        phases=UNTESTED,
    )
    assert again.changes == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("ops.cu", "a.x * b.x, a.y * b.y", "a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x"),
        ("CMakeLists.txt", "k.cu ops.cu", "other.cu"),
    ],
    ids=["another meaning", "no build reads them"],
)
def test_what_stays(path: str, old: str, new: str, tmp_path: Path) -> None:
    other = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n"
    files = FILES | {"other.cu": other, path: FILES[path].replace(old, new)}
    port = ported(tmp_path, files, UNTESTED)
    assert port.after.read("ops.cuh") == DECLARED.encode()
    assert port.after.read("ops.cu") == files["ops.cu"].encode()


NAMES = (
    "#include <cuda_runtime.h>\n"
    "const char *name(cudaDeviceAttr attribute) {\n  switch (attribute) {\n"
    '    case cudaDevAttrWarpSize:\n      return "cudaDevAttrWarpSize";\n\n'
    '    case cudaDevAttrClusterLaunch:\n      return "cudaDevAttrClusterLaunch";\n\n'
    '    case cudaDevAttrCanFlushRemoteWrites:\n      return "cudaDevAttrCanFlushRemoteWrites";\n\n'
    '    default: return "unknown";\n  }\n}\n'
)


def test_cases_of_values_that_hip_lacks_are_kept_for_others(tmp_path: Path) -> None:
    kernel = '#include "names.h"\n__global__ void k() {}\nint main() { return name(cudaDevAttrWarpSize) == nullptr; }\n'
    cmake = CMAKE.replace("k.cu ops.cu", "k.cu")
    port = ported(tmp_path / "a", {"CMakeLists.txt": cmake, "names.h": NAMES, "k.cu": kernel})
    header = port.after.read("names.h") or b""
    assert header.count(GUARD) == 1
    assert header.index(b"cudaDevAttrWarpSize:") < header.index(GUARD) < header.index(b"cudaDevAttrClusterLaunch:")
    assert header.index(b'RemoteWrites"') < header.index(b"#endif") < header.index(b"default")
    assert "CMakeLists.txt" in {change.path for change in port.changes}
    assert port.proof is not None
    assert {file.verdict for file in port.proof.certificate.files} == {IsolationVerdict.IDENTICAL}
    does = NAMES.replace('return "cudaDevAttrClusterLaunch";', "return name(cudaDevAttrWarpSize);")
    other = ported(tmp_path / "b", {"CMakeLists.txt": cmake, "names.h": does, "k.cu": kernel}, UNTESTED)
    assert b"cudaDevAttrClusterLaunch" not in (other.after.read("names.h") or b"").partition(GUARD)[2]
    assert "CMakeLists.txt" not in {change.path for change in other.changes}


def test_what_the_support_header_supplies_stops_no_build(tmp_path: Path) -> None:
    kernel = "#include <cuda_runtime.h>\n__global__ void k() {}\nint main() { return cudaDeviceSynchronize() == cudaErrorDevicesUnavailable; }\n"
    cmake = CMAKE.replace("k.cu ops.cu", "k.cu")
    port = ported(tmp_path, {"CMakeLists.txt": cmake, "k.cu": kernel})
    assert b"cudaErrorDevicesUnavailable" in (port.after.read("hip_shim/rewarp_hip.h") or b"")
    assert "CMakeLists.txt" in {change.path for change in port.changes}
    assert port.left == []
