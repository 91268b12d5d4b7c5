"""Names that nobody knows, beside a name that somebody does; and names that only look odd."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.verify.misspelt import distance, misspelt
from rewarp.workspace import Folder

READER = "import os\nvalue = os.environ.get('APP_ROCM_FAST_PATH', '0')\n"
WRONG = {
    "letter": ("run.sh", "export HIP_VISIBLE_DEVICE=0\n", "HIP_VISIBLE_DEVICES"),
    "vendor": ("Dockerfile.rocm", "FROM rocm/pytorch\nENV PYTORCH_HIP_ARCH=gfx942\n", "PYTORCH_ROCM_ARCH"),
    "order": ("run.sh", "export APP_FAST_ROCM_PATH=1\n", "APP_ROCM_FAST_PATH"),
    "read": ("a.py", "import os\nx = os.environ['HSA_OVERIDE_GFX_VERSION']\n", "HSA_OVERRIDE_GFX_VERSION"),
    "value": ("run.sh", "export HSA_OVERRIDE_GFX_VERSION=942\n", "does not know the value 942"),
    "capability": ("Dockerfile.rocm", "FROM rocm/pytorch\nENV PYTORCH_ROCM_ARCH=9.0\n", "and not 9.0"),
    "transposed": ("run.sh", "export PYTORCH_ROCM_ARCH='gfx90a;gfx924'\n", "gfx942"),
    "transposed in Python": ("setup.py", "archs = ['gfx90a', 'gfx924']\n", "gfx942"),
    "version": ("a.py", "import torch\nx = torch.version.hipp\n", "torch has no torch.version.hipp"),
    "function": ("a.py", "import torch\nx = torch.cuda.is_avaliable()\n", "torch has no torch.cuda.is_avaliable"),
    "float8": ("a.py", "import torch\nx = torch.float8_e4m3nuz\n", "torch has no torch.float8_e4m3nuz"),
}
RIGHT = {
    "known": ("run.sh", "export HIP_VISIBLE_DEVICES=0,1 HSA_OVERRIDE_GFX_VERSION=9.4.2 PYTORCH_ROCM_ARCH='gfx942;gfx90a:xnack+'\n"),
    "filled in": ("run.sh", "export PYTORCH_ROCM_ARCH=$ARCH HSA_XNACK=${X:-1}\n"),
    "their own": ("run.sh", "export APP_ROCM_FAST_PATH=1 MY_AMD_BUILD_FOLDER=/x\n"),
    "read in a way that is not seen": ("run.sh", "export APP_ROCM_FAST_PATHS=1\n"),
    "numbered": ("run.sh", "export NCCL_MAX_NCHANNELS=32\n"),
    "asked for": ("a.py", "import torch\nif hasattr(torch.version, 'vendor'):\n    x = torch.version.vendor\n"),
    "newer": ("a.py", "import torch\nx = torch.cuda.something_quite_new()\n"),
    "newer GPU": ("setup.py", "archs = ['gfx1310']\n"),
}  # fmt: skip


def found(folder: Path, name: str, text: str) -> list[str]:
    (folder / "reader.py").write_text(READER)
    (folder / "other.cpp").write_text('auto x = lookup("APP_ROCM_FAST_PATHS");\n')
    (folder / name).write_text(text)
    return [one.why for one in misspelt(Folder(folder), ["reader.py", name])]


@pytest.mark.parametrize("case", WRONG)
def test_wrong(tmp_path: Path, case: str) -> None:
    name, text, word = WRONG[case]
    assert [why for why in found(tmp_path, name, text) if word in why]


@pytest.mark.parametrize("case", RIGHT)
def test_right(tmp_path: Path, case: str) -> None:
    assert found(tmp_path, *RIGHT[case]) == []


def test_distance() -> None:
    assert [distance("abcd", other) for other in ("abcd", "abdc", "abc", "axcy", "wxyz")] == [0, 1, 1, 2, 3]
