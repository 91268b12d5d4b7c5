"""The functions of hipBLAS that factor, solve and invert: plain, batched and strided."""

from __future__ import annotations

from collections.abc import Iterator

from rewarp.machine.runtime.libraries.blas import TYPES

_HEADER_TYPES = {"float _Complex": "hipComplex", "double _Complex": "hipDoubleComplex"}
_FORMS = ("", "Batched", "StridedBatched")


def factors_source() -> str:
    lines = ['#include "blas.h"']
    for kind, (value, _) in TYPES.items():
        lines += [
            f"void getrf_{kind}(I64, {value} *, I64, int *, int *);",
            f"void getrs_{kind}(int, I64, I64, const {value} *, I64, const int *, {value} *, I64);",
            f"void getri_{kind}(I64, const {value} *, I64, const int *, {value} *, I64, int *);",
        ]
        for form in _FORMS:
            lines += [_getrf(kind, form), _getrs(kind, form)]
        lines.append(_getri(kind))
    return "\n".join(lines) + "\n"


def factors_declarations() -> Iterator[str]:
    for line in factors_source().splitlines():
        if line.startswith("API int ") and "alias" not in line:
            text = line.removeprefix("API ").partition(" {")[0]
            for plain, named in _HEADER_TYPES.items():
                text = text.replace(plain, named)
            yield text.replace("int trans,", "hipblasOperation_t trans,") + ";"


def _getrf(kind: str, form: str) -> str:
    listed = f"int n, {_matrix(kind, 'A', form)}, {_pivots(form)}, int *info{_batch(form)}"
    checks = [("n >= 0 && lda >= n && lda >= 1", "BAD_SIZE"), ("n == 0 || A", "BAD_POINTER"), ("info", "BAD_POINTER")]
    call = f"getrf_{kind}(n, {_of('A', form)}, lda, {_pivots_of(form)}, info + i)"
    return _function(f"hipblas{kind.upper()}getrf{form}", listed, checks, call, form)


def _getrs(kind: str, form: str) -> str:
    listed = f"int trans, int n, int nrhs, {_matrix(kind, 'A', form)}, {_pivots(form, 'const ')}, "
    listed += f"{_matrix(kind, 'B', form)}, int *info{_batch(form)}"
    checks = [("IS_TRANS(trans)", "BAD_ENUM"), ("n >= 0 && nrhs >= 0 && lda >= n && ldb >= n", "BAD_SIZE")]
    checks += [("n == 0 || nrhs == 0 || (A && B)", "BAD_POINTER"), ("info", "BAD_POINTER")]
    call = f"getrs_{kind}(trans, n, nrhs, {_of('A', form)}, lda, {_pivots_of(form)}, {_of('B', form)}, ldb)"
    return _function(f"hipblas{kind.upper()}getrs{form}", listed, checks, call, form, "    *info = 0;\n")


def _getri(kind: str) -> str:
    """Of batches only, as with cuBLAS."""
    form = "Batched"
    listed = f"int n, {_matrix(kind, 'A', form)}, int *ipiv, {_matrix(kind, 'C', form)}, int *info, int batch_count"
    checks = [
        ("n >= 0 && lda >= n && ldc >= n", "BAD_SIZE"),
        ("n == 0 || (A && C)", "BAD_POINTER"),
        ("info", "BAD_POINTER"),
    ]
    call = f"getri_{kind}(n, A[i], lda, {_pivots_of(form)}, C[i], ldc, info + i)"
    return _function(f"hipblas{kind.upper()}getri{form}", listed, checks, call, form)


def _matrix(kind: str, name: str, form: str) -> str:
    value, stride = TYPES[kind][0], f", int64_t stride_{name}" if form == "StridedBatched" else ""
    pointer = f"{value} *const {name}[]" if form == "Batched" else f"{value} *{name}"
    return f"{pointer}, int ld{name.lower()}{stride}"


def _pivots(form: str, constant: str = "") -> str:
    return f"{constant}int *ipiv" + (", int64_t stride_p" if form == "StridedBatched" else "")


def _batch(form: str) -> str:
    return ", int batch_count" if form else ""


def _of(name: str, form: str) -> str:
    return f"{name}[i]" if form == "Batched" else f"{name} + i * stride_{name}" if form else name


def _pivots_of(form: str) -> str:
    return f"ipiv ? ipiv + i * {'stride_p' if form == 'StridedBatched' else 'n'} : 0" if form else "ipiv"


def _function(name: str, listed: str, checks: list[tuple[str, str]], call: str, form: str, before: str = "") -> str:
    conditions = [("is_handle(handle)", "NO_HANDLE"), ("!is_capturing(((Handle *)handle)->stream)", "UNSUPPORTED")]
    conditions += [*checks, *([("batch_count >= 0", "BAD_SIZE")] if form else [])]
    text = "".join(f"    REQUIRE(HIP, {condition}, {wrong});\n" for condition, wrong in conditions)
    count = "batch_count" if form else "1"
    return (
        f'API int {name}(void *handle, {listed}) {{\n    COUNT("hipBLAS", "{name}");\n{text}{before}'
        f"    for (I64 i = 0; i < {count}; ++i) {call};\n    return 0;\n}}\n"
        f'API int {name}_v2(void *handle, {listed}) __attribute__((alias("{name}")));'
    )
