"""Many files: what is found, what is left out and why, and the same answer for any number of workers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rewarp import runner
from rewarp.api import scan
from rewarp.cache import Cache, context_digest, key_of
from rewarp.config import Config
from rewarp.errors import UsageError
from rewarp.findings import Failed, Finding, Scanned, Skipped
from rewarp.report import json as json_report
from rewarp.targets import ROCM, Context, Versions
from rewarp.workspace import FileEntry, find_files

BAD = "import torch\nmajor = torch.version.cuda.split('.')[0]\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def outcomes(root: Path, **options: object) -> dict[str, object]:
    return {outcome.path: outcome for outcome in scan(root, **options).result.outcomes}  # type: ignore[arg-type]


def test_bad_files_do_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(BAD)
    (tmp_path / "empty.py").write_bytes(b"")
    (tmp_path / "syntax.py").write_text("def broken(:\n")
    (tmp_path / "two.py").write_text("print 'hello'\n")
    (tmp_path / "binary.py").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "latin.cu").write_bytes("// café\nvoid f() { cudaMalloc(&p, 1); }\n".encode("latin-1"))
    (tmp_path / "utf16.cu").write_bytes("\ufeffvoid f() { cudaMalloc(&p, 1); }\n".encode("utf-16-le"))
    (tmp_path / "broken.ipynb").write_text("{")
    (tmp_path / "pyproject.toml").write_text("[project\n")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\0")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "link.py").symlink_to(tmp_path / "good.py")
    (tmp_path / "dangling.py").symlink_to(tmp_path / "gone.py")
    found = outcomes(tmp_path)
    kinds = {path: type(outcome).__name__ for path, outcome in found.items()}
    assert kinds == {
        "good.py": "Scanned",
        "empty.py": "Scanned",
        "syntax.py": "Failed",
        "two.py": "Failed",
        "binary.py": "Failed",
        "latin.cu": "Scanned",
        "utf16.cu": "Scanned",
        "broken.ipynb": "Failed",
        "pyproject.toml": "Failed",
        "link.py": "Skipped",
        "dangling.py": "Skipped",
    }
    assert isinstance(found["good.py"], Scanned)
    assert any(f.rule == "PY-VER-001" for f in found["good.py"].findings)


@pytest.mark.usefixtures("rights_count")
def test_unreadable_file(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text(BAD)
    file.chmod(0)
    outcome = outcomes(tmp_path)["x.py"]
    assert isinstance(outcome, Failed)


def test_file_that_vanishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(BAD)
    listing = find_files(tmp_path)
    (tmp_path / "a.py").unlink()
    found = {o.path: o for o in runner.scan_files(listing, Context(ROCM))}
    assert isinstance(found["a.py"], Failed)
    assert "vanished" in found["a.py"].reason
    assert isinstance(found["b.py"], Scanned)


def test_large_file(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_bytes(b"x = [\n" + b"1234567,\n" * 700_000 + b"]\n")
    (tmp_path / "code.py").write_bytes(BAD.encode() + b"# " + b"x" * 6_000_000)
    found = outcomes(tmp_path)
    assert isinstance(found["data.py"], Scanned), "nothing in it can match, whatever its size"
    assert isinstance(found["code.py"], Skipped)
    assert "--max-size" in found["code.py"].reason
    assert isinstance(outcomes(tmp_path, config=Config(max_size=20))["code.py"], Scanned)


def test_missing_path_and_unknown_kind(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        scan(tmp_path / "nowhere")
    (tmp_path / "x.bin").write_bytes(b"\0")
    with pytest.raises(UsageError, match="not a kind of file"):
        scan(tmp_path / "x.bin")


def test_empty_folder(tmp_path: Path) -> None:
    report = scan(tmp_path)
    assert report.result.outcomes == ()
    assert report.verdict.conclusion.value == "cannot be told"


def test_git_decides_what_belongs(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "x.py").write_text(BAD)
    (tmp_path / "tracked.py").write_text(BAD)
    subprocess.run([*git, "add", "tracked.py"], check=True)
    (tmp_path / "untracked.py").write_text(BAD)
    assert sorted(outcomes(tmp_path)) == ["tracked.py", "untracked.py"]
    (tmp_path / "tracked.py").unlink()
    assert sorted(outcomes(tmp_path)) == ["untracked.py"]
    assert sorted(outcomes(tmp_path / "build")) == ["x.py"], "asked for by name, ignored or not"


def test_a_hostile_git_configuration_is_not_obeyed(tmp_path: Path) -> None:
    subprocess.run(["git", "-C", str(tmp_path), "init", "-q"], check=True)
    (tmp_path / "x.py").write_text(BAD)
    marker = tmp_path / "executed"
    hook = tmp_path / ".git" / "monitor"
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    subprocess.run(["git", "-C", str(tmp_path), "config", "core.fsmonitor", str(hook)], check=True)
    assert list(outcomes(tmp_path)) == ["x.py"]
    assert not marker.exists()


def test_exclude(tmp_path: Path) -> None:
    for name in ("a/x.py", "a/b/y.py", "tests/z.py", "gen_pb2.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(BAD)
    assert sorted(outcomes(tmp_path, config=Config(exclude=("tests", "*_pb2.py", "a/b/")))) == ["a/x.py"]


def _tree(root: Path, count: int) -> None:
    filler = "\n".join(f"value_{i} = {i}" for i in range(400))
    for number in range(count):
        folder = root / f"p{number % 7}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{number}.py").write_text(BAD + filler + f"\nn = {number}\n")


def test_one_or_many_workers_agree(tmp_path: Path) -> None:
    _tree(tmp_path, 300)
    assert sum(f.stat().st_size for f in tmp_path.rglob("*.py")) > runner._POOL_WORTH, "must really use the pool"
    reports = [json_report.render(scan(tmp_path, jobs=jobs, use_cache=False)) for jobs in (1, 2, 3)]
    assert reports[0] == reports[1] == reports[2]
    assert reports[0].count("PY-VER-001") >= 300


def test_a_worker_that_dies_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tree(tmp_path, 60)
    real = runner._scan_data

    def deadly(entry: FileEntry, *rest: object) -> object:
        if entry.path.endswith("m31.py"):
            os._exit(11)
        return real(entry, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(runner, "_scan_data", deadly)
    monkeypatch.setattr(runner, "_POOL_WORTH", 0)
    found = outcomes(tmp_path, jobs=2, use_cache=False)
    assert [path for path, outcome in found.items() if isinstance(outcome, Failed)] == ["p3/m31.py"]
    assert len(found) == 60


def test_cache_returns_the_same_and_notices_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _tree(tmp_path, 20)
    first = json_report.render(scan(tmp_path))
    scanned: list[str] = []
    real = runner._scan_data
    monkeypatch.setattr(runner, "_scan_data", lambda entry, *rest: scanned.append(entry.path) or real(entry, *rest))
    assert json_report.render(scan(tmp_path)) == first
    assert scanned == []
    (tmp_path / "p0" / "m0.py").write_text("x = 1\n")
    assert json_report.render(scan(tmp_path)) != first
    assert scanned == ["p0/m0.py"]
    scan(tmp_path, config=Config(rocm="7.0"))
    assert len(scanned) == 21, "other versions, other outcomes"


def test_cache_key_depends_on_everything_that_matters() -> None:
    digests = {context_digest(Context(ROCM, Versions(rocm=v))) for v in (None, "7.0")}
    assert len(digests) == 2
    assert len({key_of(*args) for args in [("a", "k", b"x", b""), ("b", "k", b"x", b""), ("a", "k", b"y", b"")]}) == 3


def test_a_broken_cache_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "scan.sqlite").write_bytes(b"this is not a database at all" * 100)
    monkeypatch.setenv("REWARP_CACHE_DIR", str(folder))
    code = tmp_path / "code"
    code.mkdir()
    (code / "x.py").write_text(BAD)
    assert "x.py" in outcomes(code)
    monkeypatch.setenv("REWARP_CACHE_DIR", str(folder / "scan.sqlite" / "below_a_file"))
    assert "x.py" in outcomes(code)


def test_cache_round_trip_keeps_every_field(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(BAD)
    outcome = outcomes(tmp_path, use_cache=False)["x.py"]
    assert isinstance(outcome, Scanned)
    assert outcome.findings
    cache = Cache(tmp_path / "c")
    several = {b"1": outcome, b"2": Failed("y", "z", 3), b"3": Skipped("a", "b")}
    cache.put(several)
    assert cache.get(several) == several
    assert isinstance(cache.get([b"1"])[b"1"].findings[0], Finding)  # type: ignore[union-attr]
