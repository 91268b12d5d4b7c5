"""Trees in memory, files written together, patches; and bytes: what no edit covers is never lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.edits import Edit, apply
from rewarp.errors import UnreadableSource, UsageError
from rewarp.files import NewFile, write_together
from rewarp.findings import Failed
from rewarp.source import Span
from rewarp.translation import output, patch
from rewarp.translation.changes import Options
from rewarp.translation.tree import beside, translate_file, translate_text, translate_tree, with_suffix

_PIECES = st.sampled_from(
    [
        *(b"cudaMalloc", b"cudaStream_t", b"__shfl_sync(0xffffffff, x, 1)", b"cub::", b"cublas##T##gemm", b"nvmlInit"),
        *(
            b"#include <cuda_runtime.h>\n",
            b'#include "x.cuh"\n',
            b"#if __CUDA_ARCH__ >= 800\n",
            b"#else\n",
            b"#endif\n",
        ),
        *(
            b"k<<<1, 2>>>(x);",
            b"k << <1, 2>> >(x);",
            b"CUdeviceptr d; d + 1; d += 2;",
            b"#define P \\\n#pragma once\n",
            b"template <typename T> void f<T>(int)",
            b"#define CUB_NS_PREFIX namespace m {\n",
            b"<<<",
            b">>>",
            b"(",
            b")",
            b"{",
            b"}",
            b"<",
            b";",
            b",",
            b"\\\n",
            b"\\",
            b"??/\n",
            b"%:",
        ),
        *(b"//", b"/*", b"*/", b'"', b"'", b'R"(', b')"', b"\n", b"\r\n", b"\r", b" ", b"\t", b"#", b"asm(", b"\xe9"),
        *(b'asm("mov.u32 %0, %laneid;" : "=r"(x));', b"warpSize", b"__global__ void k() {}", b"#define cudaFoo 1\n"),
        *(b"texture<float, 2> t;", b"cudaBindTexture(0, t, p)", b"extern __shared__ int s[];", b"#ifdef __CUDACC__\n"),
    ]
)
_CODE = st.lists(_PIECES | st.binary(max_size=4), max_size=40).map(b"".join)


@settings(max_examples=300)
@given(_CODE, st.sampled_from(["chevron", "ggl"]), st.booleans(), st.sampled_from(["", "x.h"]))
def test_no_byte_outside_an_edit_changes(data: bytes, launch: str, runtime_sources: bool, path: str) -> None:
    try:
        (done,) = translate_text(data, Options(launch, runtime_sources), path).translations
    except UnreadableSource:
        return
    at_old = at_new = 0
    for edit in done.edits:
        kept = data[at_old : edit.span.start]
        assert done.data[at_new : at_new + len(kept)] == kept
        at_new += len(kept)
        assert done.data[at_new : at_new + len(edit.text)] == edit.text
        at_new += len(edit.text)
        at_old = edit.span.end
    assert done.data[at_new:] == data[at_old:]
    assert apply(data, done.edits) == done.data


@settings(max_examples=150)
@given(st.lists(_PIECES, max_size=30).map(b"".join), st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le"]))
def test_wide_encodings_are_edited_in_place(data: bytes, encoding: str) -> None:
    raw = ("\ufeff" + data.decode("latin-1")).encode(encoding)
    (done,) = translate_text(raw).translations
    assert apply(raw, done.edits) == done.data
    assert done.source.bom == done.data[: len(done.source.bom)]


def test_every_reading_of_a_file_survives(tmp_path: Path) -> None:
    samples = {
        "latin.cu": b"// \xe9\ncudaFree(p);\n",
        "bom.cu": b"\xef\xbb\xbf#include <cuda_runtime.h>\ncudaFree(p);\n",
        "crlf.cu": b"#include <cuda_runtime.h>\r\ncudaFree(p);\r\n",
        "wide.cu": "\ufeffcudaFree(p);\n".encode("utf-16-le"),
        "empty.cu": b"",
        "open.cu": b"cudaFree(p); /* never closed cudaFree",
        "text.cu": b"not CUDA at all\n",
    }
    for name, data in samples.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "binary.cu").write_bytes(b"\0\1")
    tree = translate_tree(tmp_path)
    done = {file.path: file.outcome for file in tree.files}
    assert isinstance(done.pop("binary.cu"), Failed)
    results = {item.path: item.data for item in tree.translations}
    assert results["latin.cu"].startswith(b"#include") or b"// \xe9\n" in results["latin.cu"]
    assert results["bom.cu"] == b"\xef\xbb\xbf#include <hip/hip_runtime.h>\nhipFree(p);\n"
    assert results["crlf.cu"] == b"#include <hip/hip_runtime.h>\r\nhipFree(p);\r\n"
    assert "hipFree(p);" in results["wide.cu"].decode("utf-16")
    assert results["empty.cu"] == b""
    assert results["open.cu"].endswith(b"hipFree(p); /* never closed cudaFree")
    assert results["text.cu"] == samples["text.cu"]


def test_translating_twice_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text('#include "a.cuh"\n__global__ void k() { __vadd2(1, 2); }\ncudaFree(p);\n')
    (tmp_path / "a.cuh").write_text("#if __CUDA_ARCH__ >= 700\ncudaStream_t s;\n#endif\n")
    write_together(output.in_place(translate_tree(tmp_path)))
    again = translate_tree(tmp_path)
    assert not again.changed
    assert [path for path, _ in again.others] == ["rewarp_hip.h"], "the support header is no part of the project"
    out = tmp_path / "out"
    write_together(output.mirror(again, out))
    assert (out / "rewarp_hip.h").read_bytes() == (tmp_path / "rewarp_hip.h").read_bytes()


def test_a_single_file_knows_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text('#include "sub/mine.h"\ncudaMyOwnThing();\n')
    assert translate_file(tmp_path / "x.cu").counts.unknown == 1
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.h").write_text('#include "../deeper.h"\n')
    (tmp_path / "deeper.h").write_text('#include "x.cu"\nvoid cudaMyOwnThing();\n')
    tree = translate_file(tmp_path / "x.cu")
    assert tree.counts.unknown == 0
    assert [file.path for file in tree.files] == ["x.cu"]


def test_names_of_files() -> None:
    assert with_suffix(".hip").rename("a/x.cu") == "a/x.hip"
    assert with_suffix(".hip.cpp").rename("a/x.cuh") == "a/x.cuh"
    assert beside(".hip").rename("a.b/x.cu") == "a.b/x.hip"
    assert beside(".cu").rename("x.cu") == "x_hip.cu"
    assert beside(".hip").rename("x.cuh") == "x_hip.cuh"


# --- writing ------------------------------------------------------------------------------------


def test_a_version_for_hip_that_is_there_already_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("void f(void* p) { cudaFree(p); }\n")
    (tmp_path / "k.hip").write_text("void f(void* p) { hipFree(p); }\n")
    (tmp_path / "user.cu").write_text('#include "k.cu"\n')
    tree = translate_tree(tmp_path, naming=with_suffix(".hip"))
    assert {file.path: file.new_path for file in tree.files} == {
        "k.cu": "k.cu.hip",
        "k.hip": "k.hip",
        "user.cu": "user.hip",
    }
    written = {file.file.name: file.data for file in output.mirror(tree, tmp_path / "out")}
    assert b'#include "k.cu.hip"' in (written["user.hip"] or b"")
    assert b"hipFree(p)" in (written["k.hip"] or b"")


def test_all_files_or_none(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"")
    new = [NewFile(tmp_path / "old.txt", b"new"), NewFile(tmp_path / "file" / "below", b"x")]
    with pytest.raises(UsageError):
        write_together(new)
    assert (tmp_path / "old.txt").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "old.txt"], "nothing half written"
    assert write_together(new[:1]) == [tmp_path / "old.txt"]
    assert write_together(new[:1]) == [], "it is there already"


def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    def files() -> object:
        yield NewFile(tmp_path / "a" / "x", b"x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_together(files())  # type: ignore[arg-type]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


# --- patches --------------------------------------------------------------------------------------


def _edit(start: int, end: int, text: bytes) -> Edit:
    return Edit(Span(start, end), text)


def test_a_patch_shows_changed_lines_with_three_around() -> None:
    data = b"".join(b"%d\n" % number for number in range(20))
    done = patch.changed_file("a.cu", "b.hip", data, [_edit(0, 1, b"zero"), _edit(10, 10, b"new\n")])
    assert done == (b"--- a/a.cu\n+++ b/b.hip\n@@ -1,8 +1,9 @@\n-0\n+zero\n 1\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n")


def test_a_patch_knows_a_missing_line_ending() -> None:
    done = patch.changed_file("a", "a", b"x", [_edit(1, 1, b"y")])
    assert done.endswith(b"-x\n\\ No newline at end of file\n+xy\n\\ No newline at end of file\n")
    assert patch.changed_file("a", "a", b"x", []) == b""


def test_a_patch_quotes_odd_names() -> None:
    assert b'--- "a/x\\042.cu"\n' in patch.changed_file('x".cu', "y", b"x", [_edit(0, 1, b"y")])
    assert b"--- a/x y.cu\t\n" in patch.changed_file("x y.cu", "y", b"x", [_edit(0, 1, b"y")])


def test_support_header_comes_before_a_namespace_that_holds_an_include(tmp_path: Path) -> None:
    (tmp_path / "part.hpp").write_text("__device__ float f(float x) { return __shfl_xor_sync(~0u, x, 1); }\n")
    (tmp_path / "part.cu").write_text('#include <cuda_runtime.h>\nnamespace mine {\n#include "part.hpp"\n}\n')
    (tmp_path / "after.cu").write_text('#include <cuda_runtime.h>\nnamespace mine {\n}\n#include "part.hpp"\n')
    done = {file.path: file.translation.text for file in translate_tree(tmp_path).changed if file.translation}
    assert done["part.cu"].index('#include "rewarp_hip.h"') < done["part.cu"].index("namespace")
    assert "rewarp_hip.h" not in done["after.cu"]


def test_no_support_header_for_a_namespace_with_an_include_where_nothing_needs_it(tmp_path: Path) -> None:
    (tmp_path / "part.hpp").write_text("inline int f() { return 1; }\n")
    (tmp_path / "part.cu").write_text('#include <cuda_runtime.h>\nnamespace mine {\n#include "part.hpp"\n}\n')
    assert not translate_tree(tmp_path).needs_support


_MATRICES = """#pragma once
#if __CUDA_ARCH__ >= 800
__device__ inline void multiply(float* d) { asm volatile("mma.sync.aligned.m8n8k4 {%0};" : "+f"(d[0])); }
#endif
"""
_USER = """#include "INCLUDED"
__global__ void k(float* x) {
#if __CUDA_ARCH__ >= 800
  multiply(x);
#else
  x[0] = 1;
#endif
}
__device__ void always(float* x) { multiply(x); }
"""


def test_a_branch_that_amd_does_not_take_reaches_the_files_that_include_it(tmp_path: Path) -> None:
    for name, text in (
        ("matrices.cuh", _MATRICES),
        ("through.cuh", '#include "matrices.cuh"\n'),
        ("user.cu", _USER.replace("INCLUDED", "through.cuh")),
        ("other.cuh", "__device__ inline void multiply(float* d) { d[0] *= 2; }\n"),
        ("other.cu", _USER.replace("INCLUDED", "other.cuh")),
    ):
        (tmp_path / name).write_text(text)
    files = {file.path: file.translation for file in translate_tree(tmp_path).files}
    user, other = files["user.cu"], files["other.cu"]
    assert user
    assert other
    assert "#if 0 /* __CUDA_ARCH__ >= 800 */" in user.text
    assert [(finding.symbol, finding.line) for finding in user.findings if finding.symbol] == [("multiply", 9)]
    assert "#if defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 800 */" in other.text
    assert not other.findings


def test_a_name_that_another_part_of_the_project_declares_stays_cudas(tmp_path: Path) -> None:
    kernel = "#include <cuda_fp8.h>\n__global__ void k(__nv_fp8_e4m3* p) { p[0] = __nv_fp8_e4m3(1.0f); }\n"
    for path, text in {
        "sycl/types.hpp": "#pragma once\nstruct __nv_fp8_e4m3 { unsigned char x; };\n",
        "sycl/a.cpp": '#include "types.hpp"\n__nv_fp8_e4m3 a;\n',
        "cuda/k.cu": kernel,
        "own/k.cu": '#include "../sycl/types.hpp"\n#include "part.inl"\n__global__ void k(__nv_fp8_e4m3* p) { p[0].x = 1; }\n',
        "own/part.inl": "__device__ void part(__nv_fp8_e4m3* p) { p->x = 0; }\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    tree = translate_tree(tmp_path)
    texts = {file.path: file.translation.data for file in tree.files if file.translation}
    assert b"rewarp_hip.h" in texts["cuda/k.cu"]
    assert b"rewarp_hip.h" not in texts["own/k.cu"]
    assert b"rewarp_hip.h" not in texts["own/part.inl"]
    assert b"__nv_fp8_e4m3" in texts["own/k.cu"]


def test_a_global_warp_size_of_the_project_gets_a_name_of_its_own(tmp_path: Path) -> None:
    """nvcc knows ``warpSize`` by itself, HIP declares it: two of them are one too many."""
    (tmp_path / "commons.cuh").write_text("#pragma once\ninline constexpr int warpSize = 32;\n")
    (tmp_path / "a.cu").write_text(
        '#include "commons.cuh"\n__global__ void k(int* x) { x[0] = threadIdx.x / warpSize; }\n'
        "int f(cudaDeviceProp p) { return p.warpSize; }\n"
    )
    (tmp_path / "b.cu").write_text("__global__ void l(int* x) { const int warpSize = 32; x[0] = warpSize; }\n")
    (tmp_path / "c.cu").write_text("__global__ void m(int* x) { x[0] = warpSize; }\n")
    done = {one.path: one for one in translate_tree(tmp_path).translations}
    assert "constexpr int own_warpSize = 32" in done["commons.cuh"].text
    assert [problem.kind for problem in done["commons.cuh"].problems] == ["noted"]
    assert "threadIdx.x / own_warpSize" in done["a.cu"].text
    assert "return p.warpSize" in done["a.cu"].text
    assert "own_warpSize" not in done["b.cu"].text + done["c.cu"].text
