"""Helpers that compare the compute capability: callers are told what AMD's GPUs answer, not that NVIDIA is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.config import Config

HELPERS = {
    "compares": "    return torch.cuda.get_device_capability() >= (major, minor)\n",
    "tells": "    return torch.version.hip is None and torch.cuda.get_device_capability() >= (major, minor)\n",
}


@pytest.mark.parametrize(
    ("helper", "call", "severity", "says"),
    [
        ("compares", "has_cuda_capability(9, 0)", "info", "digits of the gfx name"),
        ("compares", "has_cuda_capability(8, 9)", "info", "digits of the gfx name"),
        ("tells", "has_cuda_capability(9, 0)", "info", "asks for an NVIDIA GPU"),
    ],
)
def test_what_callers_are_told(tmp_path: Path, helper: str, call: str, severity: str, says: str) -> None:
    (tmp_path / "tools.py").write_text(f"import torch\n\n\ndef has_cuda_capability(major, minor):\n{HELPERS[helper]}")
    (tmp_path / "model.py").write_text(f"from tools import has_cuda_capability\n\nif {call}:\n    fast = True\n")
    report = scan(tmp_path, config=Config(target="rocm"), use_cache=False)
    found = [finding for finding in report.findings if finding.path == "model.py"]
    assert [(finding.rule, finding.severity.value) for finding in found] == [("PY-CAP-002", severity)]
    assert says in found[0].message
