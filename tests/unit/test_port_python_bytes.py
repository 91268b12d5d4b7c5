"""Whatever a file looks like: only the places that are mended change, and a second run changes nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_port_python import Sides, ported, tree_of

from rewarp.findings import Severity
from rewarp.port.changes import PortContext, PortOptions, PortPhase
from rewarp.port.python import run
from rewarp.port.python.gate import gate_for
from rewarp.targets import ROCM
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.verify.isolation.python import compare

_TEST = "torch.cuda.get_device_capability() == (9, 0)"
_PIECES = (
    f"def a():\n    return {_TEST}\n",
    f"def b(x):\n    if x and {_TEST}:\n        return x.fast()\n    return 2\n",
    f"def c(x):\n    return [{_TEST} for _ in x if {_TEST}]\n",
    f"def d():\n    x = (\n        {_TEST}\n    )\n    return x\n",
    "def e():\n    return torch.version.cuda > '12'\n",
    "def f(p):\n    return p.nvml()\n",
    'def g(e):\n    return "CUDA error" in str(e)\n',
    f"flag = not {_TEST}\n",
    f"class K:\n    def m(self):\n        while {_TEST}:\n            pass\n",
    "# ein Wörtchen\n",
    's = """text\nover lines"""\n',
    f"def h(): return {_TEST}; pass\n",
    f"lam = lambda: {_TEST}\n",
    f"def i():\n    return f(a={_TEST}, *[{_TEST}])\n",
)


@settings(max_examples=25)
@given(
    pieces=st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5),
    newline=st.sampled_from(["\n", "\r\n"]),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]),
    ends=st.booleans(),
)
def test_any_file(pieces: list[str], newline: str, codec: str, ends: bool) -> None:
    head = "# -*- coding: latin-1 -*-\n" if codec == "latin-1" else ""
    text = f"{head}import torch\n\n" + "\n".join(pieces)
    data = (text if ends else text.rstrip("\n")).replace("\n", newline).encode(codec)
    with tempfile.TemporaryDirectory() as folder:
        before = tree_of({"module.py": data}, Path(folder))
        after, result = ported(before)
        new = after.read("module.py") or b""
        assert compare("module.py", data, new, Sides(before, after)).verdict is IsolationVerdict.IDENTICAL
        assert ported(after)[1].changes == []
        assert (new.count(b"\r\n") == new.count(b"\n")) is (newline == "\r\n")
        assert new.endswith(newline.encode()) is data.endswith(newline.encode())
        assert new.startswith(b"\xef\xbb\xbf") is (codec == "utf-8-sig")
        assert all(line in data for line in new.splitlines() if b"torch.version.hip" not in line)
        # What only informs is left alone.
        kept = [f for f in after.findings(ROCM) if f.rule == "PY-CAP-001" and f.severity is not Severity.INFO]
        assert len(kept) == sum(manual.rule == "PY-CAP-001" for manual in result.manual)


def test_only_the_phases_that_were_asked_for(tmp_path: Path) -> None:
    text = f"import torch\nimport pynvml\n\ndef a():\n    return {_TEST}, pynvml.nvmlDeviceGetNvLinkState()\n"
    tree = tree_of({"module.py": text.encode()}, tmp_path)
    tuning = PortOptions(wanted=frozenset({"tuning"}))
    every = run(tree, PortContext(ROCM, gate_for(tree, ROCM), options=tuning))
    assert [change.phase for change in every.changes] == [PortPhase.ARCHITECTURE, PortPhase.LIBRARIES]
    assert [change.rules for change in every.changes] == [("PY-CAP-001",), ("PY-LIB-001",)]
    phases = frozenset({PortPhase.LIBRARIES})
    one = run(tree, PortContext(ROCM, gate_for(tree, ROCM), phases=phases, options=tuning))
    assert [change.phase for change in one.changes] == [PortPhase.LIBRARIES]
    assert _TEST.encode() in (one.changes[0].after or b"")
    assert {manual.phase for manual in one.manual} == {PortPhase.LIBRARIES}


@pytest.mark.parametrize("data", [b"import torch\ndef (:\n", b"", b"\0\1", b"import torch\n\xff\xfe\n"])
def test_what_cannot_be_read_is_left_alone(data: bytes, tmp_path: Path) -> None:
    tree = tree_of({"module.py": data}, tmp_path)
    assert run(tree, PortContext(ROCM, gate_for(tree, ROCM))).changes == []
