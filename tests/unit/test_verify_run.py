"""The run level without torch: how programs end, what is seen of them, and what is made of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.host import Backend, Device, Host, Machine, Platform, TorchBuild, TorchState
from rewarp.verify.checks import Check, Outcome
from rewarp.verify.run import Request, process, verify_run
from rewarp.verify.run.backends import attention_backends, backend_of_kernel
from rewarp.verify.run.checks import checks_of
from rewarp.verify.run.child.events import Tally
from rewarp.verify.run.inject import Injection
from rewarp.verify.run.process import Losses, Ran, Said
from rewarp.verify.run.profilers import find, parse_ncu, parse_nsys
from rewarp.verify.run.reports import TorchProcess
from rewarp.verify.run.seen import Seen
from rewarp.verify.run.stability import drift, growth
from rewarp.verify.run.tree import Sightings

PYTHON = sys.executable


def run(code: str, *, timeout: float = 300.0, **keywords: object) -> Ran:
    return process.run([PYTHON, "-c", code], environment=os.environ, timeout=timeout, **keywords)  # type: ignore[arg-type]


# --- one run ------------------------------------------------------------------------------


def test_an_ending_is_told_as_it_was() -> None:
    assert run("raise SystemExit(3)").ending == "exit status 3"
    killed = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert killed.code == -11
    assert killed.ending == "ended by SIGSEGV"


def test_output_is_kept_whatever_its_bytes() -> None:
    chunks: list[bytes] = []
    ran = run("import sys; sys.stdout.buffer.write(bytes(range(256)) * 2000)", keep_stdout=chunks.append)
    assert ran.stdout.size == 512_000
    assert b"".join(chunks) == bytes(range(256)) * 2000
    assert len(ran.stdout.tail) < 512_000
    assert ran.peak_bytes is not None
    assert ran.peak_bytes > 1_000_000


def test_a_closed_stdout_is_no_end() -> None:
    assert run("import os; os.close(1); os.close(2); import time; time.sleep(0.1)").code == 0


def test_the_time_limit_ends_children_too_even_in_a_session_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, up = tmp_path / "pid", tmp_path / "up"
    child = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(6000)"
    code = (
        f"import os, subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True)\n"
        f"while not os.path.exists({str(note)!r}): time.sleep(0.01)\n"
        f"print('up', flush=True); open({str(up)!r}, 'w'); time.sleep(6000)"
    )
    # The hour that the limit waits for has passed as soon as everybody is up, however slow the machine is.
    clock = time.monotonic
    monkeypatch.setattr(process.time, "monotonic", lambda: clock() + 3600 * up.exists())
    ran = run(code, timeout=3000)
    assert ran.code is None
    assert "time limit" in ran.ending
    assert ran.stdout.tail == "up\n"
    assert _gone(int(note.read_text()))


def test_what_outlives_the_program_is_ended_and_told(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(6000)"
    code = (
        f"import os, subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"while not os.path.exists({str(note)!r}): time.sleep(0.01)\n"
        "time.sleep(0.5)"
    )
    ran = run(code)
    assert ran.code == 0
    assert ran.left_running == 1
    assert _gone(int(note.read_text()))


def _gone(pid: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_program_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UsageError, match="cannot run no-such-program"):
        process.run(["no-such-program"], environment=os.environ, timeout=5)


@pytest.mark.parametrize(
    ("line", "finite", "bad"),
    [
        ("step 3 loss nan", 0, 1),
        ("step 3: loss=inf lr 0.1", 0, 1),
        ("{'loss': nan, 'grad_norm': 3.0}", 1, 1),
        ("train_loss: -inf", 0, 1),
        ("loss tensor(nan, device='cuda:0')", 0, 1),
        ("epoch 1 | loss 2.345e+00 | ppl 10.4", 2, 0),
        ("val loss 3.1 (best 3.0)", 1, 0),
        ("lossless nancy, infinite loss of information", 0, 0),
        ("glossary: nan", 0, 0),
    ],
)
def test_losses_in_the_output(line: str, finite: int, bad: int) -> None:
    ran = run(f"print({line!r})")
    assert (ran.stdout.losses.finite, len(ran.stdout.losses.bad)) == (finite, bad)


def test_losses_are_found_between_carriage_returns_and_without_a_last_newline() -> None:
    ran = run("import sys; sys.stderr.write('1 loss 2.0\\r2 loss 1.0\\r3 loss nan')")
    assert ran.stderr.losses == Losses(2, ("3 loss nan",))


# --- memory and time ----------------------------------------------------------------------


@given(st.integers(1, 10**9), st.integers(16, 200), st.floats(0, 0.2))
def test_growth_is_measured_whatever_the_noise_of_a_few(base: int, count: int, share: float) -> None:
    each = base * share / count
    rows = [(step, base + each * step) for step in range(count)]
    rows[count // 2] = (count // 2, base * 50.0)
    fit = growth(rows)
    assert fit is not None
    expected = each * (count - 1 - count // 4) / (base + each * (count // 4))
    assert fit.share == pytest.approx(expected, rel=0.05, abs=1e-6)


def test_growth_leaves_the_start_out_and_shrinking_is_none() -> None:
    settles = [(step, 1000.0 + min(step, 5) * 400) for step in range(40)]
    assert growth(settles).share < 0.01  # type: ignore[union-attr]
    assert growth([(step, 1000.0 - step) for step in range(40)]).share == 0  # type: ignore[union-attr]
    assert growth(settles[:14]) is None
    assert growth([]) is None


def test_drift() -> None:
    assert drift([9, 1, 1, 1, 2, 2, 2]) == pytest.approx(1.0)
    assert drift([1, 1, 1]) is None


# --- names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "backend"),
    [
        ("Cijk_Alik_Bljk_BBS_BH_MT128x128x64_MI16x16x16x1_SN", "tensile"),
        ("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT", "cublas"),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "cublas"),
        ("ampere_sgemm_128x64_tn", "cublas"),
        ("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>", "cutlass"),
        ("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64>>", "flash"),
        ("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention)", "efficient"),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16", "cudnn"),
        ("attn_fwd.kd", "aotriton"),
        ("_ZN7ck_tile6kentryILi256", "ck"),
        ("triton_poi_fused_add_relu_0", "inductor"),
        ("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>", "torch"),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "nccl"),
        ("my_own_kernel(float*)", None),
    ],
)
def test_kernels_are_known_by_their_names(kernel: str, backend: str | None) -> None:
    assert backend_of_kernel(kernel) == backend


def test_attention_on_the_cpu_is_not_flash_on_a_device() -> None:
    calls = {"aten::_scaled_dot_product_flash_attention_for_cpu": 2, "aten::_scaled_dot_product_attention_math": 1}
    assert attention_backends(calls) == {"flash (CPU)": 2, "math": 1}


def test_nsys_table() -> None:
    text = """Generating SQLite file run.sqlite from run.nsys-rep
Processing [run.sqlite] with [cuda_gpu_kern_sum.py]...

Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.0,3000,2,1500.0,1500.0,1000,2000,0.0,"axpy(float, float *, int)"
25.0,1000,1,1000.0,1000.0,1000,1000,0.0,scale
"""
    assert parse_nsys(text.splitlines()) == {"axpy(float, float *, int)": (2, 3000), "scale": (1, 1000)}
    assert parse_nsys(["SKIPPED: run.sqlite does not contain CUDA kernel data."]) == {}
    assert parse_nsys(["FATAL ERROR: no such report"]) is None


def test_ncu_table() -> None:
    text = """==PROF== Connected to process 12 (/tmp/native)
==PROF== Profiling "add" - 0: 0%....50%....100% - 1 pass
==PROF== Disconnected from process 12
"ID","Process ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"
"","","","","","ns"
"0","12","add(float *)","(64, 1, 1)","(1, 1, 1)","1,568.00"
"1","12","add(float *)","(64, 1, 1)","(1, 1, 1)","1,432.00"
"""
    assert parse_ncu(text.splitlines()) == {"add(float *)": (2, 3000)}
    assert parse_ncu(["==WARNING== No kernels were profiled."]) == {}
    assert parse_ncu(["==ERROR== Failed to initialize the profiler: LibraryNotLoaded"]) is None


def test_rocprof_wraps_the_command_and_its_table_is_read(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    tool = tools / "rocprofv3"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    host = Host(environ={"PATH": str(tools)})
    assert find(host, Backend.CPU) is None
    profiler = find(host, Backend.ROCM)
    assert profiler is not None
    assert profiler.command(tmp_path, ["./a", "-n"])[-3:] == ["--", "./a", "-n"]
    assert profiler.kernels(host, tmp_path) is None
    folder = tmp_path / "host"
    folder.mkdir()
    rows = '"Kind","Kernel_Name","Start_Timestamp","End_Timestamp"\n"K","axpy(float)",10,40\n"K","axpy(float)",50,60\n'
    (folder / "7_kernel_trace.csv").write_text(rows)
    assert profiler.kernels(host, tmp_path) == {"axpy(float)": (2, 40)}


# --- what is made of it -------------------------------------------------------------------


def machine(backend: Backend = Backend.CPU) -> Machine:
    devices = (Device(backend, 0),) if backend is not Backend.CPU else ()
    torch = TorchBuild(TorchState.NOT_ASKED, PYTHON)
    return Machine(backend, "", {}, (Platform(backend, devices),), torch, (), (), (), ())


def ran(code: int | None = 0, looks: int = 50, **seen: dict[Backend, set[str]]) -> Ran:
    said = Said("", 0, "", Losses())
    return Ran(code, 1.0, said, said, 1000, Sightings(looks, **seen), 0)  # type: ignore[arg-type]


def torch_process(
    device: str | None = "cuda",
    *,
    hip: str | None = None,
    kernels: dict[str, list[int]] | None = None,
    heavy: dict[str, list[int]] | None = None,
    seconds: float = 2.0,
    complete: bool = True,
    memory: list[tuple[int, int, int | None]] | None = None,
    bad: list[dict[str, object]] | None = None,
) -> TorchProcess:
    kernels = kernels or {}
    profile = {
        "seconds": seconds,
        "kernel_count": sum(count for count, _ in kernels.values()),
        "kernel_ns": sum(took for _, took in kernels.values()),
        "kernels": kernels,
        "heavy": heavy or {},
        "attention": {},
    }
    devices = [{"type": device, "name": "Card"}] if device else []
    return TorchProcess.of(
        {
            "pid": 7,
            "complete": complete,
            "torch": {"version": "2.9", "hip": hip, "cuda": None if hip else "13.0", "initialised": devices},
            "profile": profile,
            "finite": {"looked_at": 10, "forwards": 3, "forwards_seen": 3, "bad": bad or []},
            "memory": memory or [],
            "steps": len(memory or []),
        }
    )


def judged(seen: Seen, **wishes: object) -> dict[str, Check]:
    request = Request(command=("x",), **wishes)  # type: ignore[arg-type]
    return {check.what: check for check in checks_of(seen, request)}


def seen_with(*processes: TorchProcess, expected: Backend | None = Backend.CUDA, run: Ran | None = None) -> Seen:
    return Seen((run or ran(),), processes, None, machine(expected or Backend.CPU), expected)


CUDA, ROCM = "NVIDIA CUDA was used", "AMD ROCm was used"
FALLBACK = "the CPU did not do the device's work"
GEMM = {"nvjet_x": [100, 90_000_000]}


@pytest.mark.parametrize("code", [None, -9, 1])
def test_only_status_zero_is_a_good_ending(code: int | None) -> None:
    assert judged(seen_with(run=ran(code)))["it ended well"].outcome is Outcome.FAILED


def test_kernels_on_the_device_pass() -> None:
    checks = judged(seen_with(torch_process(kernels=GEMM)))
    assert checks[CUDA].outcome is Outcome.PASSED
    assert "100 kernels" in checks[CUDA].why
    assert checks[FALLBACK].outcome is Outcome.PASSED


def test_a_silent_cpu_run_fails() -> None:
    heavy = {"cpu aten::mm": [40, 50_000_000, 1_000_000]}
    checks = judged(seen_with(torch_process(None, heavy=heavy)))
    assert checks[CUDA].outcome is Outcome.FAILED
    assert "never initialised" in checks[CUDA].why
    assert checks[FALLBACK].outcome is Outcome.FAILED


def test_one_kernel_does_not_hide_work_on_the_cpu() -> None:
    heavy = {"cpu aten::mm": [40, 50_000_000, 1_000_000], "device aten::mm": [1, 1000, 1000]}
    checks = judged(seen_with(torch_process(kernels={"fill": [1, 1000]}, heavy=heavy)))
    assert checks[CUDA].outcome is Outcome.PASSED
    assert checks[FALLBACK].outcome is Outcome.FAILED
    assert checks[FALLBACK].evidence["cpu_share"] > 0.99


def test_the_first_call_of_an_operator_on_the_cpu_carries_its_library_and_does_not_count() -> None:
    heavy = {"cpu aten::mm": [2, 200_001_000, 200_000_000]}
    assert judged(seen_with(torch_process(kernels=GEMM, heavy=heavy)))[FALLBACK].outcome is Outcome.PASSED


def test_one_rank_without_kernels_fails_for_all() -> None:
    checks = judged(seen_with(torch_process(kernels=GEMM), torch_process()))
    assert checks[CUDA].outcome is Outcome.FAILED
    assert "no kernel" in checks[CUDA].why


def test_cuda_is_not_rocm() -> None:
    amd = judged(seen_with(torch_process(hip="7.1", kernels=GEMM), expected=Backend.ROCM))
    nvidia = judged(seen_with(torch_process(kernels=GEMM), expected=Backend.ROCM))
    assert amd[ROCM].outcome is Outcome.PASSED
    assert nvidia[ROCM].outcome is Outcome.FAILED


@pytest.mark.parametrize("complete", [True, False])
def test_what_the_profiler_did_not_see_is_not_passed_and_not_failed(complete: bool) -> None:
    checks = judged(seen_with(torch_process(seconds=0, complete=complete)), expected_backends=("flash",))
    assert checks[CUDA].outcome is Outcome.NOT_CHECKED
    assert checks[FALLBACK].outcome is Outcome.NOT_CHECKED
    assert checks["the back end flash ran"].outcome is Outcome.NOT_CHECKED


def test_a_killed_process_is_not_said_to_have_run_on_the_cpu() -> None:
    assert judged(seen_with(torch_process(None, complete=False)))[CUDA].outcome is Outcome.NOT_CHECKED


def test_open_device_files_do_not_show_that_kernels_ran() -> None:
    opened = ran(libraries={Backend.CUDA: {"libcuda.so.1"}}, files={Backend.CUDA: {"/dev/nvidia0"}})
    check = judged(seen_with(run=opened))[CUDA]
    assert check.outcome is Outcome.NOT_CHECKED
    assert "libcuda.so.1 was mapped, /dev/nvidia0 was open" in check.why


def test_a_mapped_library_alone_is_no_device() -> None:
    linked = ran(libraries={Backend.CUDA: {"libcudart.so.13"}})
    assert judged(seen_with(run=linked))[CUDA].outcome is Outcome.FAILED


def test_a_launcher_that_asked_for_its_device_is_no_rank() -> None:
    launcher = TorchProcess.of({"pid": 1, "complete": True, "torch": {"initialised": [{"type": "cuda", "name": "C"}]}})
    assert judged(seen_with(launcher, torch_process(kernels=GEMM)))[CUDA].outcome is Outcome.PASSED
    assert judged(seen_with(launcher))[CUDA].outcome is Outcome.NOT_CHECKED


def test_a_native_program_that_never_reached_the_device_fails_if_it_was_looked_at() -> None:
    assert judged(seen_with(run=ran(looks=50)))[CUDA].outcome is Outcome.FAILED
    assert judged(seen_with(run=ran(looks=1)))[CUDA].outcome is Outcome.NOT_CHECKED


@pytest.mark.parametrize(("kernels", "outcome"), [({"axpy": (3, 10)}, Outcome.PASSED), ({}, Outcome.FAILED)])
def test_the_vendors_profiler_decides_for_native_programs(
    kernels: dict[str, tuple[int, int]], outcome: Outcome
) -> None:
    seen = Seen((ran(),), (), None, machine(Backend.CUDA), Backend.CUDA, "nsys", kernels)
    checks = judged(seen, expected_kernels=("^axpy",))
    assert checks[CUDA].outcome is outcome
    assert checks["a kernel named /^axpy/ ran"].outcome is outcome


def test_the_cpu_expected() -> None:
    what = "nothing but the CPU was used"
    assert judged(seen_with(torch_process(None), expected=Backend.CPU))[what].outcome is Outcome.PASSED
    assert judged(seen_with(torch_process("cuda"), expected=Backend.CPU))[what].outcome is Outcome.FAILED
    opened = ran(files={Backend.ROCM: {"/dev/kfd"}})
    assert judged(seen_with(expected=Backend.CPU, run=opened))[what].outcome is Outcome.FAILED


def test_nothing_expected_and_no_accelerator_is_not_checked() -> None:
    checks = judged(seen_with(torch_process(None), expected=None))
    assert checks["the expected device was used"].outcome is Outcome.NOT_CHECKED
    assert checks[FALLBACK].outcome is Outcome.NOT_CHECKED


def test_nan_and_inf() -> None:
    inf = {"kind": "Inf", "what": "1.qkv (Linear)", "device": "cuda:0", "call": 7}
    seen = seen_with(torch_process(kernels=GEMM, bad=[inf]))
    assert "Inf in 1.qkv (Linear)" in judged(seen)["no NaN or Inf"].why
    assert judged(seen)["no NaN or Inf"].outcome is Outcome.FAILED
    assert judged(seen, allow_inf=True)["no NaN"].outcome is Outcome.PASSED
    nan = seen_with(torch_process(kernels=GEMM, bad=[{**inf, "kind": "NaN"}]))
    assert judged(nan, allow_inf=True)["no NaN"].outcome is Outcome.FAILED
    assert judged(nan, allow_nan=True)["no NaN or Inf"].outcome is Outcome.NOT_CHECKED


def test_memory_of_host_and_device() -> None:
    what = "memory grows by no more than 5%"
    steady = [(step, 10**9, 10**8) for step in range(40)]
    leak = [(step, 10**9, 10**8 + step * 10**6) for step in range(40)]
    assert judged(seen_with(torch_process(memory=steady)))[what].outcome is Outcome.PASSED
    failed = judged(seen_with(torch_process(memory=leak)))[what]
    assert failed.outcome is Outcome.FAILED
    assert failed.why.startswith("device memory")
    assert judged(seen_with(torch_process()))[what].outcome is Outcome.NOT_CHECKED


# --- the whole, from the command line -----------------------------------------------------


def command(tmp_path: Path, *arguments: str) -> tuple[int, dict[str, dict[str, str]]]:
    file = tmp_path / "out.json"
    code = main(["verify", "run", "-q", "--expect-device", "cpu", "--json", str(file), *arguments])
    checks = json.loads(file.read_text())["levels"][0]["checks"]
    return code, {check["what"]: check for check in checks}


def test_command_runs_again_and_again(tmp_path: Path) -> None:
    code, checks = command(tmp_path, "--iterations", "2", "--same-output", "--", PYTHON, "-c", "print('loss 1.5')")
    assert code == 3, "the device was not looked at"
    assert checks["2 iterations give the same"]["outcome"] == "passed"
    assert checks["no NaN or Inf"]["outcome"] == "passed"
    other = ("--", PYTHON, "-c", "import os; print(os.getpid())")
    code, checks = command(tmp_path, "--iterations", "2", "--same-output", *other)
    assert code == 1
    assert checks["2 iterations give the same"]["outcome"] == "failed"
    code, checks = command(tmp_path, "--iterations", "2", *other)
    assert checks["it can be run again and again"]["outcome"] == "passed"


def test_function_is_called_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "calls.py").write_text(
        "held = []\ndef steady(): return 1.5\ndef leaks(): held.append(bytearray(3_000_000))\n"
        "def bad(): return float('nan')\ndef breaks(): raise ValueError('no good')\n"
    )
    monkeypatch.chdir(tmp_path)
    memory = "memory grows by no more than 5%"
    code, checks = command(tmp_path, "calls.py:steady", "--iterations", "30", "--same-output")
    assert (code, checks[memory]["outcome"]) == (3, "passed"), "the device was not looked at"
    assert checks["30 iterations give the same"]["outcome"] == "passed"
    code, checks = command(tmp_path, "calls:leaks", "--iterations", "30")
    assert (code, checks[memory]["outcome"]) == (1, "failed")
    code, checks = command(tmp_path, "calls:bad")
    assert (code, checks["no NaN or Inf"]["outcome"]) == (1, "failed")
    code, checks = command(tmp_path, "calls:breaks")
    assert (code, checks["it ended well"]["outcome"]) == (1, "failed")
    assert "no good" in checks["it ended well"]["why"]


def test_what_was_not_checked_is_incomplete_unless_it_is_allowed(tmp_path: Path) -> None:
    assert command(tmp_path, "--", PYTHON, "-c", "")[0] == 3
    assert command(tmp_path, "--allow-unchecked", "run", "--", PYTHON, "-c", "")[0] == 0
    assert command(tmp_path, "--allow-unchecked", "build", "--", PYTHON, "-c", "")[0] == 3
    assert command(tmp_path, "--allow-unchecked", "run", "--", PYTHON, "-c", "raise SystemExit(3)")[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--", "no-such-program"],
        ["no_such_module:name"],
        ["json:no_such_name"],
        ["json:__name__"],
        ["--iterations", "0", "--", "true"],
        ["--timeout", "0", "--", "true"],
        ["--expect-kernel", "(", "--", "true"],
        ["--cwd", "no-such-folder", "--", "true"],
    ],
)
def test_what_cannot_be_run_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "run", *arguments]) == 2
    assert "rewarp: error:" in capsys.readouterr().err


@pytest.mark.parametrize("share", ["5%", "0.05"])
def test_a_part_is_a_percentage_or_a_number(share: str, tmp_path: Path) -> None:
    checks = command(tmp_path, "--max-memory-growth", share, "--", "true")[1]
    assert "memory grows by no more than 5%" in checks


def test_programs_output_goes_to_standard_error_and_the_report_to_standard_output() -> None:
    words = [PYTHON, "-m", "rewarp", "verify", "run", "--json", "-", "--", PYTHON, "-c", "print('hello')"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert json.loads(done.stdout)["levels"][0]["level"] == "run"
    assert b"hello" in done.stderr


def test_another_sitecustomize_still_runs(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import builtins; builtins.was_here = True\n")
    injection = Injection.into(tmp_path / "ours")
    environment = injection.environment({**os.environ, "PYTHONPATH": str(theirs)}, 1.0)
    code = "import sitecustomize; assert was_here; assert 'theirs' in sitecustomize.__file__"
    assert process.run([PYTHON, "-c", code], environment=environment, timeout=300).code == 0


def test_api_gives_evidence() -> None:
    evidence = verify_run(Request(command=(PYTHON, "-c", "raise SystemExit(4)")))
    assert evidence.outcome is Outcome.FAILED
    assert evidence.details["runs"][0]["code"] == 4


# --- what the profiler wrote --------------------------------------------------------------


class Event:
    """One of kineto's events."""

    def __init__(self, name: str, start: int, took: int, identity: int = 0, link: int = 0, device: str = "CPU") -> None:
        self._values = (name, start, took, identity, link, device)

    name = property(lambda self: lambda: self._values[0])
    start_ns = property(lambda self: lambda: self._values[1])
    duration_ns = property(lambda self: lambda: self._values[2])
    correlation_id = property(lambda self: lambda: self._values[3])
    linked_correlation_id = property(lambda self: lambda: self._values[4])
    device_type = property(lambda self: lambda: SimpleNamespace(name=self._values[5]))
    start_thread_id = property(lambda self: lambda: 1)


def test_an_operator_ran_where_its_kernel_ran_even_if_another_launched_it() -> None:
    tally = Tally()
    tally.read(
        [
            Event("aten::mm", 0, 10, 1),
            Event("gemm", 5, 100, 90, 1, "CUDA"),
            Event("aten::convolution_backward", 20, 10, 2),
            Event("aten::inner", 22, 5, 3),
            Event("conv", 30, 50, 91, 3, "CUDA"),
            Event("aten::mm", 40, 10, 4),
            Event("Memcpy HtoD", 40, 10, 92, 4, "CUDA"),
            Event("void spin_kernel(long)", 60, 1, 93, 5, "CUDA"),
        ]
    )
    assert tally.heavy == {
        "device aten::mm": [1, 10, 10],
        "device aten::convolution_backward": [1, 10, 10],
        "cpu aten::mm": [1, 10, 10],
    }
    assert tally.kernels == {"gemm": [1, 100, 100], "conv": [1, 50, 50]}
    assert tally.saw_probe


def test_what_torch_compile_traces_is_no_work() -> None:
    tally = Tally()
    tally.read(
        [
            Event("compile_inner (dynamo_timed)", 0, 100, 1),
            Event("build (dynamo_timed)", 50, 100, 2),
            Event("aten::mm", 120, 10, 3),
            Event("aten::mm", 200, 10, 4),
        ]
    )
    assert tally.heavy == {"cpu aten::mm": [1, 10, 10]}


def test_attention_is_counted_forward_only() -> None:
    tally = Tally()
    names = ["aten::_scaled_dot_product_flash_attention", "aten::_scaled_dot_product_flash_attention_backward"]
    tally.read([Event(name, place, 1, place) for place, name in enumerate(names)])
    assert tally.attention == {"aten::_scaled_dot_product_flash_attention": 1}
