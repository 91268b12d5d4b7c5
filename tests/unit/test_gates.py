"""Gates: what conditions are on each platform, held against Python itself where they can be executed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from gate_spellings import NAMED, NOT_DECIDED, SPELLINGS, Truths
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.lang import python
from rewarp.project.gates import PLATFORMS, ROCM, Answer, Reach, answer
from rewarp.project.modules import PythonModules
from rewarp.source import SourceFile
from rewarp.workspace import Folder

RUNNER = """
import json, sys
said = []
for code, condition in json.load(open(sys.argv[1])):
    names = {}
    try:
        exec(code, names)
        said.append(bool(eval(condition, names)))
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")
print(json.dumps(said))
"""


def asked(code: str, condition: str) -> Answer:
    document = python.parse(SourceFile("code.py", f"{code}\nasked = ({condition})\n".encode()))
    last = document.tree.body[-1]
    assert isinstance(last, ast.Assign)
    return answer(document, last.value)


def stub_torch(root: Path, platform: str, gpu: bool) -> Path:
    """A package that answers as PyTorch's build for a platform does."""
    hip, cuda = ("'6.2.1'", None) if platform == "rocm" else (None, "'12.4'" if platform == "nvidia" else None)
    there = gpu and platform != "gaudi"
    files = {
        "torch/__init__.py": f"""
from types import SimpleNamespace as _N
from . import version
__version__ = "2.4.0{"+rocm6.2" if platform == "rocm" else "+cu124" if platform == "nvidia" else "a0"}"
cuda = _N(is_available=lambda: {there}, device_count=lambda: {int(there)})
xpu = _N(is_available=lambda: False)
backends = _N(mps=_N(is_available=lambda: False))
{"hpu = _N(is_available=lambda: True)" if platform == "gaudi" else ""}
""",
        "torch/version.py": f"hip = {hip}\ncuda = {cuda}\n",
        "torch/utils/__init__.py": "",
        "torch/utils/cpp_extension.py": f"""
CUDA_HOME = {"'/usr/local/cuda'" if platform == "nvidia" and gpu else None}
ROCM_HOME = {"'/opt/rocm'" if hip else None}
IS_HIP_EXTENSION = {bool(hip)}
""",
        "triton/__init__.py": f"""
from types import SimpleNamespace as _N
_target = _N(backend={"'hip'" if hip else "'cuda'" if cuda else "'hpu'"})
runtime = _N(driver=_N(active=_N(get_current_target=lambda: _target)))
""",
    }
    if platform == "gaudi":
        files["habana_frameworks/__init__.py"] = ""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def executed(tmp_path: Path, platform: str, gpu: bool, cases: list[tuple[str, str]]) -> list[bool | str]:
    root = stub_torch(tmp_path / f"{platform}-{gpu}", platform, gpu)
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(root)!r})\n{RUNNER}", tmp_path / "cases.json"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    said: list[bool | str] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize(("code", "condition", "truths"), SPELLINGS)
def test_spelling(code: str, condition: str, truths: Truths) -> None:
    assert asked(code, condition).truths == truths


@pytest.mark.parametrize(("code", "condition", "truths"), NAMED)
def test_believed_by_name(code: str, condition: str, truths: Truths) -> None:
    found = asked(code, condition)
    assert found.truths == truths
    assert all(value.by_name for value in found if value.truth is not None)


@pytest.mark.parametrize(("code", "condition"), NOT_DECIDED)
def test_near_miss(code: str, condition: str) -> None:
    assert asked(code, condition).truths == (None, None, None)


@pytest.mark.parametrize("gpu", [True, False])
@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
def test_python_itself_says_the_same(tmp_path: Path, platform: object, gpu: bool) -> None:
    """Every spelling, alone and combined, is executed beside a torch of that platform: unknown is allowed, wrong is not."""
    at = [p.name for p in PLATFORMS].index(platform.name)  # type: ignore[attr-defined]
    singles = [(code, condition) for code, condition, _ in SPELLINGS]
    cases = list(singles)
    for (code, first), (more, second) in zip(singles, singles[1:]):
        if code == more:
            cases += [(code, f"({first}) {word} not ({second})") for word in ("and", "or")]
            cases.append((code, f"({first}) if ({second}) else not ({first})"))
    said = executed(tmp_path, platform.name, gpu, cases)  # type: ignore[attr-defined]
    wrong = []
    for (code, condition), real in zip(cases, said, strict=True):
        told = asked(code, condition)[at].truth
        assert isinstance(real, bool), f"{code}; {condition}: {real}"
        if told is not None and told is not real:
            wrong.append((code, condition, told))
    assert wrong == []


CONDITIONS = [condition for code, condition, _ in SPELLINGS if code == "import torch"]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CONDITIONS), st.sampled_from(CONDITIONS))
def test_logic(first: str, second: str) -> None:
    one, two = asked("import torch", first).truths, asked("import torch", second).truths
    negated = asked("import torch", f"not ({first})").truths
    both = asked("import torch", f"({first}) and ({second})").truths
    either = asked("import torch", f"({first}) or ({second})").truths
    for a, b, n, c, d in zip(one, two, negated, both, either, strict=True):
        assert n is (None if a is None else not a)
        assert c is (False if False in (a, b) else None if None in (a, b) else True)
        assert d is (True if True in (a, b) else None if None in (a, b) else False)


def test_followed_through_modules(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .utils import is_amd_build\n",
        "pkg/utils.py": "import torch\nON = torch.version.hip is not None\ndef is_amd_build():\n    return ON\n",
        "pkg/deep/__init__.py": "",
        "pkg/deep/a.py": "from ..utils import is_amd_build as ask\nfrom .. import utils\nx = ask()\ny = utils.ON\n",
        "pkg/b.py": "import pkg\nfrom pkg import is_amd_build\nfrom pkg.utils import ON\nx = pkg.is_amd_build()\n"
        "y = is_amd_build()\nz = not ON\n",
        "loop/__init__.py": "",
        "loop/a.py": "from loop.b import x\n",
        "loop/b.py": "from loop.a import x\ny = x\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    modules = PythonModules(Folder(tmp_path))

    def told(path: str, name: str) -> Answer:
        document = modules.document(path)
        assert document
        (value,) = [
            s.value for s in document.tree.body if isinstance(s, ast.Assign) and document.raw(s.targets[0]) == name
        ]
        return modules.answer(path, value)

    for path, name in (("pkg/deep/a.py", "x"), ("pkg/deep/a.py", "y"), ("pkg/b.py", "x"), ("pkg/b.py", "y")):
        found = told(path, name)
        assert found.truths == (False, True, False), (path, name)
        assert not found.rocm.by_name
        assert any("pkg/utils.py" in step for step in found.rocm.why)
        assert any("torch.version.hip" in step for step in found.rocm.why)
    assert told("pkg/b.py", "z").truths == (True, False, True)
    assert told("loop/b.py", "y").truths == (None, None, None)


@pytest.mark.parametrize(
    ("code", "reached"),
    [
        ("import torch\nif torch.version.hip != None:\n    mark()", (False, True, False)),
        ("import pytest\npytest.importorskip('habana_frameworks')\nmark()", (False, False, True)),
        ("import pytest, torch\nif torch.version.hip:\n    pytest.skip('x', allow_module_level=True)\nmark()", (True, False, True)),
        ("import torch\ndef f():\n    if torch.version.hip is None:\n        return\n    mark()", (False, True, False)),
        ("@_RunIf(min_cuda_gpus=1)\ndef test():\n    mark()", (True, True, False)),
        ("import torch, unittest\n@unittest.skipIf(torch.version.hip is not None, 'x')\ndef test():\n    mark()", (True, False, True)),
        ("import torch\nassert not torch.version.hip\nmark()", (True, False, True)),
        ("class B:\n    def is_rocm_pytorch(self):\n        return look()\n    def f(self):\n        if not self.is_rocm_pytorch():\n            mark()",
         (True, False, True)),
        ("import torch\nif torch.cuda.is_available():\n    mark()", (True, True, False)),
    ],
)  # fmt: skip
def test_reach(code: str, reached: tuple[bool, bool, bool]) -> None:
    document = python.parse(SourceFile("code.py", code.encode()))
    (place,) = [call for call in document.nodes(ast.Call) if document.raw(call.func) == "mark"]
    assert tuple(not Reach(document, platform).unreachable(place) for platform in PLATFORMS) == reached


def test_the_reason_names_each_step() -> None:
    found = asked("import torch\ndef f():\n    return torch.version.hip is not None", "f()")
    assert [ROCM.title in step for step in found.rocm.why] == [False, True]
    assert found.rocm.why[0].startswith("code.py:2: f()")
