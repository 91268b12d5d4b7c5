"""``rewarp waves``: what it prints, writes and answers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from rewarp.cli import parser
from rewarp.errors import UsageError
from rewarp.waves.support import HEADER, portable_header

SUM = """__device__ float sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}
"""
PORTABLE = """__global__ void votes(const int* in, int* out) {
  unsigned mask = __ballot_sync(0xffffffff, in[threadIdx.x]);
  if (threadIdx.x % C10_WARP_SIZE == 0) atomicAdd(out, __popc(mask));
}
"""


def waves(*arguments: str | Path) -> int:
    given = parser(["waves"]).parse_args(["waves", *map(str, arguments)])
    code: int = given.run(given)
    return code


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository: a helper, a kernel that uses it, and a file that has nothing to do with warps."""
    root = tmp_path / "project"
    (root / "csrc").mkdir(parents=True)
    (root / "csrc" / "sum.cuh").write_text("#pragma once\n" + SUM)
    (root / "csrc" / "kernel.cu").write_text(
        '#include "sum.cuh"\n__global__ void k(float* x) { *x = sum(*x) + __shfl_sync(0xffffffff, *x, 0); }\n'
    )
    (root / "csrc" / "plain.cpp").write_text("int f() { return 32; }\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    return root


def test_lists_hazards_and_writes_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {file: file.read_bytes() for file in tree.rglob("*.c*") if file.is_file()}
    assert waves(tree) == 1
    said = capsys.readouterr().out
    assert "csrc/sum.cuh:3:" in said
    assert "__shfl_down_sync gets a 32-bit mask of lanes [compile error, certain]" in said
    assert "safe: use rewarp_warp32_shfl_down_sync of rewarp_waves.h" in said
    assert "plain.cpp" not in said
    assert before == {file: file.read_bytes() for file in tree.rglob("*.c*") if file.is_file()}
    assert not (tree / "csrc" / HEADER).exists()


def test_fix_then_nothing_is_left(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert waves(tree, "--fix") == 0
    assert (tree / "csrc" / HEADER).read_bytes() == portable_header()
    assert '#include "rewarp_waves.h"' in (tree / "csrc" / "sum.cuh").read_text()
    assert "rewarp_warp32_shfl_sync" in (tree / "csrc" / "kernel.cu").read_text()
    after = (tree / "csrc" / "kernel.cu").read_bytes()
    assert waves(tree) == 0
    assert waves(tree, "--fix", "--force") == 0
    assert (tree / "csrc" / "kernel.cu").read_bytes() == after
    assert "as far as can be told" in capsys.readouterr().out


def test_patch_applies_and_is_the_fix(tree: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert waves(tree, "--diff", "-q") == 0
    patch = capfdbinary.readouterr().out
    subprocess.run(["git", "apply", "-"], cwd=tree, input=patch, check=True)
    by_patch = {file.name: file.read_bytes() for file in (tree / "csrc").iterdir()}
    git(tree, "stash", "-qu")
    assert waves(tree, "--fix", "-q") == 0
    assert by_patch == {file.name: file.read_bytes() for file in (tree / "csrc").iterdir()}


def test_uncommitted_work_is_not_overwritten(tree: Path) -> None:
    file = tree / "csrc" / "kernel.cu"
    file.write_text(file.read_text() + "// work\n")
    with pytest.raises(UsageError, match="not committed"):
        waves(tree, "--fix")
    assert waves(tree, "--fix", "--force", "-q") == 0
    assert file.read_text().endswith("// work\n")


def test_unsafe_fixes_have_to_be_asked_for(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tree / "csrc" / "votes.cu"
    file.write_text(PORTABLE)
    assert waves(tree, "--fix", "--force") == 1
    assert file.read_text() == PORTABLE
    assert "because C10_WARP_SIZE is the hardware's width" in capsys.readouterr().out
    assert waves(tree, "--fix", "--unsafe-fixes", "--force", "-q") == 0
    assert "REWARP_WAVE_BITS(unsigned) mask = rewarp_wave_ballot_sync" in file.read_text()


def test_one_side_of_a_group_is_not_safe(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert waves(tree / "csrc" / "kernel.cu", "--fix", "--force") == 1
    assert "sum.cuh must change with it" in capsys.readouterr().out
    assert "rewarp" not in (tree / "csrc" / "kernel.cu").read_text()
    header = tree / "csrc" / "sum.cuh"
    assert waves(header, "--fix", "--force") == 1
    assert "kernel.cu must change with it" in capsys.readouterr().out
    assert "rewarp" not in header.read_text()


def test_a_header_that_nobody_else_includes_with_warps_of_its_own_is_safe(tree: Path) -> None:
    header = tree / "csrc" / "sum.cuh"
    (tree / "csrc" / "kernel.cu").unlink()
    git(tree, "commit", "-qam", "less")
    assert waves(header, "--fix", "-q") == 0
    assert "rewarp_warp32" in header.read_text()


def test_report_as_json(tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    assert waves(tree, "--json", file, "-q") == 1
    report = json.loads(file.read_text())
    assert report["schema"] == "rewarp.waves/1"
    assert report["summary"]["files"] == 3
    assert report["summary"]["left"] == 0
    assert report["summary"]["hazards"] == sum(len(item["hazards"]) for item in report["files"])
    first = next(item for item in report["files"] if item["path"] == "csrc/sum.cuh")["hazards"][0]
    assert (first["line"], first["kind"], first["fix"]["safety"]) == (3, "loop", "safe")
    assert first["function"] == "sum"


def test_header_on_request(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert waves("--header") == 0
    assert capfdbinary.readouterr().out == portable_header()


def test_existing_header_is_used_where_it_lies(tree: Path) -> None:
    (tree / "include").mkdir()
    (tree / "include" / HEADER).write_bytes(portable_header())
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "header")
    assert waves(tree, "--fix", "-q") == 0
    assert '#include "../include/rewarp_waves.h"' in (tree / "csrc" / "sum.cuh").read_text()
    assert not (tree / "csrc" / HEADER).exists()


def test_another_file_of_the_headers_name_stops_it(tree: Path) -> None:
    (tree / HEADER).write_text("int mine;\n")
    with pytest.raises(UsageError, match="is another file"):
        waves(tree, "--fix", "--force")
    assert (tree / HEADER).read_text() == "int mine;\n"


def test_bad_input_has_a_clear_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="give a file or a folder"):
        waves()
    with pytest.raises(UsageError, match="does not exist"):
        waves(tmp_path / "nowhere")
    (tmp_path / "a.txt").write_text("32")
    with pytest.raises(UsageError, match="not a C\\+\\+ or CUDA file"):
        waves(tmp_path / "a.txt")
    with pytest.raises(UsageError, match="cannot both go to standard output"):
        waves(tmp_path, "--diff", "--json")
    (tmp_path / "binary.cu").write_bytes(b"\0\1\2warp")
    (tmp_path / "good.cu").write_text(SUM)
    assert waves(tmp_path / "binary.cu") == 2
    (tmp_path / "empty.cu").write_bytes(b"")
    assert waves(tmp_path / "empty.cu") == 0
    with pytest.raises(UsageError, match="not a git repository"):
        waves(tmp_path / "good.cu", "--fix")
    assert "not looked at: binary file" in capsys.readouterr().out
