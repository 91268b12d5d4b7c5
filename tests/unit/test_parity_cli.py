"""The command: what it looks at, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from parity_parts import TOY

from rewarp.cli import main
from rewarp.parity.comparing import compare as joining

pytestmark = pytest.mark.usefixtures("few_units_do")

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "parity-1.json").read_text("utf-8"))
OPS = "add IMPLEMENTED IMPLEMENTED\nconv IMPLEMENTED ERROR\nsort ERROR MISSING\n"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(joining, "LANGUAGES", (TOY,))
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "ops.toy").write_text(OPS)
    return folder


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tree: Path) -> Path:
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "first")
    (tree / "ops.toy").write_text(OPS.replace("conv IMPLEMENTED ERROR", "conv IMPLEMENTED IMPLEMENTED"))
    return tree


def score(out: str) -> float | None:
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    lowest = document["score"]["lowest"]
    return None if lowest is None else float(lowest["percent"])


def test_a_folder(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", str(tree)]) == 0
    out = capsys.readouterr().out
    assert "50 % of what cuda does (operation)" in out
    assert "ops::conv" in out
    assert main(["parity", "compare", str(tree), "--json"]) == 0
    assert score(capsys.readouterr().out) == 50.0


@pytest.mark.parametrize(("limit", "code"), [("50", 0), ("50.1", 1), ("0", 0), ("100", 1)])
def test_fail_under(tree: Path, limit: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", str(tree), "--fail-under", limit, "-q"]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("is below" in captured.err) == bool(code)


def test_fail_under_from_the_settings(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "rewarp.toml").write_text("[parity]\nfail-under = 60\n")
    assert main(["parity", str(tree), "-q"]) == 1
    assert main(["parity", str(tree), "-q", "--fail-under", "40"]) == 0, "the command line wins"


def test_what_does_not_parse_has_no_score(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "broken.toy").write_text("{")
    assert main(["parity", str(tree), "--json"]) == 2
    assert score(capsys.readouterr().out) is None
    assert main(["parity", str(tree), "--fail-under", "0"]) == 2
    assert "%" not in capsys.readouterr().out


def test_nothing_to_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["parity", str(tmp_path / "empty")]) == 2
    assert "nothing was found" in capsys.readouterr().out


def test_new_gaps(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tmp_path / "before.json"
    assert main(["parity", str(tree), "--json", str(before), "-q"]) == 0
    gate = ["parity", str(tree), "--baseline", str(before), "--fail-on-new-gap", "--markdown"]
    assert main(gate) == 0
    assert "No gap was opened or closed" in capsys.readouterr().out
    (tree / "ops.toy").write_text(OPS.replace("add IMPLEMENTED IMPLEMENTED", "add IMPLEMENTED STUB"))
    assert main(gate) == 1
    captured = capsys.readouterr()
    assert "`ops::add` | stub" in captured.out
    assert "conv" not in captured.out
    assert "1 new or worse" in captured.err
    assert main([*gate[:4], "-q"]) == 0, "shown, and not a gate"


def test_waivers(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["parity", str(tree), "--json"])
    (gap,) = [one for one in json.loads(capsys.readouterr().out)["units"] if one["verdict"] == "gap"]
    text = (
        f'[[waiver]]\nunit = "{gap["key"]}"\nreason = "r"\nowner = "o"\nexpires = 2999-01-01\ncode = "{gap["code"]}"\n'
    )
    (tree / "waivers.toml").write_text(text)
    assert main(["parity", str(tree), "-q", "--fail-under", "100", "--waivers", str(tree / "waivers.toml")]) == 0
    (tree / "rewarp.toml").write_text('[parity]\nwaivers = "waivers.toml"\n')
    assert main(["parity", str(tree), "-q", "--fail-under", "100"]) == 0
    (tree / "ops.toy").write_text(OPS.replace("conv IMPLEMENTED ERROR", "conv IMPLEMENTED STUB"))
    assert main(["parity", str(tree), "--fail-under", "100"]) == 1
    assert "does not hold: the code it excuses has changed" in capsys.readouterr().out


def test_a_commit_in_place_of_the_files(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", str(repository), "--json"]) == 0
    assert score(capsys.readouterr().out) == 100.0
    assert main(["parity", str(repository), "--rev", "HEAD", "--json"]) == 0
    assert score(capsys.readouterr().out) == 50.0
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    assert main(["parity", str(bare), "--json"]) == 0
    assert score(capsys.readouterr().out) == 50.0


def test_a_folder_of_a_commit(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "core").mkdir()
    (repository / "core" / "more.toy").write_text("mul IMPLEMENTED IMPLEMENTED\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "second")
    assert main(["parity", str(repository / "core"), "--rev", "HEAD", "--json"]) == 0
    assert [one["key"] for one in json.loads(capsys.readouterr().out)["units"]] == ["operation:more::mul"]


def test_every_view(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = {name: tmp_path / f"report.{name}" for name in ("json", "markdown", "html", "sarif")}
    options = [word for name, file in places.items() for word in (f"--{name}", str(file))]
    assert main(["parity", str(tree), *options]) == 0
    assert json.loads(places["sarif"].read_text())["version"] == "2.1.0"
    assert places["html"].read_text().startswith("<!doctype html>")
    assert places["markdown"].read_text().startswith("## Parity: cuda → rocm")
    assert "50 % of what cuda does" in capsys.readouterr().out
    assert sorted(file.name for file in tree.iterdir()) == ["ops.toy"], "nothing is written into the tree"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--fail-under", "101"], "--fail-under must be from 0 to 100"),
        (["--fail-under", "nan"], "--fail-under must be from 0 to 100"),
        (["--jobs", "0"], "--jobs must be at least 1"),
        (["--fail-on-new-gap"], "needs --baseline"),
        (["--baseline", "none.json"], "cannot read the baseline"),
        (["--waivers", "none.toml"], "cannot read the waivers"),
        (["--config", "none.toml"], "cannot read the settings"),
        (["--b", "abacus"], "not a back end"),
        (["--a", "hip", "--b", "rocm"], "cannot be compared with itself"),
        (["--rev", "HEAD"], "is not in a git repository, and .HEAD. was asked for"),
        (["--json", "--markdown"], "only one format"),
    ],
)
def test_bad_requests(tree: Path, options: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", str(tree), *options]) == 2
    assert re.search(why, capsys.readouterr().err)


def test_bad_places(tree: Path, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, why in (
        ([str(tree / "none")], "does not exist"),
        ([str(tree / "ops.toy")], "is not a folder"),
        ([str(repository), "--rev", "nowhere"], "is not a revision"),
        ([str(repository), "--rev=--all"], "is not a git revision"),
    ):
        assert main(["parity", *options]) == 2
        assert why in capsys.readouterr().err


def test_names_that_are_no_text(tree: Path, tmp_path: Path) -> None:
    (tree / os.fsdecode(b"x\xff.toy")).write_text("mul IMPLEMENTED STUB\n")
    code = "import sys, parity_parts as p; from rewarp.parity.comparing import compare as c; c.LANGUAGES = (p.TOY,); "
    code += "from rewarp.parity.scoring import scores; scores.FEWEST = 1; "
    code += "from rewarp.cli import main; sys.exit(main(sys.argv[1:]))"
    views = [word for name in ("json", "html", "sarif", "markdown") for word in (f"--{name}", str(tmp_path / name))]
    for options in ([], ["--all"], views):
        done = subprocess.run(
            [sys.executable, "-c", code, "parity", str(tree), *options],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8:strict"},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)
        assert "x\\udcff::mul" in done.stdout
