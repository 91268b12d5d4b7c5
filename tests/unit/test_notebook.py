"""Notebooks: code cells are scanned, and places are those of the .ipynb file."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from rewarp.engine import scan
from rewarp.findings import Failed, Scanned, Severity
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.notebook import NotebookFile
from rewarp.source import SourceFile
from rewarp.targets import ROCM, Context


def notebook(*cells: str | list[str], **options: object) -> bytes:
    body = [
        {"cell_type": "markdown", "metadata": {}, "source": ["import pynvml\n"]},
        *({"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells),
    ]
    return json.dumps({"cells": body, "nbformat": 4, "metadata": {}}, **options).encode()  # type: ignore[arg-type]


def run(data: bytes) -> Scanned | Failed:
    outcome = scan(SourceFile("x.ipynb", data), Kind.NOTEBOOK, Context(ROCM))
    assert isinstance(outcome, (Scanned, Failed))
    return outcome


@pytest.mark.parametrize("options", [{}, {"indent": 1}, {"indent": 1, "ensure_ascii": False}])
@pytest.mark.parametrize("source", ["x = '\"é'\nimport pynvml\n", ["x = '\"é'\n", "import pynvml"]])
def test_finds_code_where_it_stands(source: str | list[str], options: dict[str, object]) -> None:
    data = notebook("y = 1", source, **options)
    outcome = run(data)
    assert isinstance(outcome, Scanned)
    (finding,) = [f for f in outcome.findings if f.rule == "PY-LIB-001"]
    assert data[finding.start : finding.end] == b"import pynvml"
    assert finding.cell == 3
    assert finding.snippet == "import pynvml"
    assert finding.line == data[: finding.start].count(b"\n") + 1


def test_magics_are_not_python() -> None:
    data = notebook(
        "%matplotlib inline\n!nvidia-smi\nfiles = !ls\nif True:\n    !ls\nhelp?\nimport pynvml", "%%bash\nfi done {"
    )
    outcome = run(data)
    assert isinstance(outcome, Scanned)
    assert "PY-LIB-001" in {f.rule for f in outcome.findings}


def test_lines_that_go_on_are_no_magics() -> None:
    text = "same = (\n    a\n    != b\n)\ntext = (\n    '%s %s'\n    % (a, b)\n)\nimport pynvml"
    outcome = run(notebook(text))
    assert isinstance(outcome, Scanned)
    assert [f.snippet for f in outcome.findings if f.rule == "PY-LIB-001"] == ["import pynvml"]


def test_shell_magics_are_commands() -> None:
    outcome = run(notebook("!nvidia-smi -L"))
    assert isinstance(outcome, Scanned)
    assert "SH-001" in {f.rule for f in outcome.findings if f.severity is not Severity.WORKS}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"cells": 3}',
        b'{"cells": [{}]}',
        b'{"cells": [{"cell_type": "code"}]}',
        b'{"a": 1,}',
        b"[" * 3000,
    ],
)
def test_broken_notebooks_fail_with_a_reason(data: bytes) -> None:
    outcome = run(data)
    assert isinstance(outcome, Failed)
    assert "notebook" in outcome.reason


@pytest.mark.parametrize("before", ["x = 1", "import pynvml"])
def test_a_cell_that_cannot_be_read_is_named_and_costs_no_other_cell(before: str) -> None:
    data = notebook(before, "def f(:\n  !nvidia-smi", "import pynvml")
    outcome = run(data)
    assert isinstance(outcome, Scanned)
    assert [reason.partition(":")[0] for reason in outcome.unread] == ["cell 3"]
    found = [f for f in outcome.findings if f.symbol.startswith("pynvml")]
    assert [(data[f.start : f.end], f.cell) for f in found if f.cell == 4]
    assert {f.cell for f in found} == ({2, 4} if "pynvml" in before else {4})


def test_where_no_word_matters_a_bad_cell_is_still_named() -> None:
    outcome = run(notebook("x = 1", "def f(:"))
    assert isinstance(outcome, Scanned)
    assert not outcome.findings
    assert outcome.unread


def test_a_notebook_of_which_no_cell_can_be_read_fails() -> None:
    outcome = run(notebook("def f(:", "", "if x"))
    assert isinstance(outcome, Failed)
    assert "cell 2" in outcome.reason
    assert "cell 4" in outcome.reason


def test_shell_code_over_several_lines_is_read_where_it_stands() -> None:
    data = notebook(
        "if True:\n  !PATH=x \\\n  nvidia-smi \\\n  -L\nx = 1", "# a title\n%%bash\npip list\nnvidia-smi | head"
    )
    outcome = run(data)
    assert isinstance(outcome, Scanned)
    found = [f for f in outcome.findings if f.rule == "SH-001"]
    assert [(data[f.start : f.end], f.cell, f.snippet) for f in found] == [
        (b"nvidia-smi", 2, "nvidia-smi \\"),
        (b"nvidia-smi", 3, "nvidia-smi | head"),
    ]


def test_cells_of_another_language_are_not_shell() -> None:
    outcome = run(notebook("%%html\n<p>\nnvidia-smi", "%%writefile x.txt\nnvidia-smi", "#@title x\n%%html\n<audio>"))
    assert isinstance(outcome, Scanned)
    assert not outcome.findings


def test_help_is_no_python() -> None:
    assert isinstance(run(notebook("learn.fit??", "?learn", "learn.fit?")), Scanned)


@pytest.mark.parametrize(
    "cell",
    [
        "%env CUDA_DEVICE_ORDER=PCI_BUS_ID",
        "%%sh\nexport CUDA_DEVICE_ORDER=PCI_BUS_ID",
        "!CUDA_DEVICE_ORDER=PCI_BUS_ID x",
    ],
)
def test_magics_set_variables(cell: str) -> None:
    outcome = run(notebook(cell))
    assert isinstance(outcome, Scanned)
    assert "ENV-008" in {f.rule for f in outcome.findings}


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"kernelspec": {"language": "rust"}}, 0),
        ({"language_info": {"name": "julia"}}, 0),
        ({"language_info": {"name": "python"}, "kernelspec": {"language": ""}}, 1),
        ({"kernelspec": {"name": "python3"}}, 1),
    ],
)
def test_notebooks_of_other_languages_are_no_python(metadata: dict[str, object], found: int) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "import pynvml"}
    outcome = run(json.dumps({"cells": [cell], "nbformat": 4, "metadata": metadata}).encode())
    assert isinstance(outcome, Scanned)
    assert len([f for f in outcome.findings if f.rule == "PY-LIB-001"]) == found


@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_places_behind_characters_that_json_writes_longer(ensure_ascii: bool) -> None:
    data = notebook("a = '🚀\t\"é'; import pynvml; b = 'é'; import pynvml", ensure_ascii=ensure_ascii)
    outcome = run(data)
    assert isinstance(outcome, Scanned)
    places = [data[f.start : f.end] for f in outcome.findings if f.rule == "PY-LIB-001"]
    assert places == [b"import pynvml"] * 2
    assert len({f.start for f in outcome.findings}) == 2


def test_half_a_pair_of_surrogates_moves_no_place() -> None:
    data = notebook("a = '\ud83d'; import pynvml")
    outcome = run(data)
    assert isinstance(outcome, Scanned)
    assert [data[f.start : f.end] for f in outcome.findings if f.rule == "PY-LIB-001"] == [b"import pynvml"]


def test_each_line_is_laid_beside_its_json_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[int] = Counter()
    columns = NotebookFile._read_columns

    def counted(self: NotebookFile, line: int) -> list[int]:
        read[line] += 1
        return columns(self, line)

    monkeypatch.setattr(NotebookFile, "_read_columns", counted)
    run(notebook("import pynvml; " * 50 + "\nimport pynvml\n!nvidia-smi; nvidia-smi\n" * 2))
    assert set(read.values()) == {1}


def test_copies_that_an_editor_saved_are_no_sources() -> None:
    assert kind_of_path("a/train.ipynb") is Kind.NOTEBOOK
    assert kind_of_path("a/.ipynb_checkpoints/train-checkpoint.ipynb") is None
    assert kind_of_path(".ipynb_checkpoints/requirements-checkpoint.txt") is None
