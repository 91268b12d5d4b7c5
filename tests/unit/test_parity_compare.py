"""Joining: which files are read, which analysers run, what is cached, what could not be read; and the settings."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from parity_parts import OK, TOY, M, MemoryTree, read_toy, side, unit

from rewarp.errors import UnreadableSource, UsageError
from rewarp.parity import settings as settings_module
from rewarp.parity.comparing import compare as joining
from rewarp.parity.comparing.compare import Language, compare, once, renamed, told_apart
from rewarp.parity.names.backends import backend_of, in_paths, neutral, pair
from rewarp.parity.names.pairs import Pairs
from rewarp.parity.reading import store as stores
from rewarp.parity.reading.store import Store, facts, using
from rewarp.parity.settings import Settings
from rewarp.parity.units import Analysis, Coverage, Parity, Place, Problem, Status, Unit

pytestmark = pytest.mark.usefixtures("few_units_do")


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "LANGUAGES", (TOY,))


def compared(files: Mapping[str, bytes], **more: Any) -> Parity:
    return compare(MemoryTree(files, more.pop("unread", None)), "cuda", "rocm", use_cache=False, jobs=1, **more)


def test_units_come_in_order_with_how_they_were_found() -> None:
    found = compared({"b.toy": b"sub IMPLEMENTED MISSING\nadd IMPLEMENTED STUB", "a.toy": b"mul ERROR ERROR"})
    assert [one.key for one in found.units] == ["operation:a::mul", "operation:b::add", "operation:b::sub"]
    assert found.found_by == ("toy cuda rocm",)
    assert (found.a, found.b, found.root) == ("cuda", "rocm", "tree")


def test_a_tree_without_sources() -> None:
    assert compared({"README.md": b"x"}) == Parity("tree", "cuda", "rocm", ())


def test_back_ends_by_other_names() -> None:
    view = MemoryTree({"a.toy": b""})
    assert compare(view, "nvidia", "hip", use_cache=False).b == "rocm"
    with pytest.raises(UsageError, match="cannot be compared with itself"):
        compare(view, "hip", "rocm", use_cache=False)
    with pytest.raises(UsageError, match="not a back end that rewarp knows"):
        compare(view, "cuda", "abacus", use_cache=False)


def test_sources_that_were_not_read_are_said_and_block_where_they_matter() -> None:
    unread = {"src/rocm/conv.toy": "missing blob", "src/docs.toy": "too large", "logo.png": "no matter"}
    found = compared({"a.toy": b"add IMPLEMENTED IMPLEMENTED"}, unread=unread)
    assert found.problems == (
        Problem("src/rocm/conv.toy", 0, "not read: missing blob", True),
        Problem("src/docs.toy", 0, "not read: too large", False),
    )
    assert set(found.unread) == {"src/rocm/conv.toy", "src/docs.toy"}


def test_an_analyser_that_fails_takes_the_score_and_not_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Language("broken", (".toy",), "rewarp.no_such_module")
    monkeypatch.setattr(joining, "LANGUAGES", (broken, TOY))
    found = compared({"a.toy": b"add IMPLEMENTED IMPLEMENTED"})
    assert [one.name for one in found.units] == ["add"]
    (problem,) = found.problems
    assert problem.blocks_score
    assert "the broken sources were not compared" in problem.what


def test_units_that_share_a_key_are_told_apart() -> None:
    here, there = (side(OK, "", (Place(path, 3),)) for path in ("here.rs", "there.rs"))
    found = told_apart([unit("x", here), unit("x", M, there), unit("x", here), unit("y"), unit("y"), unit("z", here)])
    assert [one.owner.removeprefix("Backend") for one in found] == [
        " (here.rs)",
        " (there.rs)",
        " (here.rs) (2)",
        "",
        " (2)",
        "",
    ]


def test_what_one_language_told_of_a_file_is_not_told_again() -> None:
    def kernel(name: str, path: str, **more: Any) -> Unit:
        return unit(name, side(OK, "", (Place("host.rs", 1), Place(path, 2))), **more)

    first = [kernel("badd", "x.cu", kind="kernel"), unit("noplace")]
    second = [
        kernel("badd_f32", "x.cu", kind="kernel"),
        kernel("bsub", "y.cu", kind="kernel"),
        kernel("add", "x.cu"),
        unit("noplace"),
        kernel("bmul", "y.cu", kind="kernel"),
    ]
    assert [one.name for one in once([first, second, second[1:2]])] == [
        "badd",
        "noplace",
        "bsub",
        "add",
        "noplace",
        "bmul",
    ]


def test_renames_join_what_only_one_side_has() -> None:
    own, other = unit("ucopy", OK, M, users=3), unit("copy_strided", M, side(Status.PARTIAL, "b's"), users=5)
    third = unit("other", OK, M)
    (joined, left) = renamed([own, other, third], {"ucopy": "copy_strided", "other": "nothing"})
    assert (joined.name, joined.b.why, joined.users) == ("ucopy", "b's", 5)
    assert left is third
    assert renamed([own, other], {}) == [own, other]
    assert renamed([unit("ucopy"), other], {"ucopy": "copy_strided"}) == [unit("ucopy"), other], "b has its own"
    assert len(renamed([own, unit("copy_strided", M, OK, kind="kernel")], {"ucopy": "copy_strided"})) == 2


# --- settings --------------------------------------------------------------------------------


def test_settings_say_what_takes_part() -> None:
    files = {
        "core/a.toy": b"add IMPLEMENTED MISSING",
        "core/old/b.toy": b"x ERROR ERROR",
        "corex/c.toy": b"y ERROR ERROR",
    }
    files["rewarp.toml"] = b'[parity]\na = "metal"\nb = "hip"\nroots = ["core"]\nexclude = ["core/old"]\n'
    found = compare(MemoryTree(files), use_cache=False)
    assert (found.a, found.b) == ("metal", "rocm")
    assert [one.name for one in found.units] == ["add"]
    assert compare(MemoryTree(files), "cuda", use_cache=False).a == "cuda", "the command line wins"


@pytest.mark.parametrize(
    ("path", "takes"),
    [
        ("a/b.rs", True),
        ("a/b/c.rs", False),
        ("a/gen/x.rs", False),
        ("ab/c.rs", False),
        ("a/x.gen.rs", False),
        ("c", False),
    ],
)
def test_takes(path: str, takes: bool) -> None:
    assert Settings(roots=("a/",), exclude=("a/b", "a/gen/*", "*.gen.rs")).takes(path) is takes


def test_pyproject_and_files_of_others() -> None:
    table = b'[tool.rewarp.parity]\nfail-under = 80\nwaivers = "w.toml"\n[tool.rewarp.parity.renames]\nx = "y"\n'
    found = settings_module.load(MemoryTree({"pyproject.toml": table}))
    assert (found.fail_under, found.waivers, found.renames) == (80.0, "w.toml", {"x": "y"})
    assert settings_module.load(MemoryTree({"pyproject.toml": b"[tool.rewarp]\n", "rewarp.toml": b""})) == Settings()
    assert settings_module.load(MemoryTree({"pyproject.toml": b"[tool]\nrewarp = 3"})) == Settings()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"[parity]\nspeed = 3", "knows no 'speed'"),
        (b"[parity]\nroots = 'core'", "roots must be a list of strings"),
        (b"[parity]\nroots = [3]", "must be a list of strings"),
        (b"[parity]\nrenames = ['x']", "must be a table of names"),
        (b"[parity]\npairs = [['X']]", "must be a list of pairs"),
        (b"[parity]\npairs = [['X', 'a b']]", "must be a list of pairs"),
        (b"[parity]\nfail-under = 101", "must be a number from 0 to 100"),
        (b"[parity]\nfail-under = true", "must be a number from 0 to 100"),
        (b"[parity]\nb = 'abacus'", "not a back end"),
        (b"parity = 3", "must be a table"),
        (b"[parity", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_bad_settings(text: bytes, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        settings_module.load(MemoryTree({"rewarp.toml": text}))


def test_settings_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text('[parity]\nexclude = ["x"]\n')
    assert settings_module.load(MemoryTree({"rewarp.toml": b"[parity]\na = 'metal'"}), file) == Settings(exclude=("x",))
    file.write_text("")
    with pytest.raises(UsageError, match="holds no settings for parity"):
        settings_module.load(MemoryTree({}), file)
    with pytest.raises(UsageError, match="cannot read the settings"):
        settings_module.load(MemoryTree({}), tmp_path / "none.toml")


# --- the store -------------------------------------------------------------------------------

CALLS: list[str] = []


def counted(path: str, data: bytes) -> Status:
    CALLS.append(path)
    return Status(data.decode())


def boom(path: str, data: bytes) -> int:
    if data.startswith(b"deep"):
        raise RecursionError
    if data.startswith(b"die"):
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_read_once_by_content_and_path(tmp_path: Path) -> None:
    files = {"a": b"stub", "b": b"missing"}
    CALLS.clear()
    for expected in (["a", "b"], []):
        store = Store(tmp_path)
        with using(store):
            assert facts(counted, files) == {"a": Status.STUB, "b": Status.MISSING}
        store.close()
        assert expected == CALLS
        CALLS.clear()
    store = Store(tmp_path)
    store.facts(counted, {"a": b"missing", "c": b"stub", "b": b"missing"})
    assert CALLS == ["a", "c"]


def test_without_a_store_nothing_is_kept() -> None:
    CALLS.clear()
    facts(counted, {"a": b"stub"})
    facts(counted, {"a": b"stub"})
    assert CALLS == ["a", "a"]


def test_a_damaged_or_hostile_cache_is_no_cache(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.facts(counted, {"a": b"stub"})
    store.close()

    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "made"),)

    import zlib

    for value in (
        b"",
        b"rubbish",
        zlib.compress(pickle.dumps(Hostile())),
        zlib.compress(b"crewarp.git\nsubprocess.run\n."),
        zlib.compress(pickle.dumps(Status.MISSING)),
        zlib.compress(b'"no status"'),
        zlib.compress(b'["missing"]'),
        zlib.compress(b"[" * 100_000),
        '"missing"',
        None,
    ):
        with sqlite3.connect(tmp_path / "parity.sqlite") as database:
            database.execute("UPDATE facts SET value = ?", (value,))
        CALLS.clear()
        assert Store(tmp_path).facts(counted, {"a": b"stub"}) == {"a": Status.STUB}
        assert CALLS == ["a"]
    assert not (tmp_path / "made").exists()
    (tmp_path / "file").write_text("")
    assert Store(tmp_path / "file").facts(counted, {"a": b"stub"}) == {"a": Status.STUB}


def test_an_unchanged_tree_is_not_analysed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_CACHE_DIR", str(tmp_path))
    files = {"a.toy": b"add IMPLEMENTED MISSING"}
    first = compare(MemoryTree(files))

    def fails(path: str, data: bytes) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("parity_parts.read_toy", fails)
    assert compare(MemoryTree(files)) == first
    assert compare(MemoryTree(files), use_cache=False).problems != first.problems
    assert compare(MemoryTree({"a.toy": b"add MISSING MISSING"})).problems[0].blocks_score


def test_many_processes_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_POOL_WORTH", 0)
    monkeypatch.setattr(stores, "_CHUNK_BYTES", 10)
    files = {f"{number}.toy": b"add IMPLEMENTED MISSING" for number in range(20)}
    seen: list[tuple[int, int]] = []
    store = Store(jobs=2, progress=lambda done, total: seen.append((done, total)))
    assert store.facts(read_toy, files) == Store().facts(read_toy, files)
    assert list(store.facts(boom, files)) == list(files), "in the order of the files"
    assert os.getpid() not in store.facts(boom, files).values()
    assert seen[-1] == (60, 60)


def test_what_is_followed_is_progress_too() -> None:
    seen: list[tuple[int, int]] = []
    with using(Store(progress=lambda done, total: seen.append((done, total)))):
        assert list(stores.counted("ab")) == ["a", "b"]
        assert list(stores.counted("c")) == ["c"]
    assert seen == [(1, 2), (2, 2), (3, 3)]
    assert list(stores.counted("x")) == ["x"], "without a store there is nobody to tell"


@pytest.mark.parametrize(
    ("data", "why"), [(b"die", "the process that read 7 died"), (b"deep", "7 is nested too deeply")]
)
def test_a_file_that_brings_the_reader_down_is_named(monkeypatch: pytest.MonkeyPatch, data: bytes, why: str) -> None:
    monkeypatch.setattr(stores, "_POOL_WORTH", 0)
    monkeypatch.setattr(stores, "_CHUNK_BYTES", 20)
    files = {str(number): b"x" * 10 for number in range(9)} | {"7": data}
    with pytest.raises(UnreadableSource, match=why):
        Store(jobs=2).facts(boom, files)


# --- pairs -----------------------------------------------------------------------------------


def test_pairs_give_names_that_say_whose_they_are() -> None:
    pairs = Pairs.of((("GpuBuf", "Accel"), ("run_gpu", "run_accel")), "cuda", "rocm")
    files = {"a": b"GpuBuf MyGpuBuf Accel\nAccelX run_gpu(run_accel)"}
    masked = pairs.masked(files)
    assert masked == {"a": b"CudaGpuBuf MyGpuBuf RocmGpuBuf\nAccelX cuda_run_gpu(rocm_run_gpu)"}
    assert backend_of("CudaGpuBuf") == "cuda"
    assert neutral("CudaGpuBuf") == neutral("RocmGpuBuf")
    seen = unit("rocm_run_gpu", owner="CudaGpuBuf", b=side(M, "RocmGpuBuf", (Place("a", 2, "RocmGpuBuf!"),)))
    ((real,), (problem,), (line,), (unseen,)) = pairs.unmasked(
        Analysis(
            [seen],
            [Problem("a", 1, "in CudaGpuBuf")],
            ["CudaGpuBuf, RocmGpuBuf"],
            [Coverage("functions", 1, 0, ("CudaGpuBuf::run",))],
        )
    )
    assert unseen.unseen == ("GpuBuf::run",)
    assert (real.owner, real.name, real.b.why) == ("GpuBuf", "run_accel", "Accel")
    assert real.b.evidence == (Place("a", 2, "Accel!"),)
    assert (problem.what, line) == ("in GpuBuf", "GpuBuf, Accel")


def test_pairs_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="one pair only"):
        Pairs.of((("X", "Y"), ("X", "Z")), "cuda", "rocm")
    with pytest.raises(UsageError, match="one pair only"):
        Pairs.of((("X", "X"),), "cuda", "rocm")
    with pytest.raises(UsageError, match=r"CudaX is a name in a\.toy"):
        compared({"a.toy": b"struct CudaX"}, settings=Settings(pairs=(("X", "Y"),)))


def test_pairs_in_a_comparison() -> None:
    found = compared({"a.toy": b"Gpu IMPLEMENTED MISSING"}, settings=Settings(pairs=(("Gpu", "Accel"),)))
    assert [one.name for one in found.units] == ["Gpu"]
    assert found.units[0].a.evidence[0].text == "Gpu IMPLEMENTED MISSING"


_INTERRUPTED = """
import time
from rewarp.parity.reading import store

def read(path, data):
    time.sleep(0.02)
    return 1

def progress(done, total):
    if done > 3:
        raise KeyboardInterrupt

store._POOL_WORTH, store._CHUNK_BYTES = 0, 1
try:
    store.Store(jobs=2, progress=progress).facts(read, {str(number): b"xx" for number in range(200)})
except KeyboardInterrupt:
    print("stopped")
"""


def test_an_interrupt_stops_the_processes() -> None:
    # In a process of its own: a pool that was stopped badly hangs when Python ends.
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


@pytest.mark.parametrize(
    ("paths", "a", "b", "chosen"),
    [
        ([], None, None, ("cuda", "rocm")),
        (["src/cuda/a.cu", "src/hip/a.hip", *(f"src/metal/{n}.mm" for n in range(9))], None, None, ("cuda", "rocm")),
        (["src/cuda/a.cu", "src/metal/a.mm", "src/metal/b.mm", "src/opencl/a.cl"], None, None, ("cuda", "metal")),
        (["gpu/metal/a.mm", "gpu/metal/b.mm", "gpu/wgpu_backend.rs"], None, None, ("metal", "webgpu")),
        (["src/hip/a.hip", "src/sycl/a.cpp"], None, None, ("rocm", "xpu")),
        (["src/cuda/a.cu", "src/sycl/a.cpp"], None, "cuda", ("xpu", "cuda")),
        (["src/cuda/a.cu", "src/sycl/a.cpp"], "xpu", None, ("xpu", "cuda")),
        (["src/sycl/a.cpp"], "rocm", None, ("rocm", "xpu")),
        (["src/cudahip/cuda_hip.cpp", "src/cpu/a.cpp"], None, None, ("cuda", "rocm")),
    ],
)
def test_who_asks_for_no_back_ends_gets_those_that_the_project_has(
    paths: list[str], a: str | None, b: str | None, chosen: tuple[str, str]
) -> None:
    assert pair(a, b, in_paths(paths)) == chosen


def test_what_was_chosen_is_said() -> None:
    files = {"cuda/a.toy": b"add IMPLEMENTED STUB", "metal/a.toy": b"", "metal/b.toy": b""}
    found = compare(MemoryTree(files), use_cache=False, jobs=1)
    assert (found.a, found.b) == ("cuda", "metal")
    assert found.found_by[0] == "the back ends that paths name, --a and --b choose others: 2 of metal, 1 of cuda"
    asked = compare(MemoryTree(files), "cuda", "metal", use_cache=False, jobs=1)
    assert not any("--b" in line for line in asked.found_by)


def test_sources_that_hip_compiles_are_rocms_though_no_path_says_so() -> None:
    files = {"cuda/a.toy": b"#if defined(USE_ROCM)", "metal/a.toy": b"", "metal/b.toy": b""}
    assert compare(MemoryTree(files), use_cache=False, jobs=1).b == "rocm"


def test_settings_choose_before_paths_do() -> None:
    files = {"cuda/a.toy": b"", "metal/a.toy": b"", "opencl/a.toy": b"", "opencl/b.toy": b""}
    found = compare(MemoryTree(files), settings=Settings(b="metal"), use_cache=False, jobs=1)
    assert (found.a, found.b) == ("cuda", "metal")
