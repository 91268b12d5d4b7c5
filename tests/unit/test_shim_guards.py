"""Macros that tell which headers were included: under the shim they are defined where HIP's header was."""

from __future__ import annotations

from rewarp.translation.shim_text import Shim, shim_header


def test_a_guard_follows_hips_own() -> None:
    defines = {b"CUBLAS_API_H_": b"HIPBLAS_H", b"CUSPARSEAPI": b"HIPSPARSE_EXPORT", b"cudaFree": b"hipFree"}
    text = shim_header(Shim(defines, [], [], [], False, None, {})).decode()
    assert "#if defined(HIPBLAS_H)\n#define CUBLAS_API_H_ HIPBLAS_H\n#endif\n" in text
    assert "#if defined(HIPSPARSE_EXPORT)\n#define CUSPARSEAPI HIPSPARSE_EXPORT\n#endif\n" in text
    assert "\n\n// runtime\n#define cudaFree hipFree\n" in text
