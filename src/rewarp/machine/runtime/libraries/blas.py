"""The interfaces of hipBLAS and rocBLAS, from one table: both give the same routines the same arguments, under two names.

Each routine comes plain, batched (arrays of pointers) and strided, with sizes of 32 and of 64 bits:
https://rocm.docs.amd.com/projects/rocBLAS/en/latest/reference/level-1.html and the pages beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

TYPES = {
    "s": ("float", "float"),
    "d": ("double", "double"),
    "c": ("float _Complex", "float"),
    "z": ("double _Complex", "double"),
}
_HEADER_TYPES = {
    "hip": {"float _Complex": "hipComplex", "double _Complex": "hipDoubleComplex"},
    "roc": {"float _Complex": "rocblas_float_complex", "double _Complex": "rocblas_double_complex"},
}
_SIZES = ("n", "m", "k", "kl", "ku")
_CHOICES = {"trans": "Operation", "uplo": "FillMode", "diag": "DiagType", "side": "SideMode"}
_ROCBLAS_CHOICES = {"trans": "operation", "uplo": "fill", "diag": "diagonal", "side": "side"}
_OF = "ROWS_OF({}, {}, {})"
_SIDE = "(side == LEFT ? m : n)"

# name: kinds, arguments. Lower case x, y: vectors; capitals: matrices with the rows that they have; P: packed; a scalar
# or a bare pointer by its name; `!` is written to; `r` before alpha and beta: real for complex matrices too; behind `|`
# comes what is given back.
ROUTINES = {
    "axpy": ("sdcz", "n alpha x y!"),
    "copy": ("sdcz", "n x y!"),
    "swap": ("sdcz", "n x! y!"),
    "scal": ("sdcz", "n alpha x!"),
    "dot": ("sd", "n x y | result"),
    "dotu": ("cz", "n x y | result"),
    "dotc": ("cz", "n x y | result"),
    "asum": ("sdcz", "n x | rresult"),
    "nrm2": ("sdcz", "n x | rresult"),
    "amax": ("sdcz", "n x | index"),
    "amin": ("sdcz", "n x | index"),
    "rot": ("sdcz", "n x! y! rc s"),
    "rotg": ("sdcz", "a! b! rc! s!"),
    "rotm": ("sd", "n x! y! param"),
    "rotmg": ("sd", "d1! d2! x1! y1 param!"),
    "gemv": ("sdcz", "trans m n alpha A(m) x beta y!"),
    "gbmv": ("sdcz", "trans m n kl ku alpha A(kl+ku+1) x beta y!"),
    "ger": ("sd", "m n alpha x y A!(m)"),
    "geru": ("cz", "m n alpha x y A!(m)"),
    "gerc": ("cz", "m n alpha x y A!(m)"),
    "symv": ("sdcz", "uplo n alpha A(n) x beta y!"),
    "hemv": ("cz", "uplo n alpha A(n) x beta y!"),
    "sbmv": ("sd", "uplo n k alpha A(k+1) x beta y!"),
    "hbmv": ("cz", "uplo n k alpha A(k+1) x beta y!"),
    "spmv": ("sd", "uplo n alpha P x beta y!"),
    "hpmv": ("cz", "uplo n alpha P x beta y!"),
    "syr": ("sdcz", "uplo n alpha x A!(n)"),
    "her": ("cz", "uplo n ralpha x A!(n)"),
    "syr2": ("sdcz", "uplo n alpha x y A!(n)"),
    "her2": ("cz", "uplo n alpha x y A!(n)"),
    "spr": ("sdcz", "uplo n alpha x P!"),
    "hpr": ("cz", "uplo n ralpha x P!"),
    "spr2": ("sd", "uplo n alpha x y P!"),
    "hpr2": ("cz", "uplo n alpha x y P!"),
    "trmv": ("sdcz", "uplo trans diag n A(n) x!"),
    "trsv": ("sdcz", "uplo trans diag n A(n) x!"),
    "tbmv": ("sdcz", "uplo trans diag n k A(k+1) x!"),
    "tbsv": ("sdcz", "uplo trans diag n k A(k+1) x!"),
    "tpmv": ("sdcz", "uplo trans diag n P x!"),
    "tpsv": ("sdcz", "uplo trans diag n P x!"),
    "gemm": ("sdcz", "transA transB m n k alpha A(op:transA,m,k) B(op:transB,k,n) beta C!(m)"),
    "symm": ("sdcz", "side uplo m n alpha A(side) B(m) beta C!(m)"),
    "hemm": ("cz", "side uplo m n alpha A(side) B(m) beta C!(m)"),
    "syrk": ("sdcz", "uplo trans n k alpha A(op:trans,n,k) beta C!(n)"),
    "herk": ("cz", "uplo trans n k ralpha A(op:trans,n,k) rbeta C!(n)"),
    "syr2k": ("sdcz", "uplo trans n k alpha A(op:trans,n,k) B(op:trans,n,k) beta C!(n)"),
    "her2k": ("cz", "uplo trans n k alpha A(op:trans,n,k) B(op:trans,n,k) rbeta C!(n)"),
    "syrkx": ("sdcz", "uplo trans n k alpha A(op:trans,n,k) B(op:trans,n,k) beta C!(n)"),
    "herkx": ("cz", "uplo trans n k alpha A(op:trans,n,k) B(op:trans,n,k) rbeta C!(n)"),
    "geam": ("sdcz", "transA transB m n alpha A(op:transA,m,n) beta B(op:transB,m,n) C!(m)"),
    "trmm": ("sdcz", "side uplo transA diag m n alpha A(side) B(m) C!(m)"),
    "trsm": ("sdcz", "side uplo transA diag m n alpha A(side) B!(m)"),
    "trtri": ("sdcz", "uplo diag n A(n) invA!(n)"),
    "dgmm": ("sdcz", "side m n A(m) x C!(m)"),
}
_KERNEL = {"dot": "dotu", "ger": "geru"}
_PREFIXES = {
    "asum": {"c": "sc", "z": "dz"},
    "nrm2": {"c": "sc", "z": "dz"},
    "amax": {kind: f"i{kind}" for kind in "sdcz"},
    "amin": {kind: f"i{kind}" for kind in "sdcz"},
}
_MIXED = {("rot", "c"): "csrot", ("rot", "z"): "zdrot", ("scal", "c"): "csscal", ("scal", "z"): "zdscal"}
"""Real rotations and factors for complex vectors."""
_FORMS = (("", ""), ("Batched", "_batched"), ("StridedBatched", "_strided_batched"))


class Token(NamedTuple):
    """One argument of a routine, as the table writes it."""

    kind: str
    name: str
    written: bool = False
    real: bool = False
    rows: str = ""


@dataclass(frozen=True)
class Function:
    """One function of one library."""

    library: str
    name: str
    routine: str
    kernel: str
    type: str
    form: str
    wide: bool
    tokens: tuple[Token, ...]
    results: tuple[Token, ...]


def functions(library: str) -> Iterator[Function]:
    """All of ``hip`` or ``roc``."""
    for routine, (kinds, arguments) in ROUTINES.items():
        before, _, behind = arguments.partition("|")
        results = tuple(_token(word) for word in behind.split())
        for kind in kinds:
            named = [(_PREFIXES.get(routine, {}).get(kind, kind) + routine, before, _KERNEL.get(routine, routine))]
            if (routine, kind) in _MIXED:
                real = before.replace(" alpha", " ralpha").replace(" s", " rs")
                named.append((_MIXED[routine, kind], real, {"scal": "rscal"}.get(routine, routine)))
            for name, words, kernel in named:
                tokens = tuple(_token(word) for word in words.split())
                for form in _FORMS:
                    for wide in (False, True):
                        full = _name(library, name, form, wide)
                        yield Function(library, full, routine, kernel, kind, form[0], wide, tokens, results)


def _name(library: str, name: str, form: tuple[str, str], wide: bool) -> str:
    ending = "_64" if wide else ""
    if library == "roc":
        return f"rocblas_{name}{form[1]}{ending}"
    return f"hipblas{name[0].upper()}{name[1:]}{form[0]}{ending}"


def _token(word: str) -> Token:
    found = re.fullmatch(r"(\w+)(!?)(?:\((.*)\))?", word)
    assert found
    name, written, rows = found[1], bool(found[2]), found[3] or ""
    real = name in ("ralpha", "rbeta", "rc", "rs", "rresult")
    plain = name[1:] if real else name
    if name in _SIZES:
        kind = "size"
    elif name.rstrip("AB") in _CHOICES:
        kind = "choice"
    elif name in ("x", "y"):
        kind = "vector"
    elif name == "P":
        kind, plain = "packed", "AP"
    elif rows:
        kind = "matrix"
        rows = _SIDE if rows == "side" else _OF.format(*rows[3:].split(",")) if rows.startswith("op:") else rows
    elif plain in ("result", "index"):
        kind, plain = ("index" if name == "index" else "result"), "result"
    else:
        kind = "scalar" if plain in ("alpha", "beta", "c", "s") and not written else "loose"
    return Token(kind, plain, written, real, rows)


# --- declarations ---------------------------------------------------------------------------


def parameters(function: Function, header: bool) -> list[str]:
    """As C declares them; with the names of a library's types in a header."""
    found = [
        "void *handle"
        if not header
        else f"{'hipblasHandle_t' if function.library == 'hip' else 'rocblas_handle'} handle"
    ]
    for token in function.tokens:
        found += _declared(function, token, header)
    integer = _integer(function, header)
    if function.form:
        found.append(f"{integer} batch_count")
    for token in function.results:
        found.append(f"{integer if token.kind == 'index' else _value(function, token, header)} *result")
    return found


def _integer(function: Function, header: bool) -> str:
    return "int64_t" if function.wide else "rocblas_int" if header and function.library == "roc" else "int"


def _value(function: Function, token: Token, header: bool) -> str:
    plain = TYPES[function.type][token.real]
    return _HEADER_TYPES[function.library].get(plain, plain) if header else plain


def _declared(function: Function, token: Token, header: bool) -> list[str]:
    integer, value = _integer(function, header), _value(function, token, header)
    if token.kind == "size":
        return [f"{integer} {token.name}"]
    if token.kind == "choice":
        which = token.name.rstrip("AB")
        named = f"hipblas{_CHOICES[which]}_t" if function.library == "hip" else f"rocblas_{_ROCBLAS_CHOICES[which]}"
        return [f"{named if header else 'int'} {token.name}"]
    constant = "" if token.written else "const "
    if token.kind == "scalar":
        return [f"const {value} *{token.name}"]
    pointer = (
        f"{constant}{value} *const {token.name}[]" if function.form == "Batched" else f"{constant}{value} *{token.name}"
    )
    found = [pointer]
    if token.kind in ("vector", "matrix"):
        found.append(f"{integer} {_step(token)}")
    if function.form == "StridedBatched":
        found.append(
            f"{'hipblasStride' if function.library == 'hip' else 'rocblas_stride'} stride_{token.name}"
            if header
            else f"int64_t stride_{token.name}"
        )
    return found


def _step(token: Token) -> str:
    return f"inc{token.name}" if token.kind == "vector" else f"ld{token.name.lower()}"


# --- definitions ----------------------------------------------------------------------------


def source(library: str) -> str:
    """C: each function counts its call, looks at its arguments and goes to the kernel of its type."""
    made = list(functions(library))
    lines = ['#include "blas.h"', *sorted({_prototype(function) for function in made})]
    for function in made:
        lines.append(_definition(function))
        if library == "hip" and function.type in "cz":
            name = function.name.removesuffix("_64") + "_v2" + ("_64" if function.wide else "")
            listed = ", ".join(parameters(function, header=False))
            lines.append(f'API int {name}({listed}) __attribute__((alias("{function.name}")));')
    return "\n".join(lines) + "\n"


def _prototype(function: Function) -> str:
    types = []
    for token in function.tokens:
        value = TYPES[function.type][token.real]
        if token.kind == "scalar" and token.name == "s" and function.kernel == "rot":
            value = TYPES[function.type][0]
        pointer = f"{'' if token.written else 'const '}{value} *"
        types += {
            "size": ["I64"], "choice": ["int"], "scalar": [value], "vector": [pointer, "I64"], "matrix": [pointer, "I64"],
        }.get(token.kind, [pointer])  # fmt: skip
    index = any(token.kind == "index" for token in function.results)
    types += [f"{TYPES[function.type][token.real]} *" for token in function.results if token.kind == "result"]
    return f"{'I64' if index else 'void'} {function.kernel}_{function.type}({', '.join(types)});"


def _definition(function: Function) -> str:
    listed = ", ".join(parameters(function, header=False))
    library = "hipBLAS" if function.library == "hip" else "rocBLAS"
    lines = [f"API int {function.name}({listed}) {{", f'    COUNT("{library}", "{function.name}");']
    status = "HIP" if function.library == "hip" else "ROC"
    lines += [f"    REQUIRE({status}, {condition}, {wrong});" for condition, wrong in _conditions(function)]
    if quick := _quick(function):
        lines.append(f"    if ({quick}) return 0;")
    pointers = [token.name for token in (*function.tokens, *function.results) if token.kind not in ("size", "choice")]
    lines.append(f"    REQUIRE({status}, {' && '.join(pointers)}, BAD_POINTER);")
    if function.form:
        lines.append("    for (I64 i = 0; i < batch_count; ++i)")
    lines += [f"        {_call(function)};", "    return 0;", "}"]
    return "\n".join(lines)


def _conditions(function: Function) -> Iterator[tuple[str, str]]:
    yield "is_handle(handle)", "NO_HANDLE"
    yield "!is_capturing(((Handle *)handle)->stream)", "UNSUPPORTED"
    one_dimension = _is_level_1(function)
    for token in function.tokens:
        if token.kind == "choice":
            yield f"IS_{token.name.rstrip('AB').upper()}({token.name})", "BAD_ENUM"
    for token in function.tokens:
        if token.kind == "size" and not one_dimension:
            yield f"{token.name} >= 0", "BAD_SIZE"
        if token.kind == "matrix":
            yield f"{_step(token)} >= {token.rows} && {_step(token)} >= 1", "BAD_SIZE"
        if token.kind == "vector" and not one_dimension and function.routine != "dgmm":
            yield f"{_step(token)} != 0", "BAD_SIZE"
    if function.form:
        yield "batch_count >= 0", "BAD_SIZE"


def _is_level_1(function: Function) -> bool:
    return not any(token.kind in ("matrix", "packed") for token in function.tokens)


def _quick(function: Function) -> str:
    """Nothing to do. A sum of nothing is still a result."""
    empty = ["batch_count == 0"] if function.form else []
    names = [token.name for token in function.tokens if token.kind == "size"]
    if _is_level_1(function):
        empty += [] if function.results or not names else ["n <= 0"]
    else:
        empty += [f"{name} == 0" for name in ("m", "n") if name in names]
    return " || ".join(empty)


def _call(function: Function) -> str:
    given = []
    for token in function.tokens:
        if token.kind in ("size", "choice"):
            given.append(token.name)
        elif token.kind == "scalar":
            given.append(f"*{token.name}")
        else:
            given.append(_of_batch(function, token))
            given += [_step(token)] if token.kind in ("vector", "matrix") else []
    at = "[i]" if function.form else "[0]"
    kernel = f"{function.kernel}_{function.type}"
    if any(token.kind == "index" for token in function.results):
        return f"result{at} = {kernel}({', '.join(given)})"
    given += [f"&result{at}" for _ in function.results]
    return f"{kernel}({', '.join(given)})"


def _of_batch(function: Function, token: Token) -> str:
    if function.form == "Batched":
        return f"{token.name}[i]"
    return f"{token.name} + i * stride_{token.name}" if function.form else token.name
