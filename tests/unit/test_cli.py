"""The command line, run as a person runs it."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rewarp.errors import UsageError

BAD = "import torch\nmajor = torch.version.cuda.split('.')[0]\n"
SLOWISH = "import torch\n" + "x = torch.cuda.current_stream()\n" * 3000


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("COLUMNS", "120")


def rewarp(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rewarp", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=300)


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "x.py").write_text(BAD)
    return folder


def test_exit_codes(code: Path) -> None:
    assert rewarp("scan", code).returncode == 1
    assert rewarp("scan", code, "--fail-on", "never").returncode == 0
    assert rewarp("scan", code, "--fail-on", "crash").returncode == 1
    (code / "x.py").write_text("import torch\ntorch.backends.cudnn.benchmark = True\n")
    assert rewarp("scan", code).returncode == 0
    assert rewarp("scan", code, "--fail-on", "note").returncode == 1
    (code / "broken.py").write_text("def f(:\n")
    assert rewarp("scan", code).returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("scan", "no/such/path"),
        ("scan", ".", "--torch", "new"),
        ("scan", ".", "--arch", "sm_90"),
        ("scan", ".", "--ignore", "XX-000"),
        ("scan", ".", "--jobs", "0"),
        ("scan", ".", "--max-size", "-1"),
        ("scan", ".", "--json", "--sarif"),
        ("scan", ".", "--json", "no/such/folder/x.json"),
        ("scan", ".", "--json", "x.py/below_a_file.json"),
        ("scan", ".", "--write-baseline", "x.py/below_a_file.json"),
        ("scan", ".", "--baseline", "none.json"),
        ("scan", ".", "--diff", "HEAD"),
        ("explain", "XX-000"),
        ("frobnicate",),
        (),
    ],
)
def test_errors_are_one_clear_line_and_exit_2(code: Path, arguments: tuple[str, ...]) -> None:
    done = rewarp(*arguments, cwd=code)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_formats(code: Path, tmp_path: Path) -> None:
    done = rewarp("scan", code, "--json")
    assert json.loads(done.stdout)["schema"] == "rewarp.scan/1"
    assert done.stderr == "", "silent in a pipe"
    out = {name: tmp_path / f"r.{name}" for name in ("json", "sarif", "markdown", "html")}
    done = rewarp("scan", code, *(part for name, file in out.items() for part in (f"--{name}", file)))
    assert all(file.stat().st_size > 500 for file in out.values())
    assert "PY-VER-001" in done.stdout
    assert rewarp("scan", code, "--quiet").stdout == ""


def test_an_option_does_not_swallow_the_path(code: Path) -> None:
    for path in (code, code / "x.py"):
        before = (code / "x.py").read_bytes()
        done = rewarp("scan", "--json", path)
        assert {f["path"] for f in json.loads(done.stdout)["findings"]} == {"x.py"}
        assert (code / "x.py").read_bytes() == before
    assert rewarp("scan", code, "--json", code / "x.py").returncode == 2
    assert (code / "x.py").read_text() == BAD


def test_scan_writes_nothing_into_what_it_scans(code: Path) -> None:
    before = sorted(os.listdir(code))
    rewarp("scan", ".", cwd=code)
    assert sorted(os.listdir(code)) == before


def test_a_single_file(code: Path) -> None:
    data = json.loads(rewarp("scan", code / "x.py", "--json").stdout)
    assert {finding["path"] for finding in data["findings"]} == {"x.py"}


def test_baseline_round_trip(code: Path, tmp_path: Path) -> None:
    file = tmp_path / "base.json"
    assert rewarp("scan", code, "--write-baseline", file).returncode == 0
    assert rewarp("scan", code, "--baseline", file).returncode == 0
    (code / "y.py").write_text(BAD)
    assert rewarp("scan", code, "--baseline", file).returncode == 1


def test_versions_narrow(code: Path) -> None:
    (code / "run.sh").write_text("export CUDA_VISIBLE_DEVICES=0\n")

    def severity(*arguments: str) -> list[str]:
        data = json.loads(rewarp("scan", code, "--json", *arguments).stdout)
        return [f["severity"] for f in (*data["findings"], *data["works"]) if f["rule"] == "ENV-003"]

    assert severity() == ["info"]
    assert severity("--rocm", "10.1") == ["wrong-result"]
    assert severity("--rocm", "7.1") == ["works-as-is"]


def test_explain(code: Path) -> None:
    page = rewarp("explain", "py-ver-001").stdout
    assert "torch.version.cuda" in page
    assert "Safety" in page
    assert json.loads(rewarp("explain", "PY-VER-001", "--json").stdout)["id"] == "PY-VER-001"
    assert "PY-VER-001" in rewarp("explain").stdout
    assert "RUN-203" in rewarp("explain").stdout
    assert json.loads(rewarp("explain", "RUN-001", "--json").stdout)["severity"] == "crash"
    assert "did you mean" in rewarp("explain", "PY-VER-01").stderr


def test_a_reader_that_goes_away_is_no_crash(code: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m rewarp scan {code} --json | head -c 1", shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr


def test_a_defect_does_not_end_as_findings_do() -> None:
    program = "import sys, rewarp.cli.explain as e, rewarp.cli as c\ndef run(a): 1 / 0\ne.run = run\nsys.exit(c.main())"
    done = subprocess.run([sys.executable, "-c", program, "explain"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stderr.startswith("rewarp: error: ZeroDivisionError, a defect of rewarp")
    assert "in run" in done.stderr
    assert done.stdout == ""


def _work_done(session: int) -> float:
    """Seconds of processor time that a session has had: on a busy machine they come later."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = file.read_text().rpartition(")")[2].split()
            ticks += (int(fields[11]) + int(fields[12])) * (int(fields[3]) == session)
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupt(tmp_path: Path, jobs: str) -> None:
    for number in range(150):
        (tmp_path / f"m{number}.py").write_text(SLOWISH)
    process = subprocess.Popen(
        [sys.executable, "-m", "rewarp", "scan", str(tmp_path), "--no-cache", "--jobs", jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whoever started the tests in the background has the signal ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while process.poll() is None and _work_done(process.pid) < 1.5:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    assert "Traceback" not in errors


def test_core_does_not_import_torch_or_rich() -> None:
    code = (
        "import sys, rewarp.cli, rewarp.api, rewarp.registry as r; r.all_rules(); rewarp.cli.parser();"
        "sys.exit(any(m in sys.modules for m in ('torch', 'rich', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_nothing_scanned_is_executed(tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    code = tmp_path / "code"
    code.mkdir()
    body = f"import torch, pathlib\npathlib.Path({str(marker)!r}).touch()\ntorch.version.cuda.split('.')\n"
    for name in ("setup.py", "conftest.py", "sitecustomize.py", "rewarp.py", "torch.py", "json.py"):
        (code / name).write_text(body)
    done = rewarp("scan", ".", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["summary"]["files_scanned"] == 6
    assert not marker.exists()


def test_a_stranger_s_folder_lends_no_modules(tmp_path: Path) -> None:
    """`python -m rewarp` in a folder with modules called like those that rewarp imports."""
    marker = tmp_path / "imported"
    # What `-m` itself imports (importlib, types …) comes before anything of ours, and cannot be helped.
    for name in "__future__ typing argparse rich tree_sitter packaging json pathlib dataclasses torch".split():
        (tmp_path / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write({name!r})\nraise SystemExit(9)\n")
    (tmp_path / "x.cu").write_text("void f(void **p) { cudaMalloc(p, 4); }\n")
    for arguments in (["scan", "x.cu", "--fail-on", "never"], ["translate", "x.cu"], ["doctor"]):
        command = [sys.executable, "-m", "rewarp", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert not marker.exists(), marker.read_text()
        assert done.returncode == 0, done.stderr


def test_the_path_keeps_what_the_user_put_there(tmp_path: Path) -> None:
    """Only the current folder goes, and only where Python put it."""
    (tmp_path / "mine.py").write_text("")
    code = (
        "import runpy, sys; sys.argv = ['rewarp', '--version']\ntry: runpy.run_module('rewarp', run_name='__main__')\n"
    )
    code += "except SystemExit: pass\nimport mine"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path.parent, env=environment, timeout=300)
    assert done.returncode == 0


def test_targets_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\nx = torch.zeros(1).cuda()\n")
    done = rewarp("scan", tmp_path, "--compare", "gaudi,rocm", "--json", tmp_path / "both.json")
    assert done.returncode == 1
    assert "runs as it is" in done.stdout
    assert "runs after automatic changes" in done.stdout
    assert json.loads((tmp_path / "both.json").read_text())["targets"] == ["gaudi", "rocm"]


@pytest.mark.parametrize("given", ["rocm,gauid", "rocm", "rocm,rocm", "rocm,gaudi,rocm", "", ","])
def test_what_cannot_be_compared(given: str) -> None:
    from rewarp.cli import scan

    with pytest.raises(UsageError, match="--compare"):
        scan.compared(argparse.Namespace(compare=given))


@pytest.mark.parametrize("other", ["target", "baseline", "write_baseline"])
def test_what_a_comparison_does_not_go_with(other: str) -> None:
    from rewarp.cli import scan

    given = {"target": None, "baseline": None, "write_baseline": None, other: "x"}
    with pytest.raises(UsageError, match=other.replace("_", "-")):
        scan.compared(argparse.Namespace(compare="rocm,gaudi", **given))
