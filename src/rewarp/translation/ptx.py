"""Inline PTX: the few instructions that every project copies have a twin in HIP; the rest is reported."""

from __future__ import annotations

import re

from rewarp.lang.cfamily import CodeFile
from rewarp.source import Span
from rewarp.translation.code import call_arguments, skip_space
from rewarp.translation.model import Changes, Problem, Replacement

_RULE = "CU-005"
_KEYWORD = re.compile(rb"(?:asm|__asm__|__asm)(?:\s|volatile|__volatile__)*")
_STRING = re.compile(rb'"((?:\\.|[^"\\])*)"')
_OUTPUT = re.compile(rb'\s*"=[&+]?\w+"\s*\(')
_INPUT = re.compile(rb'\s*"\w+"\s*\(')
# An instruction, blanks folded, and what computes the same in HIP: {0} is the output, {1} and on the inputs.
_TWINS: dict[bytes, str] = {
    b"mov.u32 %0, %laneid;": "{0} = rewarp_lane_id()",
    b"mov.u32 %0, %%laneid;": "{0} = rewarp_lane_id()",
    b"mov.u32 %0, %lanemask_lt;": "{0} = (1u << rewarp_lane_id()) - 1u",
    b"mov.u32 %0, %%lanemask_lt;": "{0} = (1u << rewarp_lane_id()) - 1u",
    b"mov.u32 %0, %lanemask_le;": "{0} = (2u << rewarp_lane_id()) - 1u",
    b"mov.u32 %0, %%lanemask_le;": "{0} = (2u << rewarp_lane_id()) - 1u",
    b"mov.u32 %0, %lanemask_gt;": "{0} = ~((2u << rewarp_lane_id()) - 1u)",
    b"mov.u32 %0, %%lanemask_gt;": "{0} = ~((2u << rewarp_lane_id()) - 1u)",
    b"mov.u32 %0, %lanemask_ge;": "{0} = ~((1u << rewarp_lane_id()) - 1u)",
    b"mov.u32 %0, %%lanemask_ge;": "{0} = ~((1u << rewarp_lane_id()) - 1u)",
    b"mov.u32 %0, %lanemask_eq;": "{0} = 1u << rewarp_lane_id()",
    b"mov.u32 %0, %%lanemask_eq;": "{0} = 1u << rewarp_lane_id()",
    b"mov.u32 %0, %clock;": "{0} = (unsigned)clock64()",
    b"mov.u32 %0, %%clock;": "{0} = (unsigned)clock64()",
    b"mov.u64 %0, %clock64;": "{0} = clock64()",
    b"mov.u64 %0, %%clock64;": "{0} = clock64()",
    b"mov.u64 %0, %globaltimer;": "{0} = wall_clock64()",
    b"mov.u64 %0, %%globaltimer;": "{0} = wall_clock64()",
    b"bfe.u32 %0, %1, %2, %3;": "{0} = __bitextract_u32({1}, {2}, {3})",
    b"bfi.b32 %0, %1, %2, %3, %4;": "{0} = __bitinsert_u32({2}, {1}, {3}, {4})",
    b"prmt.b32 %0, %1, %2, %3;": "{0} = __byte_perm({1}, {2}, {3})",
    b"cvt.rn.f16.f32 %0, %1;": "{0} = __half_as_ushort(__float2half_rn({1}))",
    b"cvt.f32.f16 %0, %1;": "{0} = __half2float(__ushort_as_half({1}))",
    b"trap;": "abort()",
    b"exit;": "__builtin_amdgcn_endpgm()",
    b"membar.gl;": "__threadfence()",
    b"membar.cta;": "__threadfence_block()",
    b"membar.sys;": "__threadfence_system()",
    b"bar.warp.sync 0xffffffff;": "__syncwarp()",
    b"ex2.approx.f32 %0, %1;": "{0} = __builtin_amdgcn_exp2f({1})",
    b"ex2.approx.ftz.f32 %0, %1;": "{0} = __builtin_amdgcn_exp2f({1})",
    b"lg2.approx.f32 %0, %1;": "{0} = __builtin_amdgcn_logf({1})",
    b"lg2.approx.ftz.f32 %0, %1;": "{0} = __builtin_amdgcn_logf({1})",
    b"rcp.approx.f32 %0, %1;": "{0} = __builtin_amdgcn_rcpf({1})",
    b"rcp.approx.ftz.f32 %0, %1;": "{0} = __builtin_amdgcn_rcpf({1})",
    b"rsqrt.approx.f32 %0, %1;": "{0} = __builtin_amdgcn_rsqf({1})",
    b"rsqrt.approx.ftz.f32 %0, %1;": "{0} = __builtin_amdgcn_rsqf({1})",
    b"sqrt.approx.f32 %0, %1;": "{0} = __builtin_amdgcn_sqrtf({1})",
    b"sqrt.approx.ftz.f32 %0, %1;": "{0} = __builtin_amdgcn_sqrtf({1})",
    b"tanh.approx.f32 %0, %1;": "{0} = tanhf({1})",
    b"griddepcontrol.wait;": "static_cast<void>(0)",
    b"griddepcontrol.launch_dependents;": "static_cast<void>(0)",
    b"sin.approx.f32 %0, %1;": "{0} = __sinf({1})",
    b"cos.approx.f32 %0, %1;": "{0} = __cosf({1})",
}


def translate_ptx(document: CodeFile, places: list[int]) -> Changes:
    """Replaces what has a twin and reports the rest."""
    changes = Changes()
    view, code = document.source.view, document.code
    for at in places:
        end = _statement_end(code, at)
        new = _twin(view, code, at)
        if new and end:
            changes.replacements.append(Replacement(at, end, new))
            continue
        text = _instruction(view, at)
        shown = text.decode("utf-8", "replace")[:60]
        changes.problems.append(
            Problem(
                _RULE,
                Span(at, at + 3),
                "unsupported",
                f"inline PTX: {shown}",
                "Write it in C++ or with an AMD builtin; AMD's assembler does not take PTX.",
                shown.split(" ")[0],
            )
        )
    return changes


def understood(view: bytes, at: int) -> bool:
    """Whether an instruction has a twin."""
    return _instruction(view, at) in _TWINS


def _instruction(view: bytes, at: int) -> bytes:
    """The text of an asm statement, its strings joined and blanks folded."""
    keyword = _KEYWORD.match(view, at)
    if not keyword or view[keyword.end() : keyword.end() + 1] != b"(":
        return b""
    parts = []
    place = keyword.end() + 1
    while True:
        place = skip_space(view, place)
        string = _STRING.match(view, place)
        if not string:
            break
        parts.append(re.sub(rb"\\[nt]", b" ", string[1]))
        place = string.end()
    text = b" ".join(b"".join(parts).replace(b"{", b" ").replace(b"}", b" ").split())
    text = re.sub(rb"\s*,\s*", b", ", text)
    return re.sub(rb"\s*;$", b";", text if text.endswith(b";") else text + b";") if text else b""


def _statement_end(code: bytes, at: int) -> int | None:
    keyword = _KEYWORD.match(code, at)
    call = call_arguments(code, keyword.end()) if keyword else None
    return call[1] + 1 if call else None


def _twin(view: bytes, code: bytes, at: int) -> bytes | None:
    template = _TWINS.get(_instruction(view, at))
    end = _statement_end(code, at)
    if template is None or end is None:
        return None
    keyword = _KEYWORD.match(view, at)
    assert keyword
    operands = _operands(view, code, keyword.end(), end - 1)
    needed = len(set(re.findall(r"{\d}", template)))
    if operands is None or len(operands) < needed:
        return None
    return template.format(*(f"({text})" if index else text for index, text in enumerate(operands))).encode()


def _operands(view: bytes, code: bytes, start: int, end: int) -> list[str] | None:
    """The C++ expressions of an asm statement, outputs first."""
    found: list[str] = []
    place = code.find(b":", start, end)
    while place != -1 and place < end:
        match = re.compile(rb'["]').search(code, place, end)
        if not match:
            break
        closing = code.find(b'"', match.end(), end)
        opening = skip_space(code, closing + 1)
        if closing == -1 or code[opening : opening + 1] != b"(":
            break
        call = call_arguments(code, opening)
        if call is None:
            return None
        found.append(view[opening + 1 : call[1]].decode("utf-8", "surrogateescape").strip())
        place = call[1] + 1
    return found
