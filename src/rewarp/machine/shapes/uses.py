"""What an instruction reads and writes, for those who watch: taken from the body of its function. ``core/watch.h`` has the
same layout."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from rewarp.machine.assembly import Instruction
from rewarp.machine.shapes.shape import ACCUMULATORS, Access, Encoded, Fields

_RECORD = struct.Struct("<Q4B2BH6H2H5B5B6x")
_NO_VECTOR, _SCC, _NO_SCALAR = 516, 128, 129
_VCC, _EXEC, _M0 = 106, 126, 124
_NONE, _PLAIN, _RANGES, _READ_LANE, _WRITE_LANE, _BRANCH, _FENCE, _MEMORY, _WIDE, _INDEXED = range(10)
_ACROSS, _LANE_FIRST, _LANE_REGISTER = 1, 2, 4
_LOADS, _STORES, _MARKED, _RETURNS, _COMPARES, _SCALAR, _LOCKS = (1 << n for n in range(7))
_RELEASES, _RELEASES_READS = 1, 2
_SPACES = {"global_place": 0, "flat_place": 1, "scratch_place": 2, "lds_place": 3}

_VECTOR = re.compile(r"(?<!\w)(reg|pair)\(w, op->([a-e])(?: \+ (\d+))?\)")
_PUT = re.compile(r"(?<!\w)(put|put_pair)\(w, op->([a-e])(?: \+ (\d+))?,")
_OLD = re.compile(r"\b[dx] = (?:AS\()?(?:CONVERT\()?\*?(?:reg|pair)\(w, op->d\)")
_SCALAR_READ = re.compile(r"w->s\[op->([a-e])(?: \+ (\d+))?\](?!\s*=[^=])")
_SCALAR_WRITE = re.compile(r"w->s\[op->([a-e])\]\s*=[^=]")
_WIDE_READ = re.compile(r"(?<!\w)s64\(w, op->([a-e])\)")
_WIDE_WRITE = re.compile(r"set_s64\(w, (?:op->([a-e])|EXEC)")
_MASK_READ = re.compile(r"get_mask\(w, (?:op->([a-e])|VCC)\)")
_MASK_WRITE = re.compile(r"set_mask\(w, (?:op->([a-e])|EXEC)(?!, was_)")
_LOOKS_ACROSS = re.compile(r"v_permlane|ds_(b?permute|swizzle)_|.*_dpp8?$")
_MATRIX = ("v_mfma", "v_smfmac", "v_wmma", "v_swmmac")
_NO_WAIT_LEFT = re.compile(r"s_waitcnt_vscnt\s+null,\s*(0x0|0)$")


@dataclass
class Record:
    """Beside each instruction."""

    kind: int = _NONE
    how: int = 0
    space: int = 0
    size: int = 0
    words: int = 0
    shift: int = 0
    data: int = 0
    v_use: list[int] = field(default_factory=list)
    v_def: list[int] = field(default_factory=list)
    s_use: list[int] = field(default_factory=list)
    s_def: list[int] = field(default_factory=list)

    def packed(self, function: int) -> bytes:
        empty = 0 if self.kind == _RANGES else _NO_VECTOR
        return _RECORD.pack(
            *(function, self.kind, self.how, self.space, self.size, self.words, self.shift, self.data),
            *_filled(self.v_use, 6, empty),
            *_filled(self.v_def, 2, empty),
            *_filled(self.s_use, 5, _NO_SCALAR),
            *_filled(self.s_def, 5, _NO_SCALAR),
        )


def _filled(values: list[int], count: int, empty: int) -> list[int]:
    kept = values[:count]
    return kept + [empty] * (count - len(kept))


def record(instruction: Instruction, made: Encoded, lanes: int) -> Record:
    """What is known of an instruction. What fits none of it is left alone."""
    name, body = instruction.mnemonic, made.shape.body
    if made.access:
        return _reached(instruction, made.access, made.fields, lanes)
    if name.startswith(_MATRIX):
        return _matrix(instruction)
    if "JUMP(op->k)" in body:
        if "w->scc" in body:
            return Record(_BRANCH, s_use=[_SCC])
        return Record(_BRANCH, s_use=_mask(_VCC, lanes)) if "VCC" in body else Record()
    if how := _fence(instruction):
        return Record(_FENCE, how)
    if "JUMP(" in body or "GO(" in body or "return" in body:
        return Record()
    if name.startswith(("v_readlane", "v_readfirstlane")) and "reg(w, op->a)" in body:
        found = Record(_READ_LANE, _LANE_FIRST if "first" in name else 0, v_use=[made.fields.a], s_def=[made.fields.d])
        if "w->s[op->b]" in body:
            found.how, found.s_use = _LANE_REGISTER, [made.fields.b]
        return found
    if "reg(w, (op->" in body or "put(w, (op->" in body or name.startswith("v_swaprel"):
        return Record(_INDEXED)
    if name.startswith("v_writelane"):
        by_register = "w->s[op->b]" in body
        value = made.fields.a if "w->s[op->a]" in body else _NO_SCALAR
        lane = [made.fields.b] if by_register else []
        how = _LANE_REGISTER if by_register else 0
        return Record(_WRITE_LANE, how, v_def=[made.fields.d], s_use=[value, *lane])
    return _computed(instruction, body, made.fields, lanes)


def _mask(register: int, lanes: int) -> list[int]:
    return [register, register + 1] if lanes == 64 else [register]


def _computed(instruction: Instruction, body: str, fields: Fields, lanes: int) -> Record:
    across = _ACROSS if _LOOKS_ACROSS.match(instruction.mnemonic) else 0
    found = Record(_PLAIN, across)
    found.v_use = _vectors(body, fields)
    for what, slot, more in _PUT.findall(body):
        first = getattr(fields, slot) + int(more or 0)
        found.v_def += [first, first + 1] if what == "put_pair" else [first]
    found.s_use, found.s_def = _scalars(body, fields, lanes)
    for values in (found.v_use, found.v_def, found.s_use, found.s_def):
        values[:] = dict.fromkeys(values)
    if instruction.mnemonic.startswith("v_mad_") and "pair(w, op->c)" in body and found.v_use[-1] == fields.c + 1:
        found.kind, found.v_use = _WIDE, _filled(found.v_use[:-1], 5, _NO_VECTOR) + found.v_use[-1:]
    return found if any((found.v_use, found.v_def, found.s_use, found.s_def)) else Record()


def _vectors(body: str, fields: Fields) -> list[int]:
    """Registers that are read. A result that is a part of its register makes all of it known."""
    found = []
    for what, slot, more in _VECTOR.findall(body):
        if slot == "d" and not _OLD.search(body):
            continue
        first = getattr(fields, slot) + int(more or 0)
        found += [first, first + 1] if what == "pair" else [first]
    return found


def _scalars(body: str, fields: Fields, lanes: int) -> tuple[list[int], list[int]]:
    uses: list[int] = []
    for slot, more in _SCALAR_READ.findall(body):
        uses.append(getattr(fields, slot) + int(more or 0))
    for slot in _WIDE_READ.findall(body):
        uses += [getattr(fields, slot), getattr(fields, slot) + 1]
    for slot in _MASK_READ.findall(body):
        uses += _mask(getattr(fields, slot) if slot else _VCC, lanes)
    if "w->s[M0]" in body:
        uses.append(_M0)
    if re.search(r"w->scc(?!\s*=[^=])", body):
        uses.append(_SCC)
    defs: list[int] = []
    for slot in _SCALAR_WRITE.findall(body):
        defs.append(getattr(fields, slot))
    for slot in _WIDE_WRITE.findall(body):
        first = getattr(fields, slot) if slot else _EXEC
        defs += [first, first + 1]
    for slot in _MASK_WRITE.findall(body):
        defs += _mask(getattr(fields, slot) if slot else _EXEC, lanes)
    if re.search(r"w->s\[EXEC\]\s*=[^=]", body):
        defs.append(_EXEC)
    if re.search(r"w->s\[M0\]\s*=[^=]", body):
        defs.append(_M0)
    if re.search(r"w->scc\s*=[^=]", body):
        defs.append(_SCC)
    return [one for one in uses if one < _NO_SCALAR], [one for one in defs if one < _NO_SCALAR]


def _matrix(instruction: Instruction) -> Record:
    def ranged(number: int) -> list[int]:
        operand = instruction.operands[number]
        if operand.kind not in "va":
            return []
        return [operand.index + (ACCUMULATORS if operand.kind == "a" else 0), operand.count]

    sources = [value for number in range(1, min(len(instruction.operands), 4)) for value in ranged(number)]
    return Record(_RANGES, v_use=sources, v_def=ranged(0))


def _fence(instruction: Instruction) -> int:
    """What makes a wave's stores visible to the whole card. Where stores go through, waiting for them does."""
    name, text = instruction.mnemonic, instruction.text.strip()
    if name == "buffer_wbl2":
        return _RELEASES if "sc1" in instruction.text or "sc" not in instruction.text else 0
    if name == "buffer_gl1_inv":
        return _RELEASES_READS
    return _RELEASES if _NO_WAIT_LEFT.match(text) else 0


def _reached(instruction: Instruction, access: Access, fields: Fields, lanes: int) -> Record:
    text = "\n".join(access.address)
    scalar = instruction.mnemonic.startswith("s_")
    how = _STORES if access.sources or access.stores else _LOADS
    if access.atomic:
        how = _LOADS | _STORES | (_RETURNS if access.target is not None else 0)
        how |= _COMPARES if access.atomic.startswith("cmpswap") else 0
        how |= _LOCKS if access.atomic in ("cmpswap", "cmpswap_f32", "swap") else 0
    elif instruction.flags & {"sc0", "sc1", "glc", "dlc"} and "slc" not in instruction.flags:
        how |= _MARKED
    found = Record(_MEMORY, how | (_SCALAR if scalar else 0), _SPACES[access.place])
    found.size, found.words, found.shift = access.size, access.words, access.shift
    found.v_use = _filled(list(dict.fromkeys(_vectors(text, fields))), 2, _NO_VECTOR) + list(access.sources)
    found.s_use = _scalars(text, fields, lanes)[0]
    if scalar:
        found.data = access.target or 0
    elif access.target is not None:
        found.v_def = [access.target]
    return found
