"""What a code object says about its kernels, read from bytes made by hand; names for people."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import UsageError
from rewarp.toolchain.demangle import demangled
from rewarp.toolchain.metadata import KernelResources, read_code_object, undefined_symbols
from rewarp.toolchain.msgpack import unpack

KERNEL = {
    ".name": "_ZN2ns5scaleIfEEvPT_S1_",
    ".symbol": "_ZN2ns5scaleIfEEvPT_S1_.kd",
    ".vgpr_count": 118,
    ".agpr_count": 4,
    ".sgpr_count": 102,
    ".group_segment_fixed_size": 65536,
    ".private_segment_fixed_size": 8,
    ".vgpr_spill_count": 3,
    ".sgpr_spill_count": 1,
    ".max_flat_workgroup_size": 256,
    ".wavefront_size": 64,
    ".uses_dynamic_stack": True,
    ".kernarg_segment_size": 264,
    ".args": [{".offset": 0, ".size": 8}] * 20,
}


def packed(value: Any) -> bytes:
    """MessagePack, with every form of a length that the value can have chosen by its size."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        if 0 <= value < 128:
            return bytes([value])
        for code, form in ((0xCC, ">B"), (0xCD, ">H"), (0xCE, ">I"), (0xCF, ">Q"), (0xD0, ">b"), (0xD3, ">q")):
            try:
                return bytes([code]) + struct.pack(form, value)
            except struct.error:
                continue
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        return _with_length(value.encode(), {0xA0: 31, 0xD9: 0xFF, 0xDA: 0xFFFF, 0xDB: 1 << 32})
    if isinstance(value, list):
        return _with_length(b"".join(map(packed, value)), {0x90: 15, 0xDC: 0xFFFF, 0xDD: 1 << 32}, len(value))
    content = b"".join(packed(part) for item in value.items() for part in item)
    return _with_length(content, {0x80: 15, 0xDE: 0xFFFF, 0xDF: 1 << 32}, len(value))


def _with_length(content: bytes, forms: dict[int, int], count: int | None = None) -> bytes:
    count = len(content) if count is None else count
    for code, most in forms.items():
        if count <= most:
            if most < 32:
                return bytes([code | count]) + content
            return bytes([code]) + struct.pack({0xFF: ">B", 0xFFFF: ">H"}.get(most, ">I"), count) + content
    raise AssertionError


def code_object(kernels: list[dict[str, Any]], *, machine: int = 224) -> bytes:
    """The smallest ELF file with a note of kernels and a symbol table that leaves `_Z5otherf` to others."""
    content = packed({"amdhsa.kernels": kernels, "amdhsa.version": [1, 2]})
    other_note = struct.pack("<III", 4, 2, 1) + b"GNU\0" + b"xy\0\0"
    note = other_note + struct.pack("<III", 7, len(content), 32) + b"AMDGPU\0\0" + content + bytes(-len(content) % 4)
    names = b"\0_Z5otherf\0here\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 16, 0, 0, 0, 0) + struct.pack("<IBBHQQ", 11, 16, 0, 1, 0, 0)
    header, parts = 64, [note, names, symbols]
    offsets = [header + sum(map(len, parts[:number])) for number in range(4)]
    types, links = (7, 3, 2), (0, 0, 2)
    sections = bytes(64) + b"".join(
        struct.pack("<II16xQQI20x", 0, types[n], offsets[n], len(parts[n]), links[n]) for n in range(3)
    )
    start = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01", 3, machine, 1, 0, 0, offsets[3], 0, 64, 0, 0, 64, 4, 0)
    return start + b"".join(parts) + sections


def test_resources_of_a_kernel(tmp_path: Path) -> None:
    expected = KernelResources(
        symbol="_ZN2ns5scaleIfEEvPT_S1_",
        name="ns::scale<float>",
        vgprs=118,
        agprs=4,
        sgprs=102,
        lds_bytes=65536,
        scratch_bytes=8,
        vgpr_spills=3,
        sgpr_spills=1,
        max_workgroup=256,
        wave_size=64,
        uses_dynamic_stack=True,
        kernarg_bytes=264,
    )
    data = code_object([KERNEL])
    (tmp_path / "code.hsaco").write_bytes(data)
    assert read_code_object(data) == read_code_object(tmp_path / "code.hsaco") == (expected,)


def test_kernels_keep_their_order_and_rdna_has_no_agprs() -> None:
    plain = {key: value for key, value in KERNEL.items() if key not in (".agpr_count", ".uses_dynamic_stack")}
    first, second = read_code_object(code_object([{**plain, ".name": "b"}, {**plain, ".name": "a"}]))
    assert (first.symbol, second.symbol) == ("b", "a")
    assert first.agprs is None
    assert not first.uses_dynamic_stack


def test_undefined_symbols() -> None:
    assert undefined_symbols(code_object([KERNEL])) == ("_Z5otherf",)


def test_a_code_object_without_kernels_is_whole() -> None:
    assert read_code_object(code_object([])) == ()


WHOLE = code_object([KERNEL])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no 64-bit"),
        (b"\x7fELF\x01\x01" + bytes(60), "no 64-bit"),
        (code_object([KERNEL], machine=62), "another processor"),
        (WHOLE[:-10], "not a whole"),
        (WHOLE[:200], "not a whole"),
        (code_object([{key: value for key, value in KERNEL.items() if key != ".vgpr_count"}]), "vgpr_count"),
    ],
)
def test_what_is_no_code_object_is_said(data: bytes, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read_code_object(data)


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_a_changed_byte_never_ends_in_a_traceback(at: int, value: int) -> None:
    damaged = WHOLE[:at] + bytes([value]) + WHOLE[at + 1 :]
    for read in (read_code_object, undefined_symbols):
        with contextlib.suppress(UsageError):
            read(damaged)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_code_object(tmp_path / "none")


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=40), inner, max_size=20),
    max_leaves=30,
)


@given(values)
def test_message_pack_comes_back(value: Any) -> None:
    assert unpack(packed(value)) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_damaged(data: bytes) -> None:
    said = "damaged MessagePack"
    try:
        unpack(data)
    except ValueError as error:
        said = str(error)
    assert said.startswith("damaged MessagePack")


def test_message_pack_is_read_to_its_end() -> None:
    for data in (packed([1, "two"])[:-1], packed([1]) + b"\0", b"\x91" * 200, b"\xc1", b"\x81\x90\x00"):
        with pytest.raises(ValueError, match="damaged"):
            unpack(data)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("bar", "bar"),
        ("_Z3fooPf", "foo"),
        ("_ZL6staticPf", "static"),
        ("_Z3fooIfEvPT_", "foo<float>"),
        ("_ZN12_GLOBAL__N_12anEPf", "(anonymous namespace)::an"),
        ("_ZN2ns5scaleI6__halfLi128ELb1EEEvPT_", "ns::scale<__half, 128, true>"),
        ("_ZN2ns5scaleIDF16_Lin1ELj7ELm8EEEvPT_", "ns::scale<_Float16, -1, 7u, 8ul>"),
        ("_Z4packIJifdEEvDpT_", "pack<int, float, double>"),
        ("_Z4packIJEEvDpT_", "pack<>"),
        ("_ZN1a1bINS_1cENS_1dIS1_EEEEvT_T0_", "a::b<a::c, a::d<a::c>>"),
        ("_Z4walkIPKfRSt4pairIiS1_EEvT_T0_", "walk<float const*, std::pair<int, float const*>&>"),
        ("_Z3runIZ4mainEUliE_EvT_", "run<main()::{lambda(int)}>"),
        ("_Z1kIA3_fDv4_dEvT_", "k<float [3], double vector[4]>"),
        ("_Z1kILN2ns4ModeE2EEvv", "k<(ns::Mode)2>"),
        ("_Z1kIXadL_Z1fvEEEvv", "k<&f>"),
        ("_Z", "_Z"),
        ("_ZN2Z2SITSvTRX34LJ", "Z2"),  # no form of C++'s: it must end all the same
        ("_ZNSX", "_ZNSX"),
        ("_Z1kISXE", "k"),
        ("_ZL15unary_op_kernelIXadL_ZL6op_absfEE6__halfEvPKT0_PS1_i", "unary_op_kernel<&op_abs, __half>"),
        ("_ZL4copyIXadL_ZL3oneIfiEvPKcPcEEEvS1_S2_l", "copy<&one<float, int>>"),
        ("_Z1kIfTnPFvPKvlPT_iEXadL_Z3oneIfEvS1_lS3_iEEEvS1_PKiS3_", "k<float, &one<float>>"),
        ("_Z1kIPFviPfEEvT_", "k<void (*)(int, float*)>"),
    ],
)
def test_names_for_people(symbol: str, name: str) -> None:
    assert demangled(symbol) == name


@given(st.text("_ZNIESTLKPRJXSt0123456789abfijv", max_size=40))
def test_any_symbol_has_a_name(rest: str) -> None:
    assert demangled(f"_Z{rest}") is not None
