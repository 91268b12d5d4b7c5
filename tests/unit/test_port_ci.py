"""The CI job: only where its steps passed here, and never as the only change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from port_trees import plain

from rewarp.cli import main
from rewarp.port.changes import PhaseResult
from rewarp.port.packaging import ci
from rewarp.port.tree import Tree

FILES = {".github/workflows/ci.yml": b"on: push\n", "a.cu": b"__global__ void k() {}\n", "setup.py": b"x = 1\n"}


def job(root: Path, files: dict[str, bytes], *steps: str, changed: bool = True) -> PhaseResult:
    return ci.job(Tree(plain(root, files)), changed, "rocm", steps)


def test_a_job_whose_steps_passed_is_written(tmp_path: Path) -> None:
    """The steps run in a copy with a Python of its own, which the copy's files are in and the tree's folder is not."""
    steps = (
        "test -f a.cu && touch made",
        'test "$(command -v python)" != "" && python -c "import sys; assert sys.prefix != sys.base_prefix"',
    )
    made = job(tmp_path, FILES, *steps)
    assert [change.path for change in made.changes] == [ci.PATH], made.manual
    text = (made.changes[0].after or b"").decode()
    assert all(f"- run: {step}" in text for step in steps)
    assert not (tmp_path / "made").exists()


def test_a_job_that_would_be_red_is_not(tmp_path: Path) -> None:
    made = job(tmp_path, FILES, "true", "echo no such package >&2; exit 3")
    assert not made.changes
    assert "no such package" in made.manual[0].why


@pytest.mark.parametrize(
    ("files", "changed"),
    [
        (FILES, False),
        ({"a.cu": FILES["a.cu"]}, True),
        ({**FILES, "a.cu": b"", "b.py": b""}, False),
        ({".github/workflows/ci.yml": b"on: push\n", "a.py": b""}, True),
        ({**FILES, ".github/workflows/amd.yml": b"jobs: {rocm: {}}\n"}, True),
    ],
)
def test_no_job_where_none_is_wanted(tmp_path: Path, files: dict[str, bytes], changed: bool) -> None:
    made = job(tmp_path, files, "touch /nonexistent/never", changed=changed)
    assert not made.changes
    assert "did not pass" not in made.manual[0].why


def test_without_run_nothing_is_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["port", str(plain(tmp_path, FILES)), "--with", "ci"]) == 2
    assert "--run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("git+https://github.com/acme/rewarp.git@v0.2.0", True),
        ("https://example.com:8443/wheels/rewarp-0.2.0-py3-none-any.whl", True),
        ("rewarp", False),
        ("git+ssh://git@github.com/acme/rewarp.git", False),
        ("https://user:secret@example.com/rewarp.whl", False),
        ('https://example.com/a"; rm -rf .', False),
        ("https://example.com/$(id)", False),
        ("https://example.com/a\nb", False),
        ("file:///home/me/rewarp", False),
    ],
)
def test_what_ci_can_install_from(text: str, good: bool) -> None:
    assert ci.is_address(text) is good


@pytest.mark.parametrize(
    ("told", "address"),
    [
        (
            {"url": "https://github.com/acme/rewarp.git", "vcs_info": {"vcs": "git", "commit_id": "f" * 40}},
            f"git+https://github.com/acme/rewarp.git@{'f' * 40}",
        ),
        (
            {"url": "https://example.com/rewarp-0.2.0-py3-none-any.whl", "archive_info": {}},
            "https://example.com/rewarp-0.2.0-py3-none-any.whl",
        ),
        ({"url": "https://u:p@example.com/r.git", "vcs_info": {"vcs": "git", "commit_id": "f" * 40}}, None),
        ({"url": "file:///home/me/rewarp", "dir_info": {"editable": True}}, None),
        (None, None),
    ],
)
def test_ci_installs_from_where_this_rewarp_came(
    told: dict[str, object] | None, address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            return json.dumps(told) if told and name == "direct_url.json" else None

    monkeypatch.setattr(ci, "distribution", lambda name: Installed())
    assert ci.own_address() == address


def test_the_job_relies_on_no_package_index(tmp_path: Path) -> None:
    """Where nobody knows an address there is no job, with the reason; with one, pip is given it."""
    made = ci.job(Tree(plain(tmp_path, FILES)), True, "rocm", None)
    assert not made.changes
    assert "--ci-from" in made.manual[0].why
    install, check = ci.steps_from("git+https://example.com/rewarp.git@v0.2.0")
    assert install == 'pip install "rewarp[compile] @ git+https://example.com/rewarp.git@v0.2.0"'
    assert check.startswith("rewarp verify build")
    job = yaml.safe_load(ci._JOB + "".join(f"      - run: {step}\n" for step in (install, check)))
    assert [step["run"] for step in job["jobs"]["compile"]["steps"][2:]] == [install, check]


def test_an_address_goes_with_the_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = str(plain(tmp_path, FILES))
    assert main(["port", here, "--ci-from", "https://example.com/a.whl"]) == 2
    assert "--with ci" in capsys.readouterr().err
    assert main(["port", here, "--with", "ci", "--run", "--ci-from", "rewarp"]) == 2
    assert "--ci-from wants" in capsys.readouterr().err
