"""Errors about libraries whose declarations were made of CUDA's decide nothing; about all others they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.toolchain import Toolchain
from rewarp.toolchain.libraries import Supplied
from rewarp.verify.build.compile import names_derived

USING = Toolchain("wheels", ("clang",), None, (Path("include"),), None, "6.2")


def supplied(header: str, derived: bool = True) -> Supplied:
    return Supplied(USING, header, "", derived)


@pytest.mark.parametrize(
    ("message", "headers", "undecided"),
    [
        ("no matching function for call to 'hipsolverDnSpotrf'", ["hipsolver/hipsolver.h"], True),
        ("no matching function for call to 'hipblasSgetrsBatched'", ["hipsolver/hipsolver.h"], False),
        ("no known conversion from 'hipblasOperation_t' to 'hipsolverOperation_t'", ["hipsolver/hipsolver.h"], True),
        ("use of undeclared identifier 'HIPBLAS_COMPUTE_8F'", ["hipblas/hipblas.h"], True),
        ("unknown type name 'ncclWindow_t'", ["rccl/rccl.h"], True),
        ("unknown type name 'ncclWindow_t'", ["hipblas/hipblas.h"], False),
        ("use of undeclared identifier 'hip_lacks_this'", ["hipblas/hipblas.h"], True),
        ("use of undeclared identifier 'nobody'", ["hipblas/hipblas.h"], False),
    ],
)
def test_what_a_derived_header_declares_is_not_decided(message: str, headers: list[str], undecided: bool) -> None:
    assert names_derived(message, [supplied(header) for header in headers]) is undecided


def test_a_library_that_is_here_decides() -> None:
    here = [supplied("hipblas/hipblas.h", derived=False), supplied("hipsolver/hipsolver.h")]
    assert not names_derived("no matching function for call to 'hipblasSaxpy'", here)
