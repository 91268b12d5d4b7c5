"""Files are read and parsed once, however often they are asked for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rewarp.errors import ParseError
from rewarp.lang import parsers
from rewarp.lang.kinds import Kind
from rewarp.lang.remembered import Remembered
from rewarp.port.tree import Tree
from rewarp.source import SourceFile
from rewarp.targets import ROCM
from rewarp.workspace.documents import document, python_file


def test_what_is_remembered_has_its_bounds() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    known: Remembered[str] = Remembered(10)
    for name in ("a", "b", "a", "c", "a", "b", "too large"):
        assert known.get(name, 20 if name == "too large" else 5, lambda name=name: make(name)) == name  # type: ignore[misc]
    assert made == ["a", "b", "c", "b", "too large"]
    assert known.get("b", 5, lambda: make("again")) == "b"


def test_less_may_be_remembered_from_some_moment_on() -> None:
    known: Remembered[str] = Remembered(10)
    for name in ("a", "b"):
        known.get(name, 5, lambda: "first")
    known.limit(5)
    assert known.get("b", 5, lambda: "again") == "first"
    assert known.get("a", 5, lambda: "again") == "again"
    known.limit(100)
    assert known.get("b", 5, lambda: "third") == "third", "it never gets more"


def test_a_document_is_parsed_once() -> None:
    data = b"import torch\nprint(torch.version.cuda)  # of this test\n"
    one = document(SourceFile("a.py", data), Kind.PYTHON)
    assert document(SourceFile("a.py", bytes(bytearray(data))), Kind.PYTHON) is one
    other = python_file(SourceFile("b.py", data))
    assert other.source.path == "b.py"
    assert other.tree is python_file(SourceFile("a.py", data)).tree, "the tree has no path"
    assert document(SourceFile("a.py", data), Kind.CPP) is not one


def test_what_cannot_be_parsed_is_refused_again() -> None:
    for _ in range(2):
        with pytest.raises(ParseError):
            document(SourceFile("a.py", b"def (:\n"), Kind.PYTHON)


def test_older_pythons_have_trees_of_their_own() -> None:
    text = b"match x:\n    case 1:\n        pass\n"
    assert isinstance(parsers.python(text), ast.Module)
    with pytest.raises(SyntaxError):
        parsers.python(text, feature_version=(3, 8))


def test_states_of_a_project_read_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py", "k.cu"):
        (tmp_path / name).write_text("import torch\n" if name.endswith("py") else "__global__ void k() {}\n")
    tree = Tree(tmp_path)
    tree.scan(ROCM)
    for path in tmp_path.iterdir():
        path.write_text("changed behind its back\n")
    later = tree.holding({"a.py": b"import torch\nx = torch.version.cuda\n"})
    later.scan(ROCM)
    assert later.read("b.py") == b"import torch\n"
    assert {outcome.path for outcome in later.scan(ROCM).outcomes} == {"a.py", "b.py", "k.cu"}
