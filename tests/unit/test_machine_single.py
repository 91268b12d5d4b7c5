"""One kernel by itself, found by the name it has in its source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rewarp import machine
from rewarp.errors import UsageError

SOURCE = """
#include <hip/hip_runtime.h>
namespace ops {
template <typename T> __global__ void scale(T *x, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
template __global__ void scale<float>(float *, float, int);
}
__global__ void fill(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value + blockIdx.y; }
#ifdef TWO
namespace ops { template __global__ void scale<double>(double *, double, int); }
#endif
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "ops.hip").write_text(SOURCE, "utf-8")
    return tmp_path / "ops.hip"


def test_a_source_and_the_name_of_its_kernel(source: Path) -> None:
    x = np.arange(300, dtype=np.float32)
    machine.launch(f"{source}::scale", 2, 256, (x, 2.5, 300), arch="gfx1100")
    assert np.array_equal(x, np.arange(300, dtype=np.float32) * 2.5)


def test_a_kernel_of_a_program(source: Path) -> None:
    kernel = machine.kernel_of(machine.compile_source(source, "gfx942"), "fill")
    x = np.zeros(256, np.int32)
    machine.launch(kernel, (4, 2), (64,), (x, 41), cores=1)
    assert set(x) <= {41, 42}
    assert x.all()


def test_names_that_say_too_little(source: Path) -> None:
    program = machine.compile_source(source, "gfx942", ("-DTWO",))
    assert machine.kernel_of(program, "ops::scale<double>").name != machine.kernel_of(program, "ops::scale<float>").name
    with pytest.raises(UsageError, match="more than one kernel scale: there are ops::scale<double>, ops::scale<float>"):
        machine.kernel_of(program, "scale")
    with pytest.raises(UsageError, match="more than one kernel: there are fill"):
        machine.kernel_of(program)
    with pytest.raises(UsageError, match="no kernel scatter: there are fill, ops"):
        machine.kernel_of(program, "scatter")
