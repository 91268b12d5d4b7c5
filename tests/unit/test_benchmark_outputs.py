"""How `benchmarks/program_outputs.py` compares programs with what their originals did on an NVIDIA GPU, and how that is recorded."""

from __future__ import annotations

import base64
import importlib
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rewarp.verify.programs import ProgramRun

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


@pytest.fixture(scope="module")
def load() -> Callable[[str], ModuleType]:
    def module(name: str) -> ModuleType:
        sys.path.insert(0, str(BENCHMARKS))
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(str(BENCHMARKS))

    return module


@pytest.fixture
def outputs(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("program_outputs")


def packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


def piece(what: str, data: bytes, value: int = 7) -> bytes:
    return f"{what} {len(data)} {len(data)} {value:016x}\n".encode() + data


def on_gpu(*printed: str, memory: Sequence[bytes] = (), status: int | None = 0) -> dict[str, Any]:
    runs = [{"status": status, "seconds": 0.1, "stdout": packed(text.encode()), "stderr": ""} for text in printed]
    return {"arguments": ["1"], "run": runs[0], "again": runs[1:], "memory": [packed(dump) for dump in memory]}


def here(printed: str, memory: bytes | None = None, code: int | None = 0) -> ProgramRun:
    files: dict[str, bytes | None] = {} if memory is None else {"device memory": memory}
    return ProgramRun(("1",), code, f"exit status {code}", 0.0, printed.encode(), "", files, "emulator", "test")


def floats(*values: float, form: str = "f") -> bytes:
    return struct.pack(f"<{len(values)}{form}", *values)


@pytest.mark.parametrize(
    ("there", "mine", "outcome"),
    [
        (("sum 1.5\n",), "sum 1.5\n", "agrees"),
        (("sum 1.5\n",), "sum 1.8\n", "differs"),
        (("sum 1.5\n",), "sum 1.500001\n", "agrees"),
        (("count 3\n",), "count 4\n", "differs"),
        (("sum 1.5\n",), "sum 1.5\nsum 1.5\n", "differs"),
        (("Average kernel time 3.2 (us)\nsum 2\n",), "Average kernel time 990 (us)\nsum 2\n", "agrees"),
        (("Average kernel time 3.2 (us)\nsum 2\n",), "Average kernel time 990 (us)\nsum 3\n", "differs"),
        (("Average kernel time 3.2 (us)\n",), "Average kernel time 990 (us)\n", "nothing to compare"),
        (("sum 2\nrace 4\n", "sum 2\nrace 5\n"), "sum 2\nrace 9\n", "agrees"),
        (("sum 2\nrace 4\n", "sum 2\nrace 5\n"), "sum 3\nrace 4\n", "differs"),
        (("race 4\n", "race 5\n"), "race 4\n", "nothing to compare"),
        (("a 1\n", "a 1\nb 2\n"), "a 1\n", "nothing to compare"),
        (("",), "", "nothing to compare"),
    ],
)
def test_what_is_printed(outputs: ModuleType, there: tuple[str, ...], mine: str, outcome: str) -> None:
    golden = outputs.golden_runs(on_gpu(*there, there[0], memory=[b"free 8 0 0000000000000000\n"]))
    assert outputs.compared(golden, here(mine)).outcome == outcome


@pytest.mark.parametrize(("status", "code"), [(1, 1), (1, 0), (0, 1), (None, 0), (0, None)])
def test_a_run_that_failed_proves_nothing(outputs: ModuleType, status: int | None, code: int | None) -> None:
    golden = outputs.golden_runs(on_gpu("sum 1\n", status=status))
    assert outputs.compared(golden, here("sum 1\n", code=code)).outcome == "nothing to compare"


@pytest.mark.parametrize(
    ("there", "mine", "outcome"),
    [
        (floats(1.0, 2.0), floats(1.0, 2.0), "agrees"),
        (floats(1.0, 2.0), floats(1.0, 2.0000002), "agrees"),
        (floats(1.0, 2.0), floats(1.0, 2.1), "differs"),
        (floats(1.1, 2.3, form="d"), floats(1.1, 2.3000000000000003, form="d"), "agrees"),
        (floats(1.1, 2.3, form="d"), floats(1.1, 2.3001, form="d"), "differs"),
        (floats(*range(1, 40), 1.6174485e-35), floats(*range(1, 40), 1.6174488e-35), "agrees"),
        (struct.pack("<2i", 7, 9), struct.pack("<2i", 7, 10), "differs"),
        (floats(1.0), floats(1.0, 2.0), "nothing to compare"),  # how much is allocated may depend on the device
    ],
)
def test_what_stands_in_memory(outputs: ModuleType, there: bytes, mine: bytes, outcome: str) -> None:
    dump = piece("free", there)
    golden = outputs.golden_runs(on_gpu("", "", "", memory=[dump]))
    verdict = outputs.compared(golden, here("", piece("free", mine, 7 if mine == there else 8)))
    assert verdict.outcome == outcome
    assert verdict.memory == (outcome == "agrees")


def test_memory_that_changes_from_run_to_run_is_left_out(outputs: ModuleType) -> None:
    same, one, two = (piece("copy", floats(value), number) for number, value in enumerate((1.0, 2.0, 3.0)))
    golden = outputs.golden_runs(on_gpu("", "", "", memory=[same + one, same + two]))
    verdict = outputs.compared(golden, here("", same + piece("copy", floats(9.0), 9)))
    assert (verdict.outcome, verdict.memory) == ("agrees", 1)


def test_without_memory_of_the_gpu_nothing_is_shown(outputs: ModuleType) -> None:
    """A program that only says how it wants to be called says the same everywhere."""
    golden = outputs.golden_runs(on_gpu("Unsupported size!\n"))
    assert outputs.compared(golden, here("Unsupported size!\n")).outcome == "nothing to compare"
    assert outputs.compared(golden, here("Another word\n")).outcome == "differs"


def test_causes_stay_while_the_outcome_does(outputs: ModuleType, tmp_path: Path) -> None:
    row = dict.fromkeys(("arguments", "h200", "gfx942", "lines", "files", "memory", "cause"), "")
    row |= {"folder": "one", "outputs": "differs", "about": "not built: /home/me/src/one/main.cu"}
    table = tmp_path / "table.csv"
    outputs.publish(table, [row])
    assert "/home" not in table.read_text()
    table.write_text(table.read_text().replace("main.cu,", "main.cu,a race"))
    outputs.publish(table, [row])
    assert "a race" in table.read_text()
    outputs.publish(table, [row | {"outputs": "agrees"}])
    assert "a race" not in table.read_text()


def test_large_pieces_agree_by_their_hash_alone(outputs: ModuleType) -> None:
    """Of a large one, parts are kept: where the rest differs, the parts are what was compared."""
    golden = [*outputs.pieces(b"free 9000 4 00000000000000aa\nabcd")]
    assert golden == [("free 1", 9000, "00000000000000aa", b"abcd")]


# --- recording ------------------------------------------------------------------------------------------------------

_RUNTIME = """
#include <stdlib.h>
#include <string.h>
int hipMalloc(void **at, size_t size) { *at = malloc(size); memset(*at, 85, size); return 0; }
int hipMallocManaged(void **at, size_t size, unsigned flags) { return hipMalloc(at, size + 0 * flags); }
int hipFree(void *at) { free(at); return 0; }
int hipMemset(void *at, int value, size_t size) { memset(at, value, size); return 0; }
int hipMemcpy(void *to, const void *from, size_t size, int kind) { memcpy(to, from, size + 0 * kind); return 0; }
int hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *s) { return s ? 1 : hipMemcpy(to, from, size, kind); }
int hipStreamSynchronize(void *stream) { return stream != 0; }
int hipStreamIsCapturing(void *stream, int *answer) { *answer = 0; return stream == 0; }
"""
_PROGRAM = """
#include <stddef.h>
int hipMalloc(void **, size_t); int hipFree(void *); int hipMemcpy(void *, const void *, size_t, int);
int main(void) {
    void *one, *two; char back[8];
    hipMalloc(&one, 8); hipMalloc(&two, 4);
    hipMemcpy(one, "abcdefgh", 8, 1);
    hipMemcpy(back, one, 3, 2);
    hipMemcpy(back, one, 2, 4);
    hipMemcpy(two, one, 2, 3);
    hipFree(one);
    return 0;
}
"""


@needs_gcc
def test_the_library_records_copies_and_what_is_freed(
    outputs: ModuleType, load: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    for name, text in {"runtime.c": _RUNTIME, "main.c": _PROGRAM}.items():
        (tmp_path / name).write_text(text)
    gcc = ["gcc", "-w"]
    subprocess.run([*gcc, "-shared", "-fPIC", "runtime.c", "-o", "libruntime.so"], cwd=tmp_path, check=True)
    subprocess.run([*gcc, "main.c", "-o", "main", "-L.", "-lruntime", "-Wl,-rpath,$ORIGIN"], cwd=tmp_path, check=True)
    recorder = load("program_recording").Recorder(tmp_path / "recorded")
    place = tmp_path / "place"
    place.mkdir()
    recorder.before(place)
    environment = {**os.environ, **recorder.environment(tmp_path)}
    done = subprocess.run([tmp_path / "main"], env=environment, cwd=place, check=False)
    (place / "out.txt").write_text("1 2\n")
    recorder.keep("p", ["3"], done.returncode, b"said\n", place, tmp_path)
    (kept,) = load("program_recording").kept(tmp_path / "recorded", "p").values()
    assert (kept.command, kept.code, kept.stdout, kept.files["out.txt"]) == (("3",), 0, b"said\n", b"1 2\n")
    found = [(name, size, data) for name, size, _, data in outputs.pieces(kept.files["device memory"])]
    assert found == [
        ("copy 1", 3, b"abc"),
        ("copy 2", 2, b"ab"),
        ("free 1", 8, b"abcdefgh"),
        ("free 2", 4, b"ab\0\0"),  # never freed, and cleared when it was allocated
    ]


_NVCC = """#!/bin/sh
for word in "$@"; do [ "$last" = -o ] && out=$word; last=$word; done
case " $* " in *" -c "*) echo > $out;; *) printf '#!/bin/sh\\necho got $*\\n' > $out; chmod +x $out;; esac
case " $* " in *" -arch=sm_90 -cudart shared"*) ;; *) exit 1;; esac
"""


@needs_gcc
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_a_kit_builds_and_runs_on_its_own(
    load: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "src"
    for name in ("one-cuda", "two-cuda", "shared"):
        (source / name).mkdir(parents=True)
    rule = "main: main.o\n\tnvcc -arch=sm_60 main.o -o main\nmain.o:\n\tnvcc -arch=sm_60 -c main.cu -o main.o\n"
    (source / "one-cuda" / "Makefile").write_text(rule + "run: main\n\t./main 4096 100\n")
    (source / "one-cuda" / "main.cu").write_text('#include "../shared/a.h"\nint main() {}\n')
    (source / "shared" / "a.h").write_text("\n")
    (source / "two-cuda" / "Makefile").write_text("all:\n\techo nothing to build\n")
    monkeypatch.setattr(sys, "argv", ["kit", str(source), str(tmp_path / "kit"), "--sample", "2"])
    load("recording_kit").main()
    assert (tmp_path / "kit" / "src" / "shared" / "a.h").is_file()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").write_text(_NVCC)
    (tmp_path / "bin" / "nvcc").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "SECONDS_FOR_ALL": "60"}
    command = [sys.executable, str(tmp_path / "kit" / "drive.py"), str(tmp_path / "out")]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    wrote = json.loads((tmp_path / "out" / "programs.json").read_text())
    assert wrote["machine"]["plan"]["left out"] == {"two-cuda": "no build that make can tell"}
    (program,) = wrote["programs"]
    assert program["built"], program["said"]
    tried = program["tries"][0]
    assert zlib.decompress(base64.b64decode(tried["run"]["stdout"])) == b"got 64 1\n"
    assert [again["stdout"] for again in tried["again"]] == ["same", "same"]
    assert program["tries"][-1]["arguments"] == ["4096", "100"]
