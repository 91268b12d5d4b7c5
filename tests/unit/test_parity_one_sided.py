"""What is said of one platform alone: its own hardware, its own language, its own arm, and branches that do nothing."""

from __future__ import annotations

import pytest

from rewarp.parity.comparing.compare import shown_lacking
from rewarp.parity.python import analyse
from rewarp.parity.rust import analyse as analyse_rust
from rewarp.parity.units import Status, Unit


def _python(**files: str) -> dict[str, Unit]:
    found = analyse({name.replace("__", "/") + ".py": text.encode() for name, text in files.items()}, "cuda", "rocm")
    return {unit.name: unit for unit in found.units}


def _rust(text: str) -> dict[str, Unit]:
    files = {"Cargo.toml": b'[package]\nname = "x"\n', "src/lib.rs": text.encode()}
    return {f"{unit.owner}::{unit.name}": unit for unit in analyse_rust(files, "cuda", "rocm").units}


@pytest.mark.parametrize(
    ("body", "status", "scored"),
    [
        # Nothing for B, which is not asked for: A alone may be meant.
        ("if is_cuda():\n        hook(x)", Status.UNKNOWN, False),
        ("x.y = 1\n    if is_cuda():\n        hook(x)", Status.UNKNOWN, False),
        (
            "x.go()\n    if is_cuda():\n        x.update(look(x))\n    else:\n        x.update({})",
            Status.UNKNOWN,
            False,
        ),
        ("x.go()\n    if is_hip():\n        pass\n    else:\n        hook(x)", Status.UNKNOWN, False),
        # Nothing at all for B, which is asked for.
        ("if is_hip():\n        pass\n    else:\n        hook(x)", Status.NO_OP, True),
        ("if not is_hip():\n        hook(x)", Status.NO_OP, True),
        ("if is_hip():\n        return 'unknown'\n    return look(x)", Status.NO_OP, True),
        # Work of B's own, if only another value.
        (
            "x.go()\n    if is_cuda():\n        hook(x)\n    else:\n        x.update({1: look(x)})",
            Status.IMPLEMENTED,
            False,
        ),
        ("x.go()\n    if is_cuda():\n        hook(x)\n    elif is_hip():\n        other(x)", Status.IMPLEMENTED, True),
        ("if is_cuda():\n        n = count(x)\n    else:\n        n = 64\n    use(n)", Status.IMPLEMENTED, False),
        ("if is_hip():\n        return 64\n    return look(x)", Status.IMPLEMENTED, True),
        ("if is_hip():\n        workaround(x)\n    work(x)", Status.IMPLEMENTED, True),
    ],
)
def test_a_branch_that_does_nothing_is_not_implemented(body: str, status: Status, scored: bool) -> None:
    unit = _python(pkg__ops=f"def f(x):\n    {body}\n")["f"]
    assert (unit.a.status, unit.b.status, unit.scored) == (Status.IMPLEMENTED, status, scored)


def test_what_only_goes_wrong_is_no_work_that_the_other_lacks() -> None:
    text = "def f(x):\n    try:\n        if is_hip():\n            raise E\n    except E:\n        return other(x)\n    return x.go()\n"
    assert _python(pkg__ops=text)["f"].b.status is Status.IMPLEMENTED


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ('"unknown"', Status.STUB),
        ('"N/A"', Status.STUB),
        ('"6.2"', Status.IMPLEMENTED),
        ("look()", Status.IMPLEMENTED),
        ("None", Status.IMPLEMENTED),
    ],
)
def test_an_answer_that_is_handed_on_to_a_placeholder(answer: str, status: Status) -> None:
    text = f"def of_a():\n    return look('a')\ndef of_b():\n    return {answer}\n"
    text += "def version():\n    if is_cuda():\n        return of_a()\n    return of_b()\n"
    assert _python(pkg__ops=text)["version"].b.status is status


def test_a_placeholder_for_both_is_no_gap_of_either() -> None:
    text = "def none():\n    return 'unknown'\ndef version():\n    if is_cuda():\n        return none()\n    return none()\n"
    assert _python(pkg__ops=text)["version"].b.status is Status.IMPLEMENTED


def test_a_question_about_hardware_that_only_one_vendor_has() -> None:
    ask = "def has_{}(x):\n    return is_cuda() and look(x)\n"
    units = _python(
        pkg__ops=ask.format("tma") + ask.format("fp8"), pkg__run="def g(x):\n    return has_tma(x), has_fp8(x)\n"
    )
    assert (units["has_tma"].b.status, units["has_tma"].scored) == (Status.UNKNOWN, False)
    assert (units["has_fp8"].b.status, units["has_fp8"].scored) == (Status.MISSING, True)


def test_a_question_that_only_one_back_end_s_own_code_asks() -> None:
    ask = "def has_room(x):\n    return is_cuda() and look(x)\n"
    own = _python(pkg__ops=ask, pkg__nvidia__run="def g(x):\n    return has_room(x)\n")["has_room"]
    assert (own.b.status, own.scored) == (Status.UNKNOWN, False)
    more = _python(pkg__ops=ask, pkg__nvidia__run="has_room(1)\n", pkg__run="has_room(1)\n")["has_room"]
    assert (more.b.status, more.scored) == (Status.MISSING, True)
    here = _python(pkg__ops=ask + "def g(x):\n    return has_room(x)\n", pkg__nvidia__run="has_room(1)\n")["has_room"]
    assert (here.b.status, here.scored) == (Status.MISSING, True)


DEVICES = """
pub enum Device { Cuda(u32), Hip(u32), Cpu }
pub enum Pool { Cuda(u32), Hip(u32), Cpu }
"""
ARM = """
pub fn launch(d: Device, p: Pool) -> u32 {
    match d {
        Device::Cuda(d) => { %s }
        Device::Hip(d) => { let Pool::Hip(p) = p else { todo!() }; d + p }
        Device::Cpu => 1,
    }
}
"""


@pytest.mark.parametrize(
    "arm",
    [
        "let Pool::Cuda(p) = p else { unimplemented!() }; d + p",
        "if let Pool::Cuda(p) = p { d + p } else { unimplemented!() }",
        "match p { Pool::Cuda(p) => d + p, _ => unimplemented!() }",
    ],
)
def test_a_choice_inside_an_arm_of_one_back_end_asks_nothing_of_others(arm: str) -> None:
    units = _rust(DEVICES + ARM % arm)
    assert [key for key in units if "Pool::cuda" in key] == []
    assert units["launch (src/lib.rs)::Device::cuda"].b.status is Status.IMPLEMENTED
    outside = _rust(DEVICES + "pub fn launch(p: Pool) -> u32 {{ {} }}".format(arm.replace("d + p", "p")))
    assert [unit.b.status.value for key, unit in outside.items() if "Pool::cuda" in key] == ["stub"]


@pytest.mark.parametrize(("name", "found"), [("Language", False), ("KernelLang", False), ("Backend", True)])
def test_a_source_language_is_no_back_end(name: str, found: bool) -> None:
    text = f"pub enum {name} {{ Cuda, CudaHipify, Metal }}\npub fn f(l: {name}) -> u32 {{ match l {{ {name}::Cuda => 1, _ => 2 }} }}\n"
    assert any(unit.kind == "enum variant" for unit in _rust(text).values()) is found
    # With a variant of its own for B, it is a choice like any other.
    both = _rust(text.replace("CudaHipify", "Hip"))
    assert both[f"{name}::Cuda"].b.status is Status.IMPLEMENTED


def test_what_is_not_scored_and_unknown_stays_so() -> None:
    unit = _python(pkg__ops="def f(x):\n    if is_cuda():\n        hook(x)\n")["f"]
    assert shown_lacking(unit).b.status is Status.UNKNOWN
