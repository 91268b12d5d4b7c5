"""``rewarp verify isolation``: exit codes, the certificate, and whether a tampered one is seen."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rewarp.cli import main
from rewarp.report import isolation as report
from rewarp.verify.checks import Outcome
from rewarp.verify.isolation.certificate import certify, digest_of

SCHEMA = Path(report.__file__).parent / "schemas" / "isolation-1.json"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    for number, text in enumerate(["int a;\n", "#ifdef USE_ROCM\nint h;\n#endif\nint a;\n", "int b | c;\n"]):
        if not number:
            subprocess.run(["git", "-C", root, "init", "-q", "-b", "main"], check=True)
        (root / "a.cu").write_text(text)
        identity = ["-c", "user.name=n", "-c", "user.email=e@e"]
        subprocess.run(["git", "-C", root, "add", "-A"], check=True)
        subprocess.run(["git", "-C", root, *identity, "commit", "-q", "-m", "m"], check=True)
    return root


def run(*arguments: object) -> int:
    return main(["verify", "isolation", *map(str, arguments)])


def test_exit_codes(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("HEAD~2", "HEAD~1", "--path", repo) == 0
    assert "proved identical" in capsys.readouterr().out
    assert run("HEAD~2", "HEAD", "--path", repo) == 1
    assert "int a → int b | c" in capsys.readouterr().out.replace(";", "")
    assert run("nothing", "--path", repo) == 2
    assert run("--path", repo) == 2


def test_certificate_fits_its_schema(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("HEAD~2", "HEAD", "--path", repo, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert document["digest"] == digest_of(document)
    assert document["verdict"] == "different"


def _certificate(repo: Path, file: Path) -> dict[str, Any]:
    run("HEAD~2", "HEAD~1", "--path", repo, "--certificate", file)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def test_certificate_holds_until_it_is_touched(repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    document = _certificate(repo, file)
    assert run("--check", file, "--path", repo) == 0
    document["files"][0]["why"] = "trust me"
    file.write_text(json.dumps(document))
    assert run("--check", file, "--path", repo) == 1
    assert "digest" in capsys.readouterr().out


def test_forged_certificate_with_a_right_digest_falls(repo: Path, tmp_path: Path) -> None:
    """Who changes the content can compute the digest too; so all is compared again."""
    file = tmp_path / "c.json"
    document = _certificate(repo, file)
    document["after"]["revision"] = "HEAD"
    document["digest"] = digest_of(document)
    file.write_text(json.dumps(document))
    assert run("--check", file, "--path", repo) == 1


def test_certificate_of_a_working_tree_falls_when_it_changes(repo: Path, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    (repo / "a.cu").write_text("int b | c; // why\n")
    assert run("HEAD", "--path", repo, "--certificate", file) == 0
    assert run("--check", file, "--path", repo) == 0
    (repo / "a.cu").write_text("int b | c; // why not\n")
    assert run("--check", file, "--path", repo) == 1


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"schema": "rewarp.isolation/1"}'])
def test_what_is_no_certificate(content: bytes, repo: Path, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(content)
    assert run("--check", file, "--path", repo) in (1, 2)
    assert run("--check", tmp_path / "gone.json", "--path", repo) == 2


def test_markdown_and_evidence(repo: Path, tmp_path: Path) -> None:
    certificate = certify("HEAD~2", "HEAD", repo)
    text = report.markdown(certificate)
    assert "🛑" in text
    assert "`a.cu`" in text
    assert text.count("```") == 2
    assert certificate.evidence().outcome is Outcome.FAILED
    assert certify("HEAD~2", "HEAD~1", repo).evidence().outcome is Outcome.PASSED
    file = tmp_path / "r.md"
    assert run("HEAD~2", "HEAD", "--path", repo, "--markdown", file) == 1
    assert file.read_text(encoding="utf-8") == text


def test_a_place_that_cannot_be_written(repo: Path, tmp_path: Path) -> None:
    assert run("HEAD~2", "HEAD~1", "--path", repo, "--certificate", tmp_path / "no" / "c.json") == 2
