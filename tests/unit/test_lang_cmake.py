"""CMake: commands, arguments and the if() branches around them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.lang.cmake import CMakeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.targets import GAUDI, ROCM


def read(text: str) -> CMakeFile:
    return CMakeFile(SourceFile("CMakeLists.txt", text.encode()), Kind.CMAKE)


def calls(text: str) -> list[tuple[str, list[str]]]:
    return [(call.name, call.texts) for call in read(text).calls]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("project(a CUDA)", [("project", ["a", "CUDA"])]),
        ("PROJECT (a)", [("project", ["a"])]),
        ("a()\nb( )", [("a", []), ("b", [])]),
        ("# a(b)\nc(d) # e(f)", [("c", ["d"])]),
        ("#[[ a(b)\nc(d) ]] e(f)", [("e", ["f"])]),
        ("#[==[ ]] a(b) ]==] e(f)", [("e", ["f"])]),
        ("#[[ never closed\na(b)", [("a", ["b"])]),
        ('set(A "b c" # d\n "e#f")', [("set", ["A", "b c", "e#f"])]),
        ('set(A "b \\"c\\" d")', [("set", ["A", 'b \\"c\\" d'])]),
        ("set(A [[b ) c]] [=[d]]e]=])", [("set", ["A", "[[b ) c]]", "[=[d]]e]=]"])]),
        (
            "set(A ${B} $<$<COMPILE_LANGUAGE:CUDA>:-O3> c\\ d)",
            [("set", ["A", "${B}", "$<$<COMPILE_LANGUAGE:CUDA>:-O3>", "c\\ d"])],
        ),
        ("if(A AND (B OR C))\nendif()", [("if", ["A", "AND", "(", "B", "OR", "C", ")"]), ("endif", [])]),
        ("set(A\n  b\n  c)", [("set", ["A", "b", "c"])]),
        ("set(A b", []),
        ("a) b(c)", [("b", ["c"])]),
        ("", []),
    ],
)
def test_commands(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert calls(text) == expected


def test_spans_hold_the_whole_call_and_the_quotes() -> None:
    text = 'x()\nset(A "b c")\n'
    call = read(text).calls[1]
    assert text[call.where.start : call.where.end] == 'set(A "b c")'
    assert [text[a.where.start : a.where.end] for a in call.arguments] == ["A", '"b c"']


def test_conditions_of_branches() -> None:
    document = read("if(A)\na()\nif(B)\nb()\nendif()\nelseif(C)\nc()\nelse()\nd()\nendif()\ne()")
    found = {call.name: call.conditions for call in document.calls}
    assert found["a"] == (("A", True),)
    assert found["b"] == (("A", True), ("B", True))
    assert found["c"] == (("A", False), ("C", True))
    assert found["d"] == (("A", False), ("C", False))
    assert found["e"] == ()


def test_too_many_endifs_and_elses() -> None:
    assert [name for name, _ in calls("endif()\nelse()\nelseif(A)\nif(B)\nendif()\na()")][-1] == "a"
    assert read("endif()\nelse()\na()").calls[-1].conditions == ()


@pytest.mark.parametrize(
    ("around", "reached"),
    [
        ("if(USE_ROCM)\n%s\nendif()", True),
        ("if(NOT USE_ROCM)\n%s\nendif()", False),
        ("if(USE_ROCM)\nelse()\n%s\nendif()", False),
        ("if(USE_ROCM)\nelseif(FOO)\n%s\nendif()", False),
        ("if(USE_ROCM)\nelseif(FOO)\nelse()\n%s\nendif()", False),
        ("if(FOO AND NOT USE_HIP)\n%s\nendif()", False),
        ("if(FOO OR USE_HIP)\n%s\nendif()", True),
        ("if(NOT FOO OR NOT USE_HIP)\n%s\nendif()", True),
        ("if(${USE_ROCM})\nelse()\n%s\nendif()", False),
        ("if(FOO)\n%s\nendif()", True),
        ('if(GPU_LANG STREQUAL "HIP")\nelse()\n%s\nendif()', False),
        ('if(GPU_LANG STREQUAL "CUDA")\n%s\nelseif(GPU_LANG STREQUAL "HIP")\nendif()', False),
        ('if(BACKEND STREQUAL "cuda")\n%s\nendif()', True),
        ('if(NAME STREQUAL "HIP")\nelse()\n%s\nendif()', True),
        ("if(USE_ROCM AND (A OR B))\n%s\nendif()", True),
        ("if((A OR B) AND NOT (USE_ROCM OR C))\n%s\nendif()", False),
        ("if(NOT USE_ROCM AND A OR B)\n%s\nendif()", True),
        ("if(B OR A AND NOT USE_ROCM)\n%s\nendif()", False),  # AND and OR bind alike
        ("if(DEFINED USE_ROCM)\nelse()\n%s\nendif()", True),
        ("if(USE_ROCM STREQUAL 1)\nelse()\n%s\nendif()", True),
        ("if(TARGET HIP AND USE_CUDA_${X})\n%s\nendif()", True),
    ],
)
def test_gates(around: str, reached: bool) -> None:
    document = read(around % "here()")
    (call,) = document.named("here")
    assert document.unreachable(call, ROCM) is not reached
    assert not document.unreachable(call, GAUDI) or "ROCM" in around or "HIP" in around


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("enable_language(HIP)", True),
        ("project(a LANGUAGES CXX HIP)", True),
        ("find_package(hip REQUIRED)", True),
        ("project(hipster)", False),
        ("# enable_language(HIP)", False),
    ],
)
def test_has_hip(text: str, known: bool) -> None:
    assert read(text).has_hip is known


_PIECES = st.sampled_from(
    [
        "if(A)",
        "else()",
        "elseif(NOT B)",
        "endif()",
        "set(",
        ")",
        "(",
        '"',
        "\\",
        "\n",
        "#",
        "#[[",
        "]]",
        "[=[",
        "]=]",
        "${",
    ]
    + ["}", "$<", ">", " ", "a", "é", "NOT", "AND", "OR", "STREQUAL", "USE_ROCM"]
)


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    document = read(text)
    for call in document.calls:
        assert 0 <= call.where.start < call.where.end <= len(document.source.view)
        document.unreachable(call, ROCM)


@pytest.mark.parametrize(
    "text", ['"' * 100_001, "${" * 60_000, "$<" * 5_000, "[[" * 5_000, "(" * 100_000, "#[[" * 30_000]
)
def test_odd_input_takes_no_long_time(text: str) -> None:
    start = time.process_time()
    assert read("a(" + text).calls is not None
    assert time.process_time() - start < 120
