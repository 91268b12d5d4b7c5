"""Overloads that become one: the driver's errors and the runtime's are the same type in HIP."""

from __future__ import annotations

import pytest

from rewarp.source import SourceFile
from rewarp.translation.translator import translate

RUNTIME = "const char* name_of(cudaError_t error) { return cudaGetErrorName(error); }\n"
DRIVER = """template <int>
static const char *name_of(CUresult e) {
  const char* name = 0;
  cuGetErrorName(e, &name);
  return name;
}
"""


def translated(code: str) -> str:
    return translate(SourceFile("x.h", code.encode())).text


def test_the_overload_for_the_driver_is_left_to_other_compilers() -> None:
    found = translated(f"#ifdef A\n{RUNTIME}#endif\n#ifdef B\n{DRIVER}#endif\n")
    assert "#ifdef B\n#if !defined(__HIP_PLATFORM_AMD__)\ntemplate <int>\nstatic const char *name_of(" in found
    assert found.endswith("  return name;\n}\n#endif\n#endif\n")
    assert found.count("__HIP_PLATFORM_AMD__") == 1
    assert translated(found) == found


@pytest.mark.parametrize(
    "code",
    [
        DRIVER,
        RUNTIME + DRIVER.replace("name_of", "name_of_driver_error"),
        RUNTIME + DRIVER.replace("CUresult e", "CUresult e, int line"),
        "void f(CUresult a) { if (cudaError_t e = g()) { h(a); } }\n",
    ],
)
def test_functions_that_stay_different_stay(code: str) -> None:
    assert "__HIP_PLATFORM_AMD__" not in translated(code)
