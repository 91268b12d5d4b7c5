"""Views of a verification: JSON by its schema, JUnit by its counts, the table, the command's exit codes."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.report import verify as views
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.tree import Verification, in_order

CHECKS = (
    Check(Level.BUILD, "a.hip for gfx942", Outcome.PASSED),
    Check(
        Level.BUILD, "b.hip for gfx942", Outcome.FAILED, "b.hip:3: no such <name> & \x01 thing", "b.hip", 3, {"n": 1}
    ),
    Check(Level.BUILD, "c.hip for gfx942", Outcome.NOT_CHECKED, "no header miopen.h", "c.hip"),
)


@pytest.fixture
def verification() -> Verification:
    return Verification(
        Path("tree"), in_order([Evidence(Level.BUILD, CHECKS, {"tool": "clang"}, {"kernels": []}, 1.5)])
    )


def test_json_is_what_its_schema_says(verification: Verification) -> None:
    schema = json.loads((files("rewarp.report") / "schemas" / "verify-1.json").read_text("utf-8"))
    data = json.loads(views.render_json(verification))
    jsonschema.validate(data, schema)
    assert data["outcome"] == "failed"
    assert [level["level"] for level in data["levels"]] == ["static", "build", "machine", "run", "numbers", "isolation"]
    assert data["levels"][1]["counts"] == {"passed": 1, "failed": 1, "not checked": 1}


def test_junit_skips_what_was_not_checked(verification: Verification) -> None:
    suites = ElementTree.fromstring(views.render_junit(verification))
    build = next(suite for suite in suites if suite.get("name") == "build")
    assert (build.get("tests"), build.get("failures"), build.get("skipped")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in build] == [[], ["failure"], ["skipped"]]
    # A level that was left out is a skipped test, not an empty green suite.
    assert all(len(suite) for suite in suites)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "m.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "m.py").write_text("import pynvml\n")
    (tmp_path / "empty").mkdir()
    only = ["--only", "static", "--no-cache"]
    assert main(["verify", str(tmp_path / "good"), *only]) == 0
    assert main(["verify", str(tmp_path / "bad"), *only]) == 1
    assert main(["verify", str(tmp_path / "empty"), *only]) == 3
    assert main(["verify", str(tmp_path / "nowhere"), *only]) == 2
    capsys.readouterr()
    assert main(["verify", "all", str(tmp_path / "bad"), "--json", *only]) == 1
    assert json.loads(capsys.readouterr().out)["outcome"] == "failed"
    for name in ("html", "junit"):
        assert main(["verify", str(tmp_path / "bad"), f"--{name}", str(tmp_path / name), *only]) == 1
        assert (tmp_path / name).stat().st_size > 300


def test_incomplete_is_its_own_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(arches: object) -> None:
        raise UsageError("no HIP compiler found: pip install rewarp[compile]")

    monkeypatch.setattr("rewarp.verify.build.level.find_for", none)
    (tmp_path / "k.hip").write_text("#include <hip/hip_runtime.h>\n__global__ void k(int* x) { *x = 1; }\n")
    plain = ["verify", str(tmp_path), "--no-cache", "--arch", "gfx942"]
    assert main(plain) == 3
    assert "incomplete: build, 1 not checked: no HIP compiler found: pip install" in capsys.readouterr().err
    assert main([*plain, "--allow-unchecked", "build"]) == 0
    assert main([*plain, "--allow-unchecked", "static"]) == 3
    assert main([*plain, "--allow-unchecked", "bild"]) == 2
    # What nobody asked for leaves no gap; what --only names is asked for.
    assert main([*plain, "--only", "static"]) == 0
    assert main([*plain, "--only", "static,machine"]) == 3
    assert main([*plain, "--only", "static,numbers"]) == 3
    # A failure goes before a gap.
    (tmp_path / "m.py").write_text("import pynvml\n")
    assert main(plain) == 1


def test_a_tree_without_device_code_is_complete(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    assert main(["verify", str(tmp_path), "--no-cache", "-q"]) == 0


def test_a_word_that_is_no_level_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path), "--only", "static,guess"]) == 2
    assert "guess" in capsys.readouterr().err
