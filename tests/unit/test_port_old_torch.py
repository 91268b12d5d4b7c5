"""Extensions for an old torch: bypassed on ROCm, the same tokens for NVIDIA."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_trees import plain

from rewarp.port.changes import Change, PortContext, PortPhase
from rewarp.port.cpp import old_torch
from rewarp.port.cpp.old_torch import bypassed
from rewarp.port.proving.evidence import certificate
from rewarp.port.tree import Tree
from rewarp.targets import TARGETS
from rewarp.verify.isolation.file_verdict import IsolationVerdict

SETUP = (
    b"from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
    b'setup(ext_modules=[CUDAExtension("x", ["a.cpp", "k.cu"])], cmdclass={"build_ext": BuildExtension})\n'
)
SOURCE = b"""#include <torch/extension.h>
#include <THC/THC.h>

extern THCState *state;

#define CHECK(x) AT_CHECK(x.is_contiguous(), #x)
int f() { return 1; }
"""
AFTER = b"""#include <torch/extension.h>
#ifndef USE_ROCM
#include <THC/THC.h>
#endif
#ifdef USE_ROCM
#define AT_CHECK TORCH_CHECK
#endif

#ifndef USE_ROCM
extern THCState *state;
#endif

#define CHECK(x) AT_CHECK(x.is_contiguous(), #x)
int f() { return 1; }
"""


def test_what_is_gone_is_bypassed_and_proved(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"setup.py": SETUP, "a.cpp": SOURCE, "k.cu": b"__global__ void k() {}\n"}))
    context = PortContext(TARGETS["rocm"])
    result = old_torch.run(tree, context)
    assert [(change.path, change.after) for change in result.changes] == [("a.cpp", AFTER)], result.manual
    after = tree.with_changes(result.changes)
    assert certificate(tree, after).verdict is IsolationVerdict.IDENTICAL
    assert old_torch.run(after, context).changes == []
    assert not [finding for finding in after.findings(context.target) if finding.rule == "CU-019"]


@pytest.mark.parametrize(
    "text",
    [
        b"#include <THC/THC.h>\ncudaStream_t s = THCState_getCurrentStream(state);\n",
        b"#include <torch/extension.h>\nint f() { return 1; }\n",
        b"#include <THC/THCAtomics.cuh>\nint f() { return 1; }\n",
        b"#ifdef USE_ROCM\n#else\n#include <THC/THC.h>\n#endif\n",
        b"// AT_CHECK in a comment\n",
    ],
)
def test_others_are_left_alone(text: bytes) -> None:
    assert bypassed("a.cpp", text) is None


def test_without_torchs_build_nothing_defines_the_macro(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"a.cpp": SOURCE, "Makefile": b"all:\n\tg++ a.cpp\n"}))
    assert old_torch.run(tree, PortContext(TARGETS["rocm"])).changes == []


@pytest.mark.parametrize(
    ("header", "changed"),
    [
        (b"#ifndef AT_CHECK\n#define AT_CHECK TORCH_CHECK\n#endif\n", False),
        (b"#define AT_CHECKED TORCH_CHECK\n", True),
        (b"// #define AT_CHECK TORCH_CHECK\n", True),
    ],
)
def test_names_that_a_header_of_the_project_defines_are_there(header: bytes, changed: bool, tmp_path: Path) -> None:
    source = (
        b'#include <torch/extension.h>\n#include "config.h"\nvoid f(at::Tensor x) { AT_CHECK(x.is_cuda(), "x"); }\n'
    )
    files = {"setup.py": SETUP, "a.cpp": source, "k.cu": b"__global__ void k() {}\n", "config.h": header}
    tree = Tree(plain(tmp_path, files))
    context = PortContext(TARGETS["rocm"])
    assert bool(old_torch.run(tree, context).changes) is changed
    assert any(finding.rule == "CU-019" for finding in tree.findings(context.target)) is changed


def test_a_header_that_gives_one_name_does_not_give_another(tmp_path: Path) -> None:
    source = SOURCE.replace(b"<THC/THC.h>", b'<THC/THC.h>\n#include "config.h"')
    header = b"#define AT_CHECK TORCH_CHECK\n"
    tree = Tree(plain(tmp_path, {"setup.py": SETUP, "a.cpp": source, "k.cu": b"", "config.h": header}))
    (change,) = old_torch.run(tree, PortContext(TARGETS["rocm"])).changes
    assert b"define AT_CHECK" not in (change.after or b"")
    assert (change.after or b"").count(b"#ifndef USE_ROCM") == 2


DISPATCH = b"""#include <torch/extension.h>
int f(at::Tensor x, std::vector<at::Tensor> y) {
  // AT_DISPATCH_ALL_TYPES(x.type(), "comment")
  AT_DISPATCH_FLOATING_TYPES(x.type(), "f", ([&] { g<scalar_t>(x); }));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(
      y[0].type(), "f", ([&] { g<scalar_t>(y[0]); }));
  AT_DISPATCH_ALL_TYPES(x.scalar_type(), "f", ([&] { g<scalar_t>(x); }));
  return x.type().is_cuda();
}
"""


def test_a_dispatch_over_a_type_gets_the_scalar_type(tmp_path: Path) -> None:
    tree = Tree(plain(tmp_path, {"setup.py": SETUP, "a.cpp": DISPATCH, "k.cu": b"__global__ void k() {}\n"}))
    context = PortContext(TARGETS["rocm"])
    (change,) = old_torch.run(tree, context).changes
    assert change.after == DISPATCH.replace(
        b"#include <torch/extension.h>\n",
        b"#include <torch/extension.h>\n#ifdef USE_ROCM\n#define DISPATCH_TYPE(tensor) tensor.scalar_type()\n#else\n"
        b"#define DISPATCH_TYPE(tensor) tensor.type()\n#endif\n",
    ).replace(b'x.type(), "f"', b'DISPATCH_TYPE(x), "f"').replace(b'y[0].type(), "f"', b'DISPATCH_TYPE(y[0]), "f"')
    after = tree.with_changes([change])
    assert certificate(tree, after).verdict is IsolationVerdict.IDENTICAL
    assert old_torch.run(after, context).changes == []
    assert not [finding for finding in after.findings(context.target) if finding.rule == "CU-019"]


def test_windows_ends_of_lines_stay(tmp_path: Path) -> None:
    windows = SOURCE.replace(b"\n", b"\r\n")
    assert bypassed("a.cpp", windows) == AFTER.replace(b"\n", b"\r\n")
    assert bypassed("a.cpp", windows + b"\n") is None
    tree = Tree(plain(tmp_path, {"setup.py": SETUP, "a.cpp": windows, "k.cu": b"__global__ void k() {}\n"}))
    assert len(old_torch.run(tree, PortContext(TARGETS["rocm"])).changes) == 1


@pytest.mark.parametrize(
    "code",
    [
        b"#define AT_DISPATCH_ALL_TYPES(T, N) f(#T, N)\nint f(X x) { return AT_DISPATCH_ALL_TYPES(x.type(), 1); }\n",
        b"int f(X x) { return AT_DISPATCH_ALL_TYPES(1, x.type()); }\n",
        b"int f(X x) { return AT_DISPATCH_ALL_TYPES_AND(x.type(), 1); }\n",
        b"int f(X x) { return TEXT(x.type()); }\n",
    ],
    ids=["own", "second", "and", "other"],
)
def test_what_may_become_text_is_not_expanded(code: bytes, tmp_path: Path) -> None:
    macro = b"#define DISPATCH_TYPE(tensor) tensor.type()\n"
    before = b"#include <torch/extension.h>\n" + code
    tree = Tree(plain(tmp_path, {"setup.py": SETUP, "a.cpp": before}))
    after = before.replace(b"h>\n", b"h>\n" + macro).replace(b"x.type()", b"DISPATCH_TYPE(x)")
    change = Change("a.cpp", after, PortPhase.LIBRARIES, "")
    assert certificate(tree, tree.with_changes([change])).verdict is not IsolationVerdict.IDENTICAL


@pytest.mark.parametrize(("other", "same"), [(b"tensor.type()", True), (b"tensor .type()", False), (b"1", False)])
def test_several_files_may_define_the_same(other: bytes, same: bool, tmp_path: Path) -> None:
    text = b"#include <torch/extension.h>\nint f(X x) { return AT_DISPATCH_ALL_TYPES(x.type(), 1); }\n"
    tree = Tree(plain(tmp_path, {"setup.py": SETUP, "a.cpp": text, "b.cpp": text}))
    changes = []
    for path, body in (("a.cpp", b"tensor.type()"), ("b.cpp", other)):
        macro = b"h>\n#define DISPATCH_TYPE(tensor) " + body + b"\n"
        after = text.replace(b"h>\n", macro).replace(b"x.type()", b"DISPATCH_TYPE(x)")
        changes.append(Change(path, after, PortPhase.LIBRARIES, ""))
    identical = certificate(tree, tree.with_changes(changes)).verdict is IsolationVerdict.IDENTICAL
    assert identical is same
