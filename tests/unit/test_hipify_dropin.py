"""``rewarp.hipify`` in place of PyTorch's: the same call, the same names, the same shape of result."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import pytest

import rewarp
from rewarp.translation.hipify import CurrentState

SOURCES = {
    "csrc/cuda/k.cu": "#include <ATen/cuda/CUDAContext.h>\n#include <c10/cuda/CUDAGuard.h>\n"
    '#include "k.h"\n__global__ void f() {}\nvoid g() { f<<<1, 1>>>(); cudaDeviceSynchronize(); }\n',
    "csrc/cuda/k.h": "void g();\n",
    "csrc/bind.cpp": '#include <torch/extension.h>\n#include "cuda/k.h"\n#include "util.h"\n',
    "csrc/util.h": "#pragma once\n#include <cuda_runtime.h>\ncudaStream_t s();\n",
    "csrc/only_torch.cpp": "#include <c10/cuda/CUDAStream.h>\n",
    "csrc/plain.cpp": '#include "plain.h"\n',
    "csrc/plain.h": "int x;\n",
    "top.cu": "__global__ void q(unsigned* x) { x[0] = __vadd2(x[1], x[2]); }\n",
    "not_asked_for.cu": "cudaFree(p);\n",
}
ASKED = ["csrc/cuda/k.cu", "csrc/bind.cpp", "csrc/plain.cpp", "csrc/only_torch.cpp", "top.cu"]


def project(folder: Path) -> Path:
    for name, text in SOURCES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def build(hipify: Any, folder: Path, **more: Any) -> dict[str, tuple[str | None, str]]:
    """What a setup.py with a CUDAExtension asks for; paths relative to the project."""
    results = hipify(
        project_directory=str(folder),
        output_directory=str(folder),
        header_include_dirs=["csrc"],
        includes=[os.path.join(folder, "*")],
        extra_files=[str(folder / name) for name in ASKED],
        show_detailed=True,
        show_progress=False,
        is_pytorch_extension=True,
        hipify_extra_files_only=True,
        **more,
    )
    assert all(result.current_state.name == CurrentState.DONE.name for result in results.values())

    def relative(path: str | None) -> str | None:
        return path and os.path.relpath(path, folder)

    return {str(relative(file)): (relative(done.hipified_path), done.status) for file, done in results.items()}


def test_an_extension(tmp_path: Path) -> None:
    folder = project(tmp_path)
    ok, same = "[ok]", "[skipped, no changes]"
    assert build(rewarp.hipify, folder) == {
        "csrc/cuda/k.cu": ("csrc/hip/k.hip", ok),
        "csrc/cuda/k.h": ("csrc/hip/k.h", ok),
        "csrc/bind.cpp": ("csrc/bind_hip.cpp", ok),
        "csrc/util.h": ("csrc/util_hip.h", ok),
        "csrc/only_torch.cpp": ("csrc/only_torch_hip.cpp", ok),
        "csrc/plain.cpp": ("csrc/plain.cpp", same),
        "csrc/plain.h": ("csrc/plain.h", same),
        "top.cu": ("top.hip", ok),
    }
    kernel = (folder / "csrc/hip/k.hip").read_text()
    assert "#include <ATen/hip/HIPContext.h>" in kernel
    assert "#include <c10/hip/HIPGuard.h>" in kernel
    assert '#include "k.h"' in kernel
    assert "f<<<1, 1>>>(); hipDeviceSynchronize();" in kernel
    binding = (folder / "csrc/bind_hip.cpp").read_text()
    assert '#include "hip/k.h"' in binding
    assert '#include "util_hip.h"' in binding
    assert "c10/hip/HIPStream.h" in (folder / "csrc/only_torch_hip.cpp").read_text()
    assert '#include "rewarp_hip.h"' in (folder / "top.hip").read_text()
    assert (folder / "rewarp_hip.h").exists()
    assert {name: (folder / name).read_text() for name in SOURCES} == SOURCES


def test_a_second_build_writes_nothing(tmp_path: Path) -> None:
    folder = project(tmp_path)
    build(rewarp.hipify, folder)
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}
    again = build(rewarp.hipify, folder)
    assert again["top.cu"] == ("top.hip", "[skipped, already hipified]")
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()} == before


def test_a_whole_project_to_another_folder(tmp_path: Path) -> None:
    folder = project(tmp_path / "code")
    results = rewarp.hipify(str(folder), show_progress=False)
    out = tmp_path / "code_amd"
    assert results[str(out / "csrc/util.h")].hipified_path == str(out / "csrc/hip/util.h")
    assert results[str(out / "csrc/cuda/k.cu")].hipified_path == str(out / "csrc/hip/k.hip")
    again = rewarp.hipify(str(folder), show_progress=False)
    assert again[str(out / "csrc/hip/k.h")].hipified_path is None, "its own output is not translated"
    assert sorted(name for name in os.listdir(folder)) == ["csrc", "not_asked_for.cu", "top.cu"]


def test_a_file_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_bytes(b"\0\0")
    results = rewarp.hipify(str(tmp_path), output_directory=str(tmp_path), show_progress=False)
    assert results[str(tmp_path / "x.cu")].hipified_path is None


def test_a_cleaner_hears_of_every_new_file(tmp_path: Path) -> None:
    class Cleaner:
        files: list[str] = []

        def open(self, file: str, mode: str) -> Any:
            self.files.append(os.path.relpath(file, tmp_path))
            return open(file, mode)

        def makedirs(self, folder: str) -> None:
            os.makedirs(folder)

    build(rewarp.hipify, project(tmp_path), clean_ctx=Cleaner())
    assert sorted(Cleaner.files) == [
        *("csrc/bind_hip.cpp", "csrc/hip/k.h", "csrc/hip/k.hip", "csrc/only_torch_hip.cpp", "csrc/util_hip.h"),
        *("rewarp_hip.h", "top.hip"),
    ]


def test_pytorch_gives_the_same_paths(tmp_path: Path) -> None:
    hipify_python = pytest.importorskip("torch.utils.hipify.hipify_python")
    theirs, ours = (inspect.signature(function).parameters for function in (hipify_python.hipify, rewarp.hipify))
    assert [(name, p.default) for name, p in theirs.items()] == [(name, p.default) for name, p in ours.items()]
    mine = build(rewarp.hipify, project(tmp_path / "mine"))
    assert mine == build(hipify_python.hipify, project(tmp_path / "theirs"))
