"""``rewarp translate``, run as a person runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

import rewarp as package
from rewarp.errors import BinarySource, UsageError

KERNEL = '#include "util.cuh"\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n'
HEADER = "#pragma once\n#include <cuda_runtime.h>\ninline cudaStream_t stream() { return nullptr; }\n"
UNSUPPORTED = "int f() { return nvmlInit(); }\n"
UNKNOWN = "int f() { return cudaFrobnicateThings(); }\n"
SUPPLIED = "__global__ void k(unsigned* x) { x[0] = __vadd2(x[1], x[2]); }\n"
SCHEMA = json.loads((files("rewarp.report") / "schemas" / "translate-1.json").read_text())


def rewarp(
    *arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", by_itself: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """Without the compiler, unless a test is about it: it takes seconds."""
    if "--compile" not in arguments and not by_itself:
        arguments = (*arguments, "--no-compile")
    command = [sys.executable, "-m", "rewarp", "translate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, cwd=cwd, input=stdin, timeout=300)


def git(folder: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    name = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false"]
    return subprocess.run(["git", *name, *arguments], cwd=folder, input=stdin, capture_output=True, check=True).stdout


def contents(folder: Path) -> dict[str, bytes]:
    found = (file for file in folder.rglob("*") if file.is_file() and ".git" not in file.parts)
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in found}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.cu").write_text(KERNEL)
    (folder / "src" / "util.cuh").write_text(HEADER)
    (folder / "src" / "plain.h").write_text("int plain();\n")
    (folder / "data.txt").write_text("cudaMalloc stays here\n")
    return folder


# --- the ways ---------------------------------------------------------------------------------


def test_a_file_goes_to_standard_output_and_the_summary_does_not(project: Path) -> None:
    before = contents(project)
    done = rewarp(project / "src" / "main.cu")
    assert done.returncode == 0
    assert b"hipDeviceSynchronize" in done.stdout
    assert b"mapped" not in done.stdout
    assert b"mapped" in done.stderr
    assert rewarp(project / "src" / "main.cu", "-q").stderr == b""
    assert contents(project) == before


def test_standard_input(tmp_path: Path) -> None:
    done = rewarp("-", stdin=b"cudaFree(p);\r\n")
    assert done.returncode == 0
    assert done.stdout.endswith(b"hipFree(p);\r\n")
    assert rewarp("-", "-o", tmp_path / "x.hip", stdin=b"cudaFree(p);").stdout == b""
    assert b"hipFree(p);" in (tmp_path / "x.hip").read_bytes()
    assert rewarp("-", stdin=b"").stdout == b""
    assert rewarp("-", "--check", stdin=b"cudaFree(p);").returncode == 1
    assert rewarp("-", "--check", stdin=b"int x;").returncode == 0
    assert b"+hipFree(p);" in rewarp("-", "--diff", stdin=b"cudaFree(p);\n").stdout


def test_a_file_to_a_file_or_a_folder(project: Path, tmp_path: Path) -> None:
    source = project / "src" / "main.cu"
    assert rewarp(source, "-o", tmp_path / "new.cpp").returncode == 0
    (tmp_path / "there").mkdir()
    assert rewarp(source, "-o", tmp_path / "there").returncode == 0
    assert (tmp_path / "there" / "main.hip").read_bytes() == (tmp_path / "new.cpp").read_bytes()


def test_a_mirror_tree(project: Path, tmp_path: Path) -> None:
    before, out = contents(project), tmp_path / "out"
    os.chmod(project / "data.txt", 0o754)
    assert rewarp(project, "-o", out).returncode == 0
    assert contents(project) == before
    assert set(contents(out)) == {"src/main.hip", "src/util.cuh", "src/plain.h", "data.txt"}
    assert b"hipStream_t" in (out / "src" / "util.cuh").read_bytes()
    assert (out / "data.txt").read_bytes() == before["data.txt"]
    assert os.stat(out / "data.txt").st_mode & 0o777 == 0o754
    dates = {file: os.stat(out / file).st_mtime_ns for file in contents(out)}
    assert rewarp(project, "-o", out).returncode == 0
    assert {file: os.stat(out / file).st_mtime_ns for file in contents(out)} == dates, "the same files keep their dates"


def test_a_mirror_inside_the_tree_is_not_translated_again(project: Path) -> None:
    for _ in range(2):
        assert rewarp(project, "-o", project / "build" / "hip").returncode == 0
    assert not list(project.rglob("build/hip/build"))


def test_suffix_renames_and_rewires(project: Path, tmp_path: Path) -> None:
    (project / "src" / "all.cu").write_text('#include "main.cu"\n')
    assert rewarp(project, "-o", tmp_path / "out", "--suffix", ".hip.cpp").returncode == 0
    assert b'#include "main.hip.cpp"' in (tmp_path / "out" / "src" / "all.hip.cpp").read_bytes()
    (project / "src" / "main.cpp").write_text("int other;\n")
    done = rewarp(project, "-o", tmp_path / "two", "--suffix", ".cpp")
    assert done.returncode == 2
    assert b"would both become" in done.stderr
    assert not (tmp_path / "two").exists()


def test_beside_writes_only_what_changes_and_rewires_what_includes_it(project: Path) -> None:
    (project / "src" / "host.cpp").write_text('#include "api.h"\n')
    (project / "src" / "api.h").write_text('#include "util.cuh"\n')
    before = contents(project)
    assert rewarp(project, "--beside").returncode == 0
    after = contents(project)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"src/main.hip", "src/util_hip.cuh", "src/api_hip.h", "src/host_hip.cpp"}
    assert b'"util_hip.cuh"' in after["src/main.hip"]
    assert b'"util_hip.cuh"' in after["src/api_hip.h"]
    assert b'"api_hip.h"' in after["src/host_hip.cpp"]
    assert rewarp(project, "--beside").returncode == 0
    assert contents(project) == after, "running twice changes nothing"


def test_beside_does_not_replace_a_stranger(project: Path) -> None:
    (project / "src" / "main.hip").write_text("mine\n")
    done = rewarp(project, "--beside")
    assert done.returncode == 2
    assert (project / "src" / "main.hip").read_text() == "mine\n"
    assert not (project / "src" / "util_hip.cuh").exists(), "all or nothing"
    assert rewarp(project, "--beside", "--force").returncode == 0
    assert "hipDevice" in (project / "src" / "main.hip").read_text()


def test_in_place_wants_a_way_back(project: Path) -> None:
    before = contents(project)
    assert rewarp(project, "--in-place").returncode == 2, "no repository"
    git(project, "init", "-q")
    assert rewarp(project, "--in-place").returncode == 2, "no commit"
    git(project, "add", ".")
    git(project, "commit", "-qm", "x")
    (project / "data.txt").write_text("edited\n")
    assert rewarp(project, "--in-place").returncode == 2, "uncommitted work"
    git(project, "checkout", "data.txt")
    (project / "new.cu").write_text(KERNEL)
    assert rewarp(project, "--in-place").returncode == 2, "a file that git does not know"
    (project / "new.cu").unlink()
    assert contents(project) == before
    assert rewarp(project, "--in-place").returncode == 0
    after = contents(project)
    assert {name for name in after if after[name] != before[name]} == {"src/main.cu", "src/util.cuh"}
    git(project, "commit", "-qam", "hip")
    assert rewarp(project, "--in-place").returncode == 0
    assert contents(project) == after


def test_in_place_does_not_write_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.cu").write_text(KERNEL)
    (tmp_path / "link.cu").symlink_to("real.cu")
    assert rewarp(tmp_path / "link.cu", "--in-place", "--force").returncode == 2
    assert (tmp_path / "link.cu").is_symlink()
    assert (tmp_path / "real.cu").read_text() == KERNEL


def test_the_support_header_comes_along(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "k.cu").write_text(SUPPLIED)
    header = rewarp("--support-header").stdout
    assert rewarp(folder, "-o", tmp_path / "out").returncode == 0
    assert len((tmp_path / "out" / "rewarp_hip.h").read_bytes()) < len(header) / 10
    assert rewarp(folder, "-o", tmp_path / "whole", "--support", "full").returncode == 0
    assert (tmp_path / "whole" / "rewarp_hip.h").read_bytes() == header
    assert b'#include "../rewarp_hip.h"' in (tmp_path / "out" / "deep" / "k.hip").read_bytes()
    done = rewarp(folder / "deep" / "k.cu")
    assert b'#include "rewarp_hip.h"' in done.stdout
    assert b"--support-header" in done.stderr


# --- the views --------------------------------------------------------------------------------


def test_diff_is_what_in_place_does(project: Path) -> None:
    (project / "src" / "latin.cu").write_bytes(b"// caf\xe9\ncudaFree(p); // \xff")
    (project / "src" / "crlf.cu").write_bytes(b"\xef\xbb\xbfint a;\r\ncudaFree(p);\r\n\r\ncudaFree(q);\r\n")
    (project / "src" / "wide.cu").write_bytes("\ufeffint a;\ncudaFree(p);\n\u4e2d\n".encode("utf-16-le"))
    (project / "src" / "with blank.cu").write_text("cudaFree(p);\n")
    (project / "src" / "k.cu").write_text(SUPPLIED)
    before = contents(project)
    patch = rewarp(project, "--diff").stdout
    assert contents(project) == before, "nothing is written"
    assert rewarp(project, "--in-place", "--force").returncode == 0
    after = contents(project)
    for name in set(after) - set(before):
        (project / name).unlink()
    for name, data in before.items():
        (project / name).write_bytes(data)
    git(project, "init", "-q")
    git(project, "apply", "--whitespace=nowarn", "-", stdin=patch)
    assert contents(project) == after


def test_check_writes_nothing_and_says_what_would_change(project: Path, tmp_path: Path) -> None:
    before = contents(tmp_path)
    for way in ([], ["--in-place"], ["--beside"], ["-o", tmp_path / "out"], ["--shim", tmp_path / "shim"]):
        done = rewarp(project, "--check", *way)
        assert done.returncode == 1, way
        assert b"would change" in done.stderr
        assert contents(tmp_path) == before
    rewarp(project, "-o", tmp_path / "out")
    assert rewarp(project, "--check", "-o", tmp_path / "out").returncode == 0, "the mirror is up to date"
    assert rewarp(tmp_path / "out", "--check").returncode == 0, "HIP needs no translation"


def test_json_follows_its_schema(project: Path, tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    (project / "bad.cu").write_text(UNKNOWN + UNSUPPORTED)
    (project / "binary.cu").write_bytes(b"\0\1\2")
    (project / "link.cu").symlink_to("bad.cu")
    data = json.loads(rewarp(project, "--json").stdout)
    jsonschema.validate(data, SCHEMA)
    status = {file["path"]: file["status"] for file in data["files"]}
    assert status == {
        "bad.cu": "unchanged",
        "binary.cu": "failed",
        "link.cu": "skipped",
        "src/main.cu": "changed",
        "src/plain.h": "unchanged",
        "src/util.cuh": "changed",
    }
    assert data["names"]["renamed"]["cudaStream_t"] == "hipStream_t"
    assert data["names"]["unknown"] == ["cudaFrobnicateThings"]
    assert data["names"]["unsupported"] == ["nvmlInit"]
    assert not data["complete"]
    assert data["totals"]["left"] == 2
    rewarp(project, "-o", tmp_path / "out", "--json", tmp_path / "r.json")
    written = json.loads((tmp_path / "r.json").read_text())
    jsonschema.validate(written, SCHEMA)
    assert str(tmp_path / "out" / "src" / "main.hip") in written["written"]
    jsonschema.validate(json.loads(rewarp("-", "--json", stdin=b"cudaFree(p);").stdout), SCHEMA)


def test_the_summary_groups_findings_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(UNKNOWN * 2)
    (tmp_path / "b.cu").write_text(UNKNOWN)
    text = rewarp(tmp_path, "--check").stderr.decode()
    assert text.count("cudaFrobnicateThings") == 1
    assert "a.cu:1, a.cu:2, b.cu:1" in text


# --- exit codes and errors ----------------------------------------------------------------------


def test_exit_code_0_only_when_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text(UNSUPPORTED + UNKNOWN)
    out = ("-o", tmp_path / "out" / "x.hip")
    assert rewarp(tmp_path / "x.cu", *out).returncode == 1
    assert (tmp_path / "out" / "x.hip").exists(), "what could be done is done"
    assert rewarp(tmp_path / "x.cu", *out, "--allow", "unknown").returncode == 1
    assert rewarp(tmp_path / "x.cu", *out, "--allow", "unknown", "--allow", "nvmlInit").returncode == 0
    assert rewarp(tmp_path / "x.cu", *out, "--allow", "unknown", "--allow", "unsupported").returncode == 0
    assert rewarp(tmp_path / "x.cu", *out, "--allow", "all").returncode == 0
    assert rewarp(tmp_path / "x.cu", *out, "--allow", "nvml").returncode == 1


def test_one_unreadable_file_does_not_stop_the_others(project: Path, tmp_path: Path) -> None:
    (project / "binary.cu").write_bytes(b"\x7fELF\0\0\0")
    done = rewarp(project, "-o", tmp_path / "out", "-q")
    assert done.returncode == 2
    assert b"binary.cu" in done.stderr
    assert b"hipDevice" in (tmp_path / "out" / "src" / "main.hip").read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("no/such/path",),
        (".",),
        ("data.txt",),
        ("-", "--in-place"),
        ("-", "--beside"),
        (".", "-o", "."),
        ("src/main.cu", "-o", "src/main.cu"),
        (".", "-o", "out", "--in-place"),
        (".", "--diff", "--json"),
        (".", "--diff", "--shim", "s"),
        (".", "--json", "src/main.cu"),
        (".", "-o", "data.txt"),
        ("src/main.cu", "-o", "data.txt/x"),
        (".", "--suffix", ".exe"),
        ("--json",),
    ],
)
def test_errors_are_one_clear_line_and_exit_2(project: Path, arguments: tuple[str, ...]) -> None:
    before = contents(project)
    done = rewarp(*arguments, cwd=project)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert done.stderr.strip()
    assert contents(project) == before


def test_an_option_does_not_swallow_the_path(project: Path) -> None:
    assert json.loads(rewarp("--json", project).stdout)["root"] == str(project)


@pytest.mark.usefixtures("rights_count")
def test_a_read_only_target_loses_nothing(project: Path) -> None:
    before = contents(project)
    os.chmod(project / "src", 0o555)
    try:
        assert rewarp(project, "--in-place", "--force").returncode == 2
    finally:
        os.chmod(project / "src", 0o755)
    assert contents(project) == before


def test_exclude_and_launch(project: Path, tmp_path: Path) -> None:
    rewarp(project, "-o", tmp_path / "out", "--exclude", "*.cuh", "--launch", "ggl")
    assert not (tmp_path / "out" / "src" / "util.cuh").exists()
    assert "hipLaunchKernelGGL" in (tmp_path / "out" / "src" / "main.hip").read_text()


def test_an_empty_folder_and_a_loop_of_links(tmp_path: Path) -> None:
    assert rewarp(tmp_path, "--check").returncode == 0
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "a.cu").symlink_to("b.cu")
    (tmp_path / "b.cu").symlink_to("a.cu")
    done = rewarp(tmp_path, "--check")
    assert done.returncode == 0
    assert b"symbolic link" in done.stderr


# --- from Python ----------------------------------------------------------------------------------


def test_the_function() -> None:
    done = package.translate("cudaFree(p);\nnvmlInit();\n", path="x.h")
    assert done.text == "hipFree(p);\nnvmlInit();\n"
    assert [(edit.span, edit.text) for edit in done.edits] == [((0, 8), b"hipFree")]
    assert [finding.line for finding in done.findings] == [2]
    assert (done.counts.mapped, done.counts.unsupported) == (1, 1)
    assert package.translate("k<<<1, 2>>>(x);", launch="ggl").text.endswith(
        "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, x);"
    )
    assert package.translate("\ufeffcudaFree(é);", path="x.h").text == "\ufeffhipFree(é);"
    assert package.translate(b"cudaFree(\xe9);", path="x.h").data == b"hipFree(\xe9);"


def test_the_function_refuses_what_it_cannot_do() -> None:
    with pytest.raises(BinarySource):
        package.translate(b"\0\0")
    with pytest.raises(UsageError):
        package.translate("x", launch="cuda")
    with pytest.raises(UsageError):
        package.translate("\udce9")


# --- the compiler's word ------------------------------------------------------------------------


def test_what_the_compiler_refuses_is_a_finding_in_the_source(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.cu").write_text(
        '#include "b.cuh"\n' + SUPPLIED + "__global__ void l(int* x) {\n  x[0] = nobody_declares(x[1]);\n}\n"
    )
    (folder / "b.cuh").write_text("template <class T> __device__ T f(T x) { return x; }\n")
    (folder / "c.cu").write_text('#include "b.cuh"\n__global__ void m(float* x) { x[0] = f(x[1]); }\n')
    report = tmp_path / "report.json"
    done = rewarp(folder, "-o", tmp_path / "out", "--compile", "--json", report)
    assert done.returncode == 1
    found = json.loads(report.read_text())
    jsonschema.validate(found, SCHEMA)
    refused = [(file["path"], one) for file in found["files"] for one in file["findings"]]
    assert [(path, one["kind"], one["line"]) for path, one in refused] == [("a.cu", "refused", 4)]
    assert "undeclared identifier 'nobody_declares'" in refused[0][1]["message"]
    assert {name: found["compiled"][name] for name in ("arch", "passed", "refused", "not_checked")} == {
        "arch": "gfx942", "passed": 1, "refused": 1, "not_checked": 0}  # fmt: skip
    assert b"refused by HIP's compiler" in done.stderr
    assert rewarp(folder, "--check", "--allow", "refused", "--compile", "-q").returncode == 1  # it would change
    assert rewarp(folder, "-o", tmp_path / "out", "--allow", "refused", "--compile", "-q").returncode == 0
    assert rewarp(folder, "-o", tmp_path / "out", "-q").returncode == 0, "the compiler was left out"


def test_what_is_written_is_compiled_without_being_asked(tmp_path: Path) -> None:
    source = tmp_path / "x.cu"
    source.write_text("__global__ void k(int* x) {\n  x[0] = nobody_declares(x[1]);\n}\n")
    for way in (["-o", tmp_path / "x.hip"], ["--check"]):
        done = rewarp(source, *way, by_itself=True)
        assert done.returncode == 1
        assert b"use of undeclared identifier 'nobody_declares'" in done.stderr
        assert b"at x.cu:2\n" in done.stderr
    assert (tmp_path / "x.hip").is_file()
    look = rewarp(source, by_itself=True)
    assert (look.returncode, b"not compiled: nothing is written here" in look.stderr) == (0, True)
    assert b"not compiled: --no-compile" in rewarp(source, "-o", tmp_path / "y.hip").stderr


def test_without_a_compiler_the_summary_says_so(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_TOOLCHAIN", str(tmp_path))
    done = rewarp(project, "-o", tmp_path / "out", by_itself=True)
    assert done.returncode == 0
    assert b"not compiled: " in done.stderr
    assert b"which does not hold ziglang" in done.stderr


def test_what_nobody_asked_for_and_could_not_be_compiled_ends_with_0(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text('#include "elsewhere.h"\n__global__ void k() {}\n')
    done = rewarp(tmp_path / "x.cu", "-o", tmp_path / "x.hip", by_itself=True)
    assert done.returncode == 0
    assert b"0 units pass, 0 are refused, 1 not checked" in done.stderr
    assert b"needs elsewhere.h" in done.stderr


def test_device_code_of_another_file_is_not_refused(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.cu").write_text("__device__ int far(int);\n__global__ void k(int* x) { x[0] = far(x[1]); }\n")
    (folder / "b.cu").write_text("__device__ int far(int x) { return x; }\n")
    done = rewarp(folder, "-o", tmp_path / "out", by_itself=True)
    assert done.returncode == 0
    assert b"1 units pass, 0 are refused, 1 not checked" in done.stderr
    assert b"it would need -fgpu-rdc" in done.stderr


def test_many_sources_are_not_compiled_unasked(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(301):
        (tmp_path / "in" / f"{number}.cu").write_text("__global__ void k() {}\n")
    done = rewarp(tmp_path / "in", "-o", tmp_path / "out", by_itself=True)
    assert done.returncode == 0
    assert b"not compiled: 301 sources take long: --compile" in done.stderr


def test_what_the_compiler_could_not_look_at_is_not_checked(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text('#include "elsewhere.h"\n__global__ void k() {}\n')
    done = rewarp(tmp_path / "x.cu", "-o", tmp_path / "x.hip", "--compile")
    assert done.returncode == 3
    assert b"0 units pass, 0 are refused, 1 not checked" in done.stderr
    assert b"needs elsewhere.h" in done.stderr
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "elsewhere.h").write_text("struct Elsewhere {};\n")
    assert rewarp(tmp_path / "x.cu", "-o", tmp_path / "x.hip", "--compile", "-I", tmp_path / "more").returncode == 0


@pytest.mark.parametrize("arguments", [["-", "--compile"], ["x.cu", "--shim", "s", "--compile"], ["x.cu", "-I", "y"]])
def test_the_compiler_is_asked_about_translations_alone(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text(KERNEL)
    assert rewarp(*arguments, cwd=tmp_path).returncode == 2


def test_one_file_does_not_wait_for_what_scans_folders(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text(KERNEL)
    code = "import sys; from rewarp.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", code, "translate", str(tmp_path / "x.cu")]
    loaded = subprocess.run(command, capture_output=True, text=True).stderr.split()
    assert "rewarp.translation.translator" in loaded
    assert not {"rewarp.runner", "rewarp.engine", "rich", "packaging", "hashlib", "json"} & set(loaded)
