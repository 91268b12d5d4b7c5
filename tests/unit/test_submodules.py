"""Submodules that are not in the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import ScanReport, scan
from rewarp.config import Config
from rewarp.verdict import Conclusion

LISTED = '[submodule "knn"]\n\tpath = submodules/simple-knn\n\turl = https://example.org/knn.git\n'
BUILT = {".gitmodules": LISTED, "environment.yml": "dependencies:\n  - pip:\n    - submodules/simple-knn\n"}
USED = {"scene.py": "from simple_knn._C import distances\n"}


def _scan(root: Path, files: dict[str, str], target: str = "rocm") -> ScanReport:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return scan(root, config=Config(target=target), jobs=1, use_cache=False)


def test_what_is_built_from_sources_that_are_not_here(tmp_path: Path) -> None:
    verdict = _scan(tmp_path, BUILT | USED).verdict
    assert verdict.conclusion is Conclusion.AUTOMATIC
    assert "submodules/simple-knn, whose sources are not here" in verdict.headline
    assert any("1 submodule not in this tree" in reason and "scene.py" in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    "files",
    [
        {".gitmodules": LISTED} | USED,
        BUILT | {"scene.py": "def near():\n    from simple_knn._C import distances\n"},
        BUILT | {"scene.py": "try:\n    import simple_knn\nexcept ImportError:\n    simple_knn = None\n"},
        BUILT | {"scene.py": "import torch\n"},
    ],
)
def test_what_the_package_can_do_without_is_told(tmp_path: Path, files: dict[str, str]) -> None:
    verdict = _scan(tmp_path, files).verdict
    assert verdict.conclusion is Conclusion.AS_IS
    assert any("1 submodule not in this tree" in reason for reason in verdict.reasons)


def test_a_submodule_that_is_here_is_read(tmp_path: Path) -> None:
    verdict = _scan(tmp_path, BUILT | USED | {"submodules/simple-knn/setup.py": "print()\n"}).verdict
    assert not any("not in this tree" in reason for reason in verdict.reasons)


def test_on_gaudi_it_is_told(tmp_path: Path) -> None:
    assert any("not in this tree" in reason for reason in _scan(tmp_path, BUILT | USED, "gaudi").verdict.reasons)
