"""Whatever the bytes are, there is a verdict; and what it carries."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_isolation_python import Trees, judge

from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.verify.isolation.python import ASSUMPTIONS, compare


def bytes_judged(before: bytes | None, after: bytes | None) -> FileVerdict:
    return compare("m.py", before, after, Trees())


@pytest.mark.parametrize(
    "after",
    [
        b"x = 1\x00",
        b"\xff\xfe\x00",
        b"# coding: no-such-encoding\nx = 1\n",
        b"# coding: ascii\nx = '\xc3\xa9'\n",
        b"x = " + b"(" * 5000 + b")" * 5000,
        b"def f(:\n",
        b"x = '''\n",
        b"if x:\n\ty = 1\n        z = 2\n",
    ],
    ids=["nul", "binary", "unknown encoding", "wrong encoding", "deep", "syntax", "unfinished", "tabs"],
)
def test_what_cannot_be_read_is_not_provable(after: bytes) -> None:
    for found in (bytes_judged(b"x = 1\n", after), bytes_judged(after, b"x = 1\n")):
        assert found.verdict is IsolationVerdict.UNPROVABLE
        assert found.why


def test_the_same_bytes_need_not_be_python() -> None:
    assert bytes_judged(b"\xff\x00", b"\xff\x00").verdict is IsolationVerdict.IDENTICAL


def test_a_deep_expression_is_not_provable_or_compared() -> None:
    deep = b"x = " + b"1 + " * 3000 + b"1\n"
    assert bytes_judged(deep, deep.replace(b"x", b"z")).verdict is not IsolationVerdict.IDENTICAL


def test_line_ends_encoding_and_byte_order_mark_are_layout() -> None:
    assert bytes_judged(b"x = 1\ny = 2\n", b"\xef\xbb\xbfx = 1\r\ny = 2\r\n").verdict is IsolationVerdict.IDENTICAL
    assert bytes_judged(b"x = '\xc3\xa9'\n", b"# coding: latin-1\nx = '\xe9'\n").verdict is IsolationVerdict.IDENTICAL
    assert (
        bytes_judged(b"x = '\xc3\xa9'\n", b"# coding: latin-1\nx = '\xc3\xa9'\n").verdict is IsolationVerdict.DIFFERENT
    )


def test_a_verdict_carries_hashes_and_places() -> None:
    found = judge("import torch\nx = 1\n", "import torch\n\nx = 2\n")
    assert found.verdict is IsolationVerdict.DIFFERENT
    assert [(place.line_before, place.line_after, place.text) for place in found.places] == [(2, 3, "- x = 1\n+ x = 2")]
    assert found.sha256_before == hashlib.sha256(b"import torch\nx = 1\n").hexdigest()
    assert bytes_judged(None, b"x = 1\n").sha256_before is None


def test_methods_say_how_it_was_proved() -> None:
    assert judge("x = 1\n", "x = 1\n").method == "same bytes"
    assert judge("x = 1\n", "x = 1  # one\n").method.startswith("same syntax tree")
    marked = "import torch\n# rewarp: begin\nON_ROCM = bool(torch.version.hip)\n# rewarp: end\nx = 1\n"
    assert judge("import torch\nx = 1\n", marked).method.startswith("marked insertions erased give the old bytes")
    unclosed = marked.replace("# rewarp: end\n", "")
    assert judge("import torch\nx = 1\n", unclosed).method.startswith("gates folded")


def test_the_assumptions_are_said() -> None:
    assert any("torch.version.hip" in line for line in ASSUMPTIONS)
    assert any("torch.xpu" in line for line in ASSUMPTIONS)


def test_two_trees_do_not_mix() -> None:
    """Files around are remembered by tree: the same path in another tree is another file."""
    before, after = (
        b"import torch\nfrom gate import ON\nx = 1\n",
        b"import torch\nfrom gate import ON\nx = 2 if ON else 1\n",
    )
    verdicts = []
    for gate in (b"import torch\nON = torch.version.hip is not None\n", b"ON = True\n"):
        trees = Trees()
        for side, data in (("before", before), ("after", after)):
            trees.files[side] = {"m.py": data, "gate.py": gate}  # type: ignore[index]
        verdicts.append(compare("m.py", before, after, trees).verdict)
    assert verdicts == [IsolationVerdict.IDENTICAL, IsolationVerdict.DIFFERENT]


@settings(max_examples=100)
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes_get_a_verdict(before: bytes, after: bytes) -> None:
    found = bytes_judged(before, after)
    assert found.why or found.verdict is IsolationVerdict.IDENTICAL
