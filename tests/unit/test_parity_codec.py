"""Facts as plain data and back."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.parity.comparing.compare import LANGUAGES
from rewarp.parity.python.reading.bodies import Body
from rewarp.parity.python.reading.facts import ClassFacts, Method, ModuleFacts, Registered, Registry
from rewarp.parity.python.reading.facts import read_file as read_python
from rewarp.parity.python.reading.platforms import Branching, End
from rewarp.parity.reading.codec import codec_of
from rewarp.parity.rust.reading.facts import FileFacts
from rewarp.parity.rust.reading.reader import read_file as read_rust
from rewarp.parity.units import Analysis, Coverage, Edges, Place, Problem, Side, Status, Unit

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src" / "rewarp"
ANALYSIS: Any = Analysis
_BODY = Body(Status.STUB, "why", 3, False, (("f", 4),), True, (("m:n", 5),))
MODULE = ModuleFacts(
    "a.py",
    [ClassFacts("C", "a.py", 1, ("B",), (Method("m", 2, _BODY, True),))],
    {"x": "m:x"},
    [Registry("R", 1, (("cuda", 2, Status.IMPLEMENTED, "f"),), True)],
    [Registered("d", "rocm", "f", 7, _BODY), Registered("d", "rocm", "C", 8)],
    [Branching("f", 9, frozenset({"cuda"}), {"cuda": End(True, ((1, "x"),), 0, 0, frozenset({4}), frozenset(), (2, True))})],
    {"C": 1},
    {"g": _BODY},
    {"g": 4},
    {"numpy"},
    {"kernels": {"m:x": 3, "n:x": 5}},
    {"C"},
    (3, "why"),
)  # fmt: skip
_SIDE = Side(Status.PARTIAL, "why", (Place("a", 1, "t"),), {"f32": Status.ERROR}, ("k",), (), Edges(1, 2, 3))
UNITS = Analysis(
    [Unit("kind", "owner", "name", _SIDE, _SIDE, False, 2)], [Problem("a", 1, "what", True)], ["how"],
    [Coverage("kernels", 9, 7, ("a", "b"))],
)  # fmt: skip
RUST = read_rust(
    "a.rs",
    b'#[cfg(test)] mod a; const A: &[u8] = b"\xc3\xa9"; type B = C; macro_rules! m { ($x:ty) => { fn f() {} } } m!(u8);\n'
    b"impl<T: Clone> X for Y<T> { type O = u8; fn g(&self, mut a: u8) -> T { 1 } }\n"
    b"trait T { fn h(); } enum E { #[cfg(x)] V(u8) }\nfn broken( {\n",
)
SAMPLES = [(ModuleFacts, MODULE), (ANALYSIS, UNITS), (FileFacts, RUST)]


def written_and_read(shape: Any, value: Any) -> Any:
    codec = codec_of(shape)
    return codec.loads(codec.dumps(value))


@pytest.mark.parametrize(("shape", "value"), SAMPLES, ids=["python", "units", "rust"])
def test_what_is_written_comes_back(shape: Any, value: Any) -> None:
    found = written_and_read(shape, value)
    assert found == value
    assert repr(found) == repr(value), "lists stay lists, tuples tuples"


@pytest.mark.parametrize("file", sorted((TESTS / "parity").rglob("*.rs")), ids=lambda file: str(file.name))
def test_facts_of_rust_come_back(file: Path) -> None:
    facts = read_rust(file.name, file.read_bytes())
    assert repr(written_and_read(FileFacts, facts)) == repr(facts)


@pytest.mark.parametrize("folder", ["cases", "port", "isolation", "unit"])
def test_facts_of_python_come_back(folder: str) -> None:
    for file in (TESTS / folder).rglob("*.py"):
        facts = read_python(f"platforms/rocm/{file.name}", file.read_bytes())
        assert written_and_read(ModuleFacts, facts) == facts, file


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: str(language.name))
def test_units_of_a_tree_come_back(language: Any) -> None:
    root = TESTS / "parity" / "rust" / "tensor"
    files = {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}
    found = language.analyse()(files, "cuda", "rocm")
    assert written_and_read(Analysis, found) == found


@given(st.from_type(FileFacts) | st.from_type(ModuleFacts))
def test_whatever_the_types_allow_comes_back(value: FileFacts | ModuleFacts) -> None:
    assert written_and_read(type(value), value) == value


@given(st.text(st.characters(exclude_categories=())), st.binary())
def test_text_and_bytes_of_any_kind_come_back(text: str, data: bytes) -> None:
    assert written_and_read(tuple[str, bytes], (text, data)) == (text, data)


def test_halves_of_a_pair_stay_apart() -> None:
    assert written_and_read(str, "\ud83d\ude00") == "\ud83d\ude00"


def _spoiled(plain: Any) -> Iterator[Any]:
    """The tree with one node after another replaced by something else, or with one item more or less."""
    yield from (None, 7, True, "x", 1.5, [], {}, {"x": 7}, [7])
    if isinstance(plain, list):
        yield [*plain, 7]
        for at, item in enumerate(plain):
            yield plain[:at] + plain[at + 1 :]
            yield from ([*plain[:at], other, *plain[at + 1 :]] for other in _spoiled(item))
    elif isinstance(plain, dict):
        for key, item in plain.items():
            yield from ({**plain, key: other} for other in _spoiled(item))


@pytest.mark.parametrize(("shape", "value"), SAMPLES, ids=["python", "units", "rust"])
def test_what_is_no_value_of_the_type_is_refused(shape: Any, value: Any) -> None:
    codec = codec_of(shape)
    refused = 0
    for other in _spoiled(json.loads(codec.dumps(value))):
        try:
            found = codec.loads(json.dumps(other).encode())
        except ValueError:
            refused += 1
            continue
        assert json.loads(codec.dumps(found)) == other, "what was taken is what was written"
        assert written_and_read(shape, found) == found
    assert refused > 100


@pytest.mark.parametrize("data", [b"", b"rubbish", b"\xff", b"[" * 100_000, b"{}", b"null", b"NaN"])
def test_damage_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="ModuleFacts"):
        codec_of(ModuleFacts).loads(data)


def test_a_value_of_another_type_is_not_written() -> None:
    for value in (None, object(), [MODULE], RUST):
        with pytest.raises(ValueError, match="ModuleFacts"):
            codec_of(ModuleFacts).dumps(value)


@dataclass
class Busy:
    name: str

    def __post_init__(self) -> None:
        self.name += "!"


@pytest.mark.parametrize("shape", [object, float, dict[int, str], int | str, Busy, list[Any]])
def test_types_that_facts_do_not_hold(shape: Any) -> None:
    with pytest.raises(NotImplementedError):
        codec_of(shape)


_RUN_WHAT_THEY_READ = {"pickle", "marshal", "shelve", "dill", "joblib", "eval", "exec"}


_ONLY_WRITES = {"bridge/keys.py"}
"""LMCache's keys are hashes of what pickle writes; nothing is ever loaded there."""


def test_nothing_that_is_read_can_run_code() -> None:
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        if file.relative_to(SOURCE).as_posix() in _ONLY_WRITES:
            assert "pickle.load" not in text
            assert "Unpickler" not in text
            text = text.replace("import pickle\n", "\n")
        if not any(word in text for word in _RUN_WHAT_THEY_READ):
            continue
        for node in ast.walk(ast.parse(text)):
            named = [alias.name.partition(".")[0] for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                named.append(node.module.partition(".")[0])
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                named.append(node.func.id)
            assert not _RUN_WHAT_THEY_READ.intersection(named), f"{file}:{node.lineno}"
