"""Recording and replaying real models on the CPU: every shape of model, and which module is named when one is wrong."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from rewarp import cli  # noqa: E402
from rewarp.errors import UsageError  # noqa: E402
from rewarp.verify import numbers  # noqa: E402
from rewarp.verify.checks import Evidence, Outcome  # noqa: E402
from rewarp.verify.numbers.formats import FORMATS, values  # noqa: E402
from rewarp.verify.numbers.nesting import changed, flat  # noqa: E402
from rewarp.verify.numbers.target import NotRun  # noqa: E402
from rewarp.verify.numbers.tensors import from_torch, to_torch  # noqa: E402

EXAMPLE = Path(__file__).parents[2] / "examples" / "golden" / "transformer.py"
Factory = Callable[[], Any]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def replayed(tmp_path: Path, factory: Factory, other: Factory | None = None, **options: Any) -> Evidence:
    recorded = numbers.record(factory, tmp_path / "golden.safetensors", device="cpu", **options)
    evidence = numbers.compare(recorded.file, other or factory, device="cpu")
    json.dumps([evidence.details, evidence.provenance], allow_nan=False)
    return evidence


def culprit(evidence: Evidence) -> str | None:
    assert evidence.outcome is Outcome.FAILED
    found = evidence.details["divergence"]
    return f"{found['module']} {found['how']}"


# --- models -----------------------------------------------------------------------------------------


class InPlace(nn.Module):
    """Uses what a module did to its input, not what it returned."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.a, self.relu, self.b, self.factor = nn.Linear(8, 8), nn.ReLU(inplace=True), nn.Linear(8, 8), factor

    def forward(self, x: Any) -> Any:
        x = self.a(x)
        self.relu(x)
        return self.b(x * self.factor)


class Shared(nn.Module):
    """One module under two names, called three times."""

    def __init__(self, wrong: int | None = None) -> None:
        super().__init__()
        self.layer, self.wrong = nn.Linear(8, 8), wrong
        self.alias = self.layer

    def forward(self, x: Any) -> Any:
        for turn in range(3):
            x = self.layer(x) + (1.0 if turn == self.wrong else 0.0)
        return x


class Counting(nn.Module):
    """Keeps a state in a buffer that no state_dict has."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("count", torch.zeros(1), persistent=False)

    def forward(self, x: Any) -> Any:
        self.count += 1
        return self.layer(x) * self.count


class Catching(nn.Module):
    """A module inside it raises, and it goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.bad, self.layer = nn.Linear(3, 3), nn.Linear(8, 8)

    def forward(self, x: Any) -> Any:
        try:
            return self.bad(x)
        except RuntimeError:
            return self.layer(x)


class Expanded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("places", torch.arange(8.0).expand(4, 8))

    def forward(self, x: Any) -> Any:
        return self.layer(x[:1].expand(4, 8) + self.places)


class StrangeNames(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleDict({"{x}": nn.Linear(8, 8), "a b/c": nn.Linear(8, 8)})

    def forward(self, x: Any) -> Any:
        return self.parts["a b/c"](self.parts["{x}"](x))


class Speaker(nn.Module):
    def __init__(self, pick: str = "argmax") -> None:
        super().__init__()
        self.words, self.head, self.pick = nn.Embedding(20, 8), nn.Linear(8, 20), pick

    def forward(self, tokens: Any) -> Any:
        return self.head(self.words(tokens))

    def generate(self, tokens: Any) -> Any:
        for _ in range(3):
            tokens = torch.cat([tokens, getattr(self(tokens)[:, -1:], self.pick)(-1)], 1)
        return tokens


Pair = namedtuple("Pair", "first second")


@dataclasses.dataclass
class Output:
    logits: Any
    hidden: Any
    name: str = "a name"
    nothing: Any = None


class Nested(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Any, *, mask: Any) -> Output:
        h = self.layer(x) * mask
        return Output(h, (h.int(), Pair(h > 0, {"z": h.to(torch.complex64), 1: 2.5, "1": 2**70})))


class Outputs(nn.Module):
    def __init__(self, two: bool) -> None:
        super().__init__()
        self.layer, self.two = nn.Linear(8, 8), two

    def forward(self, x: Any) -> Any:
        h = self.layer(x)
        return {"h": h, "more": h + 1} if self.two else {"h": h}


def made(kind: Callable[..., Any], *arguments: Any, **kwargs: Any) -> Factory:
    return lambda: (kind(*arguments), (torch.randn(4, 8),), kwargs)


def speaking(pick: str = "argmax") -> Factory:
    return lambda: (Speaker(pick).generate, (torch.randint(20, (2, 3)),))


def gradients() -> Any:
    weights = torch.randn(8, 8, requires_grad=True)
    (torch.randn(4, 8) @ weights).pow(2).sum().backward()
    return {"gradient": weights.grad, "array": np.arange(3), "numbers": [1, 2.0, True]}


SOUND: dict[str, Factory] = {
    "in place": made(InPlace),
    "shared": made(Shared),
    "counting": made(Counting),
    "catching": made(Catching),
    "expanded": made(Expanded),
    "strange names": made(StrangeNames),
    "nested": made(Nested, mask=torch.ones(8)),
    "generate": speaking(),
    "partial": lambda: (functools.partial(Speaker().generate), (torch.randint(20, (2, 3)),)),
    "attention": lambda: (nn.MultiheadAttention(8, 2, batch_first=True), (torch.randn(2, 5, 8),) * 3, {}),
    "encoder": lambda: (
        nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2),
        torch.randn(2, 5, 8),
    ),
    "lstm": lambda: (nn.LSTM(8, 8, 2), (torch.randn(5, 2, 8),), {}),
    "convolution": lambda: (
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(True), nn.Dropout(0.5)),
        (torch.randn(2, 3, 8, 8),),
    ),
    "lazy": lambda: (nn.LazyLinear(4), (torch.ones(2, 8),), {}),
    "function": lambda: (lambda a, b: {"c": a @ b}, (torch.randn(4, 8), torch.randn(8, 4))),
    "gradients": gradients,
    "random inside": lambda: (lambda a: a + torch.randn(4, 8), (torch.randn(4, 8),)),
    "sparse": lambda: (lambda a: a.to_sparse(), (torch.randn(4, 8),)),
    "empty": lambda: (lambda a: a[:0], (torch.randn(4, 8),)),
    "fp8": lambda: (lambda a: a.to(torch.float8_e4m3fnuz), (torch.randn(4, 8),)),
    "list of inputs": lambda: (lambda pair: pair[0] + pair[1]["x"], ([torch.ones(2), {"x": torch.ones(2)}],)),
}


@pytest.mark.parametrize("name", SOUND)
def test_the_same_model_agrees(tmp_path: Path, name: str) -> None:
    evidence = replayed(tmp_path, SOUND[name])
    assert evidence.outcome is Outcome.PASSED, [(it.what, it.why) for it in evidence.checks]
    assert evidence.details["divergence"] is None
    second = evidence.details["second_pass"]
    assert second["ran"] or name in (
        "function",
        "gradients",
        "random inside",
        "sparse",
        "empty",
        "fp8",
        "list of inputs",
    )


@pytest.mark.parametrize(
    ("factory", "other", "expected"),
    [
        (made(InPlace), made(InPlace, 1.5), "(model) own"),
        (made(Shared), made(Shared, 1), "(model) own"),
        (speaking(), speaking("argmin"), "(result) own"),
        (made(Outputs, True), made(Outputs, False), "(model) own"),
        (
            lambda: (nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8)), (torch.randn(4, 8),)),
            lambda: (nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)), (torch.randn(4, 8),)),
            "1 own",
        ),
        (
            lambda: (nn.Sequential(nn.LayerNorm(8, eps=1e-5), nn.Linear(8, 8)), (torch.randn(4, 8) * 1e-2,)),
            lambda: (nn.Sequential(nn.LayerNorm(8, eps=1e-6), nn.Linear(8, 8)), (torch.randn(4, 8) * 1e-2,)),
            "0 own",
        ),
    ],
)
def test_the_wrong_module_is_named(tmp_path: Path, factory: Factory, other: Factory, expected: str) -> None:
    assert culprit(replayed(tmp_path, factory, other)) == expected


def test_a_wrong_choice_between_two_calls_is_the_functions(tmp_path: Path) -> None:
    evidence = replayed(tmp_path, speaking(), speaking("argmin"))
    assert evidence.details["divergence"]["why"].startswith("input 0 for (model)#2: ")


def test_new_outputs_are_not_vouched_for(tmp_path: Path) -> None:
    assert replayed(tmp_path, made(Outputs, False), made(Outputs, True)).outcome is Outcome.NOT_CHECKED


def test_only_nan_proves_nothing(tmp_path: Path) -> None:
    factory = lambda: (lambda a: a / 0 * 0, (torch.ones(3),))  # noqa: E731
    assert replayed(tmp_path, factory).outcome is Outcome.NOT_CHECKED
    notes = numbers.record(factory, tmp_path / "g.safetensors", device="cpu").recording.notes
    assert any("NaN" in note for note in notes)


def test_small_differences_that_grow_are_nobodys_fault(tmp_path: Path) -> None:
    """Each layer is within its tolerance; twenty of them double every error."""
    layers = lambda gain: nn.Sequential(*(Scale(gain) for _ in range(20)))  # noqa: E731
    factory = lambda: (layers(2.0), (torch.ones(16),))  # noqa: E731
    other = lambda: (layers(2.0 * (1 + 6e-5)), (torch.ones(16),))  # noqa: E731
    evidence = replayed(tmp_path, factory, other)
    assert evidence.details["divergence"]["how"] == "grown"
    assert evidence.details["second_pass"]["diverging"] == []


class Scale(nn.Module):
    def __init__(self, gain: float) -> None:
        super().__init__()
        self.gain = gain

    def forward(self, x: Any) -> Any:
        return x * self.gain


# --- the transformer of the documentation ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_transformer(tmp_path: Path, dtype: str) -> None:
    file = tmp_path / "golden.safetensors"
    numbers.record(f"{EXAMPLE}:make", file, device="cpu", dtype=dtype)
    assert file.stat().st_size < 5_000_000
    same = numbers.compare(file)
    assert same.outcome is Outcome.PASSED
    assert same.details["top1"] == {"": 1.0}
    broken = numbers.compare(file, f"{EXAMPLE}:make_broken")
    assert culprit(broken) == "blocks.2.attention own"
    assert "blocks.2.attention.proj" in broken.details["divergence"]["why"]
    assert broken.details["second_pass"]["diverging"] == ["blocks.2.attention"]


def test_another_dtype_has_the_coarser_tolerance(tmp_path: Path) -> None:
    file = tmp_path / "golden.safetensors"
    numbers.record(f"{EXAMPLE}:make", file, device="cpu")
    assert numbers.compare(file, dtype="bfloat16", device="cpu").outcome is Outcome.PASSED
    assert numbers.compare(file, dtype="float64", device="cpu").outcome is Outcome.PASSED
    strict = numbers.compare(file, dtype="bfloat16", device="cpu", tolerances=["bf16=0,1e-4"])
    assert strict.outcome is Outcome.FAILED


def test_two_recordings(tmp_path: Path) -> None:
    one, other = tmp_path / "1.safetensors", tmp_path / "2.safetensors"
    numbers.record(f"{EXAMPLE}:make", one, device="cpu")
    numbers.record(f"{EXAMPLE}:make_broken", other, device="cpu")
    assert culprit(numbers.compare(one, other)) == "blocks.2.attention own"


def test_sampled(tmp_path: Path) -> None:
    file = tmp_path / "golden.safetensors"
    recorded = numbers.record(f"{EXAMPLE}:make", file, device="cpu", max_bytes=1_000_000)
    assert recorded.size < 1_100_000
    assert numbers.compare(file).outcome is Outcome.PASSED
    broken = numbers.compare(file, f"{EXAMPLE}:make_broken")
    assert broken.outcome is Outcome.FAILED
    assert broken.details["divergence"]["module"].startswith("blocks.2.attention")


@pytest.mark.parametrize(("depth", "calls"), [(0, 1), (1, 4), (2, 8), (None, 44)])
def test_depth(tmp_path: Path, depth: int | None, calls: int) -> None:
    file = tmp_path / "golden.safetensors"
    recorded = numbers.record(f"{EXAMPLE}:make", file, device="cpu", depth=depth)
    assert len(recorded.recording.calls) == calls
    assert recorded.recording.calls[-1].layers == 31, "layers are counted, recorded or not"
    assert numbers.compare(file).outcome is Outcome.PASSED
    assert numbers.compare(file, f"{EXAMPLE}:make_broken").outcome is Outcome.FAILED


# --- weights, inputs, state ---------------------------------------------------------------------------------


def test_stored_weights_and_inputs_are_used(tmp_path: Path) -> None:
    recorded = numbers.record(made(InPlace), tmp_path / "g.safetensors", device="cpu", seed=1)

    def other_seed() -> Any:
        torch.manual_seed(99)
        return made(InPlace)()

    assert numbers.compare(recorded.file, other_seed).outcome is Outcome.PASSED


def test_hashed_weights_must_be_the_same(tmp_path: Path) -> None:
    recorded = numbers.record(made(Counting), tmp_path / "g.safetensors", device="cpu", weights="hashed", iterations=2)
    assert recorded.recording.notes == []
    assert not any(key.startswith("weights/") for key in recorded.recording.tensors)
    assert numbers.compare(recorded.file, made(Counting)).outcome is Outcome.PASSED

    def other() -> Any:
        model, args, kwargs = made(Counting)()
        with torch.no_grad():
            model.layer.bias += 1
        return model, args, kwargs

    with pytest.raises(UsageError, match=r"weight layer\.bias"):
        numbers.compare(recorded.file, other)


def test_runs_that_differ_are_noted(tmp_path: Path) -> None:
    turn = iter(range(9))
    factory = lambda: (lambda a: a + next(turn), (torch.ones(2),))  # noqa: E731
    notes = numbers.record(factory, tmp_path / "g.safetensors", device="cpu", iterations=3).recording.notes
    assert len(notes) == 1
    assert "not the same in every run" in notes[0]


def test_every_run_starts_from_the_seed(tmp_path: Path) -> None:
    factory = SOUND["random inside"]
    assert numbers.record(factory, tmp_path / "g.safetensors", device="cpu", iterations=2).recording.notes == []


def test_models_are_in_evaluation(tmp_path: Path) -> None:
    factory = lambda: (nn.Dropout(0.5).train(), torch.ones(64))  # noqa: E731
    recording = numbers.record(factory, tmp_path / "g.safetensors", device="cpu").recording
    assert recording.calls[-1].outputs[""] == "inputs.0", "nothing was dropped: the same content"


def test_shared_modules_are_numbered(tmp_path: Path) -> None:
    calls = numbers.record(made(Shared), tmp_path / "g.safetensors", device="cpu").recording.calls
    assert [call.name for call in calls] == ["layer", "layer#2", "layer#3", "(model)"]
    assert [call.layers for call in calls] == [1, 2, 3, 3]
    assert {call.parent for call in calls[:3]} == {"(model)"}


def test_what_is_not_compared_is_said(tmp_path: Path) -> None:
    whole = numbers.record(SOUND["nested"], tmp_path / "g.safetensors", device="cpu").recording.calls[-1]
    assert set(whole.outputs) == {"logits", "hidden.0", "hidden.1.0", "hidden.1.1.z", "hidden.1.1.1"}
    assert whole.skipped == ["output name: str", "hidden.1.1.1': dtype object is not compared"]


def test_settings_come_back(tmp_path: Path) -> None:
    before = torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.benchmark
    model = InPlace()
    recorded = numbers.record(lambda: (model, torch.ones(4, 8)), tmp_path / "g.safetensors", device="cpu")
    assert (torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.benchmark) == before
    assert recorded.recording.setting["switches"]["deterministic_algorithms"] is True, "as it was while it ran"
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda: (nn.Linear(8, 8), (torch.ones(4, 8),)), "no weight"),
        (made(lambda: InPlace().double()), "golden float32"),
        (lambda: (InPlace(), (torch.ones(5, 8),)), r"input 0 has shape \[5, 8\]"),
        (lambda: (InPlace(), (), {"x": torch.ones(4, 8)}), "no input"),
        (lambda: nn.Linear(1, 1), "without inputs"),
        (lambda: (InPlace(), (), {}, 1), "4 things"),
        ("nowhere.py:make", "there is no file"),
        ("json:none", "has no none"),
        ("json", "write package"),
    ],
)
def test_what_was_not_recorded(tmp_path: Path, other: Any, words: str) -> None:
    recorded = numbers.record(made(InPlace), tmp_path / "g.safetensors", device="cpu")
    with pytest.raises(UsageError, match=words):
        numbers.compare(recorded.file, other)


# --- what cannot run ------------------------------------------------------------------------------------------


def raising(error: BaseException) -> Factory:
    def factory() -> Any:
        raise error

    return factory


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ZeroDivisionError("no"), "raised ZeroDivisionError: no (test_numbers_torch.py:"),
        (torch.OutOfMemoryError("Allocation failed"), "out of memory on the device"),
        (RuntimeError("HIP out of memory"), "out of memory on the device"),
        (MemoryError(), "out of memory"),
        (SystemExit(3), "raised SystemExit: 3"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_errors_become_reasons(tmp_path: Path, error: BaseException, words: str, late: bool) -> None:
    recorded = numbers.record(made(InPlace), tmp_path / "g.safetensors", device="cpu")

    class Raises(InPlace):
        def forward(self, x: Any) -> Any:
            raise error

    evidence = numbers.compare(recorded.file, made(Raises) if late else raising(error))
    assert evidence.outcome is Outcome.NOT_CHECKED
    assert words in evidence.checks[0].why
    with pytest.raises(NotRun):
        numbers.record(raising(error), tmp_path / "h.safetensors", device="cpu")
    assert not (tmp_path / "h.safetensors").exists()


def test_interrupt_goes_through(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        numbers.record(raising(KeyboardInterrupt()), tmp_path / "h.safetensors", device="cpu")


@pytest.mark.parametrize("device", ["hpu", "cuda:99", "nonsense", "meta"])
def test_no_such_device(tmp_path: Path, device: str) -> None:
    with pytest.raises(NotRun, match="no device"):
        numbers.record(made(InPlace), tmp_path / "g.safetensors", device=device)
    recorded = numbers.record(made(InPlace), tmp_path / "g.safetensors", device="cpu")
    evidence = numbers.compare(recorded.file, made(InPlace), device=device)
    assert evidence.outcome is Outcome.NOT_CHECKED
    assert "no device" in evidence.checks[0].why


def test_results_of_another_device_prove_nothing() -> None:
    from rewarp.verify.numbers.capture import Options, _refuse_other_device
    from rewarp.verify.numbers.recording import Call
    from rewarp.verify.numbers.target import Prepared

    call = Call("(result)", "function", 0, devices=["cpu"])
    with pytest.raises(NotRun, match="computed on cpu; let the callable take"):
        _refuse_other_device(Prepared("f", None), Options("cuda:0"), [call])
    _refuse_other_device(Prepared("f", None), Options("cpu"), [call])
    call.devices = ["cpu", "cuda:0"]
    _refuse_other_device(Prepared("f", None), Options("cuda"), [call])


def test_gradients_of_inputs(tmp_path: Path) -> None:
    def gradient(x: Any) -> Any:
        (x**3).sum().backward()
        return x.grad

    assert replayed(tmp_path, lambda: (gradient, torch.ones(3, requires_grad=True))).outcome is Outcome.PASSED


def test_device_and_dtype_are_told_to_those_who_ask(tmp_path: Path) -> None:
    told: list[Any] = []

    def asks(device: str, dtype: Any = None) -> Any:
        told.append((device, dtype))
        return torch.ones(2, device=device, dtype=dtype)

    numbers.record(asks, tmp_path / "g.safetensors", device="cpu", dtype="bf16")
    assert told == [("cpu", torch.bfloat16)]


# --- tensors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_our_numbers_are_torchs(name: str) -> None:
    bits = torch.arange(2**16, dtype=torch.int32).to(torch.int16) if name == "bfloat16" else torch.arange(256).byte()
    tensor = bits.view(getattr(torch, name))
    stored = from_torch(tensor)
    np.testing.assert_array_equal(values(stored.form, stored.raw), tensor.double().numpy())


@pytest.mark.parametrize("name", FORMATS)
def test_tensors_come_back(name: str) -> None:
    dtype = getattr(torch, name)
    tensor = torch.tensor([[0, 1], [1, 1]]).to(dtype).t()
    back = to_torch(from_torch(tensor))
    assert back.dtype is dtype
    assert back.shape == tensor.shape
    assert torch.equal(back.to(torch.complex128), tensor.to(torch.complex128))
    assert to_torch(from_torch(tensor[0, 0])).shape == ()


def test_a_recorded_tensor_does_not_change_any_more() -> None:
    tensor = torch.zeros(3)
    stored = from_torch(tensor)
    tensor += 1
    assert values(stored.form, stored.raw).tolist() == [0, 0, 0]


def test_conjugates() -> None:
    tensor = torch.tensor([1 + 2j]).conj()
    assert to_torch(from_torch(tensor)).tolist() == [1 - 2j]


def test_paths() -> None:
    value = Output(torch.ones(1), [Pair(torch.zeros(1), {"a": torch.ones(2)})])
    found, others = flat(value)
    assert list(found) == ["logits", "hidden.0.0", "hidden.0.1.a"]
    assert others == ["name: str"]
    new = changed(value, lambda path, tensor: path)
    assert new == Output("logits", [Pair("hidden.0.0", {"a": "hidden.0.1.a"})])
    assert isinstance(value.logits, torch.Tensor), "the original stays as it is"
    around: list[Any] = []
    around.append(around)
    assert flat(around)[1][0].endswith(": list")


# --- the commands ---------------------------------------------------------------------------------------------


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, target = str(tmp_path / "golden.safetensors"), f"{EXAMPLE}:make"
    assert cli.main(["verify", "record", target, "-o", file, "--device", "cpu", "--dtype", "bf16", "--seed", "3"]) == 0
    assert "44 calls of 44 modules" in capsys.readouterr().out
    assert cli.main(["verify", "record", target, "-o", file, "--device=cpu", "--modules=1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["calls"] == 4
    assert cli.main(["verify", "compare", file, target, "--device", "cpu"]) == 0
    assert cli.main(["verify", "compare", file, target + "_broken", "--device", "cpu"]) == 1
    assert "first diverging module: (model)" in capsys.readouterr().out
    assert cli.main(["verify", "compare", file, "--device", "hpu", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["outcome"] == "not checked"


def test_chatter_does_not_mix_with_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "talks.py"
    target.write_text("import torch\ndef make():\n    print('hello')\n    return torch.ones(2)\n")
    options = [f"{target}:make", "-o", str(tmp_path / "g.safetensors"), "--device=cpu", "--json"]
    assert cli.main(["verify", "record", *options]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["calls"] == 1
    assert "hello" in captured.err


@pytest.mark.parametrize(
    "options",
    [
        ["x.py:make"],
        ["t.py:make", "--seed=-1"],
        ["t.py:make", "--modules=some"],
        ["t.py:make", "--max-bytes=few"],
        ["t.py:make", "--max-bytes=1"],
        ["t.py:make", "--iterations=0"],
        ["t.py:make", "--dtype=int8"],
        ["t.py:make", "--device=nonsense"],
        ["t.py:broken"],
        ["t.py:number"],
        ["t.py"],
        ["syntax.py:make"],
        ["t.py:make", "-o", "."],
        ["t.py:make", "-o", "none/g.safetensors"],
        ["t.py:make", "-o", "precious.safetensors"],
        ["t.py:make", "--json", "t.py"],
    ],
)
def test_bad_requests(
    tmp_path: Path, options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import torch\nnumber = 1\ndef make():\n    return torch.ones(2)\ndef broken():\n    return None\n"
    (tmp_path / "t.py").write_text(code)
    (tmp_path / "syntax.py").write_text("def make(:\n")
    (tmp_path / "precious.safetensors").write_bytes(b"weights of a week")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    default = [] if "-o" in options else ["-o", "g.safetensors"]
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert cli.main(["verify", "record", *options, *default]) == 2
    assert "rewarp: error:" in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before
