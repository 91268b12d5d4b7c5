"""Names by which modules of a project tell one another on which platform they run."""

from __future__ import annotations

from pathlib import Path

import pytest

import rewarp
from rewarp.project.gate_names import gate_names
from rewarp.project.gates import ROCM
from rewarp.workspace import Folder

FLAGS = "import torch\nOTHER_MAKER = torch.version.hip is not None\n\n\ndef other_there():\n    return OTHER_MAKER\n"
PARSED = "float(torch.version.cuda)"


def project(tmp_path: Path, **files: str) -> Path:
    (tmp_path / "pkg").mkdir()
    for name, text in {"__init__": "", "flags": FLAGS, **files}.items():
        (tmp_path / "pkg" / f"{name}.py").write_text(text)
    return tmp_path


def places(root: Path) -> list[str]:
    return [f"{it.path}:{it.line}" for it in rewarp.scan(root, use_cache=False).findings if it.rule == "PY-VER-001"]


@pytest.mark.parametrize(
    "code",
    [
        f"import torch\nfrom pkg.flags import OTHER_MAKER\nif not OTHER_MAKER:\n    v = {PARSED}\n",
        f"import torch\nfrom .flags import OTHER_MAKER as here\nif not here:\n    v = {PARSED}\n",
        f"import torch\nfrom . import flags\nif not flags.OTHER_MAKER:\n    v = {PARSED}\n",
        f"import torch\nimport pkg.flags\nif not pkg.flags.OTHER_MAKER:\n    v = {PARSED}\n",
        f"import torch\nimport pkg.flags as f\nv = None if f.other_there() else {PARSED}\n",
        f"import torch\nfrom pkg.flags import other_there\nif other_there():\n    v = None\nelse:\n    v = {PARSED}\n",
    ],
)
def test_a_gate_of_another_module_is_one(tmp_path: Path, code: str) -> None:
    assert places(project(tmp_path, use=code)) == []


@pytest.mark.parametrize(
    "code",
    [
        # The other side of the gate, a name that only looks like it, a module of somebody else's, and no gate.
        f"import torch\nfrom pkg.flags import OTHER_MAKER\nif OTHER_MAKER:\n    v = {PARSED}\n",
        f"import torch\nfrom elsewhere.flags import OTHER_MAKER\nif not OTHER_MAKER:\n    v = {PARSED}\n",
        f"import torch\nfrom pkg.flags import torch as OTHER_MAKER\nif not OTHER_MAKER:\n    v = {PARSED}\n",
        f"import torch\nfrom pkg.flags import OTHER_MAKER\nv = {PARSED}\n",
    ],
)
def test_what_is_no_gate_keeps_nothing_off(tmp_path: Path, code: str) -> None:
    assert len(places(project(tmp_path, use=code))) == 1


def test_handed_on_by_the_package(tmp_path: Path) -> None:
    code = f"import torch\nfrom pkg import OTHER_MAKER\nif not OTHER_MAKER:\n    v = {PARSED}\n"
    assert places(project(tmp_path, __init__="from .flags import OTHER_MAKER\n", use=code)) == []


def test_what_someone_may_set_otherwise_is_not_told(tmp_path: Path) -> None:
    flags = "import os, torch\nOTHER_MAKER = bool(os.environ.get('AMD'))\nELSE = torch.version.hip\nELSE = bool(os.environ)\n"
    root = project(tmp_path, flags=flags, use="from pkg.flags import OTHER_MAKER, ELSE\n")
    assert gate_names(Folder(root), ROCM) == frozenset()


def test_what_is_told(tmp_path: Path) -> None:
    root = project(tmp_path, use="from .flags import OTHER_MAKER, other_there\n")
    assert gate_names(Folder(root), ROCM) == {
        ("pkg/use.py", ".flags.OTHER_MAKER", True),
        ("pkg/use.py", ".flags.other_there()", True),
    }


def test_a_file_is_scanned_anew_when_its_gate_changes(tmp_path: Path) -> None:
    """What a file was found to hold rests on what other modules told it."""
    root = project(
        tmp_path, use=f"import torch\nfrom .flags import OTHER_MAKER\nif not OTHER_MAKER:\n    v = {PARSED}\n"
    )
    assert not [it for it in rewarp.scan(root).findings if it.rule == "PY-VER-001"]
    (root / "pkg" / "flags.py").write_text("import torch\nOTHER_MAKER = torch.version.hip is None\n")
    assert [it.path for it in rewarp.scan(root).findings if it.rule == "PY-VER-001"] == ["pkg/use.py"]
