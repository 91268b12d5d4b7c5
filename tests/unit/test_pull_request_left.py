"""What the text says of what is left: as much as there is, once, and by what it does to the project."""

from __future__ import annotations

import json
from pathlib import Path

from port_trees import UNPROVED, plain

from rewarp.port import engine
from rewarp.port.result import Port
from rewarp.port.tree import Tree
from rewarp.report.pull_request import body
from rewarp.targets import TARGETS

MAKEFILE = "all: k.cu\n\tnvcc -O2 -lineinfo -o k k.cu\nprofile:\n\tncu -o profile ./k\n"
KERNEL = (
    "#include <cuda_runtime.h>\n__global__ void k(int *x) { *x = 1; }\n"
    "int main() {\n  int *x;\n  cudaMalloc(&x, 4);\n  k<<<1, 1>>>(x);\n  return cudaFree(x);\n}\n"
)
NVML = "import pynvml\n\npynvml.nvmlInit()\nprint(pynvml.nvmlDeviceGetCount())\n"


def ported(root: Path, files: dict[str, str]) -> Port:
    tree = Tree(plain(root, {path: text.encode() for path, text in files.items()}))
    return engine.port(tree, TARGETS["rocm"], phases=UNPROVED)


def test_a_new_makefile_does_not_say_again_what_the_old_one_does(tmp_path: Path) -> None:
    port = ported(tmp_path, {"Makefile": MAKEFILE, "k.cu": KERNEL})
    assert "Makefile.rocm" in port.after
    assert {finding.path for finding in port.left} == {"Makefile"}
    assert "`Makefile:4`" in body(port)
    assert "`Makefile.rocm:" not in body(port)


def test_a_port_that_leaves_what_stops_it_does_not_call_itself_support(tmp_path: Path) -> None:
    files = {"Makefile": MAKEFILE.partition("profile")[0], "k.cu": KERNEL}
    whole = body(ported(tmp_path / "whole", files))
    assert whole.startswith("# Support AMD ROCm\n")
    assert "By this alone" not in whole
    part = body(ported(tmp_path / "part", files | {"monitor.py": NVML}))
    assert part.startswith("# Prepare for AMD ROCm\n")
    assert "By this alone it does not run on AMD ROCm: what still stops it is listed below." in part
    aside = body(ported(tmp_path / "aside", files | {"examples/monitor.py": NVML}))
    assert aside.startswith("# Support AMD ROCm\n")
    assert "examples/monitor.py" in aside


def test_a_file_that_could_not_be_read_is_named(tmp_path: Path) -> None:
    text = body(ported(tmp_path, {"train.py": "import torch\nx.cuda(async=True)\n", "a.py": "import torch\n"}))
    unread = "1 file could not be read, and nothing is known about what stands there: `train.py`."
    assert f"Nothing was found that stops it on AMD ROCm. {unread}" in text
    assert "could not be read" not in body(ported(tmp_path / "whole", {"a.py": "import torch\n"}))


def test_what_a_notebook_installs_does_not_stop_it(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": ["!pip install torch==2.4.0+cu121\n"], "metadata": {}, "outputs": []}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    text = body(ported(tmp_path, {"a.ipynb": notebook, "a.py": "import torch\n"}))
    assert "`a.ipynb:" in text
    assert "Nothing stops it on AMD ROCm; 1 place gives wrong results there or leaves the GPU idle" in text
    text = body(ported(tmp_path / "list", {"requirements.txt": "torch==2.4.0+cu121\n", "a.py": "import torch\n"}))
    assert "1 place stops it" in text
