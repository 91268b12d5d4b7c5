"""What each thing that the machine sees means: why it matters on a card, how it comes about, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rewarp.findings import Severity
from rewarp.machine.watch import FIXES, Kind
from rewarp.run.findings import FAULTS


@dataclass(frozen=True)
class Explained:
    id: str
    title: str
    severity: Severity
    why: str
    example: str
    fix: str
    is_race: bool = False


READING = """\
A race is told with two sides. The first line of the report names the kernel, the bytes and how often it was; then comes who was
there last, with the line and the instruction; *the other side* was there before, and nothing tells the one that the other
was first. The order is this run's: on a card it may be the other way round. The line that is missing, mostly a barrier, belongs
between the two. In a loop look also from the end of one turn to the start of the next. Nothing need have gone wrong in this run.

One wave knows of another's access through program order (both are the same wave, whose lanes run in step: 64 on gfx942, 32 on
gfx1100), through a barrier that both came to, through a release (`__threadfence()`) and an atomic or volatile store that the other
reads, and through the end of a kernel. Two atomics do not race, nor does a store of what is there already."""

_WHY = {
    Kind.UNKNOWN_ADDRESS: "Memory is reached through an address that depends on a register, on shared memory or on device memory "
    "that nobody wrote. On a card it holds what was left there: the access goes anywhere.",
    Kind.UNKNOWN_BRANCH: "A condition depends on something that nobody wrote: on a card the next run may go the other way.",
    Kind.UNKNOWN_STORE: "Something that nobody wrote reaches memory that others see. To copy, mask or spill it was no mistake yet; "
    "to store it is. `hipMalloc` does not clear memory, nor does a card clear shared memory or registers.",
    Kind.LDS_RACE: "Two waves of a workgroup reach the same bytes of shared memory, at least one of them writes, and nothing orders them.",
    Kind.GROUP_RACE: "Two waves of one workgroup reach the same bytes of global memory, at least one of them writes, and nothing "
    "orders them.",
    Kind.GRID_RACE: "Two workgroups reach the same bytes of global memory, at least one of them writes, and nothing orders them: "
    "a barrier orders one workgroup only.",
    Kind.DIVERGED_BARRIER: "Some lanes of a wave were switched off at a barrier and went on behind it: they did not wait. AMD counts "
    "waves, not threads, so that a card does not hang here; it goes on with what is not there yet.",
    Kind.OTHER_BARRIER: "Waves of one workgroup wait at different barriers. A card lets them through together, and each takes the "
    "other's barrier for its own.",
    Kind.ENDED_BARRIER: "Some waves have returned before a barrier that others come to. AMD does not wait for them, so that it works "
    "there; CUDA says that all threads must come. A remark, not an alarm.",
    Kind.DEADLOCK: "Every wave that is left came back to the same state, and nobody is left who could change what they look at.",
    Kind.BEYOND_END: "A read reaches behind the end of its allocation, but not behind the block of 2 MiB in which ROCm's runtime "
    "takes memory from the card. A card gives whatever lies there and does not fault, so the run goes on: what was read counts as unknown, and raises another alarm where it matters. "
    "With another size the same code may fault (RUN-001), and what it reads may be another allocation.",
    Kind.MISALIGNED: "A value that is the same for all lanes comes through a scalar load, which leaves out the last two bits of its "
    "address: what is read is not what was asked for. The compiler may do so, for C++ asks that a pointer be aligned to its "
    "type. Vector loads and stores work at any address; atomics that are not aligned end the kernel.",
}  # fmt: skip
_EXAMPLE = {
    Kind.UNKNOWN_ADDRESS: "int i; if (n > 0) i = table[0];\nout[i] = 1;                      // and n is 0",
    Kind.UNKNOWN_BRANCH: "__shared__ bool done;\nif (done) return;                // nobody set it",
    Kind.UNKNOWN_STORE: "hipMalloc(&sum, 4);\nadd<<<1, 64>>>(x, sum);         // *sum += …: and no hipMemset before",
    Kind.LDS_RACE: "part[t] = x[t];\nif (t < 64) part[t] += part[t + 64];   // no __syncthreads() between",
    Kind.GROUP_RACE: "a[t] = t;\nb[t] = a[255 - t];               // no __syncthreads() between",
    Kind.GRID_RACE: "if (t == 0) part[blockIdx.x] = sum;\nif (blockIdx.x == 0) total = part[1];  // block 1 may not have come so far",
    Kind.DIVERGED_BARRIER: "if (t < n) {\n  part[t] = x[t];\n  __syncthreads();               // not all threads of a wave come here\n}",
    Kind.OTHER_BARRIER: "if (t < 128) __syncthreads();\nelse { y[t] = 0; __syncthreads(); }",
    Kind.ENDED_BARRIER: "if (t >= n) return;\n__syncthreads();",
    Kind.DEADLOCK: "while (atomicAdd(flag, 0) == 0);   // and whoever sets the flag comes later, or never",
    Kind.BEYOND_END: "y[i] = x[i] + x[i + 1];           // for the last i as well",
    Kind.MISALIGNED: "const int *p = (const int *)(bytes + 2);\nint head = *p;",
}  # fmt: skip
_FAULT_TEXTS = {
    "out-of-bounds": (
        "memory that is not the kernel's",
        "A kernel reads or writes where nothing was allocated, where it was freed, or where it must not write. A card ends the "
        "program with a memory fault, without a line; so does this run, with one.",
        "y[i] = x[i];                      // no `if (i < n)`, and more threads than elements",
    ),
    "trap": ("a trap", "An assertion of the kernel failed, or it gave up (`abort()`, `__trap()`).", "assert(i < n);"),
    "endless": (
        "a loop without end",
        "A wave went round and round for longer than the limit allows.",
        "while (!*flag);",
    ),
    "memory": (
        "not enough memory here",
        "The machine itself had no memory for the registers and the shared memory of a workgroup. It says nothing about a card.",
        "rewarp run --memory-limit 64M big.cu",
    ),
}


def _all() -> Mapping[str, Explained]:
    found = [
        Explained(kind.rule, kind.title, kind.severity, _WHY[kind], _EXAMPLE[kind], FIXES[kind], "RACE" in kind.name)
        for kind in Kind
    ]
    for what, (title, why, example) in _FAULT_TEXTS.items():
        rule, severity, fix = FAULTS[what]
        found.append(Explained(rule, title, severity, why, example, fix))
    return {one.id: one for one in sorted(found, key=lambda one: one.id)}


ALL = _all()
"""By id."""
