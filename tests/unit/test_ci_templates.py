"""The GitHub action and the GitLab job: what they run, run, with the variables that the services set."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from rewarp import __version__

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
BAD = "import torch\n\nif torch.version.cuda >= '12':\n    import pynvml\n    pynvml.nvmlInit()\n"


def load(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def git(root: Path, *words: str) -> str:
    names = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(
        ["git", "-C", root, *names, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with an old obstacle in one file, and a commit on top that changes another."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "old.py").write_text(BAD)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "old")
    (root / "new.py").write_text("x = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "new")
    return root


def act(project: Path, **given: str) -> tuple[int, dict[str, str], str]:
    """The step of action.yml that scans, with its own defaults; its exit code, outputs and summary."""
    action = load("action.yml")
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "scan"]
    inputs = {name: str(value["default"]) for name, value in action["inputs"].items()} | given
    temp = project.parent / "temp"
    temp.mkdir()
    environment = {**os.environ, "RUNNER_TEMP": str(temp), "GITHUB_OUTPUT": str(temp / "output")}
    environment |= {"GITHUB_STEP_SUMMARY": str(temp / "summary"), "REWARP_CACHE_DIR": str(temp / "cache")}
    for name, value in step["env"].items():
        found = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
        environment[name] = inputs[found[1]] if found else ""
    environment |= {"REWARP": str(BIN / "rewarp"), "GITHUB_ACTION_PATH": str(ROOT), "BASE": given.get("base", "")}
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd=project, env=environment)
    lines = (temp / "output").read_text().splitlines() if (temp / "output").exists() else []
    summary = (temp / "summary").read_text() if (temp / "summary").exists() else ""
    return done.returncode, dict(line.split("=", 1) for line in lines), summary


def test_the_action_on_a_push(project: Path) -> None:
    code, outputs, summary = act(project)
    assert code == 1
    assert "old.py" in summary
    results = json.loads(Path(outputs["sarif"]).read_text())["runs"][0]["results"]
    assert {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results} == {"old.py"}
    assert "old.py" in Path(outputs["report"]).read_text()


def test_the_action_on_a_pull_request_that_changes_something_else(project: Path) -> None:
    code, outputs, _ = act(project, base=git(project, "rev-parse", "HEAD~1"))
    assert code == 0
    assert json.loads(Path(outputs["sarif"]).read_text())["runs"][0]["results"] == []


def test_inputs_are_data(project: Path) -> None:
    marker = project / "owned"
    code, outputs, _ = act(project, path=f"$(touch {marker})`touch {marker}`; touch {marker}")
    assert (code, outputs) == (2, {})
    assert not marker.exists()


def test_no_expression_stands_in_a_script() -> None:
    """A branch called `"; rm -rf ~` would be part of it."""
    for name in ("action.yml", ".github/workflows/release.yml"):
        document = load(name)
        steps = (
            document["runs"]["steps"]
            if "runs" in document
            else [s for j in document["jobs"].values() for s in j["steps"]]
        )
        assert all("${{" not in step.get("run", "") for step in steps)


@pytest.mark.parametrize("merge_request", [False, True])
def test_the_gitlab_job(project: Path, merge_request: bool) -> None:
    install, *script = load("docs/gitlab-ci.yml")["rewarp"]["script"][1:]
    assert install == '/tmp/rewarp/bin/pip install --quiet "$REWARP"'
    environment = {**os.environ, "REWARP_CACHE_DIR": str(project.parent / "cache")}
    if merge_request:
        environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = git(project, "rev-parse", "HEAD~1")
    lines = "\n".join(script).replace("/tmp/rewarp/bin/", f"{BIN}/")
    done = subprocess.run(["bash", "-e", "-c", lines], cwd=project, env=environment, capture_output=True)
    assert done.returncode == (0 if merge_request else 1), done.stderr
    assert (project / "rewarp-results" / "index.html").exists()


def test_templates_name_this_version() -> None:
    for name in ("docs/github-workflow.yml", "docs/gitlab-ci.yml", "docs/team.md", "docs/install.md"):
        versions = set(re.findall(r"@v(\d+\.\d+\.\d+)|rev: v(\d+\.\d+\.\d+)", (ROOT / name).read_text("utf-8")))
        assert {"".join(found) for found in versions} == {__version__}, name


def test_the_changelog_has_this_version() -> None:
    assert f"\n## {__version__} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")
