"""rewarp_hip.h: its plain functions against references in Python, its warp functions on a simulated wave, and all of
it compiled for AMD architectures with the HIP headers at hand."""

from __future__ import annotations

import math
import os
import random
import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from rewarp import toolchain
from support.compiled import CXX, HEADER_FOLDER, SOURCES, Library, build
from support.references import (
    COMPARISONS,
    DOWN,
    NEAREST,
    TOWARD_ZERO,
    UP,
    bf16_of,
    joined,
    lanes,
    minmax_reference,
    rounded,
    saturated,
    signed,
    simd_reference,
)

BUILDS = (
    ("gfx90a", ()),
    ("gfx942", ()),
    ("gfx942", ("-DHIP_FIRST",)),
    ("gfx950", ()),
    ("gfx1100", ()),
    ("gfx1201", ()),
)
"""Waves of 64 and of 32 lanes, 8-bit floats in hardware or not; HIP's own headers included before ours, or by it."""
HEADER_SETS_VARIABLE = "REWARP_TEST_HIP_HEADERS"
"""Further HIP headers to compile with: sets separated by `;`, the folders of a set as in PATH, the first one first."""


# ---------------------------------------------------------------- plain functions, against Python


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("support"))


def portable_names() -> list[str]:
    text = (SOURCES / "portable_functions.inc").read_text()
    both = [name + width for name in re.findall(r"BOTH_WIDTHS\((__\w+)\)", text) for width in "24"]
    return both + re.findall(r"(?:UNARY|BINARY|TERNARY)\((__v\w+)\)", text)


EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7F7F7F7F, 0x80808080, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def inputs(count: int = 600) -> tuple[list[int], list[int], list[int]]:
    chance = random.Random(7)
    pairs = [(a, b) for a in EDGES for b in EDGES]
    pairs += [(chance.getrandbits(32), chance.getrandbits(32)) for _ in range(count)]
    thirds = [chance.choice((*EDGES, chance.getrandbits(32))) for _ in pairs]
    return [a for a, _ in pairs], [b for _, b in pairs], thirds


@pytest.mark.parametrize("name", portable_names())
def test_simd_function(library: Library, name: str) -> None:
    reference = minmax_reference(name) if name.startswith("__vi") else simd_reference(name)
    a, b, c = inputs()
    got = library.call(name + "_", a, b, c)
    wrong = [case for case in zip(a, b, c, got, strict=True) if case[3] != reference(*case[:3])]
    assert not wrong, [tuple(map(hex, case)) for case in wrong[:3]]


@pytest.mark.parametrize("which", ["max", "min"])
@pytest.mark.parametrize("shape", ["s32", "u32", "s16x2", "u16x2"])
def test_minmax_that_says_which(library: Library, which: str, shape: str) -> None:
    bits, is_signed = (32 if shape.endswith("32") else 16), shape.startswith("s")
    pick, prefers = (max, COMPARISONS["ge"]) if which == "max" else (min, COMPARISONS["le"])
    a, b, _ = inputs()
    name = f"__vib{which}_{shape}_"
    chosen, flags = library.call(name, a, b, [0] * len(a)), library.call(name, a, b, [1] * len(a))
    for x, y, value, flag in zip(a, b, chosen, flags, strict=True):
        pairs = list(zip(lanes(x, bits, is_signed), lanes(y, bits, is_signed), strict=True))
        assert value == joined([pick(pair) for pair in pairs], bits)
        assert flag == sum(prefers(*pair) << i for i, pair in enumerate(pairs))


def test_means_and_distances(library: Library) -> None:
    """What HIP's own get wrong: sums of more than 32 bits."""
    a, b, c = inputs()
    rounded_up, half, half_up, distance = (
        library.call(name, a, b, c) for name in ("rhadd_", "uhadd_", "urhadd_", "sad_")
    )
    for i, (x, y, z) in enumerate(zip(a, b, c, strict=True)):
        (p,), (q,) = lanes(x, 32, True), lanes(y, 32, True)
        assert rounded_up[i] == (p + q + 1 >> 1) & 0xFFFFFFFF
        assert (half[i], half_up[i]) == (x + y >> 1, x + y + 1 >> 1)
        assert distance[i] == (abs(p - q) + z) & 0xFFFFFFFF


@pytest.mark.parametrize("sign", ["s", "u"])
def test_dot_products(library: Library, sign: str) -> None:
    a, b, c = inputs()
    whole, low = library.call(f"dp4a_{sign}", a, b, c), library.call(f"dp2a_lo_{sign}", a, b, c)
    high = library.call(f"dp2a_hi_{sign}", a, b, c)
    for i, (x, y, z) in enumerate(zip(a, b, c, strict=True)):
        bytes_x, bytes_y, halves = lanes(x, 8, sign == "s"), lanes(y, 8, sign == "s"), lanes(x, 16, sign == "s")
        assert whole[i] == (z + sum(map(int.__mul__, bytes_x, bytes_y))) & 0xFFFFFFFF
        assert low[i] == (z + sum(map(int.__mul__, halves, bytes_y[:2]))) & 0xFFFFFFFF
        assert high[i] == (z + sum(map(int.__mul__, halves, bytes_y[2:]))) & 0xFFFFFFFF


def test_find_nth_set_bit(library: Library) -> None:
    chance = random.Random(3)
    cases = [(chance.getrandbits(32), base, offset) for base in range(32) for offset in range(-33, 34)]
    got = library.call("fns", *(list(column) for column in zip(*cases, strict=True)))
    for (mask, base, offset), result in zip(cases, got, strict=True):
        if offset == 0:
            bits = [base] if mask >> base & 1 else []
        else:
            bits = [bit for bit in (range(base, 32) if offset > 0 else range(base, -1, -1)) if mask >> bit & 1]
        wanted = bits[abs(offset) - 1] if 0 < abs(offset) <= len(bits) else bits[0] if bits and not offset else -1
        assert result == wanted & 0xFFFFFFFF, (hex(mask), base, offset)


def test_copies_that_end_within_a_word(library: Library) -> None:
    chance = random.Random(5)
    cases = [(count, chance.getrandbits(32), word) for count in range(17) for word in range(4)]
    got = library.call("copy_and_fill", *(list(column) for column in zip(*cases, strict=True)))
    for (count, seed, word), found in zip(cases, got, strict=True):
        words = (seed, ~seed, seed * 3, seed ^ 0x0F0F0F0F)
        source = b"".join((one & 0xFFFFFFFF).to_bytes(4, "little") for one in words)
        wanted = source[:count].ljust(16, b"\0")
        assert found.to_bytes(4, "little") == wanted[4 * word :][:4], (count, word)


def test_multiples_and_powers_of_two(library: Library) -> None:
    """What cuda/cmath has of them, of the numbers that it is defined for."""
    powers = [1 << bit for bit in range(32)]
    a = sorted({near for power in powers for near in (power - 1, power, power + 1)} | {0xFFFFFFFF})
    b = [3 + i % 7 for i, _ in enumerate(a)]

    def got(name: str, values: list[int] = a) -> list[int]:
        return library.call(name, values, b)

    pairs = list(zip(a, b, strict=True))
    assert got("ceil_div") == [-(-x // y) for x, y in pairs]
    assert got("round_up") == [-(-x // y) * y & 0xFFFFFFFF for x, y in pairs]
    assert got("round_down") == [(x >> 1) - (x >> 1) % (y >> 1 | 1) for x, y in pairs]
    assert got("is_power_of_two") == [x in powers for x in a]
    assert got("is_power_of_two_of_char") == [x & 127 in powers for x in a]
    assert got("ilog2")[1:] == [x.bit_length() - 1 for x in a[1:]]
    assert got("ilog2_of_long") == [(x << 32 | y).bit_length() - 1 for x, y in pairs]
    assert got("ceil_ilog2")[2:] == [((x >> 1) - 1).bit_length() for x in a[2:]]
    for name, largest in (("next_power_of_two", 1 << 31), ("next_power_of_two_of_short", 1 << 15)):
        some = [x for x in a if x <= largest]
        assert library.call(name, some) == [1 << max(x - 1, 0).bit_length() for x in some]
    assert got("prev_power_of_two") == [1 << x.bit_length() - 1 if x else 0 for x in a]


@pytest.mark.parametrize("mode", [NEAREST, TOWARD_ZERO, DOWN, UP])
def test_integer_to_bf16_rounds_once(library: Library, mode: int) -> None:
    a, _, c = inputs()
    # Halfway cases with a distant low bit are those that two roundings get wrong.
    a += [0x01010000, 0x01010001, 0x0101FFFF, 0x40800000, 0x40800001, 0xFF7FFFFF]
    c += [0, 1, 0x80000000, 0, 1, 0]
    modes = [mode] * len(a)
    wide = [x << 32 | y for x, y in zip(a, c, strict=True)]
    kinds: dict[str, list[int]] = {
        "uint": a,
        "int": [signed(x, 32) for x in a],
        "ull": wide,
        "ll": [signed(x, 64) for x in wide],
    }
    for kind, values in kinds.items():
        got = library.call(f"{kind}_to_bf16", a, modes, c)
        wrong = [(hex(x), hex(y)) for x, y in zip(values, got, strict=True) if y != bf16_of(Fraction(x), mode)]
        assert not wrong, (kind, wrong[:3])


def float_of(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


@pytest.mark.parametrize("mode", [NEAREST, TOWARD_ZERO, DOWN, UP])
def test_float_to_bf16(library: Library, mode: int) -> None:
    chance = random.Random(5)
    normal = [x for x in (chance.getrandbits(32) for _ in range(2000)) if 0 < x >> 23 & 0xFF < 0xFE]
    got = library.call("float_to_bf16", normal, [mode] * len(normal))
    assert got == [bf16_of(Fraction(float_of(x)), mode) for x in normal]
    special = {0x7FC00001: 0x7FFF, 0xFF800001: 0x7FFF, 0x7F800000: 0x7F80, 0xFF800000: 0xFF80, 0: 0, 0x80000000: 0x8000}
    assert library.call("float_to_bf16", list(special), [mode] * len(special)) == list(special.values())
    largest = 0x7F80 if mode in (NEAREST, UP) else 0x7F7F
    assert library.call("float_to_bf16", [0x7F7FFFFF], [mode]) == [largest]


@pytest.mark.parametrize("mode", [NEAREST, TOWARD_ZERO, DOWN, UP])
@pytest.mark.parametrize("kind", ["char", "uchar", "short", "ushort", "int", "uint", "ll", "ull"])
def test_float_to_integer_saturates(library: Library, kind: str, mode: int) -> None:
    bits = {"char": 8, "short": 16, "int": 32, "ll": 64}[kind.lstrip("u") if kind != "ull" else "ll"]
    is_signed = not kind.startswith("u")
    chance = random.Random(9)
    floats = [chance.getrandbits(32) for _ in range(500)]
    floats += [struct.unpack("<I", struct.pack("<f", chance.uniform(-300, 300)))[0] for _ in range(500)]
    floats += [0x7F800000, 0xFF800000, 0x4F000000, 0xCF000000, 0x5F000000, 0xDF000000, 0x3F000000, 0xBF000000]
    modes = [mode] * len(floats)
    if bits == 64:
        high = library.call(f"float_to_{kind}_high", floats, modes)
        got = [x << 32 | y for x, y in zip(high, library.call(f"float_to_{kind}_low", floats, modes), strict=True)]
    else:
        got = library.call(f"float_to_{kind}", floats, modes)
    for source, result in zip(floats, got, strict=True):
        number = float_of(source)
        if math.isnan(number):
            wanted = 1 << 63 if bits == 64 else 0
        elif math.isinf(number):
            wanted = saturated(int(math.copysign(1 << 70, number)), bits, is_signed)
        else:
            wanted = saturated(rounded(Fraction(number), mode), bits, is_signed)
        width = max(bits, 32)
        assert result == wanted & ((1 << width) - 1), (number, hex(result))


# ---------------------------------------------------------------- warps


def test_ballot_of_a_wide_wave_is_cut_to_the_own_warp(library: Library) -> None:
    low, high = 0x12345678, 0x9ABCDEF0
    assert library.call("own_warp", [low] * 64, [high] * 64, list(range(64))) == [low] * 32 + [high] * 32


def test_warp_functions_on_a_simulated_wave(tmp_path: Path) -> None:
    program = build("warp_functions_on_cpu.cpp", tmp_path / "warp_functions", "-std=c++17", "-w")
    done = subprocess.run([str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "all checks passed" in done.stdout


# ---------------------------------------------------------------- compiled for AMD


def toolchains() -> Iterator[toolchain.Toolchain]:
    found = toolchain.find()
    yield found
    for folders in filter(None, os.environ.get(HEADER_SETS_VARIABLE, "").split(";")):
        yield replace(found, includes=tuple(map(Path, folders.split(os.pathsep))))


TOOLCHAINS = tuple(toolchains())
with_each_set_of_headers = pytest.mark.parametrize("hip", TOOLCHAINS, ids=lambda hip: str(hip.includes[0]))
# Errors that HIP never returns are no enumerators of its own: a switch over them warns.
OPTIONS = (f"-I{HEADER_FOLDER}", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", "-Wno-switch")


@with_each_set_of_headers
@pytest.mark.parametrize(("arch", "defined"), BUILDS, ids=lambda value: "".join(value))
def test_every_function_compiles(hip: toolchain.Toolchain, arch: str, defined: tuple[str, ...]) -> None:
    done = hip.compile_device(SOURCES / "every_function.hip", arch, options=(*OPTIONS, *defined))
    assert done.ok, [error.message for error in done.errors][:5]
    assert done.undefined == (), "a device has no library to find these in"
    assert len(done.kernels) >= 13


@with_each_set_of_headers
def test_functions_of_others_go_first(hip: toolchain.Toolchain) -> None:
    done = hip.check(SOURCES / "stands_back.hip", "gfx942", options=(f"-I{HEADER_FOLDER}",))
    assert done.ok, [error.message for error in done.errors][:5]


@with_each_set_of_headers
def test_host_side_compiles(hip: toolchain.Toolchain) -> None:
    done = hip.check(SOURCES / "every_function.hip", "gfx942", options=(*OPTIONS, "--cuda-host-only"))
    assert done.ok, [error.message for error in done.errors][:5]


@with_each_set_of_headers
def test_plain_cpp_can_include_it(hip: toolchain.Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "host.cpp"
    source.write_text(
        '#include "rewarp_hip.h"\nint main() { return __vadd4(1, 2) == 3 ? rewarp_warp_size - 32 : 1; }\n'
    )
    includes = [f"-isystem{folder}" for folder in hip.includes]
    command = [*CXX, "-std=c++17", "-c", "-D__HIP_PLATFORM_AMD__", f"-I{HEADER_FOLDER}", *includes]
    made = str(tmp_path / "host.o")
    done = subprocess.run([*command, str(source), "-o", made], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


RTC_OPTIONS = """
int given = 0;
enum Result { FINE };
struct Source {};
Result hiprtcCompileProgram(Source*, int count, const char** options) {
  for (given = 0; given < count; ++given) puts(options[given]);
  return FINE;
}
int main() {
  Source source;
  char arch[] = "--gpu-architecture=sm_80", standard[] = "--std=c++17";
  char* plain[] = {arch, standard};
  const char* all[] = {"-arch", "sm_90", "-lineinfo", "--use_fast_math", "--fmad=false", "--include-path=/a b", "-DX=1"};
  rewarp_rtc_compile(&source, 0, nullptr);
  bool right = given == 0 && rewarp_rtc_compile(&source, 2, plain) == FINE && given == 1;
  return right && rewarp_rtc_compile(&source, 7, all) == FINE && given == 4 ? 0 : 1;
}
"""


@with_each_set_of_headers
def test_options_of_nvrtc_become_those_of_hiprtc(hip: toolchain.Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "options.cpp"
    source.write_text(f'#include <stdio.h>\n#include "rewarp_hip.h"\n{RTC_OPTIONS}')
    includes = [f"-isystem{folder}" for folder in hip.includes]
    command = [*CXX, "-std=c++17", "-D__HIP_PLATFORM_AMD__", f"-I{HEADER_FOLDER}", *includes]
    program = tmp_path / "options"
    done = subprocess.run([*command, str(source), "-o", str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([str(program)], capture_output=True, text=True)
    assert (said.returncode, said.stdout.split("\n")) == (
        0,
        ["--std=c++17", "-ffast-math", "-ffp-contract=off", "-I/a b", "-DX=1", ""],
    )


def test_empty_on_nvidia(tmp_path: Path) -> None:
    source = tmp_path / "nothing.cpp"
    source.write_text('#include "rewarp_hip.h"\n')
    command = [*CXX, "-E", "-P", f"-I{HEADER_FOLDER}", str(source)]
    assert subprocess.run(command, capture_output=True, text=True).stdout.strip() == ""


def test_every_supplied_name_is_used_by_the_compile_test() -> None:
    """Nearly all functions are templates, and a template that nobody calls was never checked."""
    header = (HEADER_FOLDER / "rewarp_hip.h").read_text()
    used = " ".join([(SOURCES / "every_function.hip").read_text(), *portable_names()])
    written_out = re.findall(
        r"^ *REWARP_(?:PLAIN|PLAIN_DEVICE|HOST_DEVICE|DEVICE) [\w: *]*?\b((?:__|rewarp_|atomic[A-Z])\w+)\(",
        header,
        re.M,
    )
    by_macro = re.findall(r"^ *REWARP_[A-Z0-9_]+\((?:PAIR, )?((?:__|atomic|rewarp_)[a-z]\w+),", header, re.M)
    names = {*written_out, *by_macro} - {"rewarp_syncwarp"}
    assert len(names) > 120
    assert not {name for name in names if not re.search(rf"\b{name}", used)}
