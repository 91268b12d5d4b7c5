"""What commands leave for `rewarp report`, and which of it belongs together."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rewarp import __version__
from rewarp.cli import main
from rewarp.report import pieces, site
from rewarp.run import NotBuilt
from rewarp.run.results import ProgramResult, Step
from rewarp.workspace.identity import Identity, identify

EXAMPLE = Path(__file__).parents[2] / "examples" / "nvidia_project"
BEFORE, AFTER, OTHER = "b" * 64, "a" * 64, "c" * 64


def leave(folder: Path, tree: str, document: dict[str, Any], becomes: str | None = None, **changed: Any) -> Path:
    file = pieces.write(folder, Identity("/nowhere", tree), "rewarp x", document, becomes=becomes)
    if changed:
        file.write_text(json.dumps({**json.loads(file.read_text()), **changed}))
    return file


def scan(target: str = "rocm") -> dict[str, Any]:
    return {"schema": "rewarp.scan/1", "target": target}


def verified(*levels: str) -> dict[str, Any]:
    return {"schema": "rewarp.verify/1", "levels": [{"level": level, "outcome": "passed"} for level in levels]}


def kinds(found: pieces.Results) -> tuple[list[str], list[str]]:
    return sorted(p.kind for p in found.current), sorted(p.kind for p, _ in found.stale)


def test_a_port_joins_what_it_found_and_what_it_leaves(tmp_path: Path) -> None:
    leave(tmp_path, BEFORE, scan(), made="2026-01-01")
    leave(tmp_path, BEFORE, {"schema": "rewarp.port/1", "target": "rocm"}, AFTER, made="2026-01-02")
    leave(tmp_path, AFTER, verified("build"), made="2026-01-03")
    assert kinds(pieces.gather(tmp_path)) == (["port", "scan", "verify"], [])


def test_what_is_about_other_files_is_stale(tmp_path: Path) -> None:
    leave(tmp_path, BEFORE, scan(), made="2026-01-01")
    leave(tmp_path, BEFORE, {"schema": "rewarp.port/1", "target": "rocm"}, AFTER, made="2026-01-02")
    leave(tmp_path, OTHER, verified("build"), made="2026-01-03")
    found = pieces.gather(tmp_path)
    assert kinds(found) == (["verify"], ["port", "scan"]), "the newest says what the report is about"
    assert "other files" in found.stale[0][1]
    assert site.data(found)["scans"] == [], "and nothing of it is merged"
    assert kinds(pieces.gather(tmp_path, Identity("/nowhere", AFTER))) == (["port", "scan"], ["verify"])


def test_two_ports_do_not_join_strangers(tmp_path: Path) -> None:
    """One after the other: what the first found is not what the second leaves."""
    leave(tmp_path, BEFORE, {"schema": "rewarp.port/1", "target": "rocm"}, AFTER, made="2026-01-01")
    leave(tmp_path, AFTER, {"schema": "rewarp.port/1", "target": "gaudi"}, OTHER, made="2026-01-02")
    found = pieces.gather(tmp_path, Identity("/nowhere", OTHER))
    assert [p.document["target"] for p in found.current] == ["gaudi"]


def test_another_version_is_stale(tmp_path: Path) -> None:
    leave(tmp_path, BEFORE, scan(), made="2026-01-02")
    leave(tmp_path, BEFORE, verified("build"), rewarp="0.0.9", made="2026-01-01")
    found = pieces.gather(tmp_path)
    assert kinds(found) == (["scan"], ["verify"])
    assert f"rewarp 0.0.9, the others by {__version__}" in found.stale[0][1]


def test_the_same_question_has_one_answer(tmp_path: Path) -> None:
    names = {leave(tmp_path, BEFORE, document).name for document in (scan(), scan(), scan("gaudi"), verified("build"))}
    assert names == {"scan-rocm.json", "scan-gaudi.json", "verify-build.json"}


def test_two_programs_of_one_name_keep_apart(tmp_path: Path) -> None:
    ran, identity = {"schema": "rewarp.run/1", "runs": []}, Identity("/nowhere", BEFORE)
    names = {pieces.write(tmp_path, identity, "rewarp run", ran, about=name) for name in ("a/b.cu", "a-b.cu", "a b.cu")}
    assert len(names) == 3


def test_a_program_that_is_built_at_last_takes_the_place_of_its_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "a.cu", tmp_path / "out"
    source.write_text("int main() {}\n")

    def fails(*_: Any, **__: Any) -> ProgramResult:
        raise NotBuilt(Step.LINK, "nothing defines f()")

    def runs(*_: Any, **__: Any) -> ProgramResult:
        return ProgramResult("machine", True, ())

    for program, arch in ((fails, "gfx942"), (runs, "gfx942"), (fails, "gfx1100")):
        monkeypatch.setattr("rewarp.run.run_program", program)
        main(["run", str(source), "--arch", arch, "--results", str(out)])
    kept = {file.name: "failed" in json.loads(file.read_text())["document"] for file in out.iterdir()}
    assert kept == {"run-a.cu-gfx942.json": False, "run-a.cu-gfx1100.json": True}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": "rewarp.scan/1"}',
        '{"schema": "rewarp.piece/1"}',
        '{"schema": "rewarp.piece/1", "kind": 3, "about": "", "rewarp": "", "made": "", "command": "", "document": {}, '
        '"identity": {"root": "", "tree": ""}, "becomes": null, "patch": null}',
        '{"schema": "rewarp.piece/1", "kind": "scan", "about": "", "rewarp": "", "made": "", "command": "", "document": [], '
        '"identity": {"root": "", "tree": ""}, "becomes": null, "patch": null}',
        '{"schema": "rewarp.piece/1", "kind": "scan", "about": "", "rewarp": "", "made": "", "command": "", "document": {}, '
        '"identity": {"evil": ""}, "becomes": null, "patch": null}',
        "[" * 100_000,
    ],
)
def test_what_is_no_piece_is_said_and_costs_no_other(tmp_path: Path, text: str) -> None:
    leave(tmp_path, BEFORE, scan())
    (tmp_path / "odd.json").write_text(text)
    found = pieces.gather(tmp_path)
    assert kinds(found) == (["scan"], [])
    assert [file.name for file in found.unreadable] == ["odd.json"]


def test_own_evidence_of_a_port_gives_way(tmp_path: Path) -> None:
    levels = [("build", "passed"), ("machine", "not checked"), ("static", "failed")]
    verification = [{"level": level, "outcome": outcome, "counts": {}, "checks": []} for level, outcome in levels]
    leave(tmp_path, BEFORE, {"schema": "rewarp.port/1", "target": "rocm", "verification": verification}, AFTER)
    leave(tmp_path, AFTER, verified("build", "machine", "static"))
    found = [(level["level"], level["outcome"], level["by"]) for level in site.data(pieces.gather(tmp_path))["levels"]]
    assert found == [
        ("static", "passed", "verify"),
        ("static", "failed", "port"),
        ("build", "passed", "verify"),
        ("machine", "passed", "verify"),
    ], "what contradicts stays; a failure is never covered"


@pytest.mark.parametrize(("partly", "shown"), [({}, ["port"]), ({"passed": 1}, ["verify", "port"])])
def test_what_was_not_checked_gives_way_to_what_a_port_checked(
    tmp_path: Path, partly: dict[str, int], shown: list[str]
) -> None:
    passed = {"level": "isolation", "outcome": "passed", "counts": {"passed": 2}, "checks": []}
    leave(tmp_path, BEFORE, {"schema": "rewarp.port/1", "target": "rocm", "verification": [passed]}, AFTER)
    open_ = {"level": "isolation", "outcome": "not checked", "counts": {"not checked": 1, **partly}, "checks": []}
    leave(tmp_path, AFTER, {"schema": "rewarp.verify/1", "levels": [open_]})
    assert [level["by"] for level in site.data(pieces.gather(tmp_path))["levels"]] == shown


# --- links ----------------------------------------------------------------------------------


def link(tmp_path: Path, remote: str | None, links: str = "auto", clean: bool | None = True) -> str | None:
    identity = Identity(str(tmp_path), BEFORE, "f" * 40, clean, "sub/", remote)
    pieces.write(tmp_path / "out", identity, "rewarp x", scan())
    found: str | None = site.data(pieces.gather(tmp_path / "out"), links)["states"][BEFORE]["link"]
    return found


def test_links_to_the_line_at_the_commit(tmp_path: Path) -> None:
    file = tmp_path.as_uri() + "/"
    commit = "f" * 40
    assert link(tmp_path, "https://github.com/a/b") == f"https://github.com/a/b/blob/{commit}/sub/"
    assert link(tmp_path, "https://gitlab.com/a/b") == f"https://gitlab.com/a/b/-/blob/{commit}/sub/"
    assert link(tmp_path, "https://git.example.org/a/b") == file, "whose forge it is cannot be told"
    assert (
        link(tmp_path, "https://git.example.org/a/b", "gitlab") == f"https://git.example.org/a/b/-/blob/{commit}/sub/"
    )
    assert link(tmp_path, "https://github.com/a/b", "file") == file
    assert link(tmp_path, "https://github.com/a/b", "none") is None


@pytest.mark.parametrize("clean", [False, None])
def test_lines_that_the_commit_does_not_have_are_not_linked_there(tmp_path: Path, clean: bool | None) -> None:
    assert link(tmp_path, "https://github.com/a/b", clean=clean) == tmp_path.as_uri() + "/"


@pytest.mark.parametrize("remote", ["javascript:alert(1)", "http://github.com/a/b"])
def test_a_piece_cannot_lead_anywhere_else(tmp_path: Path, remote: str) -> None:
    assert link(tmp_path, remote) == tmp_path.as_uri() + "/"


# --- the commands ---------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "requirements.txt").write_text("torch\n")
    for name in ("train.py", "pyproject.toml", "warpnorm"):
        there = shutil.copytree if (EXAMPLE / name).is_dir() else shutil.copy
        there(EXAMPLE / name, root / name)
    return root


def test_commands_leave_their_pieces(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(project / "out")
    main(["scan", str(project), "-q", "--no-cache", "--results", out])
    main(["project", str(project), "--results", out])
    main(["port", str(project), "-q", "--no-cache", "-o", str(tmp_path / "p.patch"), "--results", out])
    assert main(["report", "--results", out]) == 0
    assert f"report: {out}/index.html" in capsys.readouterr().err
    found = pieces.gather(Path(out))
    assert kinds(found) == (["port", "project", "scan"], [])
    port = next(piece for piece in found.current if piece.kind == "port")
    assert port.patch
    assert port.patch == (tmp_path / "p.patch").read_text()
    assert port.command.startswith("rewarp port ")
    (project / "train.py").write_text("import torch\n")
    assert main(["report", str(project), "--results", out]) == 1
    assert "stale: port-rocm.json: it is about other files" in capsys.readouterr().err


def test_a_port_in_place_says_what_it_found_and_left(project: Path, tmp_path: Path) -> None:
    before = identify(project).tree
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(project), *words], check=True)
    main(["port", str(project), "-q", "--no-cache", "--in-place", "--results", str(tmp_path / "out")])
    (port,) = pieces.gather(tmp_path / "out").current
    assert port.identity.tree == before
    assert port.becomes == identify(project).tree != before
    assert port.identity.clean is True
    assert port.patch is not None
    assert "+++ b/" in port.patch


def test_a_program_belongs_to_the_project_that_the_results_are_about(project: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    (project / "tests").mkdir()
    program = project / "tests" / "broken.cu"
    program.write_text("int main() { return nothing_like_it(); }\n")
    main(["scan", str(project), "-q", "--no-cache", "--results", out])
    assert main(["run", str(program), "-q", "--results", out]) == 2
    found = pieces.gather(Path(out))
    assert kinds(found) == (["run", "scan"], [])
    run = next(piece for piece in found.current if piece.kind == "run")
    assert run.document["programs"] == ["tests/broken.cu"]


def test_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--results", str(tmp_path / "none")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main(["report", "--results", str(tmp_path)]) == 2
    assert "holds no piece" in capsys.readouterr().err
    (tmp_path / "file").write_text("x")
    assert main(["scan", str(tmp_path), "-q", "--no-cache", "--results", str(tmp_path / "file")]) == 2
    assert (tmp_path / "file").read_text() == "x"


def test_a_comparison_of_numbers_is_a_level(tmp_path: Path) -> None:
    checks = [{"what": "a", "outcome": "passed", "why": ""}, {"what": "b", "outcome": "failed", "why": "far off"}]
    leave(tmp_path, BEFORE, {"schema": "rewarp.numbers/1", "outcome": "failed", "checks": checks})
    (level,) = site.data(pieces.gather(tmp_path))["levels"]
    assert (level["level"], level["outcome"], dict(level["counts"])) == (
        "numbers",
        "failed",
        {"passed": 1, "failed": 1},
    )
