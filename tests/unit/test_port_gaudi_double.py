"""The test double of Gaudi, each time in a process of its own; and a ported project that runs on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rewarp.config import Config
from rewarp.port.changes import PortContext
from rewarp.port.gaudi import run
from rewarp.port.gaudi.double_module import real_names
from rewarp.port.tree import Tree
from rewarp.targets import TARGETS

torch = pytest.importorskip("torch")
if not hasattr(torch.utils.backend_registration, "_setup_privateuseone_for_python_backend"):
    pytest.skip("this PyTorch takes no back end written in Python", allow_module_level=True)

CACHE = '''
import torch


class Cache:
    """Keeps tensors in host memory."""

    def __init__(self):
        self.kept = {}
        self.device = "cuda"
        self.stream = torch.cuda.Stream()

    def store(self, key, value):
        assert value.is_cuda
        with torch.cuda.stream(self.stream):
            self.kept[key] = value.to("cpu")
        torch.cuda.synchronize()

    def retrieve(self, key):
        return self.kept[key].cuda(non_blocking=True)
'''
ROUND_TRIP = """
import torch
from pkg.cache import Cache

cache = Cache()
value = torch.rand(7, 5, dtype=torch.float32).to(torch.bfloat16).to("hpu")
cache.store("a", value)
got = cache.retrieve("a")
assert got.device.type == cache.device == "hpu"
assert torch.equal(got.cpu().view(torch.int16), value.cpu().view(torch.int16))
print("bit-exact")
"""


def on_double(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / "program.py"
    file.write_text(program)
    command = [sys.executable, "-m", "rewarp.port.gaudi.double", str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def complaints(done: subprocess.CompletedProcess[str]) -> str:
    """What a program says, but for what torch's own threads say where they outlive it on a busy machine."""
    return done.stderr.replace("terminate called without an active exception\n", "")


def test_a_ported_project_runs_and_the_original_does_not(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "cache.py").write_text(CACHE)
    before = on_double(ROUND_TRIP, tmp_path)
    assert before.returncode != 0
    assert "torch.cuda.Stream" in before.stderr
    result = run(Tree(tmp_path, Config()), PortContext(TARGETS["gaudi"]))
    for change in result.changes:
        (tmp_path / change.path).write_bytes(change.after or b"")
    after = on_double(ROUND_TRIP, tmp_path)
    assert after.stdout == "bit-exact\n", after.stderr


def test_what_tensors_do(tmp_path: Path) -> None:
    program = """
import io, pickle, torch
x = torch.arange(6.).to("hpu")
assert x.device == torch.device("hpu", 0) and not x.is_cuda
y = x.clone().add_(1)
assert (y - x).tolist() == [1.0] * 6 and x[2].item() == 2
assert torch.tensor([1, 2], device="hpu:0").device.type == "hpu"
x[0] = 9
assert x.cpu()[0] == 9 and torch.cat([x, y]).view(3, 4).t().contiguous().shape == (4, 3)
try:
    x + torch.ones(6)
except RuntimeError as error:
    assert "same device" in str(error)
else:
    raise SystemExit("devices were mixed")
file = io.BytesIO()
torch.save(x, file)
file.seek(0)
assert torch.equal(torch.load(file), x) and torch.equal(pickle.loads(pickle.dumps(x)), x)
model = torch.nn.Linear(4, 2).to("hpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.weight.detach().cpu().clone()
with torch.autocast("hpu", dtype=torch.bfloat16):
    loss = (model(torch.ones(3, 4, device="hpu")) ** 2).mean()
loss.backward()
optimizer.step()
assert not torch.equal(before, model.weight.detach().cpu())
"""
    assert complaints(on_double(program, tmp_path)) == ""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each of these raises on the double, all tried in one process."""
    program = f"""
import torch
x, model = torch.ones(2), torch.nn.Linear(1, 1)
for text in {CUDA + ABSENT!r}:
    try:
        eval(text)
        print(text, "passed", sep="|")
    except Exception as error:
        print(text, type(error).__name__, sep="|")
print("count", torch.cuda.is_available(), sep="|")
print("names", " ".join(name for name in dir(torch.hpu) if not name.startswith("_")), sep="|")
"""
    done = on_double(program, tmp_path_factory.mktemp("double"))
    return dict(line.split("|", 1) for line in done.stdout.splitlines())


CUDA = ["torch.cuda.synchronize()", "torch.cuda.device_count()", "torch.cuda.manual_seed(1)", "torch.cuda.stream(None)"]
CUDA += ["torch.cuda.Stream()", "torch.cuda.amp.autocast()", "x.cuda()", "model.cuda()", "x.to('cuda')"]
ABSENT = ["torch.hpu.ipc_collect()", "torch.hpu.empty_cache()", "torch.hpu.HPUGraph()", "torch.hpu.synchronize(0)"]


@pytest.mark.parametrize("text", CUDA + ABSENT)
def test_what_gaudi_has_not_fails_loudly(text: str, refusals: dict[str, str]) -> None:
    assert refusals[text] != "passed"


def test_the_question_for_cuda_is_answered(refusals: dict[str, str]) -> None:
    assert refusals["count"] == "False"


def test_only_real_names_are_there(refusals: dict[str, str]) -> None:
    asked_by_torch = {"get_amp_supported_dtype"}
    assert set(refusals["names"].split()) == real_names() | asked_by_torch
