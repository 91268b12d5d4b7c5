"""The timed loop, power, wrapped commands; with torch, the tiny benchmarks on the CPU."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rewarp.bench import json_file
from rewarp.bench.config import Benchmark
from rewarp.bench.run import loop, power
from rewarp.bench.run.device import Device
from rewarp.bench.run.wrap import wrap
from rewarp.cli import main
from rewarp.errors import UsageError

EXAMPLES = Path(__file__).parents[2] / "examples" / "bench"


class Clockwork(Device):
    """A device whose time is what a test says: every step takes as long as the test wants."""

    platform = kind = "cpu"
    process_group = "gloo"

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.waited = 0

    def mark(self) -> float:
        return self.now

    def wait_for(self, mark: float) -> None:
        self.waited += 1

    def seconds(self, start: float, end: float) -> float:
        return end - start

    def synchronize(self) -> None: ...

    def peak_memory(self) -> int:
        return 1000


class Steps:
    def __init__(self, device: Clockwork, times: list[float], stop_at: int | None = None) -> None:
        self._device, self._times, self._stop_at = device, times, stop_at
        self.done = 0

    def __call__(self) -> int:
        if self.done == self._stop_at:
            raise KeyboardInterrupt
        self._device.now += self._times[self.done]
        self.done += 1
        return self.done


def quiet(done: int, total: int) -> None: ...


def test_every_step_has_its_own_time() -> None:
    device = Clockwork()
    seen: list[tuple[int, int]] = []
    times = [5.0, 1.0, 2.0, 1.0, 1.0, 4.0]
    timed = loop.run(
        Steps(device, times), loop.Limits(6, 60.0), device, None, lambda done, total: seen.append((done, total))
    )
    assert timed.times == times
    assert timed.results == [1, 2, 3, 4, 5, 6]
    assert timed.memory == [1000] * 6
    assert seen == [(done, 6) for done in range(1, 7)]
    assert timed.ended is None


@pytest.mark.parametrize("at", [1, 3, 7])
def test_ctrl_c_keeps_what_was_measured(at: int) -> None:
    device = Clockwork()
    timed = loop.run(Steps(device, [1.0] * 10, stop_at=at), loop.Limits(10, 60.0), device, None, quiet)
    assert timed.times == [1.0] * at
    assert timed.ended == "interrupted"


def test_a_rank_does_not_wait_for_steps_that_others_left() -> None:
    device = Clockwork()
    limits = loop.Limits(10, 60.0, alone=False)
    timed = loop.run(Steps(device, [1.0] * 10, stop_at=5), limits, device, None, quiet)
    assert len(timed.times) == device.waited < 5


def test_no_step_begins_after_the_limit() -> None:
    device = Clockwork()

    def step() -> None:
        time.sleep(0.02)
        device.now += 1

    timed = loop.run(step, loop.Limits(1000, 0.1), device, None, quiet)
    assert 1 <= len(timed.times) < 20
    assert timed.ended == "the limit of 0.1 s was reached"


def test_rest_is_in_no_step() -> None:
    device = Clockwork()
    timed = loop.run(Steps(device, [1.0] * 3), loop.Limits(3, 60.0, rest=0.01), device, None, quiet)
    assert timed.times == [1.0] * 3
    assert timed.wall_s >= 0.03


# --- power --------------------------------------------------------------------------------


class Counter(power.Meter):
    """100 W, by a counter or by its present power."""

    source = "test"

    def __init__(self, counts: bool) -> None:
        self._counts = counts
        self._began = time.perf_counter()

    def joules(self) -> float | None:
        return 100 * (time.perf_counter() - self._began) if self._counts else None

    def watts(self) -> float | None:
        return None if self._counts else 100.0


@pytest.mark.parametrize("counts", [True, False])
def test_mean_power_by_step(counts: bool) -> None:
    times = [time.perf_counter()]
    with power.Watch(Counter(counts)) as watch:
        for _ in range(3):
            time.sleep(0.3)
            times.append(time.perf_counter())
    found = [watts for watts in watch.mean_between(times) if watts is not None]
    assert found
    assert found == pytest.approx([100.0] * len(found), rel=0.05)


def test_energy_between_two_looks_is_spread_evenly() -> None:
    watch = power.Watch(None, [(0.0, 0.0), (1.0, 100.0), (2.0, 400.0)])
    assert watch.mean_between([0.5, 1.0, 1.5, 2.5]) == [pytest.approx(100), pytest.approx(300), None]


def test_no_meter_says_why() -> None:
    class Unknown(Clockwork):
        platform = "xpu"

    with pytest.raises(power.NoMeter, match="xpu"):
        power.meter_of(Unknown())
    with pytest.raises(power.NoMeter, match="amdsmi is not here"):
        power.AmdSmi(Clockwork())


def test_amd_meter(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def amdsmi_init(self) -> None: ...

        def amdsmi_get_processor_handles(self) -> list[str]:
            return ["first", "second"]

        def amdsmi_get_gpu_device_bdf(self, handle: str) -> str:
            return {"first": "0000:05:00.0", "second": "0000:C5:00.0"}[handle]

        def amdsmi_get_power_info(self, handle: str) -> dict[str, Any]:
            return {"current_socket_power": "N/A", "average_socket_power": 500 if handle == "second" else 1}

        def amdsmi_get_energy_count(self, handle: str) -> dict[str, Any]:
            return {"energy_accumulator": 2_000_000, "counter_resolution": 15.3}

        def amdsmi_get_gpu_driver_info(self, handle: str) -> dict[str, str]:
            return {"driver_version": "6.12"}

    class Card(Clockwork):
        def bus(self) -> str:
            return "0000:c5:00.0"

    monkeypatch.setitem(sys.modules, "amdsmi", Library())  # type: ignore[arg-type]
    meter = power.AmdSmi(Card())
    assert meter.watts() == 500
    assert meter.joules() == pytest.approx(30.6)
    assert meter.driver() == "6.12"
    assert meter.clocks_mhz() == {}
    with pytest.raises(power.NoMeter, match="knows no device at None"):
        power.AmdSmi(Clockwork())


# --- a wrapped command --------------------------------------------------------------------

TRAINS = """
import sys, time
for step in range({steps}):
    milliseconds = 900.0 if step == 0 else 13.8 + step % 3 * 0.1
    print(f"iter {{step}}: loss {{3.1 - step * 0.01:.4f}}, time {{milliseconds:.2f}}ms, mfu 26.88%", flush=True)
    time.sleep({pause})
sys.exit({code})
"""


def trains(steps: int = 30, code: int = 0, pause: float = 0.0) -> list[str]:
    return [sys.executable, "-c", TRAINS.format(steps=steps, code=code, pause=pause)]


def test_a_commands_output_passes_through_and_is_read() -> None:
    passed: list[bytes] = []
    counts: list[int] = []
    results, code = wrap(trains(), os.environ, passed.append, counts.append)
    assert code == 0
    assert b"".join(passed).count(b"\n") == 30
    assert counts[-1] == 30
    (result,) = results
    assert result.summary["warm_up"]["steps"] == 1
    assert result.summary["time_s"]["mean"] == pytest.approx(0.0139, abs=0.0001)
    assert result.provenance["dialect"] == "nanogpt"
    assert not result.device["name"].known


def test_what_a_command_says_of_its_configuration_counts() -> None:
    program = "print('tokens per iteration will be: 491,520')\n" + TRAINS.format(steps=30, code=0, pause=0)
    command = [sys.executable, "-c", program.replace("{{", "{").replace("}}", "}")]
    ((result,), _) = wrap(command, os.environ, lambda chunk: None, lambda steps: None)
    mean = result.summary["time_s"]["mean"]
    assert result.derived["tokens_per_s"].value == pytest.approx(491_520 / mean)
    assert result.reported["mfu"].value == pytest.approx(0.2688)


def test_a_failed_command_is_said() -> None:
    results, code = wrap(trains(code=3), os.environ, lambda chunk: None, lambda steps: None)
    assert code == 3
    assert "command-failed" in [warning.code for warning in results[0].warnings]


def test_a_process_left_behind_does_not_hold_it_up() -> None:
    command = ["sh", "-c", "sleep 60 & echo 'iter 1: loss 3.1462, time 13.86ms, mfu 26.88%'; echo $!"]
    passed: list[bytes] = []
    results, code = wrap(command, os.environ, passed.append, lambda steps: None)
    os.kill(int(b"".join(passed).split()[-1]), signal.SIGKILL)
    assert code == 0
    assert results[0].name == "sh"


def test_no_such_command() -> None:
    with pytest.raises(UsageError, match="cannot run"):
        wrap(["/no/such/program"], os.environ, lambda chunk: None, lambda steps: None)


def test_ctrl_c_stops_the_command_and_keeps_its_steps(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    command = [sys.executable, "-m", "rewarp", "bench", "run", "--json", str(file), "--", *trains(10_000, pause=0.01)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    for _ in range(20):
        process.stderr.readline()
    drain = threading.Thread(target=process.stderr.read)
    drain.start()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1
    drain.join()
    process.stderr.close()
    (result,) = json_file.load(file)
    assert result.summary["steps"] >= 20
    assert "interrupted" in [warning.code for warning in result.warnings]


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "result.json"
    assert main(["bench", "run", "-q", "--json", str(file), "--", *trains()]) == 0
    assert len(json_file.load(file)) == 1
    assert main(["bench", "run", "-q", "--", *trains(code=1)]) == 1
    assert main(["bench", "run", "-q", "--", sys.executable, "-c", "print('hello')"]) == 2
    assert "holds no step of a known log" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "say which configuration"),
        (["none.toml"], "cannot read none.toml"),
        (["--set", "steps=1", "--", "true"], "--set is for a configuration"),
        (["--device", "cpu", "--", "true"], "--device is for a configuration"),
        (["--price", "3", "--", "true"], "--price 3"),
        (["--dialect", "latin", "--", "true"], "--dialect latin: there is none of that name"),
        (["--dialect", "nanogpt", str(EXAMPLES / "tiny.toml")], "--dialect is for a command"),
    ],
)
def test_bad_requests(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "run", *words]) == 2
    assert why in capsys.readouterr().err


def test_a_report_never_replaces_the_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bench.toml"
    file.write_text("x = ")
    assert main(["bench", "run", "--json", str(file)]) == 2
    assert file.read_text() == "x = "


# --- with torch ---------------------------------------------------------------------------


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> Device:
    torch = pytest.importorskip("torch")
    from rewarp.bench.run.device import choose

    # Threads that wait for one another make a busy machine many times slower.
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return choose("cpu", {})


def test_tiny_benchmarks_on_the_cpu(tmp_path: Path, processor: Device) -> None:
    file = tmp_path / "tiny.json"
    command = ["bench", "run", str(EXAMPLES / "tiny.toml"), "--device", "cpu", "--set", "steps=12", "-q"]
    command += ["--processes", "1"]
    assert main([*command, "--json", str(file), "--price", "1@2026-11-01"]) == 0
    results = {result.kind: result for result in json_file.load(file)}
    assert set(results) == {"matmul", "bandwidth", "attention", "training"}
    for result in results.values():
        assert result.platform.value == "cpu"
        assert len(result.series.step) == 12
        assert all(time is not None and time > 0 for time in result.series.columns["time_s"])
        assert result.device["peak_tflops"].value is None
        assert not [warning for warning in result.warnings if warning.severity == "error"]
    training = results["training"]
    losses = training.series.figures("loss")
    assert losses[0] == pytest.approx(math.log(1024), rel=0.05)
    assert training.derived["tokens_per_s"].value == pytest.approx(
        4 * 128 * training.summary["used"] / training.summary["total_s"]
    )
    assert training.derived["cost_per_million_tokens"].known
    assert "flash (CPU)" in training.software["attention"].value
    assert training.configuration["methodology"].value == "identical"


def test_short_benchmarks_are_measured_by_three_processes(
    tmp_path: Path, processor: Device, capfd: pytest.CaptureFixture[str]
) -> None:
    plan, file, page = tmp_path / "plan.toml", tmp_path / "out.json", tmp_path / "out.html"
    plan.write_text('[[benchmark]]\nkind = "matmul"\nprecision = "fp32"\nsize = 16\nsteps = 12\n')
    words = ["bench", "run", str(plan), "--device", "cpu", "--json", str(file), "--html", str(page)]
    assert main(words) == 0
    (result,) = json_file.load(file)
    # More than three where they differ much, as they may on a busy machine.
    count = result.summary["processes"]["count"]
    assert count in (3, 6)
    assert result.series.figures("process") == [float(one) for one in range(1, count + 1) for _ in range(12)]
    assert result.reported["first_step_s"].known
    assert result.software["blas"].known
    assert "matmul 16 fp32" in page.read_text()
    # torch's own words stay out of the terminal; rewarp's are there.
    lines = capfd.readouterr().err.splitlines()
    assert [line for line in lines if not line.startswith(("[1/1]", "json:", "html:"))] == []


def test_a_process_that_dies_is_said_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torch.py").write_text("import os, sys\nprint('GPU fault', file=sys.stderr, flush=True)\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main(["bench", "run", str(EXAMPLES / "tiny.toml")]) == 2
    said = capsys.readouterr().err
    assert "GPU fault" in said
    assert "signal 6" in said


def test_caches_are_flushed_outside_the_time_of_a_step() -> None:
    device = Clockwork()

    def flush() -> None:
        device.now += 100.0

    timed = loop.run(Steps(device, [1.0, 2.0, 3.0]), loop.Limits(3, 10.0), device, None, quiet, flush)
    assert timed.times == [1.0, 2.0, 3.0]
    assert timed.rested


def test_a_benchmark_that_fails_does_not_stop_the_others(tmp_path: Path, processor: Device) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[[benchmark]]\nkind = "attention"\nprecision = "fp32"\nattention = "cudnn"\nsize = 16\nsteps = 3\n'
        '[[benchmark]]\nkind = "matmul"\nprecision = "fp32"\nsize = 16\nsteps = 3\n'
    )
    file = tmp_path / "out.json"
    assert main(["bench", "run", str(plan), "--device", "cpu", "-q", "--json", str(file)]) == 1
    failed, worked = json_file.load(file)
    assert [warning.code for warning in failed.warnings if warning.severity == "error"] == ["failed"]
    assert failed.derived["tflops_per_device"].value is None
    assert worked.derived["tflops_per_device"].known


@pytest.mark.parametrize("model", ["tiny", "gpt-124m"])
def test_operations_of_the_model_by_hand(model: str, processor: Device) -> None:
    from dataclasses import replace

    from rewarp.bench.presets import PRESETS
    from rewarp.bench.run import transformer

    shape = replace(PRESETS[model], layers=2, hidden=64, heads=4, feed_forward=96, vocabulary=128, kv_heads=4)
    built = transformer.build(shape, 32, recompute=False)
    attention, gates = 4 * 64 * 64, 3 if shape.family == "llama" else 2
    weights = 2 * (attention + gates * 64 * 96) + 64 * 128
    assert transformer.flops_per_token(built, shape, 32) == 6 * weights + 12 * 2 * 64 * 32
    expected = sum(int(parameter.numel()) for parameter in built.parameters())
    assert transformer.parameters(built) == expected


def test_a_position_sees_nothing_that_comes_later(processor: Device) -> None:
    """The loss of the first tokens must not depend on the last one; and it must depend on what came before."""
    import torch

    from rewarp.bench.presets import PRESETS
    from rewarp.bench.run import transformer

    torch.manual_seed(0)
    model = transformer.build(PRESETS["tiny"], 16, recompute=False)
    seen: list[Any] = []
    model.head.register_forward_hook(lambda module, given, out: seen.append(out.detach()))
    tokens = torch.randint(1024, (1, 16))
    others = tokens.clone()
    others[0, 10] = (others[0, 10] + 1) % 1024
    for given in (tokens, others):
        model(given, given)
    assert torch.allclose(seen[0][:, :10], seen[1][:, :10], atol=1e-6)
    assert not torch.allclose(seen[0][:, 11:], seen[1][:, 11:], atol=1e-6)


def test_accumulated_steps_learn_as_one(processor: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four sequences at once or one after the other: the same gradient, so the same losses afterwards."""
    from rewarp.bench.run import training
    from rewarp.bench.run.work import prepare

    def losses(micro_batch: int) -> list[float]:
        monkeypatch.setattr(training, "_BATCHES", 4 // micro_batch)
        shape = {"layers": 1, "hidden": 32, "heads": 2, "kv_heads": 2, "feed_forward": 32, "vocabulary": 50}
        sizes = {"sequence": 8, "micro_batch": micro_batch, "global_batch": 4}
        benchmark = Benchmark(
            "training",
            "x",
            "fp32",
            shape=shape,
            optimizer="sgd",
            learning_rate=1.0,
            **sizes,  # type: ignore[arg-type]
        )
        work = prepare(benchmark, processor)
        return [float(work.step()) for _ in range(3)]

    at_once, one_by_one = losses(4), losses(1)
    assert at_once == pytest.approx(one_by_one, abs=1e-5)
    assert at_once[2] < at_once[0] - 0.01


def test_two_ranks(tmp_path: Path, processor: Device) -> None:
    plan = tmp_path / "ranks.toml"
    plan.write_text(
        '[defaults]\nprecision = "fp32"\ndevices = 2\nsteps = 4\n'
        '[[benchmark]]\nkind = "training"\nsequence = 16\nglobal_batch = 4\nparallelism = "ddp"\n'
        '[[benchmark]]\nkind = "collective"\nsize = 4096\n'
    )
    file = tmp_path / "ranks.json"
    command = [sys.executable, "-m", "rewarp", "bench", "run", str(plan), "--device", "cpu", "-q", "--json", str(file)]
    done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    training, collective = json_file.load(file)
    assert training.device["count"].value == collective.device["count"].value == 2
    assert collective.configuration["bytes_per_step"].value == 4096
    per_device = training.derived["tokens_per_s_per_device"].value
    assert training.derived["tokens_per_s"].value == pytest.approx(2 * per_device)


def test_a_device_that_is_not_here(processor: Device, capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("a GPU is here")
    assert main(["bench", "run", str(EXAMPLES / "tiny.toml"), "--device", "rocm"]) == 2
    assert "torch can use cpu here" in capsys.readouterr().err


def test_without_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libcuda.so.1')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main(["bench", "run", str(EXAMPLES / "tiny.toml")]) == 2
    assert "torch cannot be imported here" in capsys.readouterr().err
