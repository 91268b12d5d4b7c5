"""What a team uses: configuration, baseline, changed lines."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from rewarp import baseline, config
from rewarp.api import scan
from rewarp.config import Config
from rewarp.errors import UsageError

BAD = "import torch\nmajor = torch.version.cuda.split('.')[0]\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def found(root: Path, **options: object) -> list[tuple[str, int]]:
    report = scan(root, **options)  # type: ignore[arg-type]
    return [(f.path, f.line) for f in report.findings if f.rule == "PY-VER-001"]


def test_pyproject_settings(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.rewarp]\ntarget = "gaudi"\ntorch = "2.9"\nexclude = ["old"]\nignore = ["PY-LIB-001"]\n'
        'fail-on = "crash"\nbaseline = "base.json"\nmax-size = 9\n'
    )
    (tmp_path / "sub").mkdir()
    loaded = config.load(tmp_path / "sub")
    assert loaded == Config(
        target="gaudi",
        torch="2.9",
        exclude=("old",),
        ignore=("PY-LIB-001",),
        fail_on="crash",
        baseline=str(tmp_path / "base.json"),
        max_size=9.0,
        source=str(tmp_path / "pyproject.toml"),
    )


def test_settings_stop_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.rewarp]\ntarget = "gaudi"\n')
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert config.load(tmp_path / "repo") == Config()


@pytest.mark.parametrize(
    "text",
    [
        "colour = 1",
        'target = "cuda"',
        "torch = 2.9",
        'exclude = "x"',
        'fail-on = "loud"',
        "max-size = 0",
        "max-size = true",
    ],
)
def test_bad_settings_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.rewarp]\n{text}\n")
    with pytest.raises(UsageError, match=text.split()[0]):
        config.load(tmp_path)


@pytest.mark.parametrize("bad", [{"torch": "new"}, {"rocm": "x.y"}, {"arch": "sm_90"}, {"ignore": ("NO-SUCH-RULE",)}])
def test_bad_options_are_named(tmp_path: Path, bad: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        scan(tmp_path, config=Config(**bad))  # type: ignore[arg-type]


def test_ignore(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(BAD)
    assert found(tmp_path)
    assert not found(tmp_path, config=Config(ignore=("PY-VER-001",)))


def test_baseline_hides_what_is_known_and_nothing_else(tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "x.py").write_text(BAD)
    file = tmp_path / "base.json"
    baseline.write(file, scan(code).findings)
    settings = Config(baseline=str(file))
    assert not found(code, config=settings)
    (code / "x.py").write_text("# a new first line\n" + BAD)
    assert not found(code, config=settings), "a moved finding is still known"
    (code / "x.py").write_text(BAD + "major = torch.version.cuda.split('.')[0]\n")
    assert found(code, config=settings) == [("x.py", 3)], "the same line twice is a new finding"
    (code / "y.py").write_text(BAD)
    assert ("y.py", 2) in found(code, config=settings)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema": "other"}', '{"schema": "rewarp.baseline/1", "findings": [3]}']
)
def test_a_broken_baseline_is_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "base.json"
    file.write_text(text)
    with pytest.raises(UsageError):
        baseline.read(file)
    with pytest.raises(UsageError):
        baseline.read(tmp_path / "none.json")


def test_baseline_is_readable_in_a_diff(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(BAD)
    file = tmp_path / "base.json"
    baseline.write(file, scan(tmp_path).findings)
    assert any(item["what"] == "PY-VER-001 x.py" for item in json.loads(file.read_text())["findings"])


def test_diff_keeps_changed_lines_only(tmp_path: Path) -> None:
    git = [
        "git",
        "-C",
        str(tmp_path),
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.com",
        "-c",
        "commit.gpgsign=false",
    ]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "a.py").write_text(BAD)
    (tmp_path / "name with é.py").write_text("import torch\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
    assert found(tmp_path, diff="HEAD") == []
    (tmp_path / "a.py").write_text(BAD + "minor = torch.version.cuda.split('.')[1]\n")
    (tmp_path / "name with é.py").write_text(BAD)
    (tmp_path / "new.py").write_text(BAD)
    assert found(tmp_path, diff="HEAD") == [("a.py", 3), ("name with é.py", 2), ("new.py", 2)]
    for bad in ("no-such-revision", "--output=x"):
        with pytest.raises(UsageError):
            found(tmp_path, diff=bad)


def test_diff_needs_a_repository(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        found(tmp_path, diff="HEAD")
