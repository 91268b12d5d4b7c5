"""Which file an include means."""

from __future__ import annotations

import pytest

from rewarp.lang.cpp.includes import Headers, IncludeMap, Written, look_up, written_includes

PATHS = ["a/x.h", "b/x.h", "b/y.cu", "include/lib/x.h", "z.h"]


def test_includes_are_read_as_they_are_written() -> None:
    data = b'#include "a.h"\n  #  include <b/c.h> // why\n#include_next <d.h>\n// #include "no.h"\n#include MACRO\nx #include "no.h"\n'
    assert written_includes(data) == [Written("a.h", True), Written("b/c.h", False), Written("d.h", False)]


@pytest.mark.parametrize(
    ("name", "quoted", "found"),
    [
        ("x.h", True, "b/x.h"),
        ("x.h", False, "a/x.h"),
        ("lib/x.h", False, "include/lib/x.h"),
        ("../z.h", True, "z.h"),
        ("../z.h", False, "z.h"),
        ("y.h", True, None),
    ],
)
def test_a_compiler_looks_beside_only_for_quotes(name: str, quoted: bool, found: str | None) -> None:
    assert look_up(Written(name, quoted), "b/y.cu", ["a", "include"], PATHS.__contains__) == found


@pytest.mark.parametrize(
    ("name", "includer", "found"),
    [
        ("x.h", "b/y.cu", ["b/x.h"]),
        ("lib/x.h", "b/y.cu", ["include/lib/x.h"]),
        ("x.h", "z.h", ["a/x.h", "b/x.h", "include/lib/x.h"]),
        ("../a/x.h", "b/y.cu", ["a/x.h"]),
        ("../../lib/x.h", "b/y.cu", ["include/lib/x.h"]),
        ("./z.h", "b/y.cu", ["z.h"]),
        ("ib/x.h", "b/y.cu", []),
        ("cuda.h", "b/y.cu", []),
    ],
)
def test_without_folders_endings_tell(name: str, includer: str, found: list[str]) -> None:
    assert Headers(PATHS).meant(name, includer) == found


def test_an_ending_is_taken_at_its_word() -> None:
    assert Headers(PATHS).ending_with("../z.h") == []
    assert Headers(PATHS).ending_with("z.h") == ["z.h"]


def test_includes_are_followed_both_ways_and_round_in_circles() -> None:
    files = IncludeMap({"a.cu": ["a.h"], "a.h": ["b.h"], "b.h": ["a.h", "vector"], "c.cu": ["b.h"], "d.cu": []})
    assert files.reached(["a.cu", "none.cu"]) == {"a.cu", "a.h", "b.h"}
    assert files.reaching({"a.h"}) == {"a.h", "a.cu", "b.h", "c.cu"}
    assert files.includers == {"a.h": {"a.cu", "b.h"}, "b.h": {"a.h", "c.cu"}}
