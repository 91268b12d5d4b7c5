"""Every rule that cites a change, a commit or a report of a project has a row in `benchmarks/cited.csv`, and says why if not."""

from __future__ import annotations

import csv
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewarp.api import scan
from rewarp.config import Config
from rewarp.registry import all_rules

TABLE = Path(__file__).parents[2] / "benchmarks" / "cited.csv"
CITED = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/((?:pull|issues|commit|discussions)/[0-9a-f]+)")


def rows() -> list[dict[str, str]]:
    with TABLE.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_every_citation_has_a_row() -> None:
    cited = {(rule.id, *place) for rule in all_rules().values() for place in CITED.findall(rule.source)}
    assert {(row["rule"], row["repo"], row["cites"]) for row in rows()} == cited


def test_a_row_names_its_place_or_says_why_there_is_none() -> None:
    for row in rows():
        if re.fullmatch(r"[0-9a-f]{40}", row["commit"]):
            assert row["file"], row
            assert int(row["line"]) > 0, row
        else:
            assert row["commit"] in ("", "unknown"), row
            assert not row["file"], row
        assert row["what"], row


@pytest.fixture(scope="module")
def scripts() -> Iterator[None]:
    sys.path.insert(0, str(TABLE.parent))
    yield
    sys.path.remove(str(TABLE.parent))


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder of mirrors with one commit of one repository."""
    root = tmp_path_factory.mktemp("mirrors")
    repository = root / "somebody+project" / "repo"
    (repository / "package").mkdir(parents=True)
    lines = ["import torch", *[""] * 9, "major = torch.version.cuda.split('.')[0]"]
    (repository / "package" / "version.py").write_text("\n".join(lines) + "\n")
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True)
    return root, commit.stdout.strip()


@pytest.mark.usefixtures("scripts")
def test_a_place_and_what_is_said_of_it(mirror: tuple[Path, str]) -> None:
    cited, human = importlib.import_module("cited"), importlib.import_module("human_commits")
    exported = importlib.import_module("mirrors").exported
    root, commit = mirror
    with exported(root, "somebody/project", commit) as folder:
        findings = list(scan(folder, config=Config(target="rocm"), use_cache=False).findings)
    file = "package/version.py"
    for line, said, answer in (
        (11, "spoken (crash)", "found"),
        (7, "spoken (crash)", "found"),
        (6, "elsewhere in the file", "in the file"),
    ):
        assert cited.spoken({"rule": "PY-VER-001", "file": file, "line": str(line)}, findings) == said
        assert human.answer({"file": file, "line": line}, findings) == answer
    assert cited.spoken({"rule": "PY-VER-001", "file": "package/other.py", "line": "11"}, findings) == "silent"
    assert human.answer({"file": "package/other.py", "line": 11}, findings) == "missed"


@pytest.mark.usefixtures("scripts")
def test_a_commit_that_the_mirror_lacks(mirror: tuple[Path, str]) -> None:
    exported = importlib.import_module("mirrors").exported
    for repository, commit in (("somebody/project", "unknown"), ("somebody/else", mirror[1])):
        with exported(mirror[0], repository, commit) as folder:
            assert folder is None


@pytest.mark.usefixtures("scripts")
def test_the_halves_are_every_second_repository() -> None:
    half = importlib.import_module("human_commits").half
    commits = [{"repo": name} for name in "dabca"]
    assert [commit["repo"] for commit in half(commits, "learnt")] == ["a", "c", "a"]
    assert [commit["repo"] for commit in half(commits, "kept")] == ["d", "b"]
    assert half(commits, "") == commits
