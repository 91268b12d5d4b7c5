"""How numbers are rounded and what becomes of denormal ones: the MODE register, followed through the code.

A kernel's descriptor says what MODE holds at its start, and code changes it for a few instructions at a time, as around a
division. Each instruction is marked with what holds where it stands, so that those for the usual mode pay nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.machine.assembly import Instruction, Kernel, Program

FLUSHES_SOURCES, FLUSHES_RESULTS, SCALES_RESULTS = "flushes sources", "flushes results", "scales results"
UNKNOWN = "mode unknown"
"""Of an instruction that code in different modes comes to."""
_DENORMALS, _CLAMP, _IEEE = 0xF0, 1 << 8, 1 << 9
_USUAL = _DENORMALS | _CLAMP | _IEEE
_SINGLES = re.compile(r"f32|v_(?:fma|mad)_mix")
_WRITTEN = re.compile(r"hwreg\(HW_REG_MODE(?:,\s*(\d+),\s*(\d+))?\),\s*(0x[0-9a-fA-F]+|\d+)$")
_READ = re.compile(r"hwreg\(HW_REG_MODE(?:,\s*(\d+),\s*(\d+))?\)$")
_CONCERNED = frozenset("s_denorm_mode s_round_mode s_setreg_b32 s_setreg_imm32_b32 s_getreg_b32".split())
_BRANCHES = ("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call")


def mode_of(kernel: Kernel) -> int:
    """MODE as a kernel finds it."""
    said = kernel.directives
    rounding = said.get("float_round_mode_32", 0) | said.get("float_round_mode_16_64", 0) << 2
    denormals = said.get("float_denorm_mode_32", 3) << 4 | said.get("float_denorm_mode_16_64", 3) << 6
    return rounding | denormals | said.get("dx10_clamp", 1) << 8 | said.get("ieee_mode", 1) << 9


def shared_mode(program: Program) -> int | None:
    """The mode that all kernels begin with; None where they differ, as functions that several of them call are in neither."""
    found = {mode_of(kernel) for kernel in program.kernels.values() if kernel.directives}
    return found.pop() if len(found) == 1 else None if found else _USUAL


def refused(kernel: Kernel, shared: bool) -> str:
    """Why a kernel cannot run in its mode; empty if it can."""
    mode = mode_of(kernel)
    if mode & 15:
        return f"{kernel.name} does not round to the nearest number, which is not modelled"
    if mode & 0xC0 != 0xC0:
        return f"{kernel.name} flushes denormal numbers of 16 and 64 bits to zero, which is not modelled"
    if not mode & _CLAMP:
        return f"{kernel.name} keeps a NaN where it clamps, which is not modelled"
    if mode & _DENORMALS != _DENORMALS and not shared:
        return (
            f"{kernel.name} flushes denormal numbers to zero, and not all kernels beside it do, which is not modelled"
        )
    return ""


def follow(program: Program) -> None:
    """Mark the instructions of a program that stand where the mode is not the usual one."""
    begin = shared_mode(program)
    concerns = any(one.mnemonic in _CONCERNED for one in program.instructions)
    if begin is None or (begin == _USUAL and not concerns):
        return
    if program.arch.startswith("gfx12"):
        begin &= ~_IEEE  # which it has no more
    program.instructions = list(_followed(program, begin))


def written(instruction: Instruction, mode: int = 0) -> int | None:
    """MODE after an instruction that changes it; None where that is not known."""
    name, text = instruction.mnemonic, instruction.text.strip()
    if name in ("s_denorm_mode", "s_round_mode"):
        shift = 4 if name == "s_denorm_mode" else 0
        return mode & ~(15 << shift) | (instruction.operands[0].value & 15) << shift
    match = _WRITTEN.search(text) if name == "s_setreg_imm32_b32" else None
    if not match:
        return None
    first, size = int(match[1] or 0), int(match[2] or 32)
    bits = ((1 << size) - 1) << first
    return mode & ~bits | int(match[3], 0) << first & bits


def read(instruction: Instruction, mode: int) -> int:
    match = _READ.search(instruction.text.strip())
    first, size = (int(match[1] or 0), int(match[2] or 32)) if match else (0, 32)
    return mode >> first & ((1 << size) - 1)


def _changes(instruction: Instruction) -> bool:
    name = instruction.mnemonic
    return name in ("s_denorm_mode", "s_round_mode") or (
        name.startswith("s_setreg") and "HW_REG_MODE" in instruction.text
    )


def _followed(program: Program, begin: int) -> Iterator[Instruction]:
    jumps = (one for one in program.instructions if one.mnemonic.startswith(_BRANCHES))
    names = (operand.name for one in jumps for operand in one.operands if operand.kind == "y")
    targets = {program.labels[name] for name in names if name in program.labels}
    mode = begin
    for number, instruction in enumerate(program.instructions):
        if mode != begin and (number in targets or instruction.mnemonic.startswith(_BRANCHES)):
            instruction, mode = replace(instruction, flags=instruction.flags | {UNKNOWN}), begin
        if _changes(instruction):
            mode = found if (found := written(instruction, mode)) is not None else begin
        elif instruction.mnemonic == "s_getreg_b32" and "HW_REG_MODE" in instruction.text:
            instruction = replace(instruction, modifiers={**instruction.modifiers, "mode": mode})
        mode = begin if instruction.mnemonic == "s_endpgm" else mode
        yield _marked(instruction, mode)


def _marked(instruction: Instruction, mode: int) -> Instruction:
    """Singles alone: other modes of halves and doubles are refused where they begin."""
    if not instruction.mnemonic.startswith(("v_", "s_")) or not _SINGLES.search(instruction.mnemonic):
        return instruction
    flags = set(instruction.flags)
    flags |= {FLUSHES_SOURCES} if not mode & 0x10 else set()
    flags |= {FLUSHES_RESULTS} if not mode & 0x20 else set()
    flags |= {SCALES_RESULTS} if not mode & (0x20 | _IEEE) else set()
    return replace(instruction, flags=frozenset(flags)) if flags != instruction.flags else instruction
