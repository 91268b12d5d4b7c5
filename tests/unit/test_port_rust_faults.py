"""Faults of CUDA's side that are known by their form: found, mended for AMD alone; what is right stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rewarp.port.engine import port
from rewarp.port.rust.faults import faults, mended
from rewarp.port.tree import Tree
from rewarp.report.pull_request import body
from rewarp.source import SourceFile
from rewarp.targets import TARGETS

EXAMPLE = Path(__file__).parents[2] / "examples" / "rust_workspace"

KERNEL = """template <int qk, int qi, typename block_q_t, int vdr>
__device__ void experts(const void *weights, int n, int k) {
    const size_t size = sizeof(block_q_t);
    const size_t stride = (size_t)(n * k) / QK_K * size;
    const int blocks_per_row = k / qk;
}
"""


def _mended(code: str) -> str:
    source = SourceFile("a.cu", code.encode())
    return mended(source, list(faults(source))).decode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("size", ["size", "sizeof(block_q_t)"])
def test_a_stride_is_counted_in_the_blocks_of_its_type(size: str, newline: str) -> None:
    code = KERNEL.replace("QK_K * size", f"QK_K * {size}").replace("\n", newline)
    line = f"    const size_t stride = (size_t)(n * k) / QK_K * {size};"
    guarded = ["#if defined(__HIP_PLATFORM_AMD__)", line.replace("QK_K", "qk"), "#else", line, "#endif"]
    assert _mended(code) == code.replace(line, newline.join(guarded))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/ QK_K *", "/ qk *"),
        ("= k / qk;", "= k;"),
        ("QK_K * size", "QK_K * sizeof(block_q8_1)"),
        ("typename block_q_t", "int other"),
        ("const size_t stride = (size_t)(n * k) / QK_K * size;", "// (n * k) / QK_K * size;"),
        ("    const int blocks", "}\nvoid other(int k) {\n    const int blocks"),
    ],
    ids=["right", "no blocks of the parameter", "of another type", "no type", "a comment", "another function"],
)
def test_what_is_right_or_not_known_stays(old: str, new: str) -> None:
    code = KERNEL.replace(old, new)
    assert code != KERNEL
    assert _mended(code) == code


def test_the_whole_port_keeps_what_it_mended(tmp_path: Path) -> None:
    """cargo builds the source for AMD, by a script that the port adds."""
    folder = tmp_path / "workspace"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    source = folder / "tiny-kernels/src/affine.cu"
    source.write_text(f"{source.read_text()}\n{KERNEL}")
    made = port(Tree(folder), TARGETS["rocm"], prove=False)
    (change,) = [change for change in made.changes if change.path == "tiny-kernels/src/affine.cu"]
    assert b"__HIP_PLATFORM_AMD__" in (change.after or b"")
    told = [manual.what for manual in made.manual]
    assert told.count("a fault of CUDA's side is mended for AMD: blocks of another size are counted") == 1
    (widened,) = [what for what in told if what.startswith("public enums have one more variant: ")]
    assert "DeviceLocation" in widened
    assert widened in body(made).replace("\\", "").partition("<details>")[0], "above what is folded"
    of_crates = [f.path for f in made.findings_after if f.path.startswith("tiny-core/src/cuda_backend/")]
    assert of_crates == [], "the crate has a side of its own for AMD"
