"""Code objects taken apart: the same program as the compiler's own assembly, and a reason for what is damaged."""

from __future__ import annotations

import contextlib
import tempfile
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewarp import machine
from rewarp.errors import ParseError, UsageError
from rewarp.machine.assembly import SYSTEM, Instruction, Program, parse
from rewarp.machine.objects import assembly_of
from rewarp.machine.objects.descriptors import directives
from rewarp.toolchain import discovery

SOURCE = Path(__file__).parents[1] / "machine" / "kernels.hip"
OPTIONS = ("-O2", "-gline-tables-only", "-mprintf-kind=buffered")
UNTOLD = ("exception_", "next_free_sgpr", "reserve_", "shared_vgpr_count", "inst_pref_size")
"""What a descriptor holds for the hardware, and the machine has no use for."""


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Program]:
    folder = tmp_path_factory.mktemp("both")
    return compiled(SOURCE, request.param, folder, "code_object"), parse(
        compiled(SOURCE, request.param, folder, "assembly").decode()
    )


def compiled(source: Path, arch: str, folder: Path, level: str) -> bytes:
    made = folder / f"{arch}.{level}"
    done = discovery.find().compile_device(source, arch, options=OPTIONS, output=made, level=level)  # type: ignore[arg-type]
    assert done.ok, done.errors
    return made.read_bytes()


def of(source: str, arch: str, folder: Path) -> bytes:
    file = folder / "one.hip"
    file.write_text("#include <hip/hip_runtime.h>\n" + source, "utf-8")
    return compiled(file, arch, folder, "code_object")


def test_descriptors_and_metadata(both: tuple[bytes, Program]) -> None:
    taken, written = parse(assembly_of(both[0])), both[1]
    assert taken.arch == written.arch
    assert taken.kernels.keys() == written.kernels.keys()
    assert taken.formats == written.formats
    for name, kernel in written.kernels.items():
        assert taken.kernels[name].arguments == kernel.arguments
        assert taken.kernels[name].metadata == kernel.metadata
        wanted = {key: value for key, value in kernel.directives.items() if not key.startswith(UNTOLD)}
        assert {key: taken.kernels[name].directives.get(key) for key in wanted} == wanted


def test_instructions_and_their_lines(both: tuple[bytes, Program]) -> None:
    taken, written = parse(assembly_of(both[0])), both[1]
    for name in written.kernels:
        mine, theirs = body(taken, name), body(written, name)
        assert len(mine) == len(theirs) > 0
        for one, other in zip(mine, theirs):
            assert one.mnemonic == other.mnemonic
            # What was inlined from a header: the table of lines alone does not say from where.
            assert one.place == other.place or (one.place and SYSTEM.search(one.place.file))
            assert [x for x in one.operands if x.kind != "y"] == [x for x in other.operands if x.kind != "y"]


def body(program: Program, name: str) -> list[Instruction]:
    """Up to its end; nops are there to fill a cache line, and the assembler's."""
    found = []
    for one in program.instructions[program.labels[name] :]:
        if one.mnemonic != "s_nop":
            found.append(one)
        if one.mnemonic == "s_endpgm":
            break
    return found


def test_symbols_and_their_sizes(both: tuple[bytes, Program]) -> None:
    taken = parse(assembly_of(both[0]))
    section, at = taken.symbols["weights"]
    assert section == ".rodata"
    written = both[1]
    home, offset = written.symbols["weights"]
    assert taken.data[section].content[at : at + 32] == written.data[home].content[offset : offset + 32]
    assert taken.sizes["weights"] == 32
    assert taken.symbols["changed"][0] == ".data"
    assert len(taken.data[".data"].relocations) == 2


def test_code_for_a_family_serves_its_members(tmp_path: Path) -> None:
    data = of("__global__ void one(int* a) { a[threadIdx.x] = 1; }", "gfx9-4-generic", tmp_path)
    assert parse(assembly_of(data)).arch == "gfx9-4-generic"
    assert parse(assembly_of(data, "gfx942")).arch == "gfx942"


@pytest.mark.parametrize("arch", ["gfx906", "gfx908", "gfx90a", "gfx950", "gfx1030", "gfx1151", "gfx1201"])
def test_other_architectures_are_named(arch: str, tmp_path: Path) -> None:
    data = of("__global__ void one(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2.f; }", arch, tmp_path)
    program = parse(assembly_of(data))
    assert program.arch.partition(":")[0] == arch
    assert body(program, "_Z3onePfi")
    assert not [one.text for one in program.instructions if one.mnemonic.startswith("no_instruction")]


def test_processor_from_the_flags_alone(tmp_path: Path) -> None:
    data = of("__global__ void one(int* a) { *a = 1; }", "gfx1100", tmp_path)
    at = data.index(b"amdhsa.target")
    assert parse(assembly_of(data[:at] + b"amdhsa.tarxxx" + data[at + 13 :])).arch == "gfx1100"


def test_bytes_that_are_no_instruction_stop_the_kernel_that_comes_to_them(tmp_path: Path) -> None:
    import numpy as np

    data = of("__global__ void one(int* a) { a[threadIdx.x] = 7; }", "gfx942", tmp_path)
    taken = parse(assembly_of(data))
    assert taken.instructions
    end = data.index(bytes.fromhex("000081bf"))  # s_endpgm
    broken = data[:end] + b"\xff\xff\xff\xff" + data[end + 4 :]
    program = machine.load(broken)
    with pytest.raises(machine.Unsupported, match="no_instruction_0xffffffff"):
        program.launch("_Z3onePi", (1,), (64,), (np.zeros(64, np.int32),))


def test_own_address_without_a_name_is_never_guessed(tmp_path: Path) -> None:
    source = """__global__ void one(unsigned long long* a) {
        unsigned long long here; asm volatile("s_getpc_b64 %0" : "=s"(here)); a[threadIdx.x] = here; }"""
    program = machine.load(of(source, "gfx942", tmp_path))
    assert "own_address" in str(next(iter(program.unsupported.values())))


def test_wide_waves_where_narrow_ones_run_are_refused(tmp_path: Path) -> None:
    text = assembly_of(of("__global__ void one(int* a) { a[threadIdx.x] = 1; }", "gfx1100", tmp_path))
    assert ".amdhsa_wavefront_size32 1" in text
    with pytest.raises(UsageError, match="waves of 64 lanes"):
        machine.load(text.replace(".amdhsa_wavefront_size32 1", ".amdhsa_wavefront_size32 0"))


def test_far_jumps_and_addresses_before_an_array(tmp_path: Path) -> None:
    import numpy as np

    source = """__device__ int table[64] = {1, 2, 3, 4, 5, 6, 7, 8};
    __constant__ int fixed[4] = {10, 20, 30, 40};
    __device__ int more[4] = {5, 6, 7, 8};
    __global__ void one(int* out, int from) {
        int i = threadIdx.x; out[i] = table[i - 1 + from] + fixed[(i & 3) ^ from ^ 1] + (&more[-3])[(i & 3) + 2 + from]; }"""
    program = machine.load(of(source, "gfx942", tmp_path))
    out = np.zeros(8, np.int32)
    program.launch("_Z3onePii", (1,), (8,), (out, 1))
    fixed, more = [10, 20, 30, 40], [5, 6, 7, 8]
    assert out.tolist() == [i + 1 + fixed[i & 3] + more[i & 3] for i in range(8)]


@pytest.mark.parametrize(("arch", "lanes"), [("gfx942", 64), ("gfx1100", 32)])
def test_triton_links_what_it_writes(arch: str, lanes: int) -> None:
    """Its own assembler and linker, and arguments that are loaded before the kernel begins."""
    import importlib.util

    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler import compile as compiled_by_triton

    spec = importlib.util.spec_from_file_location("triton_kernels", SOURCE.with_name("triton_kernels.py"))
    assert spec
    assert spec.loader
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    names = kernels.add.arg_names
    signature = dict(zip(names, ("*fp32", "*fp32", "*fp32", "i32", "constexpr")))
    made = compiled_by_triton(ASTSource(kernels.add, signature, {names[4]: 1024}), target=GPUTarget("hip", arch, lanes))
    taken, written = parse(assembly_of(made.asm["hsaco"])), parse(made.asm["amdgcn"])
    assert [one.mnemonic for one in body(taken, "add")] == [one.mnemonic for one in body(written, "add")]
    assert taken.kernels["add"].arguments == written.kernels["add"].arguments
    preloaded = "user_sgpr_kernarg_preload_length"
    assert taken.kernels["add"].directives.get(preloaded) == written.kernels["add"].directives.get(preloaded)


# --- damaged --------------------------------------------------------------------------------


def test_not_a_code_object() -> None:
    for data in (b"", b"\x7fELF", b"MZ" * 100, b"\x7fELF\x02\x01" + bytes(100), Path("/proc/self/exe").read_bytes()):
        with pytest.raises(ParseError, match="not a whole AMD code object"):
            assembly_of(data)


def test_an_object_that_is_not_linked(tmp_path: Path) -> None:
    file = tmp_path / "one.hip"
    file.write_text("#include <hip/hip_runtime.h>\n__global__ void one(int* a) { *a = 1; }", "utf-8")
    with pytest.raises(ParseError, match="not linked"):
        assembly_of(compiled(file, "gfx942", tmp_path, "object"))


def test_descriptor_of_another_size() -> None:
    with pytest.raises(Exception, match="64 bytes"):
        directives(bytes(12), "gfx942", {})


@lru_cache(maxsize=1)
def small() -> bytes:
    source = """__device__ int counts[4]; __device__ int* where = counts;
    __global__ void one(float* a, int n) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] *= 2.f; atomicAdd(where, 1); }"""
    with tempfile.TemporaryDirectory() as folder:
        return of(source, "gfx942", Path(folder))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_damaged_bytes_give_a_reason_or_a_program(data: st.DataObject) -> None:
    """Whatever is changed or cut: ParseError, or assembly that can be read."""
    damaged = bytearray(small())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] = data.draw(st.integers(0, 255))
    end = data.draw(st.one_of(st.just(len(damaged)), st.integers(0, len(damaged))))
    with contextlib.suppress(ParseError, UsageError):
        parse(assembly_of(bytes(damaged[:end])))


def test_static_variables_stand_in_no_section_of_their_own() -> None:
    """As the compiler writes them, behind its notes: `.local` is no line of a source, `.comm` aligns to a power of two."""
    program = parse(
        '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n\t.bss\nfirst:\n\t.byte\t0\n'
        '\t.section\t.AMDGPU.csdata,"",@progbits\n\t.local\t_ZL3top\n\t.comm\t_ZL3top,4,2\n'
        "\t.local\t_ZL4wide\n\t.comm\t_ZL4wide,24,4\n"
    )
    assert program.symbols == {"first": (".bss", 0), "_ZL3top": (".bss", 4), "_ZL4wide": (".bss", 16)}
    assert program.sizes == {"_ZL3top": 4, "_ZL4wide": 24}
    assert (len(program.data[".bss"].content), program.data[".bss"].align) == (40, 16)
