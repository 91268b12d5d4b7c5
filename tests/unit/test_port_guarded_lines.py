"""What no header of aliases can change is written twice in the source, where that is a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import UNPROVED, plain

from rewarp.port import engine
from rewarp.port.result import Port
from rewarp.port.tree import Tree
from rewarp.targets import TARGETS
from rewarp.verify.isolation.file_verdict import IsolationVerdict

MAKEFILE = "NVCC = nvcc\nall: k.cu\n\t$(NVCC) -O2 -lineinfo -o k k.cu\n"
KERNEL = (
    "#include <cooperative_groups.h>\n#include <cuda_runtime.h>\nnamespace cg = cooperative_groups;\n"
    "__global__ void k(int *x) {\n  cg::thread_block g = cg::this_thread_block();\n"
    "  x[g.thread_rank()] = g.num_threads();\n}\n"
    "int main() {\n  int *x;\n  cudaMalloc(&x, 4);\n  k<<<1, 64>>>(x);\n  return cudaFree(x);\n}\n"
)
TWICE = (
    "#if defined(__HIP_PLATFORM_AMD__)\n  x[g.thread_rank()] = g.size();\n"
    "#else\n  x[g.thread_rank()] = g.num_threads();\n#endif\n"
)
LINE = "  x[g.thread_rank()] = g.num_threads();\n"


def ported(root: Path, kernel: str, makefile: str = MAKEFILE, prove: bool = False) -> Port:
    files = {"Makefile": makefile.encode(), "k.cu": kernel.encode()}
    more = {} if prove else {"phases": UNPROVED}
    return engine.port(Tree(plain(root, files)), TARGETS["rocm"], arches=("gfx942",), **more)


def test_a_line_is_written_twice_rather_than_the_file(tmp_path: Path) -> None:
    port = ported(tmp_path, KERNEL, prove=True)
    assert port.after.read("k.cu") == KERNEL.replace(LINE, TWICE).encode()
    assert "k.hip" not in port.after
    assert "Makefile.rocm" in port.after
    assert "hip_shim/rewarp_hip.h" not in port.after
    assert port.proof is not None
    assert {file.verdict for file in port.proof.certificate.files} == {IsolationVerdict.IDENTICAL}
    again = {path: port.after.read(path) or b"" for path in port.after.paths()}
    assert engine.port(Tree(plain(tmp_path / "again", again)), TARGETS["rocm"], phases=UNPROVED).changes == []


def test_a_whole_statement_is(tmp_path: Path) -> None:
    long = "  x[g.thread_rank()] = max(0,\n      int(g.num_threads()));\n"
    after = ported(tmp_path, KERNEL.replace(LINE, long)).after.read("k.cu") or b""
    assert after.count(b"max(0,") == 2
    assert b"#else\n" + long.encode() + b"#endif\n" in after


def test_line_endings_stay(tmp_path: Path) -> None:
    after = ported(tmp_path, KERNEL.replace("\n", "\r\n")).after.read("k.cu") or b""
    assert after.count(b"\r\n") == after.count(b"\n")
    assert TWICE.replace("\n", "\r\n").encode() in after


@pytest.mark.parametrize(
    "instead",
    [
        "#define ALL g.num_threads()\n  x[0] = ALL;\n",
        "#define SET(x) \\\n  x[0] = g.num_threads()\n  SET(x);\n",
        "".join(f"  x[{n}] = g.num_threads() + {n};\n" for n in range(60)),
    ],
    ids=["a macro", "a macro of several lines", "many lines"],
)
def test_what_is_translated_as_a_whole(instead: str, tmp_path: Path) -> None:
    port = ported(tmp_path, KERNEL.replace(LINE, instead))
    assert port.after.read("k.cu") == KERNEL.replace(LINE, instead).encode()
    assert "k.hip" in port.after


def test_nothing_is_where_no_build_would_see_the_header(tmp_path: Path) -> None:
    port = ported(tmp_path, KERNEL, "all:\n\techo nothing\n")
    assert port.after.read("k.cu") == KERNEL.encode()
