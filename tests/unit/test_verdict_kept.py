"""A scan of what has not changed gives the answer of the one before, and looks at nothing again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rewarp import api
from rewarp.config import Config
from rewarp.findings import DIED, Failed
from rewarp.project import facts
from rewarp.verdict.running import Running

FILES = {
    "p/__init__.py": "from .a import run\n",
    "p/a.py": 'import pynvml\n\n\ndef run(x):\n    return x.to(dtype="bfloat16"), other()\n\n\ndef other():\n    pynvml.nvmlInit()\n',
    "k.cu": "__global__ void k(int *p) { p[0] = __shfl_sync(0xffffffff, p[0], 0); }\n",
    "notes.txt": "other\n",
}


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Each time that something is found out that was not kept."""
    times: list[str] = []
    scan_for, read = api.runner.scan_for, facts.read
    monkeypatch.setattr(api.runner, "scan_for", lambda *a, **k: times.append("scan") or scan_for(*a, **k))
    monkeypatch.setattr(api.facts, "read", lambda *a: times.append("facts") or read(*a))
    init = Running.__init__
    monkeypatch.setattr(Running, "__init__", lambda self, tree: times.append("running") or init(self, tree))
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    return times


def _project(root: Path) -> Path:
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def _scan(root: Path, config: Config | None = None, **more: Any) -> api.ScanReport:
    return api.scan(root, config=config or Config(), jobs=1, **more)


def _told(report: api.ScanReport) -> tuple[object, ...]:
    project = replace(report.project, needing=None)  # type: ignore[arg-type]
    return report.result, report.verdict, project, report.other_files


def test_nothing_is_looked_at_twice(tmp_path: Path, looked: list[str]) -> None:
    root = _project(tmp_path / "p")
    first = _scan(root)
    assert first.findings
    assert looked == ["facts", "scan", "running"]
    done: list[tuple[int, int]] = []
    again = _scan(root, progress=lambda *each: done.append(each))
    assert _told(again) == _told(first) == _told(_scan(root, use_cache=False))
    assert looked == ["facts", "scan", "running"] * 2, "first, and without the cache"
    assert done[-1] == (3, 3)


@pytest.mark.parametrize("path", ["p/a.py", "k.cu", "p/__init__.py"])
def test_another_content_of_the_same_size_is_looked_at(tmp_path: Path, looked: list[str], path: str) -> None:
    root = _project(tmp_path / "p")
    _scan(root)
    (root / path).write_text(FILES[path].replace("run", "ran").replace("k(", "q("))
    assert _told(_scan(root)) == _told(_scan(root, use_cache=False))
    assert looked.count("scan") == 3


def test_another_question_is_looked_at(tmp_path: Path, looked: list[str]) -> None:
    root = _project(tmp_path / "p")
    rules = {finding.rule for finding in _scan(root).findings}
    left = _scan(root, Config(ignore=(min(rules),))).findings
    assert {finding.rule for finding in left} == rules - {min(rules)}
    _scan(root, Config(arch="gfx1100"))
    _scan(root, Config(target="gaudi"))
    api.compare(root, ["rocm"], config=Config(), jobs=1, ported=True)
    assert looked.count("scan") == 5
    _scan(root)
    assert looked.count("scan") == 5


def test_what_was_written_meanwhile_is_not_kept(
    tmp_path: Path, looked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _project(tmp_path / "p")
    read = api.runner.scan_for

    def written(*given: Any, **more: Any) -> Any:
        (root / "k.cu").write_text(FILES["k.cu"].replace("k(", "q("))
        return read(*given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(api.runner, "scan_for", written)
        _scan(root)
    (root / "k.cu").write_text(FILES["k.cu"])
    looked.clear()
    assert _told(_scan(root)) == _told(_scan(root, use_cache=False))
    assert looked.count("scan") == 2


def test_a_process_that_died_is_tried_again(tmp_path: Path, looked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    root = _project(tmp_path / "p")
    with monkeypatch.context() as patched:
        patched.setattr(api.runner, "scan_for", lambda contexts, *a, **k: [[Failed("k.cu", DIED)] for _ in contexts])
        assert not _scan(root).findings
    assert _scan(root).findings
