"""gfx11 and gfx12 in the words of gfx9: most of their instructions mean the same under another name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewarp.machine.assembly import Instruction, Operand

_NAMES = {
    "v_clz_i32_u32": "v_ffbh_u32", "v_ctz_i32_b32": "v_ffbl_b32", "v_cls_i32": "v_ffbh_i32",
    "v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32", "v_cvt_floor_i32_f32": "v_cvt_flr_i32_f32",
    "v_cvt_nearest_i32_f32": "v_cvt_rpi_i32_f32", "v_cvt_pk_norm_i16_f32": "v_cvt_pknorm_i16_f32",
    "v_cvt_pk_norm_u16_f32": "v_cvt_pknorm_u16_f32", "v_mul_dx9_zero_f32": "v_mul_legacy_f32",
    "s_ctz_i32_b32": "s_ff1_i32_b32", "s_ctz_i32_b64": "s_ff1_i32_b64", "s_clz_i32_u32": "s_flbit_i32_b32",
    "s_clz_i32_u64": "s_flbit_i32_b64", "s_cls_i32": "s_flbit_i32", "s_cls_i32_i64": "s_flbit_i32_i64",
    "v_dot2acc_f32_f16": "v_dot2c_f32_f16", "v_cvt_pk_norm_i16_f16": "v_cvt_pknorm_i16_f16",
    "v_cvt_pk_norm_u16_f16": "v_cvt_pknorm_u16_f16",
}  # fmt: skip
_NAMES |= {
    "s_add_co_i32": "s_add_i32", "s_add_co_u32": "s_add_u32", "s_add_co_ci_u32": "s_addc_u32", "s_sub_co_i32": "s_sub_i32",
    "s_sub_co_u32": "s_sub_u32", "s_sub_co_ci_u32": "s_subb_u32", "s_addk_co_i32": "s_addk_i32", "v_mad_co_u64_u32": "v_mad_u64_u32", "v_mad_co_i64_i32": "v_mad_i64_i32",
}  # fmt: skip
_NOTHING = re.compile(r"s_wait_\w+$|global_(inv|wb|wbinv)$|s_(buffer_)?prefetch_\w+$|s_barrier_signal$")
"""gfx12: waiting for memory, caches, and the first half of a barrier, the second of which waits."""
_OTHER_BYTES = re.compile(r"fp8|bf8")
_ENDING = re.compile(r"(_e32|_e64|_dpp|_e64_dpp|_dpp8)$")
_CHOICE = re.compile(r"gpr_idx\(([A-Z0-9, ]*)\)")
RELATIVE = {"SRC0": 1, "SRC1": 2, "SRC2": 4, "DST": 8}
_HALVES = re.compile(r"[bfui]16$|f16_f32$|[iu]16_f16$|f16_[iu]16$")


def gfx9_words(instructions: Iterable[Instruction]) -> Iterator[Instruction]:
    """The same instructions, each one under the name that the tables have; pairs of them taken apart."""
    for instruction in instructions:
        for one in _apart(instruction):
            yield _renamed(one)


def with_other_bytes(instruction: Instruction, arch: str) -> Instruction:
    """gfx950 and gfx12 have the 8-bit floats of the OCP: not those of MI300 under the same names. gfx950 adds up another way."""
    if instruction.mnemonic == "v_dot2_f32_bf16" and arch.startswith("gfx95"):
        return replace(instruction, mnemonic="v_dot2_f32_bf16_last")
    if not _OTHER_BYTES.search(instruction.mnemonic):
        return instruction
    return replace(instruction, mnemonic=instruction.mnemonic + "_ocp")


def relative_operands(instruction: Instruction) -> frozenset[str]:
    """Which operands of the instructions that follow are relative, by gpr_idx(SRC0,DST) or a number."""
    if match := _CHOICE.search(instruction.text):
        return frozenset(name for name in re.split(r",\s*", match[1]) if name)
    bits = instruction.operands[-1].value
    return frozenset(name for name, bit in RELATIVE.items() if bits & bit)


SCRATCH_BUFFER = "scratch"
"""Of accesses through a buffer that may be the wave's scratch, as it is before gfx942."""


def with_scratch_buffer(instruction: Instruction) -> Instruction:
    if not instruction.mnemonic.startswith(("buffer_load", "buffer_store")):
        return instruction
    return replace(instruction, flags=instruction.flags | {SCRATCH_BUFFER})


ASIDE = 512
"""Vector registers that no program has, behind the AccVGPRs: what is on its way to LDS."""
_TO_LDS = re.compile(r"(global|buffer)_load_(?:lds_)?dword(x3|x4)?$")


def with_steps(instruction: Instruction) -> list[Instruction]:
    """What goes from memory straight to LDS, as a load and a store."""
    if "lds" not in instruction.flags and "_load_lds_" not in instruction.mnemonic:
        return [instruction]
    match = _TO_LDS.match(instruction.mnemonic)
    if not match:
        return [instruction]
    words = match[2] or ""
    aside = Operand("v", ASIDE, int(words[1:] or 1))
    load = replace(
        instruction,
        mnemonic=f"{match[1]}_load_dword{words}",
        operands=(aside, *instruction.operands),
        flags=instruction.flags - {"lds"},
    )
    offset = {key: value for key, value in instruction.modifiers.items() if key == "offset"}
    store = replace(
        instruction, mnemonic=f"ds_write_behind_m0_dword{words}", operands=(aside,), modifiers=offset, flags=frozenset()
    )
    return [load, store]


class Indexing:
    """Follows gfx9's code through the stretches in which M0 adds to the numbers of vector registers."""

    def __init__(self) -> None:
        self._relative: frozenset[str] | None = None

    def read(self, instruction: Instruction) -> Instruction:
        """The instruction; inside of a stretch under a name of its own, which only moves have in the tables."""
        name = instruction.mnemonic
        if name in ("s_set_gpr_idx_on", "s_set_gpr_idx_mode"):
            self._relative = relative_operands(instruction)
        elif name == "s_set_gpr_idx_off":
            self._relative = None
        elif self._relative and name.startswith("v_"):
            return replace(
                instruction, mnemonic=_ENDING.sub("", name) + "_relative", flags=instruction.flags | self._relative
            )
        return instruction


def _renamed(instruction: Instruction) -> Instruction:
    match = _ENDING.search(instruction.mnemonic)
    ending = match[1] if match else ""
    plain = instruction.mnemonic.removesuffix(ending)
    if _NOTHING.match(plain) or plain == "s_barrier_wait":
        if plain.startswith("s_barrier") and instruction.operands[0].value != -1:
            return instruction  # a barrier of another kind than that of the workgroup
        return replace(instruction, mnemonic="s_barrier" if plain == "s_barrier_wait" else "s_nop", operands=())
    if plain.startswith(("v_", "s_")):  # in memory it differs from what gfx11 has under that name
        plain = plain.replace("_num_", "_")
    name = (
        _NAMES.get(plain, plain)
        .replace("_nc_u64", "_u64")
        .replace("_nc_", "_")
        .replace("_not1_", "n2_")
        .replace("_not0_", "n1_")
    )
    flags = instruction.flags
    if _HALVES.search(name) and name.startswith("v_") and not name.startswith(("v_pk_", "v_cvt_pk", "v_pack", "v_dot")):
        flags |= {"keeps"}  # results of 16 bits leave the other half alone
    if name + ending == instruction.mnemonic and flags is instruction.flags:
        return instruction
    return replace(instruction, mnemonic=name + ending, flags=flags)


# --- two at once ----------------------------------------------------------------------------


def _apart(instruction: Instruction) -> list[Instruction]:
    """v_dual_*: both read before either writes. They go one after the other, in the order that keeps it so."""
    if not instruction.mnemonic.startswith("v_dual_"):
        return [instruction]
    at = next(n for n, operand in enumerate(instruction.operands) if operand.name == "::")
    first = _half(instruction, instruction.mnemonic, instruction.operands[:at])
    second = _half(instruction, instruction.operands[at + 1].name, instruction.operands[at + 2 :])
    if not _reads(second, first.operands[0]):
        return [first, second]
    if not _reads(first, second.operands[0]):
        return [second, first]
    # Each overwrites what the other reads: the first result waits in a register of the machine's own.
    aside = Operand("v", SPARE)
    moved = replace(first, mnemonic="v_mov_b32", operands=(first.operands[0], aside))
    if "fmac" in first.mnemonic:
        first = replace(first, mnemonic="v_fma_f32", operands=(*first.operands, first.operands[0]))
    return [replace(first, operands=(aside, *first.operands[1:])), second, moved]


SPARE = 256
"""A vector register that no program has."""


def _half(whole: Instruction, name: str, operands: tuple[Operand, ...]) -> Instruction:
    return replace(whole, mnemonic=name.replace("v_dual_", "v_"), operands=operands)


def _reads(instruction: Instruction, register: Operand) -> bool:
    sources = instruction.operands if "fmac" in instruction.mnemonic else instruction.operands[1:]
    return any(operand.kind == "v" and operand.index == register.index for operand in sources)
