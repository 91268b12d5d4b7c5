"""Shapes of matrix instructions (MFMA, WMMA): a small product for the whole wave, whatever lanes are on.

Lane ``l`` holds row ``l % M`` of A and column ``l % N`` of B; which ``k`` of them, and which rows of the result, follows from
the sizes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from rewarp.machine.assembly import Instruction, Operand
from rewarp.machine.shapes.shape import Encoded, Fields, Unsupported, constant, encoded, register

_NAME = re.compile(
    r"v_s?mfmac?_(f32|i32|f64)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_?(f32|f16|bf16|bf16_1k|i8|f64|xf32|fp8_fp8|fp8_bf8|bf8_fp8|bf8_bf8)"
    r"(?:_1k)?(?:_e64)?$"
)
_READ = {
    "f32": (4, "AS(x, f32)"),
    "xf32": (4, "AS((x + 0xfff + (x >> 13 & 1)) & 0xffffe000u, f32)"),
    "f16": (2, "(f32)AS((u16)x, f16)"),
    "bf16": (2, "AS(x << 16, f32)"),
    "i8": (1, "(i32)(i8)x"),
    "fp8": (1, "one_fp8(x, 4, 3, 8)"),
    "bf8": (1, "one_fp8(x, 5, 2, 16)"),
}


class _Matrix(NamedTuple):
    result: str
    rows: int
    columns: int
    depth: int
    blocks: int
    kinds: tuple[str, str]


def encode(instruction: Instruction) -> Encoded | None:
    if instruction.mnemonic.startswith(("v_mfma", "v_smfmac")):
        found = _parsed(instruction)
        if instruction.mnemonic.startswith("v_smfmac"):
            return _sparse(instruction, found)
        return _double(instruction, found) if found.result == "f64" else _dense(instruction, found)
    if match := _WMMA.match(instruction.mnemonic):
        return _wave_matrix(instruction, match[1], match[2])
    return None


def _parsed(instruction: Instruction) -> _Matrix:
    match = _NAME.match(instruction.mnemonic)
    if not match:
        raise Unsupported(instruction)
    result, rows, columns, depth, blocks, kind = match.groups()
    kinds = tuple(kind.split("_")) if kind.startswith(("fp8", "bf8")) else (kind.removesuffix("_1k"),) * 2
    count = int(blocks) if blocks else _blocks(instruction, int(rows), int(depth), kinds[0])
    return _Matrix(result, int(rows), int(columns), int(depth), count, (kinds[0], kinds[1]))


def _blocks(instruction: Instruction, rows: int, depth: int, kind: str) -> int:
    """Older names leave the number of blocks out: it follows from how much a lane holds."""
    held = instruction.operands[1].count * 4 // _READ[kind][0] if kind != "f64" else 1
    return max(64 * held // (rows * depth), 1)


def _operand(slot: str, operand: Operand, fields: Fields, instruction: Instruction) -> None:
    if operand.kind not in "va":
        raise Unsupported(instruction, "a matrix that is no vector register")
    setattr(fields, slot, register(operand))


_GROUPS = {
    0: "l", 1: "l % 32", 2: "l % 32 + 32", 3: "(l + 16) % 64", 4: "l % 16", 5: "l % 16 + 16", 6: "l % 16 + 32",
    7: "l % 16 + 48",
}  # fmt: skip
"""blgp: from which lane the matrix B of each lane comes."""


def _dense(instruction: Instruction, matrix: _Matrix) -> Encoded:
    modifiers = instruction.modifiers
    size_a, read_a = _READ[matrix.kinds[0]]
    size_b, read_b = _READ[matrix.kinds[1]]
    # How many k a lane holds: the lanes beyond one set of rows hold further ones, or other blocks.
    held = matrix.depth * matrix.rows * matrix.blocks // 64
    kind = "i32" if matrix.result == "i32" else "f32"
    m, k, blocks = matrix.rows, matrix.depth, matrix.blocks
    reading = [
        f"{kind} A[{blocks}][{k}][{m}], B[{blocks}][{k}][{matrix.columns}];",
        f"for (int l = 0; l < 64; l++) for (int j = 0; j < {held}; j++) {{",
        f"    int row = l % {m}, part = l / {m}, block = part % {blocks}, at = part / {blocks} * {held} + j;",
        f"    int other = {_GROUPS[modifiers.get('blgp', 0)]};",
        f"    {{ u32 x = {_element('pa', 'l', size_a)}; A[block][at][row] = {read_a}; }}",
        f"    {{ u32 x = {_element('pb', 'other', size_b)}; B[block][at][row] = {read_b}; }}",
        "}",
    ]  # fmt: skip
    # cbsz: so many blocks (a power of two) get the one of them that abid names.
    shared = modifiers.get("cbsz", 0)
    from_ = f"A[(block >> {shared} << {shared}) + {modifiers.get('abid', 0)}]" if shared else "A[block]"
    return _product(instruction, matrix, reading, from_)


def _element(pointer: str, lane: str, size: int) -> str:
    """Number j of what a lane holds."""
    return f"{pointer}[j * {size} / 4 * 64 + {lane}] >> (j * {size} % 4 * 8){_mask(size)}"


def _sparse(instruction: Instruction, matrix: _Matrix) -> Encoded:
    """Of four neighbours in A two are there; which ones, two bits for each say. The result is added to what was there."""
    target, a, b, index = instruction.operands
    size_a, read_a = _READ[matrix.kinds[0]]
    size_b, read_b = _READ[matrix.kinds[1]]
    held = matrix.depth * matrix.rows // 128
    kind = "i32" if matrix.result == "i32" else "f32"
    m, k = matrix.rows, matrix.depth
    modifiers = instruction.modifiers
    # A register has room for more indices than an instruction needs: abid chooses, unless cbsz says that it does not.
    shift = 0 if modifiers.get("cbsz") else modifiers.get("abid", 0) * 2 * held
    reading = [
        f"{kind} A[1][{k}][{m}] = {{0}}, B[1][{k}][{m}];",
        "const u32 *which = (const u32 *)reg(w, op->e);",
        f"for (int l = 0; l < 64; l++) for (int j = 0; j < {held}; j++) {{",
        f"    int at = l / {m} * {2 * held} + j / 2 * 4 + (int)(which[l] >> ({shift} + 2 * j) & 3);",
        f"    {{ u32 x = {_element('pa', 'l', size_a)}; A[0][at][l % {m}] += {read_a}; }}",
        "}",
        f"for (int l = 0; l < 64; l++) for (int j = 0; j < {2 * held}; j++) {{",
        f"    int at = l / {m} * {2 * held} + j;",
        f"    {{ u32 x = {_element('pb', 'l', size_b)}; B[0][at][l % {m}] = {read_b}; }}",
        "}",
    ]
    if index.kind not in "va":
        raise Unsupported(instruction)
    whole = replace(instruction, operands=(target, a, b, target))
    return _product(whole, matrix, reading, "A[0]", register(index))


def _product(instruction: Instruction, matrix: _Matrix, reading: list[str], from_: str, index: int = 0) -> Encoded:
    """The sum of products in the registers of the result, where A and B are read."""
    target, a, b, c = instruction.operands
    fields = Fields(d=register(target), e=index)
    _operand("a", a, fields, instruction)
    _operand("b", b, fields, instruction)
    registers = matrix.rows * matrix.columns * matrix.blocks // 64
    kind = "i32" if matrix.result == "i32" else "f32"
    if c.kind in "va":
        fields.c = register(c)
        start = f"AS(((u32 *)reg(w, op->c))[r * 64 + l], {kind})"
    elif c.kind == "k":
        fields.c = constant(c, "i" if kind == "i32" else "f")
        start = f"AS((u32)op->c, {kind})"
    else:
        raise Unsupported(instruction)
    # Blocks have registers of their own, but for the smallest, which lie side by side in the lanes.
    n, per_block = matrix.columns, registers if matrix.rows == 4 else registers // matrix.blocks
    sum_ = f"R[r][h * {n} + l]"
    added = f"__builtin_fmaf(x, B[block][at][l], {sum_})"
    if kind == "i32":
        added = f"(i32)((u32){sum_} + (u32)x * (u32)B[block][at][l])"
    lines = [
        "const u32 *pa = (const u32 *)reg(w, op->a), *pb = (const u32 *)reg(w, op->b);",
        *reading,
        f"{kind} R[{registers}][64];",
        f"for (int r = 0; r < {registers}; r++) {{",
        f"    int block = r / {per_block}, q = r % {per_block};",
        f"    for (int l = 0; l < 64; l++) R[r][l] = {start};",
        f"    for (int at = 0; at < {matrix.depth}; at++) for (int h = 0; h < {64 // n}; h++) {{",
        f"        {_row(matrix)}",
        f"        {kind} x = {from_}[at][row];",
        f"        for (int l = 0; l < {n}; l++) R[r][h * {n} + l] = {added};",
        "    }",
        "}",
        "__builtin_memcpy(reg(w, op->d), R, sizeof R);",
    ]
    return encoded(fields, *lines, "NEXT;")


def _mask(size: int) -> str:
    return {1: " & 255", 2: " & 65535", 4: ""}[size]


def _row(matrix: _Matrix) -> str:
    """Which row of the result a register holds in a group of lanes."""
    if matrix.rows == 4:
        return "int row = q; block = h;"
    if matrix.rows == 16:
        return "int row = h * 4 + q;"
    return "int row = 8 * (q / 4) + 4 * h + q % 4;"


def _double(instruction: Instruction, matrix: _Matrix) -> Encoded:
    """16 by 16, or four blocks of 4 by 4. blgp says which of A, B and C are negated."""
    target, a, b, c = instruction.operands
    fields = Fields(d=register(target))
    _operand("a", a, fields, instruction)
    _operand("b", b, fields, instruction)
    count = 4 if matrix.rows == 16 else 1
    if c.kind in "va":
        fields.c = register(c)
        start = "pair(w, op->c + 2 * r)"
    else:
        fields.c = constant(c, "F")
        start = "(vu64)op->c"
    bits = instruction.modifiers.get("blgp", 0)
    negative = instruction.modifiers.get("neg", tuple(bits >> n & 1 for n in range(3)))
    signs = ["-" if one else "" for one in negative]
    # Which lane has the row of A and which the column of B, for lane l of the result.
    row, column = ("4 * r + l / 16", "l % 16") if count == 4 else ("l / 16 + l % 16 / 4 * 4", "l % 16")
    lines = [
        f"vf64 a = {signs[0]}AS(pair(w, op->a), vf64), b = {signs[1]}AS(pair(w, op->b), vf64), R[{count}];",
        f"for (int r = 0; r < {count}; r++) {{",
        f"    R[r] = {signs[2]}AS({start}, vf64);",
        "    for (int at = 0; at < 4; at++) for (int l = 0; l < 64; l++)",
        f"        R[r][l] = __builtin_fma(a[at * 16 + {row}], b[at * 16 + {column}], R[r][l]);",
        "}",
        f"for (int r = 0; r < {count}; r++) {{",
        "    *reg(w, op->d + 2 * r) = CONVERT(AS(R[r], vu64), vu32);",
        "    *reg(w, op->d + 2 * r + 1) = CONVERT(AS(R[r], vu64) >> 32, vu32);",
        "}",
    ]
    return encoded(fields, *lines, "NEXT;")


# --- WMMA: 16 by 16 by 16, for waves of 32 lanes --------------------------------------------

_WMMA = re.compile(r"v_wmma_(f32|f16|bf16|i32)_16x16x16_(f16|bf16|iu8|iu4)(?:_w32)?$")


def _wave_matrix(instruction: Instruction, result: str, kind: str) -> Encoded:
    """A lane holds a row of A and a column of B, as the lane 16 further does; of the result every second row. On gfx12 the two
    halves of a wave share the rows of A among them, and have eight rows of the result each."""
    target, a, b, c = instruction.operands
    shared = a.count == {"f16": 4, "bf16": 4, "iu8": 2, "iu4": 1}[kind]
    if shared and result in ("f16", "bf16"):
        raise Unsupported(instruction, "two rows in a register")
    fields = Fields(d=register(target))
    _operand("a", a, fields, instruction)
    _operand("b", b, fields, instruction)
    negative = instruction.modifiers.get("neg_lo", (0, 0, 0))
    number = "i32" if result == "i32" else "f32"
    high = bool(instruction.modifiers.get("op_sel", (0, 0, 0))[2]) if result in ("f16", "bf16") else False
    shift = " >> 16" if high else ""
    read = {"f16": f"(f32)AS((u16)(x{shift}), f16)", "bf16": f"AS((u32)(u16)(x{shift}) << 16, f32)"}.get(
        result, f"AS(x, {number})"
    )
    if c.kind in "va":
        fields.c = register(c)
        start = f"({{ u32 x = ((u32 *)reg(w, op->c))[r * 32 + l]; {read}; }})"
    else:
        fields.c = constant(c, "i" if number == "i32" else "f")
        start = f"AS((u32)op->c, {number})"
    halves = {"f16": ("16", "(f32)AS((u16)x, f16)"), "bf16": ("16", "AS((u32)(u16)x << 16, f32)")}
    lines = [
        f"{number} A[16][16], B[16][16], R[8][32];",
        "const u32 *pa = (const u32 *)reg(w, op->a), *pb = (const u32 *)reg(w, op->b);",
        "for (int l = 0; l < 16; l++) for (int k = 0; k < 16; k++) {",
        f"    int lane = {'l + k / 8 * 16' if shared else 'l'}, at = {'k % 8' if shared else 'k'};",
    ]
    for matrix, pointer, signed in (("A", "pa", negative[0]), ("B", "pb", negative[1])):
        if kind in halves:
            width, value = halves[kind]
        else:
            width = kind[2:]
            value = f"(i32)({'(i32)' if signed else ''}(x << {32 - int(width)}) >> {32 - int(width)})"
        lines.append(
            f"    {{ u32 x = {pointer}[at * {width} / 32 * 32 + lane] >> (at * {width} % 32); {matrix}[l][k] = {value}; }}"
        )
    lines += [
        "}",
        "for (int r = 0; r < 8; r++) for (int l = 0; l < 32; l++) {",
        f"    {number} sum = {start}; int row = {'l / 16 * 8 + r' if shared else '2 * r + l / 16'};",
        "    for (int k = 0; k < 16; k++) sum = "
        + ("(i32)((u32)sum + (u32)A[row][k] * (u32)B[l % 16][k]);" if number == "i32"
           else "__builtin_fmaf(A[row][k], B[l % 16][k], sum);"),
        "    R[r][l] = sum;",
        "}",
        "u32 *to = (u32 *)reg(w, op->d);",
    ]  # fmt: skip
    stored = {"f16": "AS((f16)R[r][l], u16)", "bf16": "rounded_bf16(R[r][l])"}.get(result, "AS(R[r][l], u32)")
    if result in ("f16", "bf16"):
        old = "to[r * 32 + l]"
        stored = f"({old} & 0xffff) | (u32){stored} << 16" if high else f"({old} & 0xffff0000) | {stored}"
    lines.append(f"for (int r = 0; r < 8; r++) for (int l = 0; l < 32; l++) to[r * 32 + l] = {stored};")
    return encoded(fields, *lines, "NEXT;")
