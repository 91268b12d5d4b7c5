"""Headers of libraries that are not here: taken from an install, or derived from CUDA's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.toolchain import Cause, Compiled, Diagnostic, Toolchain, header_libraries, libraries
from rewarp.toolchain.diagnostics import Severity
from rewarp.toolchain.libraries import NotSupplied, Supplied, compiled_with_libraries, cuda_includes, supply

# Shaped like cuBLAS's headers: two files, a function without a twin, an alias among the enumerators.
CUBLAS_V2 = """#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_
#include "cublas_api.h"
#define cublasSgemm cublasSgemm_v2 // cublasNotAName
#endif
"""
CUBLAS_API = """#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_
#include <driver_types.h>
#include <library_types.h>
#include <cuda_fp16.h>
typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1 } cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITIAN = 2 } cublasOperation_t;
struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
extern "C" cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
extern "C" cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
extern "C" cublasStatus_t cublasSgemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
    const float *, const float *, int, const float *, int, const float *, float *, int);
extern "C" cublasStatus_t cublasBrandNew(cublasHandle_t, cudaBrandNewType value);
#endif
"""
CUSOLVER = """#include "cublas_v2.h"
typedef int cusolver_int_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;
extern "C" int cusolverDnUse(cusolverDnHandle_t, cublasHandle_t, cusolver_int_t);
"""
USE = """#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>
int main() { hipblasHandle_t h; hipblasStatus_t s = hipblasCreate(&h); return s != HIPBLAS_STATUS_SUCCESS; }
"""


@pytest.fixture
def cuda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "cuda"
    folder.mkdir()
    for name, text in {"cublas_v2.h": CUBLAS_V2, "cublas_api.h": CUBLAS_API, "cusolverDn.h": CUSOLVER}.items():
        (folder / name).write_text(text)
    # Only this folder, whatever the machine has.
    monkeypatch.setattr(libraries, "cuda_includes", lambda variables: (folder,))
    monkeypatch.setattr(header_libraries, "_ROCM", tmp_path / "no ROCm")
    libraries._supplied.cache_clear()
    return folder


@pytest.fixture(scope="module")
def compiler() -> Toolchain:
    # Its headers are HIP's alone, whatever libraries the machine has.
    return next(found for found in toolchain.candidates() if found.kind == "wheels")


def test_names_of_the_derived_text(cuda: Path) -> None:
    text = libraries._renamed(libraries._flat("cublas_v2.h", "hipblas/hipblas.h", (cuda,), set()))
    assert "hipblasCreate(hipblasHandle_t *handle)" in text
    assert text.count("HIPBLAS_OP_C") == 1
    assert "#define hipblasSgemm hipblasSgemm" in text
    assert "#include <hip/hip_fp16.h>" in text
    # What HIP lacks is there for nobody to find.
    assert "hip_lacks_cublasBrandNew(hipblasHandle_t, hip_lacks_cudaBrandNewType value)" in text
    assert "cublasNotAName" not in text
    assert "CUBLAS_V2_H_" in text
    assert "CUBLAS_API_H_" in text


def test_derived_declarations_check_a_source(compiler: Toolchain, cuda: Path, tmp_path: Path) -> None:
    source = tmp_path / "use.hip"
    source.write_text(USE)
    assert compiler.check(source, "gfx942").failure
    found = supply(compiler, "hipblas/hipblas.h", {})
    assert isinstance(found, Supplied)
    assert found.derived
    assert found.origin == "declarations derived from CUDA's cublas_v2.h"
    assert found.toolchain.check(source, "gfx942").errors == ()
    wrong = ("hipblasCreate(h)", "cublasCreate(&h)", "cublasBrandNew(h, 0)", "hipblasBrandNew(h, 0)")
    source.write_text(USE.replace("return", ";\n".join(("", *wrong, "return"))))
    assert [error.line for error in found.toolchain.check(source, "gfx942").errors] == [4, 5, 6, 7]
    assert found.toolchain.identity != compiler.identity


def test_a_header_that_needs_another(compiler: Toolchain, cuda: Path, tmp_path: Path) -> None:
    for _ in range(2):  # made, then found in the cache
        libraries._supplied.cache_clear()
        found = supply(compiler, "hipsolver/hipsolver.h", {})
        assert isinstance(found, Supplied)
        names = {path.name for folder in found.toolchain.includes[1:] for path in folder.iterdir()}
        assert names == {"hipblas", "hipsolver"}


def test_cuda_that_does_not_compile_derives_nothing(compiler: Toolchain, cuda: Path) -> None:
    (cuda / "cublas_api.h").write_text(CUBLAS_API.replace("struct cublasContext;", "struct cublasContext"))
    found = supply(compiler, "hipblas/hipblas.h", {})
    assert isinstance(found, NotSupplied)
    assert "what CUDA's cublas_v2.h gives does not compile" in found.reason


NONE = Toolchain("rocm", ("none",), None, (Path("none"),), None, None)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("hipcub/hipcub.hpp", "install libhipcub-dev"),
        ("miopen/miopen.h", "cannot be derived"),
        ("own/header.h", "cannot be derived"),
        ("hipfft/hipfft.h", "nor is CUDA's header"),
    ],
)
@pytest.mark.usefixtures("cuda")
def test_what_cannot_be_supplied_is_said(header: str, reason: str) -> None:
    found = supply(NONE, header, {})
    assert isinstance(found, NotSupplied)
    assert (found.header, reason in found.reason) == (header, True)


@pytest.mark.usefixtures("cuda")
def test_an_installed_header_goes_first(tmp_path: Path) -> None:
    (tmp_path / "include/hipblas").mkdir(parents=True)
    (tmp_path / "include/hipblas/hipblas.h").touch()
    found = supply(NONE, "hipblas/hipblas.h", {"ROCM_PATH": str(tmp_path)})
    assert isinstance(found, Supplied)
    assert (found.derived, found.toolchain.includes[-1]) == (False, tmp_path / "include")


def test_where_cuda_is_looked_for(tmp_path: Path) -> None:
    for name in ("told", "home/include"):
        (tmp_path / name).mkdir(parents=True)
    variables = {"REWARP_CUDA_INCLUDE": f"{tmp_path / 'told'}:{tmp_path / 'none'}", "CUDA_HOME": str(tmp_path / "home")}
    assert cuda_includes(variables)[:2] == (tmp_path / "told", tmp_path / "home/include")


def test_compiling_goes_on_until_nothing_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(header: str) -> Compiled:
        return Compiled(False, (Diagnostic("a", 1, 1, Severity.FATAL, f"'{header}' file not found"),), (), 0)

    def supplies(using: Toolchain, header: str) -> Supplied | NotSupplied:
        if header == "never.h":
            return NotSupplied(header, "no")
        return Supplied(replace(using, kind="wheels"), header, "", True)

    monkeypatch.setattr(libraries, "supply", supplies)
    results = iter([missing("a.h"), missing("b.h"), Compiled(True, (), (), 0)])
    done, supplied, lacking = compiled_with_libraries(NONE, lambda _: next(results))
    assert (done.ok, [found.header for found in supplied], lacking) == (True, ["a.h", "b.h"], None)
    results = iter([missing("a.h"), missing("never.h")])
    done, supplied, lacking = compiled_with_libraries(NONE, lambda _: next(results))
    assert (done.ok, len(supplied), lacking) == (False, 1, NotSupplied("never.h", "no"))
    (tmp_path / "never.h").write_text("")
    results = iter([missing("a.h"), missing("never.h"), Compiled(True, (), (), 0)])
    done, supplied, lacking = compiled_with_libraries(NONE, lambda _: next(results), lambda _: tmp_path)
    assert (done.ok, [found.derived for found in supplied], lacking) == (True, [True, True], None)
    assert tmp_path in supplied[-1].toolchain.includes
    results = iter([missing("never.h")] * 2)  # it is given once
    done, supplied, lacking = compiled_with_libraries(NONE, lambda _: next(results), lambda _: tmp_path)
    assert lacking == NotSupplied("never.h", "no")
    done, supplied, lacking = compiled_with_libraries(NONE, lambda _: missing("a.h"))
    assert lacking
    assert done.failure
    assert done.failure.cause is Cause.MISSING_HEADER
