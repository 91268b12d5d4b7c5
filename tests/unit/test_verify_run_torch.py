"""The watcher inside programs that use torch. Without torch there is nothing to test here; without an accelerator the
second half is skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from rewarp.host import Backend
from rewarp.verify.checks import Check, Evidence, Outcome
from rewarp.verify.run import Request, verify_run

torch: Any = pytest.importorskip("torch")

PASSED, FAILED, NOT_CHECKED = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_CHECKED
FINITE, FALLBACK, MEMORY = "no NaN or Inf", "the CPU did not do the device's work", "memory grows by no more than 5%"
ONLY_CPU = "nothing but the CPU was used"

MODEL = """
import sys, torch, torch.nn.functional as F
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(64), nn.Linear(64, 192), nn.Linear(64, 64)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).view(*x.shape[:2], 3, 4, 16).permute(2, 0, 3, 1, 4)
        return x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))

def train(device, steps, compile=False, poison=None, leak=0, dtype=torch.float32):
    torch.manual_seed(0)
    model = nn.Sequential(Block(), Block(), nn.Linear(64, 10)).to(device, dtype)
    run = torch.compile(model) if compile else model
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    held = []
    for step in range(steps):
        x = torch.randn(4, 32, 64, device=device, dtype=dtype)
        loss = F.cross_entropy(run(x).flatten(0, 1).float(), x[..., :10].argmax(-1).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == poison:
            with torch.no_grad():
                model[1].qkv.weight[0, 0] = float("nan")
        if leak:
            held.append(torch.ones(leak, device=device))
    return model
"""


def watch(tmp_path: Path, code: str, *before: str, **wishes: Any) -> dict[str, Check]:
    return checks(_watched(tmp_path, code, *before, **wishes))


def _watched(tmp_path: Path, code: str, *before: str, **wishes: Any) -> Evidence:
    (tmp_path / "model.py").write_text(MODEL)
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(code))
    command = (*(before or (sys.executable,)), str(script))
    return verify_run(Request(command=command, timeout=300, **wishes))


def checks(evidence: Evidence) -> dict[str, Check]:
    assert evidence.details["problems"] == [], evidence.details["problems"]
    return {check.what: check for check in evidence.checks}


CPU = {"expected_device": Backend.CPU}


def test_training_that_goes_well(tmp_path: Path) -> None:
    found = watch(tmp_path, "from model import *; train('cpu', 24)", **CPU, expected_backends=("flash (CPU)",))
    assert {what: check.outcome for what, check in found.items()} == {
        "it ended well": PASSED,
        FINITE: PASSED,
        ONLY_CPU: PASSED,
        "the back end flash (CPU) ran": PASSED,
        MEMORY: PASSED,
    }


def test_a_cpu_run_is_no_gpu_run(tmp_path: Path) -> None:
    found = watch(tmp_path, "from model import *; train('cpu', 3)", expected_device=Backend.GAUDI)
    assert found["Intel Gaudi was used"].outcome is FAILED
    assert found[FALLBACK].outcome is FAILED


def test_nan_is_named_and_a_leak_is_found(tmp_path: Path) -> None:
    found = watch(tmp_path, "from model import *; train('cpu', 26, poison=20, leak=2_000_000)", **CPU)
    assert found[FINITE].outcome is FAILED
    assert "NaN in 1.qkv (Linear)" in found[FINITE].why
    assert found[MEMORY].outcome is FAILED


def test_workers_by_fork_and_a_hasty_exit_are_seen(tmp_path: Path) -> None:
    code = """
        import multiprocessing, os, torch

        def work():
            torch.nn.Linear(8, 8)(torch.full((2, 8), float("inf")))

        worker = multiprocessing.get_context("fork").Process(target=work)
        worker.start()
        worker.join()
        torch.nn.Linear(8, 8)(torch.ones(2, 8))
        os._exit(0)
    """
    found = watch(tmp_path, code, **CPU)
    assert found["it ended well"].outcome is PASSED
    assert found[FINITE].outcome is FAILED
    assert found[FINITE].evidence["tensors_looked_at"] == 2
    assert len(found[ONLY_CPU].evidence["processes"]) == 2


def test_a_killed_process_is_not_passed(tmp_path: Path) -> None:
    code = """
        import os, signal, torch
        torch.nn.Linear(8, 8)(torch.ones(2, 8))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    found = watch(tmp_path, code, expected_device=Backend.GAUDI)
    assert found["it ended well"].outcome is FAILED
    assert "SIGKILL" in found["it ended well"].why
    assert found[FINITE].outcome is NOT_CHECKED
    assert found[FALLBACK].outcome is NOT_CHECKED


def test_a_program_with_a_profiler_of_its_own_keeps_it(tmp_path: Path) -> None:
    code = """
        import torch
        layer = torch.nn.Linear(8, 8)
        layer(torch.ones(2, 8))
        with torch.profiler.profile() as own:
            layer(torch.ones(2, 8))
        assert any(event.key == "aten::addmm" for event in own.key_averages())
    """
    assert watch(tmp_path, code, **CPU)["it ended well"].outcome is PASSED


def test_threads_and_graphs_are_left_as_they_are(tmp_path: Path) -> None:
    code = """
        import threading, torch
        layer = torch.nn.Linear(8, 8)
        threads = [threading.Thread(target=lambda: layer(torch.ones(2, 8))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        traced = torch.jit.trace(layer, torch.ones(2, 8))
        exported = torch.export.export(layer, (torch.ones(2, 8),))
        assert "aminmax" not in str(traced.inlined_graph) + str(exported.graph)
        torch.func.vmap(layer)(torch.ones(2, 3, 8))
        torch.nn.Identity()(torch.eye(3).to_sparse())
    """
    found = watch(tmp_path, code, **CPU)
    assert found["it ended well"].outcome is PASSED
    assert found[FINITE].evidence["tensors_looked_at"] >= 3


# --- on a device --------------------------------------------------------------------------

DEVICE = Backend.ROCM if torch.version.hip else Backend.CUDA
USED = f"{DEVICE.label} was used"
on_a_device = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


@on_a_device
def test_training_on_the_device(tmp_path: Path) -> None:
    found = watch(tmp_path, "from model import *; train('cuda', 30)", expected_kernels=("(?i)gemm|nvjet|Cijk|cutlass",))
    assert {check.outcome for check in found.values()} == {PASSED}, found
    assert found[USED].evidence["processes"][0]["kernels"] > 100
    assert found[FALLBACK].evidence["cpu_share"] < 0.01


@on_a_device
@pytest.mark.parametrize("touch", ["", "torch.zeros(1, device='cuda'); "])
def test_a_silent_fallback_fails(tmp_path: Path, touch: str) -> None:
    found = watch(tmp_path, f"from model import *; {touch}train('cpu', 8)")
    assert found["it ended well"].outcome is PASSED
    assert found[FALLBACK].outcome is FAILED
    assert touch or found[USED].outcome is FAILED


@on_a_device
def test_one_layer_left_on_the_cpu_fails(tmp_path: Path) -> None:
    code = """
        import torch
        far, near = torch.nn.Linear(2048, 2048).cuda(), torch.nn.Linear(2048, 2048)
        for _ in range(8):
            near(far(torch.randn(256, 2048, device="cuda")).cpu())
    """
    assert watch(tmp_path, code)[FALLBACK].outcome is FAILED


@on_a_device
@pytest.mark.parametrize(("backend", "outcome"), [("FLASH_ATTENTION", PASSED), ("MATH", FAILED)])
def test_which_attention_ran(tmp_path: Path, backend: str, outcome: Outcome) -> None:
    code = f"""
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        q = torch.randn(2, 8, 256, 64, device="cuda", dtype=torch.float16)
        with sdpa_kernel(SDPBackend.{backend}):
            for _ in range(3):
                torch.nn.functional.scaled_dot_product_attention(q, q, q)
    """
    found = watch(tmp_path, code, expected_backends=("flash",))
    assert found["the back end flash ran"].outcome is outcome
    assert found[USED].outcome is PASSED


@on_a_device
def test_compiled_and_replayed_work_is_seen(tmp_path: Path) -> None:
    code = """
        from model import *
        train("cuda", 6, compile=True)
        layer, x = nn.Linear(64, 64).cuda(), torch.randn(8, 64, device="cuda")
        layer(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = layer(x)
        graph.replay()
        torch.cuda.synchronize()
    """
    found = watch(tmp_path, code)
    assert found["it ended well"].outcome is PASSED
    assert found[USED].outcome is PASSED
    assert found[FALLBACK].outcome is PASSED


@on_a_device
def test_nan_and_leaks_on_the_device(tmp_path: Path) -> None:
    found = watch(tmp_path, "from model import *; train('cuda', 26, poison=20, leak=1_000_000)")
    assert "NaN in 1.qkv (Linear) on cuda:0" in found[FINITE].why
    assert found[MEMORY].outcome is FAILED
    assert found[MEMORY].why.startswith("device memory")


@on_a_device
def test_a_native_program(tmp_path: Path) -> None:
    compiler = shutil.which("hipcc" if torch.version.hip else "nvcc", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
    if compiler is None:
        pytest.skip("no compiler for this GPU here")
    prefix = "hip" if torch.version.hip else "cuda"
    source = tmp_path / "native.cu"
    source.write_text(
        ("#include <hip/hip_runtime.h>\n" if prefix == "hip" else "")
        + "__global__ void add(float *x) { x[threadIdx.x] += 1; }\n"
        + "int main() { float *x; XMalloc((void **)&x, 256); add<<<1, 64>>>(x); return XDeviceSynchronize(); }\n".replace(
            "X", prefix
        )
    )
    program = tmp_path / "native"
    subprocess.run([compiler, str(source), "-o", str(program)], check=True)
    evidence = verify_run(Request(command=(str(program),), expected_kernels=("add",)))
    found = checks(evidence)
    assert found["it ended well"].outcome is PASSED
    assert found[USED].outcome in (PASSED, NOT_CHECKED)
    assert found[USED].outcome is PASSED or "was mapped" in found[USED].why
