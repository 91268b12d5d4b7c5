"""Hand-made units for the tests of scores, views, waivers and baselines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from rewarp.parity.comparing.compare import Language
from rewarp.parity.reading import store
from rewarp.parity.scoring.result import Result
from rewarp.parity.scoring.scores import score
from rewarp.parity.units import Analysis, Edges, Parity, Place, Problem, Side, Status, Unit
from rewarp.workspace import Entry, Tree

OK, P, E, M, U = Status.IMPLEMENTED, Status.PARTIAL, Status.ERROR, Status.MISSING, Status.UNKNOWN


class MemoryTree(Tree):
    """A tree in memory."""

    name = "tree"

    def __init__(self, files: Mapping[str, bytes], unread: Mapping[str, str] | None = None) -> None:
        self._given, self._unread = dict(files), dict(unread or {})

    @cached_property
    def entries(self) -> dict[str, Entry]:
        sizes = {path: len(data) for path, data in self._given.items()} | dict.fromkeys(self._unread, 0)
        return {path: Entry("file", size) for path, size in sorted(sizes.items())}

    def _content(self, path: str, entry: Entry) -> bytes | str:
        return self._given[path] if path in self._given else self._unread[path]


def side(status: Status = OK, why: str = "", *more: Any, **named: Any) -> Side:
    return Side(status, why, *more, **named)


def unit(name: str = "add", a: Status | Side = OK, b: Status | Side = OK, **more: Any) -> Unit:
    sides = [one if isinstance(one, Side) else Side(one, one.value) for one in (a, b)]
    return Unit(more.pop("kind", "trait method"), more.pop("owner", "Backend"), name, sides[0], sides[1], **more)


def parity(*units: Unit, problems: Iterable[Problem] = ()) -> Parity:
    return Parity("tree", "cuda", "rocm", units, tuple(problems), {}, ("trait Backend: CudaStorage, RocmStorage",))


def result(*units: Unit, problems: Iterable[Problem] = ()) -> Result:
    found = parity(*units, problems=problems)
    return Result(found, score(found))


def example() -> Result:
    """One of everything."""
    return result(
        unit("add", side(OK, "kernel badd", kernels=("badd_f32",), edges=Edges(3, 1, 2)), users=4),
        unit(
            "matmul",
            side(OK, "cuBLAS", (Place("src/cuda.rs", 10, "fn matmul(…)"),), {"f32": OK, "f16": OK, "bf16": OK}),
            side(
                P,
                "f16 | bf16 end in an error",
                (Place("src/rocm.rs", 20, "fn matmul(…)"), Place("src/rocm.rs", 25, 'bail!("<script>")')),
                {"f32": OK, "f16": E, "bf16": E},
            ),
            users=9,
        ),
        unit("conv2d", OK, side(Status.NO_OP, "Ok(()) beside a TODO", (Place("src/rocm.rs", 40),)), users=2),
        unit("copy", OK, side(Status.CPU_ONLY, "to_cpu_storage", (Place("src/rocm.rs", 50),))),
        unit("rope", U, OK),
        unit("sort", E, M),
        unit("flash", M, OK),
        unit("bmul_f32", OK, side(M, "no such kernel"), kind="kernel", owner="binary.cu"),
        unit("badd_f32", OK, OK, kind="kernel", owner="binary.cu"),
        unit("device", OK, M, kind="field", owner="Storage", scored=False),
        problems=[Problem("src/macro.rs", 3, "the macro `ops!` cannot be seen through")],
    )


def read_toy(path: str, data: bytes) -> list[Unit]:
    """One unit a line: its name, and the states of both sides."""
    found = []
    for number, line in enumerate(data.decode().splitlines(), 1):
        name, a, b = line.split()
        first, second = (Side(Status[word], f"{word} here", (Place(path, number, line),)) for word in (a, b))
        found.append(Unit("operation", path.removesuffix(".toy"), name, first, second))
    return found


def analyse(files: Mapping[str, bytes], a: str, b: str) -> Analysis:
    """An analyser like the real ones, of a toy language."""
    sources = {path: data for path, data in files.items() if path.endswith(".toy")}
    problems = [Problem(path, 1, "does not parse", True) for path, data in sources.items() if data == b"{"]
    read = {path: data for path, data in sources.items() if data != b"{"}
    units = [one for units in store.facts(read_toy, read).values() for one in units]
    return Analysis(units, problems, [f"toy {a} {b}"], [])


TOY = Language("toy", (".toy",), "parity_parts")
