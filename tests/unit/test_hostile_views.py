"""A repository in which everything is hostile, through every command and every view."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bridge_parts import floats, write_checkpoint
from hostile_parts import HOSTILE, LINE, NAME, check_markdown, check_text, steering
from hostile_reports import REPORTS, TERMINAL, parity_result, scan_report
from test_bench_logs import megatron

from rewarp.cli import main
from rewarp.report import parity_sarif
from rewarp.report import sarif as scan_sarif
from rewarp.report.console import Console

KERNEL = f"""#include <cuda_runtime.h> // {LINE}
__global__ void reduce(float *x, unsigned *out) {{ // {LINE}
    float v = x[threadIdx.x];
    v += __shfl_down_sync(0xffffffff, v, 16); /* {LINE} */
    if (threadIdx.x % 32 == 0) out[0] = __ballot_sync(0xffffffff, v > 0); // {LINE}
    asm("evil.ptx %0;" : "=r"(v)); // {LINE}
}}
#if __CUDA_ARCH__ >= 800 /* {LINE} */
#endif
int main() {{ cudaEvilUnknown(0); reduce<<<1, 32>>>(0, 0); cudaGraphExecEvil(1); }} // {LINE}
"""
MODULE = f"""import torch, pynvml  # {LINE}
if torch.version.cuda.split("{LINE.replace(chr(34), "").replace(chr(92), "")}"):  # {LINE}
    torch.cuda.get_device_capability()[0] >= 8  # {LINE}
    torch.backends.cuda.matmul.allow_tf32 = True  # {LINE}
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root: Path = tmp_path_factory.mktemp("hostile") / "tree"
    folder = root / NAME
    folder.mkdir(parents=True)
    for place in (folder, root):
        (place / f"{NAME}.cu").write_text(KERNEL)
        (place / f"{NAME}.py").write_text(MODULE)
        (place / f"{NAME}bad.py").write_text(f"def f(: # {LINE}\n")
        (place / f"{NAME}latin.py").write_bytes(b"x = '\xff' # \x1b]0;own\x07\n")
    (root / "requirements.txt").write_text(f"nvidia-ml-py # {LINE}\ncupy-cuda12x # {LINE}\n")
    (root / "Dockerfile").write_text(f"FROM nvidia/cuda:12.4-devel # {LINE}\nENV CUDA_HOME=/usr/local/cuda # {LINE}\n")
    (root / "setup.py").write_text(
        "import glob\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension, BuildExtension\n"
        f"setup(name='x', ext_modules=[CUDAExtension('x', glob.glob('*.cu'))])  # {LINE}\n"
    )
    (root / "k.cu").write_text(KERNEL)
    git(root, "init", "-q", "-b", "EVIL`@octocat#1<b>$x")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", LINE)
    return root


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[str, str]:
    with contextlib.suppress(SystemExit):
        main([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return shown.out, shown.err


def shown(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Both streams, safe to look at, and with something hostile in them."""
    out, err = run(capsys, *arguments)
    check_text(out)
    check_text(err)
    assert "EVIL" in (out + err).upper(), "nothing hostile came through, so that nothing was shown"
    return out


# --- commands: text -----------------------------------------------------------------------


@pytest.mark.parametrize("by", ["rule", "file"])
def test_scan(repository: Path, capsys: pytest.CaptureFixture[str], by: str) -> None:
    out = shown(capsys, "scan", repository, "--all", "--by", by, "--no-cache")
    assert r"EVIL\x1b]0;own\x07\x9b\u202e\u2066\u200b\r\t\n# EVILHEADING `a``|<img" in out.replace("\n", "")
    assert r"[red](x)\udcff" in out


def test_translate(repository: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    file = repository / f"{NAME}.cu"
    main(["translate", str(file)])
    out, err = capsysbinary.readouterr()
    assert LINE.encode() in out, "code in a pipe is the product"
    for arguments in (["--check"], ["--diff"], ["--check", "-q"]):
        main(["translate", str(repository), *arguments])
        err += capsysbinary.readouterr().err
    check_text(err.decode())
    assert b"EVIL" in err


def test_translate_what_cannot_be_read(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"{NAME}.cu"
    file.write_bytes(b"\0\1\2")
    shown(capsys, "translate", file, "-q")
    shown(capsys, "translate", file)


def test_waves(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown(capsys, "waves", repository)


@pytest.mark.parametrize(
    "command", [["waves", "--diff", "--unsafe-fixes"], ["port", "--no-cache"], ["translate", "--diff"]]
)
def test_patches(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], command: list[str]
) -> None:
    """Into a pipe as they are, on a terminal with nothing hidden."""
    main([command[0], str(repository), *command[1:]])
    out, err = capsysbinary.readouterr()
    check_text(err.decode())
    assert LINE.encode() in out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    main([command[0], str(repository), *command[1:]])
    out = capsysbinary.readouterr().out
    assert steering(out.decode().replace("\t", "")) == []
    assert rb"EVIL\x1b]0;own" in out


def test_port_on_a_branch(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(repository, tree)
    # Without the check that would take out sources which do not compile: their names are what is looked at.
    shown(capsys, "port", tree, "--branch", "ported", "--author", "a <a@example.org>", "--skip", "verification")
    messages = git(tree, "log", "--format=%B", "ported", "--not", "HEAD")
    assert "EVIL" in messages
    check_text(messages)


def test_verify(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown(capsys, "verify", repository, "--only", "static", "--no-cache")


def test_verify_isolation(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = tmp_path / "after"
    shutil.copytree(repository, after)
    for file in [*after.rglob("*.cu"), *after.rglob("*.py")]:
        file.write_bytes(file.read_bytes().replace(b">= 8", b">= 9 ").replace(b"threadIdx.x % 32", b"threadIdx.x % 64"))
    shown(capsys, "verify", "isolation", repository, after)
    check_markdown(shown(capsys, "verify", "isolation", repository, after, "--markdown", "-"))
    certificate = tmp_path / "certificate"
    run(capsys, "verify", "isolation", repository, after, "--certificate", certificate)
    (after / f"{NAME}.py").write_text("pass\n")
    shown(capsys, "verify", "isolation", "--check", certificate)


def test_verify_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(f"print({ascii(HOSTILE)[:-7]}{name}')\n")
    python = f"{sys.executable} {tmp_path}"
    shown(capsys, "verify", "programs", "--stdout", "text", "--a", f"{python}/a.py", "--b", f"{python}/b.py '{LINE}'")


def test_verify_run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A program's own output goes through; on a terminal, with nothing hidden."""
    (tmp_path / "a.py").write_text(f"print({LINE!a})\n")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    main(["verify", "run", "--no-profiler", "--", sys.executable, str(tmp_path / "a.py")])
    out, err = capfd.readouterr()
    check_text(out)
    assert steering(err.replace("\t", "")) == []
    assert r"EVIL\x1b]0;own" in err


def test_bench_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / f"{NAME}.log"
    log.write_text(f"{LINE}\n{megatron(range(1, 40))}{LINE}\n")
    (tmp_path / f"{NAME}other.log").write_text(LINE)
    shown(capsys, "bench", "logs", tmp_path, "--gpu", HOSTILE, "--model", HOSTILE)
    shown(capsys, "bench", "logs", tmp_path / f"{NAME}other.log")
    shown(capsys, "bench", "compare", log, tmp_path / f"{NAME}other.log")


def test_parity(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / f"{NAME}.toml").write_text(f"[parity]\n'{LINE[:4]}' = 1\n")
    shown(capsys, "parity", repository / NAME, "--all")
    shown(capsys, "parity", repository, "--config", tmp_path / f"{NAME}.toml")
    shown(capsys, "parity", "flow", HOSTILE, repository)
    shown(capsys, "parity", "trend", f"{LINE[:40]}..HEAD", repository)
    (tmp_path / f"{NAME}.md").write_text(f"| kernel | ROCm |\n|---|---|\n| `EVIL` {LINE.replace('|', '')} | done |\n")
    shown(capsys, "parity", "check-doc", tmp_path / f"{NAME}.md", repository)


def test_bridge_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of tensors and of files."""
    scale = {"w.weight": ("F8_E4M3", [1], b"1"), "w.weight_scale": ("F32", [1], floats(1.0))}
    good = write_checkpoint(tmp_path / f"{NAME}.safetensors", scale)
    shown(capsys, "bridge", "convert", good, tmp_path / f"{NAME}out.safetensors", "--to", "fnuz")
    bad = write_checkpoint(tmp_path / "bad.safetensors", {HOSTILE.replace("\udcff", ""): ("F8_E4M3", [1], b"1")})
    shown(capsys, "bridge", "convert", bad, tmp_path / "out.safetensors", "--to", "fnuz")


def test_doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\nprintf '%b\\n' '\\033]0;own\\007 EVIL [red]x[/red]' >&2; exit 3\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", NAME)
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", NAME)
    shown(capsys, "doctor", "--no-torch")


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", f"no{NAME}"],
        ["scan", ".", f"--no{NAME}"],
        ["scan", ".", "--by", NAME],
        ["scan", ".", "--diff", NAME],
        ["scan", ".", "--max-size", NAME],
        ["scan", ".", "--baseline", NAME],
        ["scan", ".", "--json", f"no{NAME}/x/y"],
        ["translate", NAME],
        ["waves", NAME],
        ["port", NAME],
        ["port", ".", "--phase", NAME],
        ["verify", NAME],
        ["verify", ".", "--only", NAME],
        ["verify", "build", ".", "--arch", NAME],
        ["verify", "build", ".", "-I", NAME],
        ["verify", "compare", NAME],
        ["verify", "isolation", NAME],
        ["verify", "isolation", "--check", NAME],
        ["verify", "run", "--", NAME],
        ["verify", "programs", "--a", NAME, "--b", NAME],
        ["parity", NAME],
        ["parity", ".", "--waivers", NAME],
        ["bench", "compare", NAME, NAME],
        ["bench", "compare", "a", "b", "--figure", NAME],
        ["bench", "compare", "a", "b", "--margin", NAME],
        ["bench", "logs", NAME],
        ["bench", "logs", ".", "--dialect", NAME],
        ["bench", "logs", ".", "--price", NAME],
        ["bridge", "convert", NAME, "x", "--to", "fnuz"],
        ["bridge", "convert", ".", NAME, "--to", NAME],
        ["explain", NAME],
        [NAME],
        ["verify", "all", NAME, NAME],
    ],
    ids=lambda arguments: " ".join(arguments).replace(NAME, "NAME"),
)
def test_errors(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown(capsys, *arguments)


@pytest.mark.parametrize("setting", ["target", "fail-on", "evil", "exclude", "max-size"])
def test_settings(setting: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.rewarp]\n{setting} = "EVIL\\u001b]0;own\\u0007\\u202e"\n')
    out, err = run(capsys, "scan", tmp_path)
    check_text(out)
    check_text(err)


# --- every view, with every string of its report hostile ----------------------------------


@pytest.mark.parametrize("is_terminal", [False, True], ids=["plain", "coloured"])
@pytest.mark.parametrize("view", TERMINAL)
def test_terminal_views(view: str, is_terminal: bool) -> None:
    colours = "truecolor" if is_terminal else None
    # Wide: a line that Rich folds may begin with anything.
    console = Console(width=100_000, file=io.StringIO(), force_terminal=is_terminal, color_system=colours)
    TERMINAL[view](console)
    file = console.file
    assert isinstance(file, io.StringIO)
    printed = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue()) if is_terminal else file.getvalue()
    assert printed.count("EVIL") > 1
    assert "[red]" in printed.replace("\n", ""), "markup in a name is text"
    check_text(printed)


@pytest.mark.parametrize("view", [name for name in REPORTS if name.endswith(" Markdown")])
def test_markdown_views(view: str) -> None:
    check_markdown(REPORTS[view]())


@pytest.mark.parametrize("view", [name for name in REPORTS if not name.endswith(" Markdown")])
def test_text_views(view: str) -> None:
    text = REPORTS[view]()
    assert "EVIL" in text
    check_text(text)


def test_pull_request(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_markdown(shown(capsys, "port", repository, "--pr-body", "-", "--no-cache"))


def test_scan_markdown(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_markdown(run(capsys, "scan", repository, "--markdown", "--no-cache")[0].replace("\r\n", "\n"))


@pytest.mark.parametrize(
    "document", [lambda: scan_sarif.document(scan_report()), lambda: parity_sarif.document(parity_result())]
)
def test_sarif(document: Callable[[], dict[str, object]]) -> None:
    messages = re.findall(r'"message": \{"text": ("(?:[^"\\]|\\.)*")', json.dumps(document()))
    assert messages
    for message in map(json.loads, messages):
        assert steering(message) == []
        assert not re.search(r"(?<!\\)\[[^\[\]]*\]\(", message), "no link"
    assert any("EVIL" in message for message in messages)


def test_junit() -> None:
    text = REPORTS["JUnit"]()
    assert len(ElementTree.fromstring(text).findall(".//testcase")) >= 3
