"""The build level: outcomes, the store, launches held against the hardware, the command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from rewarp import toolchain as toolchains
from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.toolchain import Compiled, Diagnostic, KernelResources, Toolchain, wave_size
from rewarp.toolchain.diagnostics import Severity
from rewarp.verify.build import level, verify_build
from rewarp.verify.checks import Evidence, Outcome

KERNEL = "#include <hip/hip_runtime.h>\n__global__ void k(float *x) {}\n"


@dataclass(frozen=True)
class Scripted(Toolchain):
    """A compiler that does as the source says, and remembers what it was asked."""

    asked: list[tuple[str, str]] = field(default_factory=list, hash=False)
    kernel: KernelResources | None = None

    @property
    def identity(self) -> str:  # type: ignore[override]
        return "scripted"

    def describe(self) -> dict[str, Any]:
        return {"kind": self.kind, "clang": " ".join(self.clang), "hip": None}

    def compile_device(  # type: ignore[override]
        self, source: Path, arch: str, *, options: Sequence[str] = (), timeout: float = 1, **_: Any
    ) -> Compiled:
        self.asked.append((source.name, arch))
        text = source.read_text()
        read = [source, *(source.parent / name for name in re.findall(r'#include "(.+?)"', text))]
        words = [*options]
        listing = Path(words[words.index("-dependency-file") + 2])
        said = re.search(r"SAYS (.+)", text) or next(
            (m for m in (re.search("SAYS (.+)", f.read_text()) for f in read if f.exists()) if m), None
        )
        if said:
            fatal = said[1].startswith("the compiler")
            where = re.search(r"AT (\S+) SAYS", text)
            place = (None, None, None) if fatal else (where[1] if where else str(source), 3, 1)
            return Compiled(False, (Diagnostic(*place, Severity.ERROR, said[1]),), (), 0.1)
        listing.write_text("unit: " + " \\\n  ".join(str(file).replace(" ", "\\ ") for file in read) + "\n")
        undefined = tuple(re.findall(r"UNDEFINED (\w+)", text))
        kernel = self.kernel or _kernel(arch)
        return Compiled(True, (), (kernel.symbol,), 0.1, () if undefined else (kernel,), undefined)


def _kernel(arch: str, **figures: int) -> KernelResources:
    plain = KernelResources("_Z1kPf", "k(float*)", 10, None, 20, 0, 0, 0, 0, 1024, wave_size(arch), False, 8)
    return replace(plain, **figures)


@pytest.fixture
def compiler(tmp_path: Path) -> Scripted:
    (tmp_path / "sdk").mkdir()
    return Scripted("wheels", ("clang",), None, (tmp_path / "sdk",), None, None)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "a tree"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path / "cache"))


def verified(tree: Path, compiler: Toolchain, *arches: str, **how: Any) -> Evidence:
    wanted = arches or ("gfx942",)
    return verify_build(tree, arches=wanted, compilers=dict.fromkeys(wanted, compiler), jobs=2, **how)


def outcomes(evidence: Evidence) -> dict[str, tuple[Outcome, str]]:
    return {check.what: (check.outcome, check.why) for check in evidence.checks}


def age(*files: Path) -> None:
    """Files of a real project were not written while the compiler read them."""
    for file in files:
        os.utime(file, (1_000_000_000, 1_000_000_000))


# --- outcomes -------------------------------------------------------------------------------


def test_places_in_translations_are_those_of_the_sources(tree: Path, compiler: Scripted) -> None:
    # One line comes in before all others: the third line of the translation is the second of the source.
    (tree / "a.cu").write_text(
        "#define N 1\n\n__global__ void k(unsigned* x) { x[0] = __vadd2(x[1], x[2]); }\n// SAYS no\n"
    )
    found = verified(tree, compiler).checks[0]
    assert (found.outcome, found.path, found.line) == (Outcome.FAILED, "a.cu", 2)
    assert found.evidence["errors"] == [{"path": "a.cu", "line": 2, "message": "no"}]


@pytest.mark.parametrize(
    ("said", "outcome", "why"),
    [
        ("use of undeclared identifier 'x'", Outcome.FAILED, "use of undeclared identifier 'x'"),
        ("local memory (80000) exceeds limit (65536) in 'k(float*)'", Outcome.FAILED, "local memory (80000)"),
        (
            "'torch/extension.h' file not found",
            Outcome.NOT_CHECKED,
            "needs torch/extension.h, which comes with PyTorch",
        ),
        ("'own/thing.h' file not found", Outcome.NOT_CHECKED, "needs own/thing.h, which is not here: give its folder"),
        (
            "'hipcub/hipcub.hpp' file not found",
            Outcome.NOT_CHECKED,
            "needs hipcub/hipcub.hpp: hipCUB's headers are not here",
        ),
        ("'NvInfer.h' file not found", Outcome.NOT_CHECKED, "AMD has no twin"),
        ("invalid target ID 'gfx942'; format is a name", Outcome.NOT_CHECKED, "no compiler here knows gfx942"),
        ("the compiler crashed: SIGSEGV", Outcome.NOT_CHECKED, "crashed"),
        ("the compiler gave no answer in 5 s", Outcome.NOT_CHECKED, "no answer in 5 s"),
        ("the compiler ran out of memory: it was killed", Outcome.NOT_CHECKED, "out of memory"),
        ("the compiler could not be started: no such file", Outcome.NOT_CHECKED, "could not be started"),
    ],
)
def test_what_the_compiler_says_decides(said: str, outcome: Outcome, why: str, tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(f"{KERNEL}// SAYS {said}\n")
    (check,) = verified(tree, compiler).checks
    assert check.outcome is outcome
    assert why in check.why
    assert check.path == "a.hip"
    assert not verified(tree, compiler).details["kernels"]


def test_every_unit_for_every_architecture(tree: Path, compiler: Scripted) -> None:
    for name in ("a.hip", "sub/b.hip"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(KERNEL)
    evidence = verified(tree, compiler, "gfx90a", "gfx1100")
    units = [f"{name} for {arch}" for name in ("a.hip", "sub/b.hip") for arch in ("gfx90a", "gfx1100")]
    assert list(outcomes(evidence)) == units
    assert evidence.outcome is Outcome.PASSED
    rows = evidence.details["kernels"]
    assert [row["unit"] for row in rows] == ["a.hip", "sub/b.hip"]
    assert rows[0]["arches"]["gfx1100"]["occupancy"] == {"waves": 16, "most": 16, "limiter": ""}
    json.dumps(evidence.details)


def test_the_report_says_which_compiler_compiled_what(
    tree: Path, compiler: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "a.hip").write_text(KERNEL)
    old = replace(compiler, kind="distribution", clang=("old",), asked=[])
    chosen = {"gfx90a": old, "gfx950": compiler, "gfx1100": old}
    monkeypatch.setattr(level, "find_for", lambda arches: {arch: chosen[arch] for arch in arches})
    assert main(["verify", "build", str(tree), "--arch", "gfx90a,gfx950,gfx1100"]) == 0
    assert ([arch for _, arch in compiler.asked], {arch for _, arch in old.asked}) == (
        ["gfx950"],
        {"gfx90a", "gfx1100"},
    )
    printed = " ".join(capsys.readouterr().out.split())
    assert "old (distribution), HIP None for gfx90a, gfx1100; clang (wheels), HIP None for gfx950" in printed


def test_device_functions_of_other_units(tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(f"{KERNEL}// UNDEFINED helper\n")
    assert verified(tree, compiler).outcome is Outcome.FAILED
    evidence = verified(tree, compiler, options=["-fgpu-rdc"])
    assert evidence.outcome is Outcome.PASSED
    assert evidence.checks[0].evidence["undefined"] == ["helper"]


def test_nothing_to_compile_is_not_checked(tree: Path, compiler: Scripted) -> None:
    (tree / "a.py").write_text("print()")
    assert verified(tree, compiler).outcome is Outcome.NOT_CHECKED


def test_an_unreadable_source_is_not_checked(tree: Path, compiler: Scripted) -> None:
    (tree / "a.cu").write_bytes(b"\x00\x01" * 500)
    (check,) = verified(tree, compiler).checks
    assert (check.outcome, compiler.asked) == (Outcome.NOT_CHECKED, [])
    assert check.why.startswith("not translated: ")


def test_messages_name_files_of_the_tree(tree: Path, compiler: Scripted) -> None:
    (tree / "a.cu").write_text("#include <cuda_runtime.h>\n__global__ void k() {}\n// SAYS redefinition of 'k'\n")
    (check,) = verified(tree, compiler).checks
    assert (check.path, check.line) == ("a.cu", 3)
    assert check.evidence["translated"] is True


@dataclass(frozen=True)
class Slow(Scripted):
    """Takes its time over one unit, in a process of its own."""

    ended: list[int] = field(default_factory=list, hash=False)

    def compile_device(self, source: Path, arch: str, **how: Any) -> Compiled:  # type: ignore[override]
        if source.name == "slow.hip":
            self.ended.append(subprocess.run(["sleep", "300"], start_new_session=True).returncode)
        return super().compile_device(source, arch, **how)


def test_ctrl_c_ends_running_compilers(tree: Path, compiler: Scripted) -> None:
    for name in ("fast.hip", "slow.hip"):
        (tree / name).write_text(KERNEL)
        age(tree / name)
    slow = Slow("wheels", ("clang",), None, compiler.includes, None, None, asked=compiler.asked)

    def interrupt(done: int, total: int) -> None:
        while not any(Path(task, "children").read_text() for task in Path("/proc/self/task").iterdir()):
            time.sleep(0.01)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verified(tree, slow, progress=interrupt)
    assert slow.ended == [-9]


def test_a_header_outside_of_the_tree_is_not_held_against_it(tree: Path, tmp_path: Path, compiler: Scripted) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more/x.h").write_text("cudaStream_t s;\n")
    place = tmp_path / "more/x.h"
    for suffix, outcome in ((".cu", Outcome.NOT_CHECKED), (".hip", Outcome.FAILED)):
        source = tree / f"a{suffix}"
        source.write_text(f"#include <x.h>\n__global__ void k() {{}}\n// AT {place} SAYS unknown type name\n")
        evidence = verified(source, compiler, includes=[tmp_path / "more"])
        assert evidence.outcome is outcome
        source.unlink()


def test_a_name_that_is_no_architecture(tree: Path, compiler: Scripted) -> None:
    with pytest.raises(UsageError, match="sm_90"):
        verified(tree, compiler, "sm_90")


# --- the store ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".hip", ".cu"])
def test_what_has_not_changed_is_not_compiled_again(suffix: str, tree: Path, compiler: Scripted) -> None:
    source, header = tree / f"a{suffix}", tree / "h.h"
    source.write_text(f'#include "h.h"\n{KERNEL if suffix == ".hip" else "#include <cuda_runtime.h>"}\n')
    header.write_text("// 1\n")
    age(source, header)
    first = verified(tree, compiler, "gfx90a", "gfx942")
    assert len(compiler.asked) == 2
    assert outcomes(verified(tree, compiler, "gfx90a", "gfx942")) == outcomes(first)
    assert verified(tree, compiler, "gfx942").details["kernels"][0]["arches"]["gfx942"]["vgprs"] == 10
    assert len(compiler.asked) == 2
    header.write_text("// 2\n")
    age(header)
    verified(tree, compiler, "gfx90a", "gfx942")
    assert len(compiler.asked) == 4
    verified(tree, compiler, "gfx942", options=["-DX"])
    assert len(compiler.asked) == 5
    verified(tree, compiler, "gfx942", options=["-DX"], use_cache=False)
    assert len(compiler.asked) == 6


def test_a_failure_is_kept_until_what_it_is_about_changes(tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(f'{KERNEL}#include "h.h"\n')
    (tree / "h.h").write_text("// SAYS unknown type name 'x'\n")
    age(tree / "a.hip", tree / "h.h")
    for _ in range(2):
        assert verified(tree, compiler).outcome is Outcome.FAILED
    assert len(compiler.asked) == 1
    (tree / "h.h").write_text("// right now\n")
    age(tree / "h.h")
    assert verified(tree, compiler).outcome is Outcome.PASSED


def test_a_missing_header_is_looked_for_again(tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(f"{KERNEL}// SAYS 'lib/x.h' file not found\n")
    age(tree / "a.hip")
    for _ in range(2):
        verified(tree, compiler)
    assert len(compiler.asked) == 1
    (compiler.includes[0] / "lib").mkdir()
    (compiler.includes[0] / "lib/x.h").touch()
    verified(tree, compiler)
    assert len(compiler.asked) == 2


@pytest.mark.parametrize("said", ["the compiler crashed: SIGSEGV", "the compiler gave no answer in 5 s"])
def test_trouble_of_the_compiler_is_not_kept(said: str, tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(f"{KERNEL}// SAYS {said}\n")
    age(tree / "a.hip")
    for _ in range(2):
        verified(tree, compiler)
    assert len(compiler.asked) == 2


def test_a_file_that_changes_meanwhile_is_not_kept(tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(KERNEL)
    os.utime(tree / "a.hip", (4_000_000_000, 4_000_000_000))
    for _ in range(2):
        verified(tree, compiler)
    assert len(compiler.asked) == 2


def test_a_broken_store_is_no_store(tree: Path, tmp_path: Path, compiler: Scripted) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/build.sqlite").write_bytes(b"no database" * 200)
    (tree / "a.hip").write_text(KERNEL)
    age(tree / "a.hip")
    for _ in range(2):
        assert verified(tree, compiler).outcome is Outcome.PASSED
    assert len(compiler.asked) == 2


# --- launches -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("launch", "figures", "arch", "why"),
    [
        ("k<<<1, 512>>>(x)", {}, "gfx942", ""),
        ("k<<<1, 512>>>(x)", {"max_workgroup": 256}, "gfx942", "compiled for at most 256"),
        ("k<<<1, 256>>>(x)", {"max_workgroup": 256}, "gfx942", ""),
        ("k<<<1, dim3(32, 33)>>>(x)", {}, "gfx942", "1,056 threads"),
        ("k<<<1, 64, 70000>>>(x)", {}, "gfx942", "needs 70,000 bytes"),
        ("k<<<1, 64, 70000>>>(x)", {}, "gfx950", ""),
        ("k<<<1, 64, 40000>>>(x)", {"lds_bytes": 40000}, "gfx1100", "needs 80,000 bytes"),
        ("k<<<1, 64, 65536>>>(x)", {}, "gfx1100", ""),
    ],
)
def test_launches_that_the_gpu_refuses(
    launch: str, figures: dict[str, int], arch: str, why: str, tree: Path, compiler: Scripted
) -> None:
    (tree / "a.hip").write_text(f"{KERNEL}void f(float *x) {{ {launch}; }}\n")
    evidence = verified(tree, replace(compiler, kernel=_kernel(arch, **figures)), arch)
    check = evidence.checks[1]
    assert check.outcome is (Outcome.FAILED if why else Outcome.PASSED)
    assert why in check.why
    assert (check.path, check.line) == ("a.hip", 3)


def test_of_instances_of_a_template_the_best_is_meant() -> None:
    from rewarp.verify.build.launches import Launch
    from rewarp.verify.build.limits import limits_of

    limits = limits_of("gfx942")
    assert limits
    instances = [_kernel("gfx942", max_workgroup=64), _kernel("gfx942", max_workgroup=512)]
    assert level._refusal(Launch("k", 1, 512, 0), instances, limits) == ""
    assert "at most 512" in level._refusal(Launch("k", 1, 513, 0), instances, limits)


def test_a_launch_without_numbers_is_no_check(tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(f"{KERNEL}void f(float *x, int n) {{ k<<<1, n>>>(x); other<<<1, 9999>>>(); }}\n")
    assert len(verified(tree, compiler).checks) == 1


def test_remarks_on_what_runs_badly(tree: Path, compiler: Scripted) -> None:
    (tree / "a.hip").write_text(f"{KERNEL}void f(float *x) {{ k<<<1, 96>>>(x); }}\n")
    found = verified(tree, replace(compiler, kernel=_kernel("gfx942", vgpr_spills=3, scratch_bytes=16)))
    (row,) = found.details["kernels"]
    assert found.outcome is Outcome.PASSED
    assert row["arches"]["gfx942"]["notes"] == [
        "3 VGPRs and 0 SGPRs spill",
        "16 bytes of scratch a lane",
        "blocks of 96 leave 32 of the last wave's 64 lanes idle",
    ]


# --- the command ----------------------------------------------------------------------------


@pytest.fixture
def installed(compiler: Scripted, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setattr(level, "find_for", lambda arches: dict.fromkeys(arches, compiler))
    return compiler


@pytest.mark.parametrize(
    ("said", "code"), [("", 0), ("// SAYS unknown type name 'x'", 1), ("// SAYS the compiler crashed: SIGSEGV", 3)]
)
def test_exit_codes(said: str, code: int, tree: Path, installed: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "a.hip").write_text(KERNEL + said)
    assert main(["verify", "build", str(tree), "--arch", "gfx942", "--arch", "gfx1100, gfx942"]) == code
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("a.hip", "gfx942", "gfx1100"))
    assert ("✓" in printed, "✗" in printed, "–" in printed) == (code == 0, code == 1, code == 3)


def test_views(tree: Path, tmp_path: Path, installed: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "a.hip").write_text(KERNEL + "// </script><b>")
    page = tmp_path / "page.html"
    assert main(["verify", "build", str(tree), "--arch", "gfx942", "--html", str(page), "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["levels"][0]["details"]["kernels"][0]["name"] == "k(float*)"
    text = page.read_text()
    assert "__REWARP" not in text
    assert "http" not in re.sub(r"https?://www\.w3\.org\S*", "", text)


@pytest.mark.parametrize(
    "arguments",
    [["--arch", "sm_80"], ["--jobs", "0"], ["--timeout", "0"], ["-I", "/does/not/exist"], ["nothing/here"]],
)
def test_bad_arguments(arguments: list[str], tree: Path, installed: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    assert main(["verify", "build", *arguments]) == 2


def test_without_a_compiler(tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def none(arches: Sequence[str]) -> dict[str, Toolchain]:
        raise UsageError("no HIP compiler found")

    monkeypatch.setattr(level, "find_for", none)
    (tree / "a.hip").write_text(KERNEL)
    assert main(["verify", "build", str(tree)]) == 3
    assert "no HIP compiler found" in capsys.readouterr().err
    assert main(["verify", "build", str(tree), "--allow-unchecked", "build"]) == 0


# --- with a real compiler -------------------------------------------------------------------


def test_real_code(tree: Path) -> None:
    (tree / "lds.cu").write_text(
        "#include <cuda_runtime.h>\n__global__ void __launch_bounds__(128) k(float *x) {\n"
        "  __shared__ float s[17000]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = s[(int)x[1]];\n}\n"
        "void f(float *x) { k<<<1, 128>>>(x); k<<<1, 256>>>(x); }\n"
    )
    found = outcomes(verified(tree, toolchains.find(), "gfx942", "gfx950"))
    assert found["lds.cu for gfx942"][0] is Outcome.FAILED
    assert "exceeds limit (65536)" in found["lds.cu for gfx942"][1]
    assert found["lds.cu for gfx950"][0] is Outcome.PASSED
    assert found["k launches with blocks of 128 on gfx950"][0] is Outcome.PASSED
    assert found["k launches with blocks of 256 on gfx950"][0] is Outcome.FAILED
