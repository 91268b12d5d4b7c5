"""TOML: every key and string with its path and place, packages, and no input that breaks it."""

from __future__ import annotations

import textwrap
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import ParseError, UnreadableSource
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.source import SourceFile

KEYS = st.sampled_from(["a", "b-c", "d_1", '"q.r"', "'s t'", "e.f", "tool"])
STRINGS = st.sampled_from(['"x"', "'y = [z]'", '"""m\nn"""', "'''o\n[p]'''", '"# no"', '"esc \\" aped"', '""', "'é'"])
SCALARS = st.one_of(STRINGS, st.sampled_from(["1", "true", "1979-05-27", "-0.5"]))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[\n  " + ",\n  ".join(items) + "]"),
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + " ]"),
        st.lists(inner.filter(lambda v: "\n" not in v), max_size=2).map(
            lambda items: "{ " + ", ".join(f"k{n} = {item}" for n, item in enumerate(items)) + " }"
        ),
    ),
    max_leaves=6,
)
LINES = st.one_of(
    st.tuples(KEYS, VALUES).map(lambda pair: f"{pair[0]} = {pair[1]} # note = 'x'"),
    KEYS.map(lambda key: f"[{key}]"),
    KEYS.map(lambda key: f"[[ {key} ]]"),
    st.just("# [no] x = 'y'"),
)


def toml(text: str | bytes, kind: Kind = Kind.PYPROJECT) -> TomlFile:
    data = text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode()
    return TomlFile(SourceFile("pyproject.toml", data), kind)


def strings(text: str) -> list[tuple[str, str]]:
    return [("/".join(item.path), item.value) for item in toml(text).strings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 'x'", [("a", "x")]),
        ("[t]\na.b = 'x'\n[t.u]\nc = \"y\"", [("t/a/b", "x"), ("t/u/c", "y")]),
        ("a = ['x', { b = 'y' }, 'z']\nc = 'w'", [("a", "x"), ("a/b", "y"), ("a", "z"), ("c", "w")]),
        ("a = [\n  ['x'],\n  ['y', 'z'],\n]\nb = 'w'", [("a", "x"), ("a", "y"), ("a", "z"), ("b", "w")]),
        ("[[t]]\na = 'x'\n[[t]]\na = 'y'", [("t/a", "x"), ("t/a", "y")]),
        ("\"a.b\".c = 'x'", [("a.b/c", "x")]),
        ("'a b' = 'x'", [("a b", "x")]),
        ("a = '''x\n[b]\nc = 1'''\nd = 'y'", [("a", "x\n[b]\nc = 1"), ("d", "y")]),
        ("# a = 'x'\nb = 'y' # c = 'z'", [("b", "y")]),
        ("a = \"x = 'y'\"", [("a", "x = 'y'")]),
    ],
)
def test_strings(text: str, expected: list[tuple[str, str]]) -> None:
    assert strings(text) == expected


def test_keys_know_their_place() -> None:
    document = toml("[tool.uv.sources]\ntorch = { index = 'x' }\n")
    assert [(key.path, document.source.view[slice(*key.span)]) for key in document.keys] == [
        (("tool", "uv", "sources"), b"tool.uv.sources"),
        (("tool", "uv", "sources", "torch"), b"torch"),
        (("tool", "uv", "sources", "torch", "index"), b"index"),
    ]


def test_packages() -> None:
    document = toml(
        """
        [build-system]
        requires = ["setuptools"]
        [project]
        dependencies = ["torch>=2 ; sys_platform == 'linux'"]
        [project.optional-dependencies]
        cuda = ["cupy-cuda12x[all]"]
        [dependency-groups]
        dev = ["pytest", {include-group = "cuda"}]
        [tool.poetry.dependencies]
        python = "^3.11"
        triton = { version = "3.1", optional = true }
        [tool.poetry.group.gpu.dependencies]
        nvtx = "*"
        [tool.uv]
        override-dependencies = ["numpy<2"]
        [tool.hatch.envs.gpu]
        dependencies = ["vllm"]
        [tool.ruff]
        select = ["E"]
        """
    )
    assert [(item.name, item.group) for item in document.requirements] == [
        ("setuptools", "build-system"),
        ("torch", ""),
        ("cupy-cuda12x", "cuda"),
        ("pytest", "dev"),
        ("numpy", "dev"),
        ("vllm", "gpu"),
        ("triton", ""),
        ("nvtx", "gpu"),
    ]


def test_cargo_asks_for_no_python_packages() -> None:
    assert toml("[packages]\ntorch = '1'\n", Kind.CARGO).requirements == []


@pytest.mark.parametrize("text", ["a = ", "[a", "a = 'x", "= 1", "a = 1\na = 2", "[" * 3000])
def test_broken_files_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        toml(text)


def _leaves(value: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*path, key))]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner, path)]
    return [(path, value)] if isinstance(value, str) else []


@given(st.lists(LINES, max_size=8))
def test_the_lexer_agrees_with_the_parser(lines: list[str]) -> None:
    try:
        document = toml("\n".join(lines))
    except ParseError:
        return
    view = document.source.view
    found = sorted((item.path, item.value.replace('\\"', '"')) for item in document.strings)
    assert found == sorted(_leaves(document.data))
    for item in document.strings:
        assert item.value in view[slice(*item.span)].decode()
    for key in document.keys:
        assert key.path[-1] in view[slice(*key.span)].decode()


@given(st.binary(max_size=120).map(lambda data: data.replace(b"\0", b" ")))
def test_no_input_breaks_it(data: bytes) -> None:
    try:
        document = toml(data)
    except UnreadableSource:
        return
    for item in (*document.strings, *document.keys):
        assert 0 <= item.span.start <= item.span.end <= len(document.source.view)
    assert document.requirements is not None


@pytest.mark.parametrize("text", ["a = [" + "'x'," * 50_000 + "]", "x = " + "1" * 4000, "a" * 50_000 + " = 1"])
def test_time_grows_with_size_only(text: str) -> None:
    begin = time.process_time()
    assert toml(text).strings is not None
    assert time.process_time() - begin < 120
