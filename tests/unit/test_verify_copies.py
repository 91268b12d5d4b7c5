"""Directions of copies and functions that free, held against what allocated the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.verify.checks import Outcome
from rewarp.verify.copies import misdirected
from rewarp.verify.static import verify_static

FUNCTION = """
#include <hip/hip_runtime.h>
void run(int n) {{
  float* d_a;
  float* a = (float*)malloc(n * sizeof(float));
  std::vector<float> v(n);
  hipMalloc((void**)&d_a, n * sizeof(float));
  {}
}}
"""
WRONG = {
    "up": ("hipMemcpy(d_a, a, n * 4, hipMemcpyDeviceToHost);", "the destination, d_a, is memory of the device"),
    "up from a vector": ("hipMemcpy(d_a, v.data(), n * 4, hipMemcpyHostToHost);", "d_a"),
    "down": (
        "hipMemcpyAsync(a, d_a + 1, n * 4, hipMemcpyHostToDevice, 0);",
        "the destination, a, is memory of the host",
    ),
    "a part": ("hipMemcpy(&d_a[4], a, n * 4, hipMemcpyDeviceToDevice);", "the source, a, is memory of the host"),
    "free": ("free(d_a);", "d_a comes from hipMalloc, and free frees it"),
    "hipHostFree": ("hipHostFree(d_a);", "d_a comes from hipMalloc"),
    "hipFree": ("hipFree(a);", "a is memory of the host"),
    "the pointer's address": ("hipFree(&d_a);", "hipFree gets the address of d_a"),
    "no symbol": ("hipMemcpyToSymbol(d_a, a, 4);", "d_a is allocated memory"),
    "no byte": ("hipMemset(d_a, n * 4, 0);", "this sets no byte"),
}
RIGHT = {
    "up": "hipMemcpy(d_a, a, n * 4, hipMemcpyHostToDevice);",
    "down": "hipMemcpy(v.data(), d_a, n * 4, hipMemcpyDeviceToHost); hipFree(d_a); free(a);",
    "the runtime finds out": "hipMemcpy(d_a, a, n * 4, hipMemcpyDefault);",
    "given another": "d_a = other(); hipMemcpy(a, d_a, n * 4, hipMemcpyHostToHost);",
    "given another by its address": "hipHostMalloc(&d_a, n * 4); hipMemcpy(d_a, a, n * 4, hipMemcpyHostToHost);",
    "of the pointer itself": "hipMemcpy(a, &d_a, 8, hipMemcpyHostToHost);",
    "not known": "hipMemcpy(x, y, n * 4, hipMemcpyDeviceToHost); free(x);",
    "a symbol": "hipMemcpyToSymbol(HIP_SYMBOL(table), a, 4); hipMemcpyToSymbol(table, a, 4);",
    "all bytes": "hipMemset(d_a, 0, n * 4);",
    "freed elsewhere": "pool.free(d_a);",
}


@pytest.mark.parametrize(("line", "why"), WRONG.values(), ids=WRONG)
def test_another_memory_than_is_said(line: str, why: str) -> None:
    code = FUNCTION.format(line).encode()
    assert [(code[at : at + 4].decode(), why in said) for at, said in misdirected(code)] == [(line[:4], True)]


@pytest.mark.parametrize("line", RIGHT.values(), ids=RIGHT)
def test_what_is_right_or_not_known(line: str) -> None:
    assert list(misdirected(FUNCTION.format(line).encode())) == []


def test_more_than_was_allocated() -> None:
    code = b"void f(int n) { int* d; hipMalloc(&d, n); hipMemset(d, 0, sizeof(int) * n); }"
    assert [code[at : at + 9] for at, _ in misdirected(code)] == [b"hipMemset"]
    for right in (b"hipMalloc(&d, n * 4)", b"hipMalloc(&d, m)", b"hipMalloc(&d, n); hipFree(d); hipMalloc(&d, n * 4)"):
        assert list(misdirected(code.replace(b"hipMalloc(&d, n)", right))) == []


MEMBER = b"""
struct Buffer {
  float* data_;
  void init() { hipMalloc(&data_, 16); }
  void destroy() { hipHostFree(data_); }
  static void other(float* data_) { free(data_); }
};
"""


def test_a_member_is_what_the_file_allocates() -> None:
    assert [MEMBER[at : at + 11] for at, _ in misdirected(MEMBER)] == [b"hipHostFree"]
    given = MEMBER.replace(b"void destroy", b"void take(float* p) { data_ = p; } void destroy")
    assert list(misdirected(given)) == []
    pinned = MEMBER.replace(b"void init", b"void pin() { hipHostMalloc(&data_, 16); } void init")
    assert list(misdirected(pinned)) == []


def test_static_says_so_for_hip_alone(tmp_path: Path) -> None:
    text = FUNCTION.format(WRONG["up"][0])
    (tmp_path / "a.hip").write_text(text)
    checks = verify_static(tmp_path, jobs=1, use_cache=False).checks
    assert [(c.path, c.line) for c in checks if c.outcome is Outcome.FAILED] == [("a.hip", 8)]
    (tmp_path / "a.hip").write_text(text.replace("hipMemcpyDeviceToHost", "hipMemcpyHostToDevice"))
    assert not [c for c in verify_static(tmp_path, jobs=1, use_cache=False).checks if c.outcome is Outcome.FAILED]
