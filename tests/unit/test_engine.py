"""One file: suppressions, severities by version, and input that must never crash it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.edits import Safety
from rewarp.engine import scan
from rewarp.findings import Failed, Scanned, Severity
from rewarp.lang.kinds import Kind
from rewarp.registry import all_rules
from rewarp.source import SourceFile
from rewarp.targets import GAUDI, ROCM, Context, Versions

DEFAULT = Context(ROCM)
CODE = b"import torch\nx = torch.version.cuda.split('.')%s\n"


def run(data: bytes, kind: Kind = Kind.PYTHON, context: Context = DEFAULT) -> Scanned | Failed:
    outcome = scan(SourceFile("x", data), kind, context)
    assert isinstance(outcome, (Scanned, Failed))
    return outcome


def rules(data: bytes) -> list[str]:
    outcome = run(data)
    assert isinstance(outcome, Scanned), outcome
    return [finding.rule for finding in outcome.findings if finding.severity is not Severity.WORKS]


@pytest.mark.parametrize(
    ("comment", "silent"),
    [
        (b"", False),
        (b"  # rewarp: ignore", True),
        (b"  # rewarp: ignore[PY-VER-001]", True),
        (b"  # rewarp: ignore[PY-CAP-001, py-ver-001]", True),
        (b"  # rewarp: ignore[PY-CAP-001]", False),
        (b"  # noqa # rewarp:ignore", True),
        (b"\n# rewarp: ignore", False),
        (b"\n# rewarp: ignore-file", True),
        (b"\n# rewarp: ignore-file[PY-VER-001]", True),
        (b"\n# rewarp: ignore-file[PY-CAP-001]", False),
    ],
)
def test_suppression(comment: bytes, silent: bool) -> None:
    assert ("PY-VER-001" not in rules(CODE % comment)) is silent


def test_suppressed_findings_are_counted() -> None:
    outcome = run(CODE % b"  # rewarp: ignore")
    assert isinstance(outcome, Scanned)
    assert outcome.suppressed >= 1


def test_gated_places_are_counted() -> None:
    outcome = run(b"import torch\nif torch.version.hip is None:\n    import pynvml\n")
    assert isinstance(outcome, Scanned)
    assert (outcome.gated, outcome.findings) == (1, ())


@pytest.mark.parametrize(("rocm", "severity"), [(None, "info"), ("7.1", "works-as-is"), ("10.1", "wrong-result")])
def test_version_dependent_rules(rocm: str | None, severity: str) -> None:
    context = Context(ROCM, Versions(rocm=rocm))
    outcome = run(b"export CUDA_VISIBLE_DEVICES=0\n", Kind.SHELL, context)
    assert isinstance(outcome, Scanned)
    assert [f.severity.value for f in outcome.findings if f.rule == "ENV-003"] == [severity]


@pytest.mark.parametrize(
    ("code", "safety"),
    [
        (b'import torch\nif parse(torch.version.cuda) >= parse("12.1"):\n    x = 1\n', Safety.SAFE),
        (b"import torch\nprint(torch.version.cuda.split('.')[0])\n", Safety.DISPLAY_ONLY),
    ],
)
def test_safe_is_what_the_fix_really_mends(code: bytes, safety: Safety) -> None:
    """A verdict that promises a mechanical change must not rest on a fix that refuses the place."""
    outcome = run(code)
    assert isinstance(outcome, Scanned)
    assert [finding.safety for finding in outcome.findings if finding.rule == "PY-VER-001"] == [safety]


def test_what_stands_in_a_notebook_is_not_mended() -> None:
    cell = '{"cells": [{"cell_type": "code", "source": ["import torch\\n", "if float(torch.version.cuda) > 12:\\n", "    x = 1"]}]}'
    outcome = run(cell.encode(), Kind.NOTEBOOK)
    assert isinstance(outcome, Scanned)
    assert [finding.safety for finding in outcome.findings if finding.rule == "PY-VER-001"] == [Safety.DISPLAY_ONLY]


def test_a_file_without_anything_of_interest_is_still_checked() -> None:
    assert isinstance(run(b"def f(:\n"), Failed)
    assert isinstance(run(b"x = 1\n"), Scanned)


def test_stray_bytes_in_a_comment_do_not_stop_a_scan() -> None:
    outcome = run("# café\nimport pynvml\n".encode("latin-1"))
    if isinstance(outcome, Scanned):  # some versions of Python refuse the file
        assert [f.line for f in outcome.findings if f.rule == "PY-LIB-001"] == [2]
    else:
        assert "not valid Python" in outcome.reason


def test_empty_file() -> None:
    for kind in Kind:
        data = b'{"cells": []}' if kind is Kind.NOTEBOOK else b""
        outcome = run(data, kind)
        assert isinstance(outcome, Scanned)
        assert outcome.findings == ()


ANCHORS = sorted(
    {
        " ".join(part.decode() for part in (*anchor.words, anchor.text))
        for rule in all_rules().values()
        for anchor in rule.anchors
    }
)
GLUE = st.sampled_from(
    r"( ) [ ] { } = == : , . # // /* */ <<< >>> $ \ < > - -- | && é 0x 32 @ ! torch torch.cuda. os.environ".split()
    + ['"', "'", "\n", "\n    ", " ", "\\\n", "\r\n", "\t", "import ", "from ", "if ", "def f", "RUN ", "FROM ", "ENV "]
    + ["run: |", "- ", "#if ", "#include <", 'R"(', 'r#"']
)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.NOTEBOOK], ids=lambda kind: kind.value)
@settings(max_examples=60)
@given(pieces=st.lists(st.one_of(st.sampled_from(ANCHORS), GLUE), max_size=30), target=st.sampled_from([ROCM, GAUDI]))
def test_no_text_crashes_a_rule(kind: Kind, pieces: list[str], target: object) -> None:
    data = "".join(pieces).encode()
    outcome = run(data, kind, Context(target))  # type: ignore[arg-type]
    if isinstance(outcome, Failed):
        assert "broke on this file" not in outcome.reason, outcome.reason
    else:
        for finding in outcome.findings:
            assert 0 <= finding.start <= finding.end <= len(data)
            assert finding.line >= 1
            assert finding.column >= 1


@settings(max_examples=150)
@given(data=st.binary(max_size=200), kind=st.sampled_from(list(Kind)))
def test_no_bytes_crash_the_engine(data: bytes, kind: Kind) -> None:
    outcome = run(data, kind)
    assert isinstance(outcome, Scanned) or "broke" not in outcome.reason
