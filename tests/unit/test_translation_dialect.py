"""C++ that nvcc takes and HIP's compiler does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate
from rewarp.translation.tree import translate_tree


def translated(code: str, path: str = "kernels.cuh") -> str:
    return translate(SourceFile(path, ("#pragma once\n" + code).encode())).text.removeprefix("#pragma once\n")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("register float s = 0.0f;", "float s = 0.0f;"),
        ("const register real T = LOG(x);", "const real T = LOG(x);"),
        ("for (register int i = 0; i < n; i++) ;", "for (int i = 0; i < n; i++) ;"),
        ("void f(register int a, register int b);", "void f(int a, int b);"),
    ],
)
def test_register_goes(code: str, expected: str) -> None:
    assert translated(code) == expected
    assert translated(expected) == expected


@pytest.mark.parametrize(
    "code",
    [
        'register int x asm("r0") = 1;',
        '// register int x;\nconst char* s = "register int x";',
        "int register_count = registers + unregister ;",
    ],
)
def test_near_misses_of_register_stay(code: str) -> None:
    assert translated(code) == code


def test_host_code_keeps_what_its_compiler_takes() -> None:
    assert translated("register int x = 0;", "main.c") == "register int x = 0;"


def test_a_host_source_that_a_unit_includes_is_compiled_with_it(tmp_path: Path) -> None:
    (tmp_path / "common.cpp").write_text("#include <cstdio>\ninline int f(int n) { register int s = n; return s; }\n")
    (tmp_path / "alone.cpp").write_text("#include <cstdio>\nint g(int n) { register int s = n; return s; }\n")
    (tmp_path / "a.cu").write_text('#include "common.cpp"\n__global__ void k(int* p) { *p = 0; }\n')
    hip = {one.path: one.text for one in translate_tree(tmp_path).translations}
    assert "{ int s = n;" in hip["common.cpp"]
    assert "register" in hip.get("alone.cpp", "register")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("dim3 grid = make_uint3(1, 2, 3);", "dim3 grid = dim3(1, 2, 3);"),
        ("dim3 grid, block;\nblock = make_uint3(n, 1, 1);", "dim3 grid, block;\nblock = dim3(n, 1, 1);"),
        ("uint3 grid = make_uint3(1, 2, 3);", "uint3 grid = make_uint3(1, 2, 3);"),
        (
            "dim3 grid(1);\nuint3 size;\nsize = make_uint3(n, 1, 1);",
            "dim3 grid(1);\nuint3 size;\nsize = make_uint3(n, 1, 1);",
        ),
    ],
)
def test_a_dim3_is_made_as_one(code: str, expected: str) -> None:
    assert translated(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Cast<To, From>::cast<size>(a, b);", "Cast<To, From>::template cast<size>(a, b);"),
        ("return ns::Cast<To, int>::cast<size>(a);", "return ns::Cast<To, int>::template cast<size>(a);"),
        ("Cast<To, From>::template cast<size>(a, b);", "Cast<To, From>::template cast<size>(a, b);"),
        ("Cast<float, int>::cast<size>(a, b);", "Cast<float, int>::cast<size>(a, b);"),
        ("int Cast<To, From>::cast<size>(int a);", "int Cast<To, From>::cast<size>(int a);"),
        ("Cast<To, From>::cast(a, b);", "Cast<To, From>::cast(a, b);"),
    ],
)
def test_a_member_template_of_an_unknown_type_is_called_one(code: str, expected: str) -> None:
    before = "template <typename To, typename From, int size> void f() { "
    assert translated(before + code) == before + expected
