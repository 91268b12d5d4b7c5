"""Every language through the whole comparison: found by itself, scored, and not scored where it must not be."""

from __future__ import annotations

from pathlib import Path

import pytest
from parity_parts import MemoryTree

from rewarp.parity.comparing.compare import compare
from rewarp.parity.scoring.scores import GateVerdict, judge, score
from rewarp.parity.units import Parity

pytestmark = pytest.mark.usefixtures("few_units_do")

RUST = {
    "core/src/backend.rs": "pub trait BackendStorage: Sized { fn add(&self) -> Result<Self>; fn conv(&self) -> Result<Self>; }\n",
    "core/src/cuda_backend/mod.rs": """pub struct CudaStorage { slice: CudaSlice }
impl BackendStorage for CudaStorage {
    fn add(&self) -> Result<Self> { let s = self.slice.launch_add()?; Ok(Self { slice: s }) }
    fn conv(&self) -> Result<Self> { let s = self.slice.launch_conv()?; Ok(Self { slice: s }) }
}
""",
    "core/src/rocm_backend/mod.rs": """pub struct RocmStorage { slice: RocmSlice }
impl BackendStorage for RocmStorage {
    fn add(&self) -> Result<Self> { let s = self.slice.launch_add()?; Ok(Self { slice: s }) }
    fn conv(&self) -> Result<Self> { crate::bail!("no conv on rocm") }
}
""",
}
PYTHON = {
    "platforms/interface.py": """class Platform:
    def sync(self):
        raise NotImplementedError

    def memory(self):
        raise NotImplementedError
""",
    "platforms/cuda.py": """from .interface import Platform

class CudaPlatform(Platform):
    def sync(self):
        torch.cuda.synchronize()

    def memory(self):
        return torch.cuda.mem_get_info()
""",
    "platforms/rocm.py": """from .interface import Platform

class RocmPlatform(Platform):
    def sync(self):
        torch.cuda.synchronize()
""",
}
CPP = {
    "backend.h": """#pragma once
class Backend {
public:
    virtual ~Backend() = default;
    virtual void add(float *x, int n) = 0;
    virtual void conv(float *x, int n) = 0;
};
""",
    "cuda/cuda_backend.cpp": """#include "../backend.h"
class CudaBackend : public Backend {
public:
    void add(float *x, int n) override { launch_add(x, n); }
    void conv(float *x, int n) override { launch_conv(x, n); }
};
""",
    "rocm/rocm_backend.cpp": """#include "../backend.h"
#include <stdexcept>
class RocmBackend : public Backend {
public:
    void add(float *x, int n) override { launch_add(x, n); }
    void conv(float *x, int n) override { throw std::runtime_error("no conv"); }
};
""",
}


def compared(files: dict[str, str]) -> Parity:
    return compare(MemoryTree({path: text.encode() for path, text in files.items()}), use_cache=False, jobs=1)


@pytest.mark.parametrize(
    ("files", "level", "gap"),
    [(RUST, "add", "conv"), (CPP, "add", "conv"), (PYTHON, "sync", "memory")],
    ids=["Rust", "C++", "Python"],
)
def test_a_gap_is_found_and_what_is_level_is_level(files: dict[str, str], level: str, gap: str) -> None:
    found = compared(files)
    verdicts = {unit.name: judge(unit).verdict for unit in found.units if unit.scored}
    assert verdicts[level] is GateVerdict.LEVEL
    assert verdicts[gap] is GateVerdict.GAP
    assert found.found_by
    assert score(found).lowest is not None
    (unit,) = [unit for unit in found.units if unit.scored and unit.name == gap]
    assert any("rocm" in place.path or place.path in files for place in (*unit.a.evidence, *unit.b.evidence))


def test_all_languages_of_one_tree() -> None:
    found = compared({**RUST, **CPP, **PYTHON})
    names = {unit.name for unit in found.units if unit.scored}
    assert {"add", "conv", "sync", "memory"} <= names
    assert len({unit.key for unit in found.units}) == len(found.units)


@pytest.mark.parametrize("files", [RUST, PYTHON], ids=["Rust", "Python"])
def test_no_score_where_a_back_end_does_not_parse(files: dict[str, str]) -> None:
    broken = {
        path: text + ("\nfn (((\n" if path.endswith(".rs") else "\ndef (((\n") if "rocm" in path else text
        for path, text in files.items()
    }
    scores = score(compared(broken))
    assert scores.lowest is None
    assert any("rocm" in reason for reason in scores.blocked_by)


def test_no_score_where_one_back_end_has_no_implementation() -> None:
    files = {
        path: text.replace("impl BackendStorage for RocmStorage", "impl RocmStorage") for path, text in RUST.items()
    }
    # One of the CPU shows that the trait is there for several back ends.
    files["core/src/cpu_backend/mod.rs"] = RUST["core/src/cuda_backend/mod.rs"].replace("Cuda", "Cpu")
    scores = score(compared(files))
    assert scores.lowest is None
    assert any("BackendStorage" in reason for reason in scores.blocked_by)


def test_nothing_of_the_second_back_end() -> None:
    for files in (RUST, CPP, PYTHON):
        scores = score(compared({path: text for path, text in files.items() if "rocm" not in path}))
        assert scores.lowest is None or scores.lowest.share == 0, "never level with what is not there"


def test_paired_by_the_settings() -> None:
    from rewarp.parity.settings import Settings

    def masked(text: str) -> str:
        return text.replace("CudaStorage", "GpuStorage").replace("RocmStorage", "AccelStorage")

    files = {
        path.replace("cuda_backend", "one").replace("rocm_backend", "two"): masked(text) for path, text in RUST.items()
    }
    view = MemoryTree({path: text.encode() for path, text in files.items()})
    settings = Settings(pairs=(("GpuStorage", "AccelStorage"),))
    found = compare(view, settings=settings, use_cache=False, jobs=1)
    verdicts = {unit.name: judge(unit).verdict for unit in found.units if unit.scored}
    assert (verdicts["add"], verdicts["conv"]) == (GateVerdict.LEVEL, GateVerdict.GAP)
    assert any("GpuStorage" in line and "AccelStorage" in line for line in found.found_by)


def test_binary_empty_and_foreign_encodings(tmp_path: Path) -> None:
    odd = {
        "core/src/rocm_backend/x.rs": b"\x00\x01\xff\xfe",
        "platforms/rocm_x.py": b"# -*- coding: nonsense -*-\n\xff",
    }
    odd |= {"rocm/x.hip": b"\xff" * 100, "a.py": b"", "b.cu": b"", "c.rs": b""}
    files = {path: text.encode() for path, text in {**RUST, **CPP, **PYTHON}.items()}
    found = compare(MemoryTree({**files, **odd}), use_cache=False, jobs=1)
    assert not [problem for problem in found.problems if "a defect of rewarp" in problem.what]
    assert score(found).lowest is None, "sources of rocm that cannot be read"
