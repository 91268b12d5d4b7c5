"""Launches as calls of hipLaunchKernelGGL."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.changes import Options, Translation
from rewarp.translation.translator import translate

CUDA = "cudaFree(0); "


def translated(code: str, launch: str = "ggl") -> Translation:
    return translate(SourceFile("file.h", (CUDA + code).encode()), Options(launch=launch))


def launched(code: str) -> str:
    return translated(code).text[len("hipFree(0); ") :]


@pytest.mark.parametrize("blank", ["", " ", "\n  "])
def test_blanks_around_the_brackets_do_not_matter(blank: str) -> None:
    code = f"k{blank}<<<{blank}g{blank},{blank}b{blank}>>>{blank}({blank}x);"
    assert launched(code) == "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x);"


@pytest.mark.parametrize(
    ("configuration", "arguments"),
    [
        ("1, n", "dim3(1), dim3(n), 0, 0"),
        ("dim3(1), n", "dim3(1), dim3(n), 0, 0"),
        ("1, dim3 (n, 2)", "dim3(1), dim3 (n, 2), 0, 0"),
        ("1, n, s", "dim3(1), dim3(n), s, 0"),
        ("1, n, s, stream", "dim3(1), dim3(n), s, stream"),
        ("dim3(x, y), std::min(a, b), std::max(a, b)", "dim3(x, y), dim3(std::min(a, b)), std::max(a, b), 0"),
        ("dim3(1) + one, dim3Block", "dim3(dim3(1) + one), dim3(dim3Block), 0, 0"),
        ("(n + 255) / 256, 1 << 8, n <<2", "dim3((n + 255) / 256), dim3(1 << 8), n <<2, 0"),
        ("a>>2, (b>>>1)", "dim3(a>>2), dim3((b>>>1)), 0, 0"),
        ("n < 4 ? 1 : 2, m > 3", "dim3(n < 4 ? 1 : 2), dim3(m > 3), 0, 0"),
        ("up<T, 4>(n), dim3{1, 2}, size<T, 4>()", "dim3(up<T, 4>(n)), dim3(dim3{1, 2}), (size<T, 4>()), 0"),
    ],
)
def test_configurations(configuration: str, arguments: str) -> None:
    assert launched(f"k<<<{configuration}>>>();") == f"hipLaunchKernelGGL(k, {arguments});"
    assert launched(f"k<<<{configuration}>>>(x, y);") == f"hipLaunchKernelGGL(k, {arguments}, x, y);"


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("::k", "::k"),
        ("first::second::k", "first::second::k"),
        ("k<float>", "HIP_KERNEL_NAME(k<float>)"),
        ("k<float, 4>", "HIP_KERNEL_NAME(k<float, 4>)"),
        ("k<(N > 2)>", "HIP_KERNEL_NAME(k<(N > 2)>)"),
        ("Type<T>::k", "HIP_KERNEL_NAME(Type<T>::k)"),
        ("Type<T>::template k<U>", "HIP_KERNEL_NAME(Type<T>::template k<U>)"),
        ("object.k", "object.k"),
        ("this->table[i]", "this->table[i]"),
        ("(*pointer)", "(*pointer)"),
        ("(k<A, B>)", "(k<A, B>)"),
        ("pick<A, B>(x)", "HIP_KERNEL_NAME(pick<A, B>(x))"),
        ("name##_kernel", "name##_kernel"),
    ],
)
def test_kernels(kernel: str, name: str) -> None:
    for before in ("", "return ", "if (x) ", "CHECK(("):
        assert launched(f"{before}{kernel}<<<g, b>>>(x);") == (
            f"{before}hipLaunchKernelGGL({name}, dim3(g), dim3(b), 0, 0, x);"
        )


def test_arguments_with_commas_and_names_of_cuda() -> None:
    assert launched("k<<<g, b>>>(f<x, y>(z), cudaStreamDefault);") == (
        "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, f<x, y>(z), hipStreamDefault);"
    )


def test_comments_stay() -> None:
    assert launched("k<<<g /* grid */, b>>>(x /* one */);") == (
        "hipLaunchKernelGGL(k, dim3(g) /* grid */, dim3(b), 0, 0, x /* one */);"
    )
    assert launched("k<<<g, // grid\n  b // block\n  >>>(x);") == (
        "hipLaunchKernelGGL(k, dim3(g), // grid\n  dim3(b) // block\n  , 0, 0, x);"
    )


def test_launches_in_macros() -> None:
    assert launched("\n#define L(k, ...) \\\n  k<<<g, \\\n    b>>>( \\\n    __VA_ARGS__)\n") == (
        "\n#define L(k, ...) \\\n  hipLaunchKernelGGL(k, dim3(g), \\\n    dim3(b), 0, 0, \\\n    __VA_ARGS__)\n"
    )


@pytest.mark.parametrize(
    "code",
    [
        "k<<<g>>>(x);",
        "k<<<g, , s>>>(x);",
        "k<<<g, b, s, t, u>>>(x);",
        "k<<<g, b>>>;",
        "k<<<g, b;",
        "= <<<g, b>>>(x);",
        "if(x)(*pointer)<<<g, b>>>(x);",
        "\n#define HALF k<float><<<g, b>>>\n",
    ],
)
def test_what_cannot_be_read_stays_and_is_reported(code: str) -> None:
    translation = translated(code)
    assert translation.text == "hipFree(0); " + code
    assert ["could not be read" in finding.message for finding in translation.findings] == [True]


@pytest.mark.parametrize("text", ["// k<<<g, b>>>(x);", 'f("k<<<g, b>>>(x)");', "/* k<<<g, b>>>(x) */"])
def test_comments_and_strings_hold_no_launches(text: str) -> None:
    assert launched(text) == text


def test_chevrons_stay_unless_asked() -> None:
    assert translated("k <<<g, b>>> (x);", launch="chevron").text == "hipFree(0); k <<<g, b>>> (x);"


def test_the_result_is_not_changed_again() -> None:
    once = launched("a<<<g, b>>>(x); ns::c<T, U><<<g, b, s, t>>>();")
    assert launched(once) == once
