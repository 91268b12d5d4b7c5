"""The certificate's own reading of gates beside project/gates: one table of facts, no contradiction, and nothing believed."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest
from gate_spellings import NAMED, NOT_DECIDED, SPELLINGS, Truths

from rewarp.lang import python
from rewarp.project.gates import NVIDIA, Evaluator, strict
from rewarp.source import SourceFile
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.python_settings import lines_set
from rewarp.verify.isolation.python.gates.facts import AMDS_WORDS, EXTENSION_VALUES, TORCH_VALUES, Fact
from rewarp.verify.isolation.python.gates.gates import Gates
from rewarp.verify.isolation.python.reading.modules import Modules
from rewarp.verify.isolation.python.reading.project import Project, Texts


class OneFile:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, path: str, side: Side) -> bytes | None:
        return self.data if path == "code.py" else None

    def paths(self, side: Side) -> Sequence[str]:
        return ["code.py"]


def proved(code: str, condition: str) -> Fact | None:
    data = f"{code}\nasked = ({condition})\n".encode()
    tree = ast.parse(data)
    last = tree.body[-1]
    assert isinstance(last, ast.Assign)
    return Gates(Modules(Project(OneFile(data), "before", Texts())).put("code.py", tree)).fact(last.value)


def test_the_facts_are_those_that_the_certificate_names() -> None:
    """Whoever changes the table of platforms changes what proofs stand on."""
    assert TORCH_VALUES["torch.version.hip"] == Fact.of(None)
    assert TORCH_VALUES["torch.version.cuda"] == Fact(True)
    assert {path.rpartition(".")[2]: fact for path, fact in EXTENSION_VALUES.items()} == {
        "IS_HIP_EXTENSION": Fact.of(False),
        "ROCM_HOME": Fact.of(None),
    }
    assert all(fact.platform for fact in (*TORCH_VALUES.values(), *EXTENSION_VALUES.values()))
    assert {"rocm", "hip", "amd"} == AMDS_WORDS


def test_what_is_proved_is_what_project_gates_says() -> None:
    """Whatever the proof decides is so on NVIDIA; it need not decide all that is believed elsewhere."""
    every: list[tuple[str, str, Truths]] = [*SPELLINGS, *NAMED]
    every += [(code, condition, (None, None, None)) for code, condition in NOT_DECIDED]
    decided = 0
    for code, condition, (nvidia, _, _) in every:
        fact = proved(code, condition)
        if fact is not None and fact.truth is not None and fact.platform:
            assert fact.truth is nvidia, (code, condition)
            decided += 1
    assert decided >= 25


GATED = [
    "import torch\nif torch.version.hip:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\nIS_ROCM = torch.version.hip is not None\nflags = ['-DUSE_ROCM'] if IS_ROCM else []\n",
    "import torch\nIS_ROCM = bool(torch.version.hip)\nif not IS_ROCM:\n    flags = []\nelse:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\ndef on_amd():\n    return torch.version.hip is not None\nif on_amd() and x:\n    flags = ['-DUSE_ROCM']\n",
    "from torch.utils.cpp_extension import ROCM_HOME\nif ROCM_HOME is not None:\n    flags = ['-DUSE_ROCM']\n",
    "def f():\n    import torch\n    if torch.version.hip:\n        flags = ['-DUSE_ROCM']\n",
    "try:\n    import torch\nexcept ImportError:\n    torch = None\nif torch and torch.version.hip:\n    f = ['-DUSE_ROCM']\n",
]
NOT_GATED = [
    "from x import is_rocm\nif is_rocm():\n    flags = ['-DUSE_ROCM']\n",
    "import os\nif os.getenv('BACKEND') == 'hip':\n    flags = ['-DUSE_ROCM']\n",
    "from fake import torch\nif torch.version.hip:\n    flags = ['-DUSE_ROCM']\n",
    "try:\n    import aiter\n    IT = True\nexcept ImportError:\n    IT = False\nif IT:\n    flags = ['-DUSE_ROCM']\n",
    "import importlib.util\nif importlib.util.find_spec('aiter'):\n    flags = ['-DUSE_ROCM']\n",
    "import torch\nIS_ROCM = torch.version.hip is not None\nIS_ROCM = True\nif IS_ROCM:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\nIS_ROCM = torch.version.hip is not None\ndef g():\n    global IS_ROCM\n    IS_ROCM = True\n"
    "if IS_ROCM:\n    flags = ['-DUSE_ROCM']\n",
    "def g(is_rocm=False):\n    if is_rocm:\n        flags = ['-DUSE_ROCM']\n",
    "class A:\n    is_rocm = False\n    def g(self):\n        if self.is_rocm:\n            flags = ['-DUSE_ROCM']\n",
    "import torch\nclass A:\n    def __init__(self):\n        self.hip = torch.version.hip\n    def g(self):\n"
    "        if self.hip:\n            flags = ['-DUSE_ROCM']\n",
    "if False:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\nif 'rocm' in torch.__version__:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\nif torch.version.hip or force:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\nif torch.version.hip is None:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\ntorch.version.hip = '6'\nif torch.version.hip:\n    flags = ['-DUSE_ROCM']\n",
    "import torch\nif torch.version.hip:\n    pass\nflags = ['-DUSE_ROCM']\n",
    "import torch\nif torch.version.hip:\n    flags = ['-DUSE_ROCM'\n",
]


@pytest.mark.parametrize("code", GATED)
def test_a_build_script_gives_a_macro_to_rocm_alone(code: str) -> None:
    assert lines_set("USE_ROCM", "setup.py", code.encode()) == []


@pytest.mark.parametrize("code", NOT_GATED)
def test_a_build_script_may_give_it_to_nvidia(code: str) -> None:
    assert lines_set("USE_ROCM", "setup.py", code.encode())


@pytest.mark.parametrize(("code", "condition", "truths"), NAMED)
def test_a_strict_platform_believes_no_name(code: str, condition: str, truths: Truths) -> None:
    document = python.parse(SourceFile("code.py", f"{code}\nasked = ({condition})\n".encode()))
    last = document.tree.body[-1]
    assert isinstance(last, ast.Assign)
    assert Evaluator(document, strict(NVIDIA, TORCH_VALUES)).truth(last.value) is None
