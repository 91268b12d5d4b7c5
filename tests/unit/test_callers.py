"""Python code that does not run when the project is used, and what only some functions ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.api import ScanReport, scan
from rewarp.config import Config
from rewarp.findings import Severity
from rewarp.project.callers import Callers
from rewarp.verdict import Conclusion
from rewarp.workspace import Folder

SMI = "import subprocess\n\n\ndef clocks():\n    subprocess.check_call(['nvidia-smi', '-L'])\n"
AT = 5


def _write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def _idle(root: Path, files: dict[str, str], path: str = "p/a.py", line: int = AT) -> str | None:
    return Callers(Folder(_write(root, files))).idle(path, line)


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"p/b.py": "def other_clocks(): ...\n"},
        {"p/a.py": SMI + "\n\ndef unused():\n    clocks()\n"},
        {"p/a.py": SMI + "\n\nif __name__ == '__main__':\n    clocks()\n", "p/b.py": "from p import a\n"},
    ],
)
def test_nothing_calls_it(tmp_path: Path, others: dict[str, str]) -> None:
    assert _idle(tmp_path, {"p/a.py": SMI} | others) == "nothing in this repository calls clocks"


LAID_OUT = '''\
import torch


class Model:
    """Call `model.parallelize()` to lay it over several cards."""

    def __init__(self):
        self.model_parallel = False

    def parallelize(self):
        self.spread = range(torch.cuda.device_count())
        self.model_parallel = True

    def forward(self, x):
        if self.model_parallel:
            torch.cuda.set_device(0)
        return x


class Head(Model):
    def parallelize(self):
        self.model.parallelize()
        self.model_parallel = True
'''


@pytest.mark.parametrize("line", [11, 16])
def test_a_model_that_nobody_lays_over_cards(tmp_path: Path, line: int) -> None:
    why = "only parallelize() leads here, which nothing in this repository calls"
    assert _idle(tmp_path, {"p/a.py": LAID_OUT, "p/b.py": LAID_OUT}, line=line) == why


@pytest.mark.parametrize(
    "others",
    [
        {"train.py": "from p.a import Model\nModel().parallelize()\n"},
        {"train.py": "model.model_parallel = True\n"},
        {"p/a.py": LAID_OUT.replace("model_parallel = False", "model_parallel = given")},
        {"p/a.py": LAID_OUT.replace("parallelize", "on_start")},
    ],
)
def test_a_model_that_may_be_laid_over_cards(tmp_path: Path, others: dict[str, str]) -> None:
    assert _idle(tmp_path, {"p/a.py": LAID_OUT} | others, line=16) is None


@pytest.mark.parametrize(
    "others",
    [
        {"p/b.py": "from p.a import clocks\n"},
        {"README.md": "Call `clocks` first.\n"},
        {"p/a.py": SMI + "\n\nclocks()\n"},
        {"p/a.py": SMI + "\n\nclass Device:\n    def start(self):\n        clocks()\n"},
        {"p/a.py": SMI + "\n\ndef used():\n    clocks()\n", "run.py": "from p.a import used\nused()\n"},
        {"p/a.py": SMI + "\n\nif __name__ == '__main__':\n    clocks()\n"},
        {"p/a.py": SMI.replace("def clocks", "@app.command()\ndef clocks")},
        {"p/a.py": SMI.replace("def clocks():", "def clocks(): # v\n    pass\n\n\ndef main():")},
        {"p/a.py": SMI + "\n\nglobals()[input()]()\n"},
    ],
)
def test_something_may_call_it(tmp_path: Path, others: dict[str, str]) -> None:
    line = 9 if "def main" in others.get("p/a.py", "") else AT
    assert _idle(tmp_path, {"p/a.py": SMI} | others, line=line) is None


def test_methods_belong_to_frameworks(tmp_path: Path) -> None:
    text = "import subprocess\n\n\nclass Hook:\n    def on_start(self): subprocess.call(['nvidia-smi'])\n"
    assert _idle(tmp_path, {"p/a.py": text}) is None


MAIN = "def f(): ...\n\n\nif __name__ == '__main__':\n    import flashinfer\nelse:\n    import os\n"


def test_a_module_that_is_imported_is_no_program(tmp_path: Path) -> None:
    files = {"p/a.py": MAIN, "p/b.py": "from .a import f\n"}
    assert _idle(tmp_path, files) == "it runs only where this module is run by itself"
    assert _idle(tmp_path, files, line=7) is None


def test_a_program_is_run_by_itself(tmp_path: Path) -> None:
    assert _idle(tmp_path, {"p/a.py": MAIN}) is None


def _scan(root: Path, files: dict[str, str]) -> ScanReport:
    return scan(_write(root, files), config=Config(target="rocm"), jobs=1, use_cache=False)


def test_what_nothing_calls_informs(tmp_path: Path) -> None:
    (found,) = (f for f in _scan(tmp_path, {"p/a.py": SMI}).findings if f.rule == "SH-001")
    assert found.severity is Severity.INFO
    assert found.message.endswith("; nothing in this repository calls clocks")


DEFERRED = "def export(model):\n    import torch_tensorrt\n    return torch_tensorrt.compile(model)\n"


def test_what_a_function_asks_for_decides_nothing(tmp_path: Path) -> None:
    report = _scan(tmp_path, {"p/a.py": DEFERRED, "p/b.py": "from .a import export\n"})
    assert [f.severity for f in report.findings if f.rule == "LIB-011"] == [Severity.INFO]
    assert report.verdict.conclusion is Conclusion.AS_IS
    assert "1 place only for who calls it: p/a.py." in report.verdict.reasons


@pytest.mark.parametrize(
    "files",
    [
        {"requirements.txt": "torch-tensorrt\n"},
        {"p/a.py": "import torch_tensorrt\n" + DEFERRED},
    ],
)
def test_what_everybody_gets_decides(tmp_path: Path, files: dict[str, str]) -> None:
    report = _scan(tmp_path, {"p/a.py": DEFERRED, "p/b.py": "from .a import export\n"} | files)
    assert report.verdict.conclusion is not Conclusion.AS_IS


def test_paths_of_other_repositories_are_data(tmp_path: Path) -> None:
    report = _scan(tmp_path, {"repos/a~b/chat~main.py": "import pynvml\nimport cupy\n", "run.py": "print()\n"})
    assert {f.severity for f in report.findings} <= {Severity.INFO}
    assert report.project.roles["repos/a~b/chat~main.py"] == "data"


def test_a_tilde_at_an_end_says_nothing(tmp_path: Path) -> None:
    report = _scan(tmp_path, {"~work/main.py": "import cupy\n", "run.py": "print()\n"})
    assert "~work/main.py" not in report.project.roles


BUILDS = {
    "p/fused/load.py": "from torch.utils import cpp_extension\ncpp_extension.load('f', ['f.cu'], extra_cuda_cflags=['-gencode'])\n",
    "p/fused/f.cu": "__global__ void f(int *x) { __shfl_down_sync(0xffffffffu, *x, 1); }\n",
}
WHEN_ASKED = "def fast(on):\n    if on:\n        from p.fused import load\n"


@pytest.mark.parametrize(
    ("user", "decides"),
    [(WHEN_ASKED, False), ("from p.fused import load\n", True), ("from .fused import load\n", True)],
)
def test_an_extension_that_is_built_when_asked_for(tmp_path: Path, user: str, decides: bool) -> None:
    packages = dict.fromkeys(("p/__init__.py", "p/fused/__init__.py"), "")
    report = _scan(tmp_path, packages | BUILDS | {"p/use.py": user, "run.py": "import p.use\n"})
    assert any(found.path == "p/fused/f.cu" and found.severity is Severity.BUILD for found in report.findings)
    assert (report.verdict.conclusion is Conclusion.MANUAL) is decides


_ENGINE = "import torch\n{}\n\nx = torch.zeros(1, device='cuda')\n"


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("import tensorrt", Severity.INFO),
        ("import sys; import tensorrt as trt", Severity.INFO),
        ("if len(x) > 1:\n    import tensorrt", Severity.CRASH),
        ("try:\n    import tensorrt\nexcept ImportError: ...", Severity.CRASH),
        ("import numpy", Severity.CRASH),
    ],
)
def test_what_follows_an_import_that_fails(tmp_path: Path, line: str, severity: Severity) -> None:
    root = _write(tmp_path, {"p/a.py": _ENGINE.format(line)})
    report = scan(root, config=Config(target="gaudi"), jobs=1, use_cache=False)
    found = [finding for finding in report.findings if finding.rule == "HPU-003"]
    assert [finding.severity for finding in found] == [severity]
    assert ("the import of tensorrt fails before" in found[0].message) is (severity is Severity.INFO)


THREADS = """\
import argparse, subprocess
parser = argparse.ArgumentParser()
parser.add_argument("--num-threads", type=int, default=4)
args = parser.parse_args()
if args.num_threads:
    print(args.num_threads)
else:
    subprocess.check_call(["nvidia-smi", "-L"])
"""


def test_a_branch_that_the_default_of_an_option_keeps_out(tmp_path: Path) -> None:
    assert _idle(tmp_path, {"p/a.py": THREADS}, line=8) == "the default of --num_threads keeps it out"
    assert _idle(tmp_path, {"p/a.py": THREADS}, line=6) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("default=4", "default=0"),
        ("default=4", "default=True"),
        (", default=4", ""),
        ("default=4", "default=len(NAMES)"),
        ("if args.num_threads:", "args.num_threads = 0\nif args.num_threads:"),
        ("if args.num_threads:", "if args.threads:"),
        ("if args.num_threads:", "if args.num_threads > 8:"),
    ],
)
def test_near_misses_of_defaults(tmp_path: Path, old: str, new: str) -> None:
    text = THREADS.replace(old, new)
    line = text[: text.index("subprocess.check_call")].count("\n") + 1
    assert _idle(tmp_path, {"p/a.py": text}, line=line) is None


@pytest.mark.parametrize(
    ("body", "why"),
    [("return x + 1", "nothing in this repository calls fence"), ("tl.store(x, 1)", None)],
)
def test_device_code_that_gives_a_value_is_called_by_kernels_alone(tmp_path: Path, body: str, why: str | None) -> None:
    kernel = f"import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef fence(x):\n    {body}\n"
    assert _idle(tmp_path, {"p/a.py": kernel}, line=7) == why
    user = "import triton\nfrom p.a import fence\n\n\n@triton.jit\ndef kernel(x):\n    fence(x)\n"
    assert _idle(tmp_path / "used", {"p/a.py": kernel, "p/b.py": user}, line=7) is None
