"""Fat binaries, written here as the format's page says, and read."""

from __future__ import annotations

import contextlib
import struct
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp.errors import ParseError
from rewarp.machine.bundles import Entry, best, code_for, entries, size_of

ASSEMBLY = b'\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n\t.text\none:\n\ts_endpgm\n'
HOST = ("host-x86_64-unknown-linux-gnu-", b"")


def bundle(*parts: tuple[str, bytes]) -> bytes:
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts))
    offset = len(head) + sum(24 + len(name) for name, _ in parts)
    table, body = b"", b""
    for name, content in parts:
        table += struct.pack("<QQQ", offset + len(body), len(content), len(name)) + name.encode()
        body += content
    return head + table + body


def hip(target: str, content: bytes = ASSEMBLY) -> tuple[str, bytes]:
    return f"hipv4-amdgcn-amd-amdhsa--{target}", content


def compressed(plain: bytes, version: int, method: int) -> bytes:
    packed = zlib.compress(plain) if method == 0 else zstandard.ZstdCompressor().compress(plain)
    form = {1: "<IQ", 2: "<IIQ", 3: "<QQQ"}[version]
    total = 8 + struct.calcsize(form) + len(packed)
    sizes = (len(plain),) if version == 1 else (total, len(plain))
    return b"CCOB" + struct.pack("<HH", version, method) + struct.pack(form, *sizes, 0x1234) + packed


def program(content: bytes, section: str = ".hip_fatbin", machine: int = 62) -> bytes:
    """A host's ELF file with one section and its name."""
    names = b"\0" + section.encode() + b"\0.shstrtab\0"
    start = 64
    table = start + len(content) + len(names)
    head = (
        b"\x7fELF\x02\x01\x01"
        + bytes(9)
        + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 2)
    )
    sections = bytes(64)
    sections += struct.pack("<IIQQQQIIQQ", 1, 1, 2, 0, start, len(content), 0, 0, 1, 0)
    sections += struct.pack("<IIQQQQIIQQ", 2 + len(section), 3, 0, 0, start + len(content), len(names), 0, 0, 1, 0)
    return head + content + names + sections


def test_entries_in_their_order() -> None:
    data = bundle(HOST, hip("gfx90a", b"a"), hip("gfx942:sramecc+:xnack-", b"b"))
    assert entries(data) == [Entry("gfx90a", b"a"), Entry("gfx942:sramecc+:xnack-", b"b")]
    assert size_of(data[:400]) == len(data)


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("method", [0, 1])
def test_compressed(version: int, method: int) -> None:
    data = compressed(bundle(HOST, hip("gfx942")), version, method)
    assert [entry.target for entry in entries(data)] == ["gfx942"]
    assert code_for(data + b"what follows", "gfx942") == ASSEMBLY.decode()


def test_in_a_host_program_one_behind_the_other() -> None:
    first, second = bundle(HOST, hip("gfx942", b"a")), compressed(bundle(HOST, hip("gfx1100", b"b")), 2, 1)
    data = program(first.ljust(4096, b"\0") + second + bytes(100))
    assert entries(data) == [Entry("gfx942", b"a"), Entry("gfx1100", b"b")]


def test_a_program_without_device_code() -> None:
    with pytest.raises(ParseError, match="without device code"):
        entries(program(b"x", ".data"))
    with pytest.raises(ParseError, match="without device code"):
        entries(Path("/proc/self/exe").read_bytes())


def chosen(arch: str, *targets: str) -> str | None:
    found = best([Entry(target, target.encode()) for target in targets], arch)
    return found.target if found else None


def test_the_card_before_its_family() -> None:
    assert chosen("gfx942", "gfx9-4-generic", "gfx942") == "gfx942"
    assert chosen("gfx942", "gfx9-4-generic", "gfx90a") == "gfx9-4-generic"
    assert chosen("gfx1103", "gfx11-generic") == "gfx11-generic"
    assert chosen("gfx90a", "gfx9-4-generic", "gfx9-generic", "gfx942") is None


def test_features_are_those_of_the_card() -> None:
    assert chosen("gfx942", "gfx942:xnack+", "gfx942:xnack-") == "gfx942:xnack-"
    assert chosen("gfx942", "gfx942:xnack+") is None
    assert chosen("gfx942:xnack+", "gfx942", "gfx942:xnack+") == "gfx942:xnack+"
    assert chosen("gfx942", "gfx942", "gfx942:sramecc+:xnack-") == "gfx942:sramecc+:xnack-"
    assert chosen("gfx942:sramecc-", "gfx942:sramecc+", "gfx942") == "gfx942"


def test_the_first_of_equals() -> None:
    found = [Entry("gfx942", b"1"), Entry("gfx942", b"2")]
    assert best(found, "gfx942") is found[0]


def test_assembly_passes_through() -> None:
    assert code_for(ASSEMBLY, "gfx942") == ASSEMBLY.decode()
    assert code_for(bundle(HOST, hip("gfx942")), "gfx942") == ASSEMBLY.decode()


def test_no_code_for_the_card_names_what_is_there() -> None:
    with pytest.raises(ParseError, match=r"no code for gfx1100: it has gfx942, gfx90a"):
        code_for(bundle(HOST, hip("gfx942"), hip("gfx90a")), "gfx1100")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"__CLANG_OFFLOAD_BUNDLE__", "cut short"),
        (bundle(hip("gfx942"))[:-3], "cut short"),
        (b"CCOB\1\0", "cut short"),
        (b"CCOB\x09\0\0\0" + bytes(40), "version 9"),
        (b"CCOB\2\0\7\0" + bytes(40), "method 7"),
        (compressed(bundle(hip("gfx942")), 2, 1)[:-5], "damaged"),
        (compressed(b"something else", 2, 0), "damaged"),
        (b"CCOB\3\0\0\0" + struct.pack("<QQQ", 50, 1 << 60, 0) + bytes(18), "4 GiB"),
        (b"\xff\xfe\x00", "no form that is known"),
    ],
)
def test_damaged(data: bytes, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        code_for(data, "gfx942")


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_bytes_give_a_reason_or_code(data: st.DataObject) -> None:
    plain = bundle(HOST, hip("gfx942"), hip("gfx1100", b"x" * 90))
    whole = data.draw(st.sampled_from([plain, compressed(plain, 2, 1), compressed(plain, 3, 0), program(plain)]))
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ParseError):
        code_for(bytes(changed[: data.draw(st.integers(0, len(changed)))]), "gfx942")
