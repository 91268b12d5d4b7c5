"""The word that a project is called by says nothing of whose code is."""

from __future__ import annotations

import pytest
from parity_parts import MemoryTree

from rewarp.parity.comparing.compare import compare
from rewarp.parity.names.backends import corresponding
from rewarp.parity.names.product import Product
from rewarp.parity.scoring.scores import score
from rewarp.parity.units import Parity, Status

_HEADER = "typedef int hipfftResult;\n" + "".join(f"hipfftResult hipfftDo{at}(int n);\n" for at in range(12))


def _source(call: str, lacking: int | None = None) -> str:
    body = "\n".join(
        f"hipfftResult hipfftDo{at}(int n) {{ return {'HIPFFT_NOT_SUPPORTED' if at == lacking else f'{call}{at}(n)'}; }}"
        for at in range(12)
    )
    return f'#include "hipfft/hipfft.h"\n{body}\n'


def _compared(amd: str, nvidia: str) -> Parity:
    files = {
        "include/hipfft/hipfft.h": _HEADER,
        "src/amd_detail/hipfft.cpp": amd,
        "src/nvidia_detail/hipfft.cpp": nvidia,
    }
    return compare(MemoryTree({path: text.encode() for path, text in files.items()}), use_cache=False)


def test_a_wrapper_of_two_libraries_is_compared() -> None:
    found = _compared(_source("rocfft_do"), _source("cufftDo"))
    assert (found.a, found.b) == ("cuda", "rocm")
    names = {unit.name for unit in found.units if unit.a.status is unit.b.status is Status.IMPLEMENTED}
    assert len(names) == 12
    assert not any("hqpfft" in repr(one) for one in (*found.units, *found.coverage, *found.found_by))
    assert {place.path for unit in found.units for place in unit.b.evidence} == {"src/amd_detail/hipfft.cpp"}
    assert not score(found).blocked_by


def test_what_only_fails_is_no_match() -> None:
    found = _compared(_source("rocfft_do", lacking=3), _source("cufftDo"))
    (unit,) = [unit for unit in found.units if unit.name.lower() == "hipfftdo3"]
    assert unit.b.status is Status.ERROR
    assert len(score(found).gaps) == 1


@pytest.mark.parametrize(
    "paths",
    [
        ("src/cuda/hipfft.cpp", "src/cuda/sub/hipfft.cpp"),  # one back end's folders only
        ("src/cuda/vendors/hip.h", "src/hip/hip.h"),  # a platform's word is never a project's
        ("src/cuda/fft.cpp", "src/hip/fft.cpp"),
        ("src/cuda/hipblas.cpp", "src/hip/hipfft.cpp"),
        ("nvidia/hipcc.cpp", "amd/hipcc.cpp"),
    ],
)
def test_other_names_keep_their_meaning(paths: tuple[str, str]) -> None:
    assert Product.of(dict.fromkeys(paths, b"")).spellings == {}


def test_spellings_are_new_to_the_tree_and_go_back() -> None:
    files = {"nvidia/hipfft.c": b"hqpfft HIPFFT_OK hipfftPlan", "amd/hipfft.c": b""}
    product = Product.of(files)
    assert product.spellings == {"hipfft": "hxpfft"}
    assert product.masked(files)["nvidia/hxpfft.c"] == b"hqpfft HXPFFT_OK hxpfftPlan"


@pytest.mark.parametrize(
    ("name", "shared"),
    [("CublasError", "blas_error"), ("HipblasError", "blas_error"), ("RocblasError", "blas_error"), ("CudaError", "error"),
     ("HipError", "error"), ("cutlass_run", "cutlass_run"), ("hipcc_path", "path")],
)  # fmt: skip
def test_names_that_correspond(name: str, shared: str) -> None:
    assert corresponding(name) == shared
