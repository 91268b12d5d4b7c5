"""Rules and log dialects from another package, installed as a wheel is: unpacked into a folder of packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

RULE = '''
"""ACM-001: Acme's own launcher."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import instead, literal
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context


@rule(
    id="{id}",
    title="Acme's launcher is asked for CUDA",
    kinds=Kind.PYTHON,
    anchors=["acme_launch"],
    phase=Phase.DETECTION,
    rocm=Impact(Severity.CRASH, why="It knows no AMD under that name.", fix="Ask for hip.", effort=Effort.MINUTES),
    example='acme_launch("cuda-only")',
    source="https://acme.example",
    fix=PythonFix(literal(instead({{"cuda-only": "hip"}}), "Acme calls AMD hip.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of acme_launch."""
    for call in document.nodes(ast.Call):
        if document.raw(call.func) == "acme_launch" and document.string(call.args[0]) == "cuda-only":
            yield Hit(call.args[0], "acme_launch is asked for CUDA", "acme_launch")
'''
DIALECT = """
import re

from rewarp.bench.logs.steps import StepDialect, figure

ACME = StepDialect(
    name="acme",
    title="Acme's trainer",
    looks_for="acme step 10 | loss 1.5 | 12.5 ms",
    anchors=(b"acme step ",),
    step=re.compile(rb"acme step (?P<step>\\d+)"),
    figures=(figure("loss", rb" loss #"), figure("time_s", rb" # ms", 1e-3)),
)
"""
SOURCE = 'import torch\nfrom acme import acme_launch\n\nacme_launch("cuda-only")\n'


def install(packages: Path, name: str, group: str, code: str, version: str = "1.0") -> None:
    """A wheel of one module, unpacked."""
    module, info = name.replace("-", "_"), f"{name.replace('-', '_')}-{version}.dist-info"
    wheel = packages.parent / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(f"{module}.py", code)
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/entry_points.txt", f"[{group}]\nacme = {module}\n")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(packages)


class Place:
    def __init__(self, folder: Path) -> None:
        self.packages, self.project = folder / "packages", folder / "project"
        self.packages.mkdir()
        self.project.mkdir()
        (self.project / "run.py").write_text(SOURCE)
        self.environment = {**os.environ, "PYTHONPATH": str(self.packages), "XDG_CACHE_HOME": str(folder / "cache")}
        self.environment.pop("REWARP_NO_PLUGINS", None)

    def rewarp(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rewarp", *words]
        return subprocess.run(
            command, capture_output=True, text=True, env=self.environment, cwd=cwd or self.packages.parent
        )

    def found(self, *words: str) -> list[str]:
        done = self.rewarp("scan", str(self.project), "--json", "-q", *words)
        assert done.returncode in (0, 1), done.stderr
        return [finding["rule"] for finding in json.loads(done.stdout)["findings"]]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_rule_of_another_package_finds_and_every_view_names_it(place: Place) -> None:
    install(place.packages, "acme-rules", "rewarp.rules", RULE.format(id="ACM-001"))
    done = place.rewarp("scan", str(place.project), "--json")
    data = json.loads(done.stdout)
    assert [finding["rule"] for finding in data["findings"]] == ["ACM-001"]
    assert data["plugins"] == ["acme-rules 1.0"]
    assert data["rules"]["ACM-001"]["plugin"] == "acme-rules 1.0"
    for view in ("--markdown", "--html", "--sarif"):
        said = place.rewarp("scan", str(place.project), view).stdout
        assert "acme-rules" in said, view
    assert "acme-rules 1.0" in place.rewarp("scan", str(place.project)).stdout
    assert "acme-rules 1.0" in place.rewarp("explain", "ACM-001").stdout
    verified = json.loads(place.rewarp("verify", str(place.project), "--only", "static", "--json", "-q").stdout)
    assert "acme-rules 1.0" in json.dumps(verified["levels"])


def test_its_fix_is_part_of_a_port(place: Place) -> None:
    install(place.packages, "acme-rules", "rewarp.rules", RULE.format(id="ACM-001"))
    patch = place.packages.parent / "port.patch"
    done = place.rewarp("port", str(place.project), "-o", str(patch), "--json", "--phase", "detection", "-q")
    assert '+acme_launch("hip" if torch.version.hip is not None else "cuda-only")' in patch.read_text(), done.stderr
    assert json.loads(done.stdout)["plugins"] == ["acme-rules 1.0"]


def test_without_plugins_there_is_none(place: Place) -> None:
    install(place.packages, "acme-rules", "rewarp.rules", RULE.format(id="ACM-001"))
    assert place.found("--no-plugins") == []
    said = json.loads(place.rewarp("scan", str(place.project), "--json", "--no-plugins").stdout)
    assert said["plugins"] == []
    assert place.rewarp("explain", "ACM-001", "--no-plugins").returncode == 2


def test_the_cache_knows_plugins_and_their_code(place: Place) -> None:
    assert place.found() == []
    install(place.packages, "acme-rules", "rewarp.rules", RULE.format(id="ACM-001"))
    assert place.found() == ["ACM-001"]
    # Of another length: Python itself takes a module for unchanged that has its size and the second of its time.
    (place.packages / "acme_rules.py").write_text(RULE.format(id="ACM-002") + "# another\n")
    assert place.found() == ["ACM-002"]
    assert place.found("--no-plugins") == []


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import not_there_at_all\n", "cannot be loaded: ModuleNotFoundError"),
        ("def broken(:\n", "cannot be loaded: SyntaxError"),
        ("raise SystemError('on purpose')\n", "cannot be loaded: SystemError: on purpose"),
        ("RULES = []\n", "declares no rule"),
        (RULE.format(id="PY-VER-001"), "declares PY-VER-001"),
    ],
)
def test_a_broken_plugin_is_named(place: Place, code: str, why: str) -> None:
    install(place.packages, "acme-rules", "rewarp.rules", code)
    done = place.rewarp("scan", str(place.project))
    assert done.returncode == 2
    assert "acme-rules 1.0" in done.stderr
    assert why in done.stderr
    assert "Traceback" not in done.stderr
    assert place.rewarp("scan", str(place.project), "--no-plugins").returncode == 0


def test_what_lies_in_the_repository_is_not_loaded(place: Place) -> None:
    """`python -m rewarp` has the current folder on its path: what a repository brings along must not run."""
    install(place.project, "acme-rules", "rewarp.rules", "raise SystemError('it ran')\n")
    done = place.rewarp("scan", ".", cwd=place.project)
    assert done.returncode in (0, 1), done.stderr
    assert "it ran" not in done.stderr


def test_a_log_dialect_of_another_package(place: Place) -> None:
    install(place.packages, "acme-logs", "rewarp.dialects", DIALECT)
    log = place.project / "train.log"
    log.write_text("".join(f"acme step {step} | loss {2 - step / 10} | 12.5 ms\n" for step in range(1, 9)))
    done = place.rewarp("bench", "logs", str(log), "--json", "-q")
    data = json.loads(done.stdout)
    assert data["results"][0]["provenance"]["plugin"] == "acme-logs 1.0", done.stderr
    assert "acme-logs 1.0" in place.rewarp("bench", "logs", str(log)).stdout
    assert "acme-logs" not in place.rewarp("bench", "logs", str(log), "--no-plugins", "--json").stdout


def test_a_broken_dialect_is_named(place: Place) -> None:
    install(place.packages, "acme-logs", "rewarp.dialects", "import not_there_at_all\n")
    (place.project / "train.log").write_text("nothing\n")
    done = place.rewarp("bench", "logs", str(place.project / "train.log"))
    assert done.returncode == 2
    assert "acme-logs 1.0" in done.stderr
