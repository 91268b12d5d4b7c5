"""What a scan knows of a project as a whole: the same from the cache as when it is looked at anew."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.targets import GAUDI, ROCM, Target
from rewarp.verdict import kept as kept_module
from rewarp.verdict import project as module
from rewarp.verdict.answer import ProjectView
from rewarp.workspace import Folder

FILES = {
    "CMakeLists.txt": "project(x LANGUAGES CXX CUDA)\nadd_library(x a.cu)\n",
    "a.cu": '#include "a.cuh"\n',
    "a.cuh": "int a();\n",
    "unused.cuh": "int b();\n",
    "tests/test_a.py": "import x\n",
    "Dockerfile.rocm": "FROM rocm/pytorch\n",
    "ext/setup.py": "import torch\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"
    "setup(ext_modules=[CUDAExtension('e', ['e.cu'])] if torch.version.cuda else [])\n",
    "ext/e.cu": "int e();\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that a project is looked at."""
    times: list[str] = []
    real = module._look

    def look(tree: Folder, target: Target) -> Any:
        times.append(target.name)
        return real(tree, target)

    monkeypatch.setattr(module, "_look", look)
    return times


def _told(root: Path, kept: Path | None, target: Target = ROCM) -> tuple[Any, ...]:
    view, losses = module.read_project(Folder(root), target, kept)
    assert isinstance(view, ProjectView)
    needing = [view.needing([path]) for path in sorted(FILES)]
    return view.roles, view.not_built, view.support, view.torch_translates, needing, losses


def _rows(kept: Path) -> list[Any]:
    with sqlite3.connect(kept / "projects.sqlite") as database:
        return [json.loads(value) for (value,) in database.execute("SELECT value FROM projects")]


def test_what_is_kept_is_what_a_look_finds(tmp_path: Path, looked: list[str]) -> None:
    root, kept = write(tmp_path / "p", FILES), tmp_path / "cache"
    first = _told(root, kept)
    roles, not_built, support, _, needing, losses = first
    assert roles["tests/test_a.py"] == "tests"
    assert "unused.cuh" in not_built
    assert [item.file for item in support.evidence] == ["Dockerfile.rocm", "Dockerfile.rocm"]
    assert losses.left_out
    assert (1, 2) in needing, "a.cuh is taken in by one of the units"
    assert _told(root, kept) == first == _told(root, None)
    assert looked == ["rocm", "rocm"], "first, and without the cache"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.cu", '#include "b.cuh"\n'),  # as long as before
        ("CMakeLists.txt", "project(x LANGUAGES CXX)\n"),
        ("new.cu", "int n();\n"),
        ("Dockerfile.rocm", None),
        ("build/compile_commands.json", "[]"),
    ],
)
def test_a_change_is_noticed(tmp_path: Path, looked: list[str], path: str, text: str | None) -> None:
    root, kept = write(tmp_path / "p", FILES), tmp_path / "cache"
    _told(root, kept)
    if text is None:
        (root / path).unlink()
    else:
        write(root, {path: text})
    assert _told(root, kept) == _told(root, None)
    assert looked == ["rocm"] * 3


def test_the_target_and_the_code_are_parts_of_the_key(
    tmp_path: Path, looked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, kept = write(tmp_path / "p", FILES), tmp_path / "cache"
    _told(root, kept)
    _told(root, kept, GAUDI)
    monkeypatch.setattr(kept_module, "own_code", lambda: b"another version")
    _told(root, kept)
    assert looked == ["rocm", "gaudi", "rocm"]


@pytest.mark.parametrize(
    "value",
    [
        "",
        "no json",
        "[]",
        "{}",
        "[" * 100_000,
        '{"files": [99999], "content": "", "found": {}}',
        '{"files": "all", "content": "", "found": {}}',
    ],
)
def test_a_broken_row_is_none(tmp_path: Path, looked: list[str], value: str) -> None:
    root, kept = write(tmp_path / "p", FILES), tmp_path / "cache"
    first = _told(root, kept)
    with sqlite3.connect(kept / "projects.sqlite") as database:
        database.execute("UPDATE projects SET value = ?", (value,))
    assert _told(root, kept) == first
    assert len(looked) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"roles": []},
        {"roles": {"a.cu": "no role"}},
        {"not_built": {"a.cu": 3}},
        {"evidence": [["no way", "a", 1, "b"]]},
        {"evidence": [["ci", "a", "1", "b"]]},
        {"device_code": "yes"},
        {"device_units": "a.cu"},
        {"hipified": "a.cu"},
        {"left_out": [["a", 1]]},
        {"left_out": [["a", float("inf"), "b"]]},
        {"more": 1},
    ],
)
def test_a_row_of_other_types_is_none(tmp_path: Path, looked: list[str], change: dict[str, Any]) -> None:
    root, kept = write(tmp_path / "p", FILES), tmp_path / "cache"
    first = _told(root, kept)
    (row,) = _rows(kept)
    row["found"] |= change
    with sqlite3.connect(kept / "projects.sqlite") as database:
        database.execute("UPDATE projects SET value = ?", (json.dumps(row),))
    assert _told(root, kept) == first
    assert len(looked) == 2


def test_a_cache_that_cannot_be_had_is_none(tmp_path: Path) -> None:
    root, kept = write(tmp_path / "p", FILES), tmp_path / "cache"
    kept.mkdir()
    (kept / "projects.sqlite").write_bytes(b"this is not a database at all" * 100)
    assert _told(root, kept) == _told(root, None) == _told(root, kept / "projects.sqlite" / "below_a_file")


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", 2)
    for number in range(4):
        _told(write(tmp_path / str(number), {"x.py": "1\n"}), tmp_path / "cache")
    assert len(_rows(tmp_path / "cache")) == 2


def test_what_torch_translates_is_known_from_the_build(tmp_path: Path) -> None:
    """Also where a second build, which the package does not use, compiles the same sources as they are."""
    files = {
        "setup.py": "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
        "setup(name='r', ext_modules=[CUDAExtension('r._C', ['src/r.cu'])], cmdclass={'build_ext': BuildExtension})\n",
        "CMakeLists.txt": "project(r LANGUAGES CXX CUDA)\nadd_library(r src/r.cu)\n",
        "src/r.cu": '#include "r.h"\n',
        "src/r.h": "#include <cuda.h>\n",
    }
    root = write(tmp_path / "p", files)
    _, losses = module.read_project(Folder(root), ROCM)
    assert losses.hipified == {"src/r.cu"}
    severities = {
        (finding.path, finding.severity)
        for finding in scan(root, config=Config(), use_cache=False, jobs=1).findings
        if finding.rule == "CU-001"
    }
    assert severities == {("src/r.h", Severity.INFO)}


def test_what_nothing_builds_only_informs(tmp_path: Path) -> None:
    kernel = '__global__ void k(float* x) { asm("cp.async.wait_all;"); cudaMalloc(0, 1); }\n'
    files = {"CMakeLists.txt": "project(x LANGUAGES CXX CUDA)\nadd_library(x a.cu)\n", "a.cu": kernel, "old.cu": kernel}
    report = scan(write(tmp_path / "p", files), config=Config(), use_cache=False, jobs=1)
    worst = {
        path: max((f.severity for f in report.findings if f.path == path), key=lambda severity: severity.rank)
        for path in ("a.cu", "old.cu")
    }
    assert worst == {"a.cu": Severity.BUILD, "old.cu": Severity.INFO}


_PTX_HEADER = '__device__ void wait() { asm volatile("mbarrier.try_wait.b64 p, [a];"); }\n'
_CMAKE = "project(top LANGUAGES CXX CUDA)\nadd_library(top SHARED top.cu)\n"


@pytest.mark.parametrize(
    ("gate", "kept"),
    [
        ("#ifndef USE_ROCM\n{}#endif\n", False),
        ("#if !defined(__HIP_PLATFORM_AMD__)\n{}#endif\n", False),
        ("{}", True),
        ("#ifdef WITH_TOPK\n{}#endif\n", True),
        ("#ifdef USE_ROCM\n{}#endif\n", True),
    ],
)
def test_a_header_that_is_only_included_behind_a_gate_informs(tmp_path: Path, gate: str, kept: bool) -> None:
    source = gate.format('#include "topk.cuh"\n') + "__global__ void k(float *x) { x[0] = 1; }\n"
    tree = {"CMakeLists.txt": _CMAKE, "top.cu": source, "topk.cuh": _PTX_HEADER}
    for path, text in tree.items():
        (tmp_path / path).write_text(text)
    report = scan(tmp_path, config=Config(target="rocm"), jobs=1, use_cache=False)
    told = [found for found in report.findings if found.path == "topk.cuh"]
    assert told
    assert any(found.severity.rank > Severity.INFO.rank for found in told) is kept
