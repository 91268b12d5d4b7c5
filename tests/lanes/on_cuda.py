"""Writes the original kernels of this folder as one CUDA program that checks itself on a real GPU.

    python tests/lanes/on_cuda.py > on_cuda.cu && nvcc -arch=native on_cuda.cu -o on_cuda && ./on_cuda

It says for each kernel whether the GPU left the numbers that the file expects, as the instrument did at 32, and exits
with 1 if one did not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from lane_simulator import Buffer
from lanes.case import CASES, Case

_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*\n", re.M)
_BEGIN = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
static int failures = 0;
static void check(const char* name, bool right) {
  const cudaError_t error = cudaDeviceSynchronize();
  const cudaError_t launch = cudaGetLastError();
  const bool ok = right && error == cudaSuccess && launch == cudaSuccess;
  std::printf("%s %s%s%s\\n", ok ? "same" : "DIFFERENT", name, error || launch ? ": " : "",
              error || launch ? cudaGetErrorString(error ? error : launch) : "");
  failures += !ok;
}
"""


def _arguments(case: Case) -> Iterator[str]:
    for argument in case.call.arguments:
        if isinstance(argument, Buffer):
            yield f"{argument.type}* {argument.name};"
            yield f"cudaMallocManaged(&{argument.name}, {argument.count} * sizeof({argument.type}));"
            yield f"for (long i = 0; i < {argument.count}; ++i) {argument.name}[i] = {argument.fill};"
        else:
            yield f"const {argument.type} {argument.name} = {argument.value};"


def _call(case: Case) -> str:
    call = case.call
    names = ", ".join(argument.name for argument in call.arguments)
    launch = f"<<<dim3({call.grid}), dim3({call.block})>>>" if call.grid else ""
    return f"{case.name}::{call.entry}{launch}({names});"


def _checked(case: Case) -> str:
    buffer, numbers = case.expected
    of = next(argument for argument in case.call.arguments if argument.name == buffer)
    wanted = ", ".join(map(repr, numbers))
    lines = [
        *_arguments(case),
        _call(case),
        "cudaDeviceSynchronize();",
        "bool right = true;",
        f"const {of.type} wanted[] = {{{wanted}}};",
        f"for (int i = 0; i < {len(numbers)}; ++i) right &= {buffer}[i] == wanted[i];",
        f'check("{case.name}", right);',
    ]
    return f"static void run_{case.name}() {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _unit(case: Case) -> str:
    text = case.original.decode()
    undefined = "".join(f"#undef {name}\n" for name in dict.fromkeys(_DEFINED.findall(text)))
    return f"namespace {case.name} {{\n{_INCLUDE.sub('', text)}}}\n{undefined}"


def program() -> str:
    calls = "".join(f"  run_{name}();\n" for name in CASES)
    units = "".join(_unit(case) + _checked(case) for case in CASES.values())
    end = f'  std::printf("%d of {len(CASES)} differ\\n", failures);\n  return failures != 0;\n'
    return f"{_BEGIN}{units}int main() {{\n{calls}{end}}}\n"


if __name__ == "__main__":
    sys.stdout.write(program())
