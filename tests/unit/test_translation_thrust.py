"""Thrust's headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.source import SourceFile
from rewarp.translation.lexing import lex
from rewarp.translation.translator import translate
from rewarp.translation.tree import translate_sources

VECTOR = "#include <thrust/device_vector.h>\n"


def translated(code: str) -> str:
    return translate(SourceFile("sums.cuh", code.encode())).text


def test_what_is_used_is_included() -> None:
    code = "thrust::device_vector<int> v(4);\nvoid f() { thrust::sort(a, b); thrust::sequence(v.begin(), v.end()); }\n"
    expected = VECTOR + "#include <thrust/sequence.h>\n#include <thrust/sort.h>\n" + code
    assert translated(VECTOR + code) == expected
    assert translated(expected) == expected


def test_a_policy_has_its_header() -> None:
    code = "void f() { thrust::for_each_n(thrust::device, v.begin(), v.size(), Printing()); }\n"
    assert translated(VECTOR + code) == VECTOR + "#include <thrust/execution_policy.h>\n" + code


@pytest.mark.parametrize(
    "code",
    [
        VECTOR + "#include <thrust/sort.h>\nvoid f() { thrust::sort(a, b); }\n",
        VECTOR + "// thrust::sort(a, b)\nvoid f() { std::sort(a, b); thrust::device_vector<int> v; }\n",
        "void f() { thrust::sort(a, b); }\n",
    ],
)
def test_near_misses_stay(code: str) -> None:
    assert translated(code) == code


def in_project(**files: str) -> str:
    sources = [SourceFile(name.replace("_", "."), code.encode()) for name, code in files.items()]
    tree = translate_sources(Path("project"), [(source, lex(source.view)) for source in sources])
    return next(one.text for one in tree.translations if one.path == "sums.cu")


USES = "void f() { thrust::sequence(v.begin(), v.end()); thrust::sort(a, b); }\n"


def test_a_file_that_leaves_thrust_to_a_header_of_the_project() -> None:
    header = "#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n"
    written = in_project(sums_cu='#include "common.h"\n' + USES, common_h=header)
    assert written.endswith('#include "common.h"\n#include <thrust/sequence.h>\n' + USES)


@pytest.mark.parametrize(
    ("before", "header"),
    [
        ('#include "common.h"\n', "#include <vector>\n"),  # nothing of Thrust's comes from there
        ('#include "other.h"\n', VECTOR),
        ('#include "common.h"\n', VECTOR + "#include <thrust/sort.h>\n#include <thrust/sequence.h>\n"),
        ('#ifdef FAST\n#include "common.h"\n#endif\n', VECTOR),
        ('namespace mine {\n#include "common.h"\n}\n', VECTOR),
    ],
)
def test_a_file_that_needs_no_more_or_cannot_be_told(before: str, header: str) -> None:
    assert "#include <thrust" not in in_project(sums_cu=before + USES, common_h=header)
