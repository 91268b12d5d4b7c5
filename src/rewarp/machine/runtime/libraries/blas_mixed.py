"""The functions of hipBLAS and rocBLAS whose types are named in the call (…Ex), those for halves, and the missing ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

_FORMS = (("", ""), ("Batched", "_batched"), ("StridedBatched", "_strided_batched"))
_HALVES = {"h": 150, "bf": 168}
"""Their names among BLAS's types."""


def mixed_source(library: str) -> str:
    lines = ['#include "blas_mixed.h"']
    for form, wide in product(_FORMS, (False, True)):
        for function in (*_products(library, form, wide), *_vectors(library, form, wide)):
            lines.append(function)
    lines += (f'API int {name}(void) {{ not_made("{_title(library)}", "{name}"); }}' for name in missing(library))
    return "\n".join(lines) + "\n"


def mixed_declarations(library: str) -> Iterator[str]:
    """For a header: what ``mixed_source`` defines."""
    for line in mixed_source(library).splitlines():
        if line.startswith("API int ") and "(void)" not in line and "alias" not in line:
            name = line.partition("(")[0]
            half = ("hipblasHalf", "hipblasBfloat16") if library == "hip" else ("rocblas_half", "rocblas_bfloat16")
            value = half["bfdot" in name.lower()]
            text = line.removeprefix("API ").partition(" {")[0].replace("uint16_t", value)
            yield (
                text.replace("int compute,", "hipblasComputeType_t compute,") + ";" if library == "hip" else text + ";"
            )


def overloads() -> Iterator[str]:
    """C++ for hipBLAS's products that take the way of computing as a type of data."""
    for line in mixed_declarations("hip"):
        if "hipblasComputeType_t compute" in line:
            head, _, listed = line.removesuffix(");").removeprefix("int ").partition("(")
            names = (re.sub(r"\[\]$", "", word).split()[-1].lstrip("*") for word in listed.split(", "))
            given = ("rewarp_compute_type(compute)" if name == "compute" else name for name in names)
            with_type = listed.replace("hipblasComputeType_t compute", "hipDataType compute")
            yield f"static inline hipblasStatus_t {head}({with_type}) {{ return {head}({', '.join(given)}); }}"


def missing(library: str) -> Iterator[str]:
    """What real programs may ask for, and this stand-in does not compute."""
    if library == "roc":
        for kind, form, ending in product("sdcz", ("", "_batched", "_strided_batched"), ("", "_64")):
            yield f"rocblas_{kind}gemmt{form}{ending}"
        yield from ("rocblas_geam_ex", "rocblas_geam_ex_64", "rocblas_gemm_ex3", "rocblas_gemm_batched_ex3")
        yield from (
            "rocblas_gemm_strided_batched_ex3",
            "rocblas_gemm_ex_get_solutions",
            "rocblas_set_device_memory_size",
        )
        yield from (f"rocblas_trsm{form}_ex" for form in ("", "_batched", "_strided_batched"))
        for kind, form in product(("hsh", "hss", "tst", "tss"), ("_batched", "_strided_batched")):
            yield f"rocblas_{kind}gemv{form}"
        return
    for kind, routine, form in product("SDCZ", ("geqrf", "gels"), ("", "Batched", "StridedBatched")):
        yield f"hipblas{kind}{routine}{form}"
    yield from (f"hipblasTrsm{form}Ex" for form in ("", "Batched", "StridedBatched"))


def _title(library: str) -> str:
    return "hipBLAS" if library == "hip" else "rocBLAS"


def _function(library: str, name: str, listed: str, conditions: list[tuple[str, str]], body: str) -> str:
    status = "HIP" if library == "hip" else "ROC"
    checks = [
        ("is_handle(handle)", "NO_HANDLE"),
        ("!is_capturing(((Handle *)handle)->stream)", "UNSUPPORTED"),
        *conditions,
    ]
    text = "".join(f"    REQUIRE({status}, {condition}, {wrong});\n" for condition, wrong in checks)
    made = f'API int {name}(void *handle, {listed}) {{\n    COUNT("{_title(library)}", "{name}");\n{text}{body}}}'
    if library == "hip" and "Ex" in name:
        other = name.removesuffix("_64") + "_v2" + ("_64" if name.endswith("_64") else "")
        made += f'\nAPI int {other}(void *handle, {listed}) __attribute__((alias("{name}")));'
    return made


# --- products -------------------------------------------------------------------------------


def _products(library: str, form: tuple[str, str], wide: bool) -> Iterator[str]:
    integer = "int64_t" if wide else "int"
    ending = "_64" if wide else ""
    if library == "hip":
        for flags in ("", "WithFlags"):
            yield _product(
                library,
                f"hipblasGemm{form[0]}Ex{flags}{ending}",
                form[0],
                integer,
                "int algo" + (", int flags" if flags else ""),
            )
        yield _half_product(library, f"hipblasHgemm{form[0]}{ending}", form[0], integer)
    else:
        yield _product(
            library, f"rocblas_gemm{form[1]}_ex{ending}", form[0], integer, "int algo, int32_t solution, uint32_t flags"
        )
        yield _half_product(library, f"rocblas_hgemm{form[1]}{ending}", form[0], integer)


def _pointer(name: str, form: str, constant: bool = True, value: str = "void") -> str:
    kind = "const " if constant else ""
    return f"{kind}{value} *const {name}[]" if form == "Batched" and value != "void" else f"{kind}{value} *{name}"


def _matrix(name: str, form: str, integer: str, typed: bool, constant: bool = True) -> str:
    value = "void" if typed else "uint16_t"
    type_ = f", int {name}_type" if typed else ""
    stride = f", int64_t stride_{name}" if form == "StridedBatched" else ""
    return f"{_pointer(name, form, constant, value)}{type_}, {integer} ld{name}{stride}"


def _product(library: str, name: str, form: str, integer: str, last: str) -> str:
    """rocBLAS adds to C and writes to D; hipBLAS has one of them."""
    result = "d" if library == "roc" else "c"
    a, b = _matrix("a", form, integer, True), _matrix("b", form, integer, True)
    c = _matrix("c", form, integer, True, constant=result == "d")
    d = ", " + _matrix("d", form, integer, True, constant=False) if result == "d" else ""
    batch = f", {integer} batch_count" if form else ""
    listed = f"int transA, int transB, {integer} m, {integer} n, {integer} k, const void *alpha, {a}, {b}, const void *beta, {c}{d}{batch}, int compute, {last}"
    types = {"a": "type_of(a_type)", "b": "type_of(b_type)", "c": "type_of(c_type)", "d": f"type_of({result}_type)"}
    return _function(library, name, listed, [], _product_body(library, form, result, types, "compute"))


def _half_product(library: str, name: str, form: str, integer: str) -> str:
    a, b, c = (_matrix(one, form, integer, False, constant=one != "c") for one in "abc")
    batch = f", {integer} batch_count" if form else ""
    listed = f"int transA, int transB, {integer} m, {integer} n, {integer} k, const uint16_t *alpha, {a}, {b}, const uint16_t *beta, {c}{batch}"
    return _function(library, name, listed, [], _product_body(library, form, "c", dict.fromkeys("abcd", "F16"), "150"))


def _product_body(library: str, form: str, result: str, types: dict[str, str], compute: str) -> str:
    status = "HIP" if library == "hip" else "ROC"
    matrices = ", ".join(f".{one} = {{{one}, {types[one]}, ld{one}}}" for one in "abc")
    text = (
        f"    Product product = {{.ta = transA, .tb = transB, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, {matrices},\n"
        f"                       .d = (void *){result}, .d_type = {types['d']}, .ldd = ld{result}, .compute = {compute}}};\n"
        f"    Wrong wrong = check_gemm(&product);\n"
        f"    REQUIRE({status}, !wrong, wrong);\n"
    )
    if not form:
        return text + f"    return {status}_STATUS[mixed_gemm(&product)];\n"
    text += (
        f"    REQUIRE({status}, batch_count >= 0, BAD_SIZE);\n    for (I64 i = 0; i < batch_count && !wrong; ++i) {{\n"
    )
    for one, target in (("a", "a.at"), ("b", "b.at"), ("c", "c.at"), (result, "d")):
        type_ = types["d" if target == "d" else one]
        if form == "Batched":
            text += f"        product.{target} = ((void *const *){one})[i];\n"
        else:
            text += f"        product.{target} = {one} ? (char *){one} + i * stride_{one} * size_of({type_}) : 0;\n"
    return text + f"        wrong = mixed_gemm(&product);\n    }}\n    return {status}_STATUS[wrong];\n"


# --- vectors --------------------------------------------------------------------------------

# name: arguments that vary by form; x and y are vectors with a type and a step, `!` is written to.
_VECTORS = {
    "axpy": ("alpha x y!", "mixed_axpy(n, alpha, T(alpha), {x}, T(x), incx, {y}, T(y), incy)"),
    "scal": ("alpha x!", "mixed_scal(n, alpha, T(alpha), {x}, T(x), incx)"),
    "dot": ("x y |", "mixed_dot(n, {x}, T(x), incx, {y}, T(y), incy, {r}, T(result), 0)"),
    "dotc": ("x y |", "mixed_dot(n, {x}, T(x), incx, {y}, T(y), incy, {r}, T(result), 1)"),
    "nrm2": ("x |", "mixed_nrm2(n, {x}, T(x), incx, {r}, T(result))"),
    "rot": ("x! y! cs", "mixed_rot(n, {x}, T(x), incx, {y}, T(y), incy, c, s, T(cs))"),
}


def _vectors(library: str, form: tuple[str, str], wide: bool) -> Iterator[str]:
    integer, ending = ("int64_t", "_64") if wide else ("int", "")
    for routine, (words, call) in _VECTORS.items():
        title = routine[0].upper() + routine[1:]
        name = f"hipblas{title}{form[0]}Ex{ending}" if library == "hip" else f"rocblas_{routine}{form[1]}_ex{ending}"
        yield _vector(library, name, form[0], integer, words, call, "")
    for kind, routine in (("h", "axpy"), ("h", "dot"), ("bf", "dot")):
        title = kind[0].upper() + kind[1:] + routine
        name = f"hipblas{title}{form[0]}{ending}" if library == "hip" else f"rocblas_{kind}{routine}{form[1]}{ending}"
        yield _vector(library, name, form[0], integer, *_VECTORS[routine], str(_HALVES[kind]))


def _vector(library: str, name: str, form: str, integer: str, words: str, call: str, fixed: str) -> str:
    value = "uint16_t" if fixed else "void"
    listed, pointers, types = [f"{integer} n"], [], []
    for word in words.replace("|", "").split():
        one, constant = word.rstrip("!"), "" if word.endswith("!") else "const "
        if one == "cs":
            listed += ["const void *c", "const void *s", "int cs_type"]
        elif one == "alpha":
            listed += [f"const {value} *alpha"] + ([] if fixed else ["int alpha_type"])
        else:
            listed.append(_pointer(one, form, bool(constant), value))
            listed += [] if fixed else [f"int {one}_type"]
            listed += [f"{integer} inc{one}"] + ([f"int64_t stride_{one}"] if form == "StridedBatched" else [])
        pointers += ["c", "s"] if one == "cs" else [one]
        types.append(one)
    listed += [f"{integer} batch_count"] if form else []
    if "|" in words:
        listed += [f"{value} *result"] + ([] if fixed else ["int result_type"])
        pointers.append("result")
        types.append("result")
    listed += [] if fixed else ["int execution"]
    named = {one: fixed or f"{one}_type" for one in types}
    conditions = [(" && ".join(f"type_of({text})" for text in named.values()), "UNSUPPORTED")]
    conditions += [("batch_count >= 0", "BAD_SIZE")] if form else []
    conditions += (
        [(" && ".join(pointers), "BAD_POINTER")]
        if "|" in words
        else [(f"n <= 0 || ({' && '.join(pointers)})", "BAD_POINTER")]
    )
    for one, text in named.items():
        call = call.replace(f"T({one})", f"type_of({text})")
    call = call.format(**_of_batch(form, named))
    loop = "    for (I64 i = 0; i < batch_count; ++i)\n    " if form else ""
    return _function(library, name, ", ".join(listed), conditions, f"{loop}    {call};\n    return 0;\n")


def _of_batch(form: str, named: dict[str, str]) -> dict[str, str]:
    found = {}
    for one, text in named.items():
        size = f"size_of(type_of({text}))"
        key = "r" if one == "result" else one
        if not form:
            found[key] = one
        elif one == "result":
            found[key] = f"(char *)result + i * {size}"
        else:
            found[key] = (
                f"((void *const *){one})[i]" if form == "Batched" else f"(char *){one} + i * stride_{one} * {size}"
            )
    return found
