"""Headers of a newer HIP over those of a compiler that is here, and what two versions say of one unit."""

from __future__ import annotations

import zipfile
from base64 import urlsafe_b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from rewarp import toolchain as toolchains
from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.toolchain import Toolchain
from rewarp.toolchain.newer import NEWER_VARIABLE, with_newer_headers
from rewarp.verify.build import verify_build
from rewarp.verify.build.store import Refusal, Result
from rewarp.verify.build.versions import settled, too_new
from rewarp.verify.checks import Check, Level, Outcome

VERSION = "#define HIP_VERSION_MAJOR {}\n#define HIP_VERSION_MINOR {}\n"
OF_TRITON = "triton/backends/amd/include"


def put(include: Path, version: tuple[int, int], *names: str) -> Path:
    for name in ("hip_runtime.h", *names):
        (include / "hip" / name).parent.mkdir(parents=True, exist_ok=True)
        (include / "hip" / name).write_text("")
    (include / "hip/hip_version.h").write_text(VERSION.format(*version))
    return include


@pytest.fixture
def older(tmp_path: Path) -> Toolchain:
    include = put(tmp_path / "old", (6, 2), "hip_fp16.h", "hip_fp8.h")
    return Toolchain("wheels", ("clang",), None, (include, tmp_path / "more"), None, "6.2")


def over(older: Toolchain, place: Path) -> Toolchain | None:
    return with_newer_headers(older, {NEWER_VARIABLE: str(place)})


@pytest.mark.parametrize("inside", ["", "include", "backends/amd/include", OF_TRITON])
def test_newer_headers_go_first_and_the_older_fill_in(inside: str, older: Toolchain, tmp_path: Path) -> None:
    include = put(tmp_path / "new" / inside, (7, 1), "hip_fp16.h")
    found = over(older, tmp_path / "new")
    assert found is not None
    assert found.includes == (include, *older.includes)
    assert (found.hip_version, found.filled_from, found.filled) == ("7.1", "6.2", ("hip/hip_fp8.h",))
    assert found.clang == older.clang


def test_whole_headers_need_no_filling(older: Toolchain, tmp_path: Path) -> None:
    put(tmp_path / "new", (7, 0), "hip_fp16.h", "hip_fp8.h")
    found = over(older, tmp_path / "new")
    assert found is not None
    assert (found.filled_from, found.filled) == (None, ())


def test_a_wheel(older: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    members = {f"{OF_TRITON}/hip/hip_version.h": VERSION.format(7, 1), f"{OF_TRITON}/hip/hip_runtime.h": ""}
    wheel = tmp_path / "wheels/triton-3.9.0-cp311-cp311-linux.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        rows = []
        for name, text in members.items():
            archive.writestr(name, text)
            rows.append(f"{name},sha256={urlsafe_b64encode(sha256(text.encode()).digest()).decode().rstrip('=')},1")
        archive.writestr("triton-3.9.0.dist-info/RECORD", "\n".join(rows))
    for place in (wheel, wheel.parent):
        found = over(older, place)
        assert found is not None
        assert found.hip_version == "7.1"
        assert (found.includes[0] / "hip/hip_runtime.h").is_file()


def test_what_is_not_newer_changes_nothing(older: Toolchain, tmp_path: Path) -> None:
    put(tmp_path / "new", (6, 2))
    assert over(older, tmp_path / "new") is None
    assert with_newer_headers(older, {}) is None


def test_a_folder_without_hip_is_a_mistake(older: Toolchain, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no headers of HIP"):
        over(older, tmp_path)


def failing(*messages: str) -> Result:
    refusals = tuple(Refusal("a.hip", 1, message) for message in messages)
    return Result(Outcome.FAILED, messages[0], refusals=refusals)


@pytest.mark.parametrize(
    ("messages", "since"),
    [
        (["use of undeclared identifier '__shfl_down_sync'; did you mean '__shfl_down'?"], "7.0"),
        (["use of undeclared identifier '__reduce_add_sync'"], "7.0"),
        (["unknown type name '__hip_fp8x2_e5m2'"], "6.3"),
        (["unknown type name '__hip_fp8_e4m3_fnuz'"], None),
        (["use of undeclared identifier '__shfl_sideways_sync'"], None),
        (["unknown type name '__hip_fp8_e4m3'", "expected ';'"], None),
    ],
)
def test_names_that_are_too_new(messages: list[str], since: str | None, older: Toolchain) -> None:
    said = too_new(failing(*messages), messages[0], older)
    assert (said is not None) is (since is not None)
    assert since is None or f"since HIP {since}, and the headers here are those of HIP 6.2" in str(said)


def test_mixed_headers_are_as_old_as_the_older(older: Toolchain) -> None:
    message = "unknown type name '__hip_fp8_e4m3'"
    mixed = replace(older, hip_version="7.1", filled_from="6.2")
    assert "those of HIP 6.2" in str(too_new(failing(message), message, mixed))
    assert too_new(failing(message), message, replace(mixed, filled_from=None)) is None


def check(outcome: Outcome, why: str = "") -> Check:
    return Check(Level.BUILD, "a.hip for gfx942", outcome, why or ("" if outcome is Outcome.PASSED else "no"))


def test_the_newer_settle_what_the_older_lack_and_nothing_else(older: Toolchain) -> None:
    newer = replace(older, hip_version="7.1")
    lacking = check(Outcome.NOT_CHECKED, "x is there since HIP 7.0, and the headers here are those of HIP 6.2")
    assert settled(lacking, check(Outcome.PASSED), newer).outcome is Outcome.PASSED
    assert "with those of 7.1 it compiles" in settled(lacking, check(Outcome.PASSED), newer).why
    for one, other in (
        (lacking, check(Outcome.FAILED)),
        (check(Outcome.FAILED, "since HIP"), check(Outcome.PASSED)),
        (check(Outcome.NOT_CHECKED, "needs a.h"), check(Outcome.PASSED)),
    ):
        assert settled(one, other, newer) is one


# --- with a compiler ----------------------------------------------------------------------------

SHUFFLE = """#include <hip/hip_runtime.h>
__global__ void k(float *x) { x[0] = __shfl_down_sync(0xffffffffffffffffull, x[1], 1); }
"""
SIZED = """#include <hip/hip_runtime.h>
__global__ void k(float *x) { __shared__ float part[warpSize]; part[threadIdx.x] = *x; *x = part[0]; }
"""


@pytest.fixture
def hip7(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As much of HIP 7 as these sources need, over whatever HIP 6 is here: the shuffle, and a warpSize that is no constant."""
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    base = toolchains.find()
    include = put(tmp_path / "hip7", (7, 1))
    (include / "hip/hip_runtime.h").write_text(
        f'#include "{base.includes[0]}/hip/hip_runtime.h"\n'
        "template <class T> __device__ T __shfl_down_sync(unsigned long long, T value, int by) { return __shfl_down(value, by); }\n"
        "#define warpSize int(__builtin_amdgcn_wavefrontsize())\n"
    )
    monkeypatch.setenv(NEWER_VARIABLE, str(tmp_path / "hip7"))
    return tmp_path


def test_both_versions_are_compiled_with_and_named(hip7: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = hip7 / "project"
    folder.mkdir()
    (folder / "a.hip").write_text(SHUFFLE)
    (folder / "b.hip").write_text(SIZED)
    found = verify_build(folder, arches=["gfx942"], jobs=1)
    outcomes = {check.what: check.outcome for check in found.checks}
    assert outcomes == {
        "a.hip for gfx942": Outcome.PASSED,
        "a.hip for gfx942 with HIP 7.1": Outcome.PASSED,
        "b.hip for gfx942": Outcome.PASSED,
        "b.hip for gfx942 with HIP 7.1": Outcome.FAILED,
    }
    assert [one["hip"] for one in found.provenance["compilers"]] == [toolchains.find().hip_version, "7.1"]
    assert [row["arches"]["gfx942"]["outcome"] for row in found.details["units"]] == ["passed", "passed"]
    assert {row["unit"] for row in found.details["kernels"]} == {"a.hip", "b.hip"}
    assert main(["verify", "build", str(folder), "--arch", "gfx942", "--jobs", "1"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "HIP 7.1 (" in said
    assert "of its headers are" in said


def test_without_newer_headers_it_stays_unchecked(hip7: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NEWER_VARIABLE)
    (hip7 / "a.hip").write_text(SHUFFLE)
    (only,) = verify_build(hip7 / "a.hip", arches=["gfx942"], jobs=1).checks
    assert only.outcome is Outcome.NOT_CHECKED
    assert "__shfl_down_sync is there since HIP 7.0" in only.why
