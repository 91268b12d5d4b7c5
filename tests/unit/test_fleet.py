"""Many repositories: one bad one costs its own row, nothing is done twice, and a killed run goes on."""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fleet_parts import BLOCKED, CLEAN, KERNEL, commit, ends, git, made, path_with, run, strange_git

from rewarp import api
from rewarp.cli import main
from rewarp.config import Config
from rewarp.errors import UsageError
from rewarp.fleet import work
from rewarp.fleet.children import look_after
from rewarp.fleet.overview import overview
from rewarp.fleet.query import ask, open_tables
from rewarp.fleet.request import Limits, Repository, Request, Status, Wanted
from rewarp.fleet.store import Store

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "fleet-1.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def rows(store: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = open_tables(Store(store))
    try:
        return list(ask(connection, sql)[1])
    finally:
        connection.close()


def test_findings_are_those_of_a_scan(tmp_path: Path) -> None:
    repositories = made(tmp_path, blocked=BLOCKED, clean=CLEAN)
    run(repositories, tmp_path / "store")
    report = api.scan(tmp_path / "blocked", config=Config(), use_cache=False)
    assert report.findings
    kept = rows(
        tmp_path / "store", "SELECT rule, path, line, message, fingerprint FROM findings WHERE repository = 'blocked'"
    )
    assert sorted(kept) == sorted((f.rule, f.path, f.line, f.message, f.fingerprint) for f in report.findings)
    columns = "status, conclusion, headline, findings, in_the_way, left_lines, files, commit"
    told = rows(tmp_path / "store", f"SELECT {columns} FROM repositories WHERE repository = 'blocked'")
    assert told == [
        (
            "done",
            report.verdict.conclusion.value,
            report.verdict.headline,
            len(report.findings),
            len(report.verdict.in_the_way),
            report.verdict.left.lines,
            len(report.result.scanned),
            git(tmp_path / "blocked", "rev-parse", "HEAD"),
        )
    ]
    assert rows(tmp_path / "store", "SELECT repositories, done, reused FROM runs") == [(2, 2, 0)]


def test_a_repository_that_cannot_be_had_costs_its_own_row(tmp_path: Path) -> None:
    repositories = made(tmp_path, clean=CLEAN)
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "--quiet")
    absent = [Repository(name, str(tmp_path / name)) for name in ("empty", "absent")]
    absent.append(Repository("another way", "git://host.example/a"))
    no_branch = replace(repositories[0], name="no branch", revision="nowhere")
    run([*absent, no_branch, *repositories], tmp_path / "store")
    told = dict(rows(tmp_path / "store", "SELECT repository, status FROM repositories"))
    failed = dict.fromkeys(("empty", "absent", "no branch"), "failed")
    assert told == {**failed, "another way": "refused", "clean": "done"}
    assert all(
        reason for (reason,) in rows(tmp_path / "store", "SELECT reason FROM repositories WHERE status <> 'done'")
    )


def test_a_branch_a_tag_and_a_commit_are_looked_at(tmp_path: Path) -> None:
    (repository,) = made(tmp_path, here=CLEAN)
    first = git(tmp_path / "here", "rev-parse", "HEAD")
    git(tmp_path / "here", "tag", "--annotate", "--message=x", "v1")
    git(tmp_path / "here", "branch", "old")
    second = commit(tmp_path / "here", BLOCKED)
    revisions = ["v1", "old", first, None]
    run([replace(repository, name=str(r), revision=r) for r in revisions], tmp_path / "store")
    told = dict(rows(tmp_path / "store", "SELECT repository, commit FROM repositories"))
    assert told == {"v1": first, "old": first, first: first, "None": second}


HOLD = f'{sys.executable} -c "x = bytearray(150 << 20); import time; time.sleep(1000)"'
TROUBLE = {
    "hangs": ("sleep 1000 & wait", Limits(seconds=3.0), Status.TIME, "not done in 3 s"),
    "is killed": ("kill -KILL $PPID; sleep 1000", Limits(), Status.CRASHED, "SIGKILL"),
    "takes memory": (f"{HOLD} & {HOLD} & wait", Limits(memory=300 << 20), Status.MEMORY, "more than 0.3 GB"),
}


@pytest.mark.parametrize(("script", "limits", "status", "reason"), TROUBLE.values(), ids=TROUBLE)
def test_one_that_goes_wrong_is_ended_and_the_others_go_on(
    script: str, limits: Limits, status: Status, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What git does for one of them goes wrong; everything that was started for it is gone afterwards."""
    pid = tmp_path / "pid"
    wrapper = f'case "$*" in *ls-remote*bad*) echo $$ > {pid}; {script};; esac'
    monkeypatch.setenv("PATH", path_with(strange_git(tmp_path / "bin", wrapper)))
    bad, clean = made(tmp_path, bad=CLEAN, clean=CLEAN)
    Store(tmp_path / "store").create()
    good = Request(clean, Wanted(), Limits(), str(tmp_path / "store"), work.code_digest())
    endings = dict(look_after([(0, replace(good, repository=bad, limits=limits)), (1, good)], 2, tmp_path))
    assert (endings[0].status, endings[1].status) == (status, Status.DONE)
    assert reason in endings[0].reason
    assert ends(int(pid.read_text()))
    assert not list(tmp_path.glob("[01]-*")), "the clones are gone"


def test_the_same_work_is_not_done_twice(tmp_path: Path) -> None:
    (repository,) = made(tmp_path, here=BLOCKED)
    store = tmp_path / "store"
    run([repository], store)
    part = next((store / "work").iterdir())
    before = (part.read_bytes(), part.stat().st_mtime_ns)
    run([repository, replace(repository, name="a mirror of it")], store)
    assert rows(store, "SELECT reused FROM repositories ORDER BY run") == [(False,), (True,), (True,)]
    assert (part.read_bytes(), part.stat().st_mtime_ns) == before
    run([repository], store, Wanted(target="gaudi"))
    commit(tmp_path / "here", {"more.py": "x = 1\n"})
    run([repository], store)
    assert rows(store, "SELECT reused FROM repositories ORDER BY run")[3:] == [(False,), (False,)]


def test_work_done_again_is_the_same_to_the_byte(tmp_path: Path) -> None:
    (repository,) = made(tmp_path, here=BLOCKED)
    for name in ("one", "two"):
        run([repository], tmp_path / name)
    one, two = (next((tmp_path / name / "work").iterdir()) for name in ("one", "two"))
    assert (one.name, one.read_bytes()) == (two.name, two.read_bytes())


def test_what_decides_an_answer_is_in_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Wanted()
    other = [
        replace(wanted, target="gaudi"),
        replace(wanted, torch="2.9"),
        replace(wanted, exclude=("x",)),
        replace(wanted, ignore=("PY-VER-001",)),
        replace(wanted, max_size=1.0),
        replace(wanted, port=True),
    ]
    keys = {work.key_of("a" * 40, one) for one in (wanted, *other)} | {work.key_of("b" * 40, wanted)}
    assert len(keys) == len(other) + 2
    monkeypatch.setattr(work, "own_code", lambda: b"another version of rules and tables")
    assert work.key_of("a" * 40, wanted) not in keys


def test_a_worker_with_another_version_or_without_the_folder_says_so(tmp_path: Path) -> None:
    (repository,) = made(tmp_path, here=CLEAN)
    Store(tmp_path / "store").create()
    good = Request(repository, Wanted(), Limits(), str(tmp_path / "store"), work.code_digest())
    bad = [replace(good, code="0" * 32), replace(good, store=str(tmp_path / "elsewhere"))]
    endings = dict(look_after(enumerate([*bad, good]), 1, tmp_path))
    assert [endings[n].status for n in range(3)] == [Status.FAILED, Status.FAILED, Status.DONE]
    assert "another rewarp" in endings[0].reason
    assert "must share" in endings[1].reason


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """Three repositories; the third one waits until somebody lets it go, and the run is killed meanwhile."""
    made(tmp_path / "all", a=CLEAN, b=BLOCKED, waits=CLEAN)
    go, asked = tmp_path / "go", tmp_path / "asked"
    script = f'case "$*" in *ls-remote*) echo "$*" >> {asked};; esac\ncase "$*" in *waits*) while [ ! -e {go} ]; do sleep 0.1; done;; esac'
    environment = {**os.environ, "PATH": path_with(strange_git(tmp_path / "bin", script))}
    command = [sys.executable, "-m", "rewarp", "fleet", "all", "--store=store", "--jobs=1"]
    first = subprocess.Popen(command, cwd=tmp_path, env=environment)
    while not (tmp_path / "asked").exists() or "waits" not in asked.read_text():
        assert first.poll() is None
        time.sleep(0.1)
    # A second one does not mix with it.
    second = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (second.returncode, "another `rewarp fleet`" in second.stderr) == (2, True)
    first.send_signal(signal.SIGKILL)
    first.wait()
    go.touch()
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, "2 are done" in done.stderr) == (0, True), done.stderr
    asks = asked.read_text().splitlines()
    assert [sum(f"all/{name} " in f"{line} " for line in asks) for name in ("a", "b", "waits")] == [1, 1, 2]
    assert rows(tmp_path / "store", "SELECT repositories, done FROM runs") == [(3, 3)]
    assert rows(tmp_path / "store", "SELECT count(*), count(DISTINCT repository) FROM repositories") == [(3, 3)]
    (finished,) = Store(tmp_path / "store").runs()
    assert not (finished.folder / "endings").exists()


def test_a_run_that_was_stopped_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    made(tmp_path / "all", a=CLEAN)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rewarp.fleet.drive.run_fleet", stopped)
    assert main(["fleet", str(tmp_path / "all"), "--store", str(tmp_path / "store")]) == 130
    assert "goes on from here" in capsys.readouterr().err


def test_a_port_is_kept_as_a_patch_and_verified(tmp_path: Path) -> None:
    """A program in CUDA: ported, the port compiled and held against the original, and run as AMD code."""
    makefile = "NVCC ?= nvcc\nmain: main.cu\n\t$(NVCC) -o main main.cu\n"
    (repository,) = made(tmp_path, here={"main.cu": KERNEL, "Makefile": makefile})
    wanted = Wanted(arch="gfx942", port=True, verify=True, run=True)
    run([repository], tmp_path / "store", wanted)
    columns = (
        "status, reason, port_files, patch, verify_build, verify_isolation, verify_machine, checks_passed, verify_why"
    )
    ((status, reason, files, patch, build, isolation, machine, passed, why),) = rows(
        tmp_path / "store", f"SELECT {columns} FROM repositories"
    )
    assert (status, reason) == ("done", "")
    assert files
    git(tmp_path / "here", "apply", "--check", str(tmp_path / "store" / patch))
    assert (build, isolation) == ("passed", "passed"), why
    # Not passed: nothing is there that its output could be compared with. A busy machine fails no program.
    assert machine == "not checked", why
    assert passed
    assert git(tmp_path / "here", "status", "--porcelain") == "", "the repository itself is left alone"


def test_why_a_repository_failed_is_in_its_row(tmp_path: Path) -> None:
    makefile = "main: main.cu\n\tnvcc -o main `cat sources`\n"
    (repository,) = made(tmp_path, here={"main.cu": KERNEL, "Makefile": makefile})
    run([repository], tmp_path / "store", Wanted(arch="gfx942", port=True, verify=True))
    ((level, files, patch, why),) = rows(
        tmp_path / "store", "SELECT verify_static, port_files, patch, verify_why FROM repositories"
    )
    assert (level, files, patch) == ("failed", 0, None), "half a port is none"
    assert why.startswith("static: ")
    assert "this recipe calls nvcc" in why


def test_a_port_that_cannot_be_written_does_not_cost_the_scan(tmp_path: Path) -> None:
    """Links stand where the port would write: nothing is written behind them, and the verdict is told."""
    makefile = "NVCC ?= nvcc\nmain: main.cu\n\t$(NVCC) -o main main.cu\n"
    (tmp_path / "outside").mkdir()
    (tmp_path / "here").mkdir()
    git(tmp_path / "here", "init", "--quiet")
    (tmp_path / "here" / "hip_shim").symlink_to(tmp_path / "outside")
    (repository,) = made(tmp_path, here={"main.cu": KERNEL, "Makefile": makefile})
    run([repository], tmp_path / "store", Wanted(arch="gfx942", port=True, verify=True))
    columns = "status, conclusion IS NOT NULL, findings > 0, port_done, patch, verify_build, verify_why"
    ((*told, why),) = rows(tmp_path / "store", f"SELECT {columns} FROM repositories")
    assert told == ["done", True, True, False, None, None]
    assert why.startswith("port: hip_shim/")
    assert "symbolic link" in why
    assert list((tmp_path / "outside").iterdir()) == []


def test_the_command_from_a_list_to_its_views(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, blocked=BLOCKED, clean=CLEAN)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "repos.txt").write_text("# ours\nblocked\nclean main # a branch\nabsent\n")
    assert main(["fleet", "repos.txt", "--json", "out.json", "--html", "page.html"]) == 3
    text = capsys.readouterr().out
    assert "3 repositories, 2 looked at" in text
    assert "absent: failed" in text
    found = json.loads((tmp_path / "out.json").read_text())
    jsonschema.validate(found, SCHEMA)
    assert sum(found["verdicts"].values()) == 2
    assert found["not_looked_at"] == 1
    assert (tmp_path / "page.html").read_text() == (tmp_path / "rewarp-fleet" / "index.html").read_text()
    assert (
        main(
            [
                "fleet",
                "query",
                "SELECT repository, revision FROM repositories WHERE status = 'done' ORDER BY 1",
                "--csv",
            ]
        )
        == 0
    )
    assert capsys.readouterr().out == "repository,revision\nblocked,\nclean,main\n"
    assert main(["fleet", "report", "--quiet"]) == 3


def test_what_stands_in_the_way_what_one_fix_unblocks_and_what_changed(tmp_path: Path) -> None:
    two = {**BLOCKED, "other.py": "import tensorrt\n"}
    repositories = made(tmp_path, one=BLOCKED, again=BLOCKED, two=two, clean=CLEAN)
    run(repositories, tmp_path / "store")
    found = rows(tmp_path / "store", "SELECT repository, rule, in_the_way FROM findings")
    in_the_way: dict[str, set[str]] = {}
    for repository, rule, blocks in found:
        if blocks:
            in_the_way.setdefault(repository, set()).add(rule)
    assert len(in_the_way["one"]) == 1 < len(in_the_way["two"])
    (only,) = in_the_way["one"]
    connection = open_tables(Store(tmp_path / "store"))
    first = overview(connection)
    connection.close()
    assert {row["rule"]: row["repositories"] for row in first.rules} == {
        rule: sum(rule in rules for rules in in_the_way.values()) for rules in in_the_way.values() for rule in rules
    }
    assert [(row["rule"], row["repositories"]) for row in first.unblocked] == [(only, ["again", "one"])]
    assert first.changes == []
    assert first.previous is None

    commit(tmp_path / "one", {"main.py": "print(1)\n"})
    kept = [one for one in repositories if one.name != "again"]
    run([*kept, *made(tmp_path, fresh=CLEAN)], tmp_path / "store")
    connection = open_tables(Store(tmp_path / "store"))
    second = overview(connection)
    connection.close()
    changes = {row["repository"]: (row["after"], row["new"], row["gone"]) for row in second.changes}
    assert changes == {
        "one": ("runs as it is", 0, 1),
        "again": (None, None, None),
        "fresh": ("runs as it is", None, None),
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.txt"], "No such file"),
        (["empty"], "no repository"),
        (["all", "--store", "occupied"], "holds something else"),
        (["all", "--ignore", "NO-RULE"], "no rule NO-RULE"),
        (["all", "--memory-limit", "much"], "a size is expected"),
        (["all", "--jobs", "0"], "at least 1"),
    ],
)
def test_misuse_is_said_and_nothing_is_done(
    arguments: list[str], said: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "all", a=CLEAN)
    (tmp_path / "empty").mkdir()
    (tmp_path / "occupied").mkdir()
    (tmp_path / "occupied" / "thesis.tex").write_text("x")
    assert main(["fleet", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert [file.name for file in (tmp_path / "occupied").iterdir()] == ["thesis.tex"]


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    (repository,) = made(tmp_path, here=CLEAN)
    run([repository], tmp_path / "store")
    part = next((tmp_path / "store" / "work").iterdir())
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(UsageError, match=f"{part.name} is damaged"):
        run([repository], tmp_path / "store")


def test_what_the_parent_holds_is_not_counted(tmp_path: Path) -> None:
    (repository,) = made(tmp_path, here=CLEAN)
    limits = Limits()
    held = mmap.mmap(-1, limits.memory, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        Store(tmp_path / "store").create()
        request = Request(repository, Wanted(), limits, str(tmp_path / "store"), work.code_digest())
        ((_, ending),) = look_after([(0, request)], 1, tmp_path)
    finally:
        held.close()
    assert (ending.status, ending.reason) == (Status.DONE, "")
