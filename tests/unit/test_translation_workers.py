"""A large tree, by workers: the same as one file after the other, whatever becomes of a worker."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from rewarp.source import SourceFile
from rewarp.translation import workers
from rewarp.translation.changes import DEFAULTS, Options
from rewarp.translation.tree import translate_tree

KERNELS = "".join(f"__global__ void k{n}(int* x) {{ x[{n}] = __popc(x[0]); }}\ncudaError_t e{n};\n" for n in range(40))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(12):
        (tmp_path / f"{number}.cu").write_text(
            f"// {number}\n{KERNELS}int f() {{ return cudaFrobnicate{number}(); }}\n"
        )
    return tmp_path


@pytest.mark.skipif(workers.sys.platform != "linux", reason="workers are forked on Linux alone")
def test_workers_and_one_after_the_other_say_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = translate_tree(tree)
    pids: set[int] = set()
    together = workers.translate

    def noting(source: SourceFile, options: Options = DEFAULTS, lexed: object = None) -> object:
        (tree / f".{os.getpid()}").touch()
        return together(source, options, lexed)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "_WORTH", 1)
    monkeypatch.setattr(workers, "_CHUNK", 1)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    monkeypatch.setattr(workers, "translate", noting)
    steps: list[tuple[int, int]] = []
    many = translate_tree(tree, progress=lambda done, total: steps.append((done, total)))
    pids = {int(file.name[1:]) for file in tree.glob(".[0-9]*")}
    assert pids
    assert os.getpid() not in pids
    assert steps == [(n, 12) for n in range(1, 13)]
    assert [one.data for one in many.translations] == [one.data for one in alone.translations]
    assert [one.findings for one in many.translations] == [one.findings for one in alone.translations]
    assert many.counts == alone.counts
    assert many.names == alone.names


def test_what_a_dead_worker_leaves_is_done_all_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, together = os.getpid(), workers.translate

    def dying(source: SourceFile, options: Options = DEFAULTS, lexed: object = None) -> object:
        if os.getpid() != parent and source.path.startswith("5"):
            os._exit(9)
        return together(source, options, lexed)  # type: ignore[arg-type]

    alone = translate_tree(tree)
    monkeypatch.setattr(workers, "_WORTH", 1)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    monkeypatch.setattr(workers, "translate", dying)
    assert [one.data for one in translate_tree(tree).translations] == [one.data for one in alone.translations]


def test_nothing_is_forked_beside_other_threads() -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert workers._cores() == 1
    finally:
        over.set()
        thread.join()
