"""Device code in the texts of Python files: found where it stands, never out of place, and never taken for Python's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rewarp.engine import scan
from rewarp.findings import Scanned
from rewarp.lang import python
from rewarp.lang.embedded import device_code
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.targets import ROCM, Context

KERNEL = "__global__ void k(int* p) { p[0] = __shfl_sync(0xffffffff, p[1], 0); }"


def masked(text: str) -> bytes | None:
    code = device_code(python.parse(SourceFile("a.py", text.encode())), ROCM)
    return code.view if code else None


def test_places_stay_where_they_are() -> None:
    text = f'# über\nimport x\nCODE = r"""\n{KERNEL}\n"""\nprint("é")\n'
    found = masked(text)
    assert found is not None
    assert len(found) == len(text.encode())
    assert found.count(b"\n") == text.count("\n")
    assert found.index(KERNEL.encode()) == text.encode().index(KERNEL.encode())
    assert found.replace(KERNEL.encode(), b"").strip() == b""


def test_what_is_no_device_code() -> None:
    for text in (
        f'"""{KERNEL}"""\n',  # a docstring
        f"CODE = '{KERNEL}' 'more'\n",  # pieces: places would move
        f'CODE = f"""{{x}} {KERNEL.replace("{", "{{").replace("}", "}}")}"""\n',
        'TEXT = """a __global__ function is launched (see below)"""\n',
        f'import torch\nif torch.version.hip is None:\n    CODE = """{KERNEL}"""\n',
    ):
        assert masked(text) is None, text


@given(st.lists(st.sampled_from(["x = 1", "s = 'text'", f'K = """{KERNEL}"""', "# ünïcode", ""]), max_size=8))
def test_findings_stand_in_the_lines_of_their_kernels(lines: list[str]) -> None:
    source = SourceFile("a.py", "\n".join(lines).encode())
    outcome = scan(source, Kind.PYTHON, Context(ROCM))
    assert isinstance(outcome, Scanned)
    found = {finding.line for finding in outcome.findings if finding.rule == "WAV-001"}
    assert found == {number for number, line in enumerate(lines, 1) if KERNEL in line}
    for finding in outcome.findings:
        assert b"0xffffffff" in source.data[finding.start : finding.end] or finding.rule != "WAV-001"
