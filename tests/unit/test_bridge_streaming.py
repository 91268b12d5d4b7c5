"""Large files in small pieces: whatever the pieces, the result is that of the whole; killed at any moment, nothing half."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bridge_parts import ALL, floats, read_tensors, write_checkpoint
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rewarp.bridge import streaming
from rewarp.bridge.convert import Request, convert
from rewarp.bridge.formats import Counts, encoding_of, recoding
from rewarp.bridge.scales import Rescaling
from rewarp.bridge.streaming import Job, Piece, make
from rewarp.errors import UsageError

TABLE = recoding(encoding_of("e4m3fn"), encoding_of("e4m3fnuz"))
DOUBLE = Rescaling("F32", 2.0, "s")
CALLS = ("open", "pread", "pwrite", "ftruncate", "fsync", "mkdir", "link", "rename", "unlink", "rmdir", "close")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "_BLOCK", 64)
    monkeypatch.setattr(streaming, "_SHARE", 256)
    monkeypatch.setattr(streaming, "_ALONE", 0)


def model(folder: Path, repeats: int = 4) -> Path:
    tensors = {
        "a": ("BF16", [3], b"123456"),
        "w": ("F8_E4M3", [repeats, 256], ALL * repeats),
        "w_scale": ("F32", [repeats], floats(*range(repeats))),
        "z": ("F8_E4M3", [256], ALL),
        "z_scale": ("F32", [1], floats(1.0)),
    }
    return write_checkpoint(folder / "model.safetensors", tensors)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    parts=st.lists(st.tuples(st.integers(0, 200), st.sampled_from([None, TABLE, DOUBLE])), max_size=8),
    head=st.binary(max_size=99),
)
def test_pieces_make_the_whole(
    small_blocks: None, parts: list[tuple[int, Any]], head: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("pieces")
    data = floats(*range(1, 1001))
    (folder / "source").write_bytes(data)
    pieces, expected, place, counts = [], head, 0, Counts()
    for words, change in parts:
        part = data[place : place + 4 * words]
        pieces.append(Piece(place, len(part), change))
        expected += change.apply(part) if change else part
        counts += change.count(part) if change else Counts()
        place += len(part)
    job = Job(folder / "source", folder / "target", head, tuple(pieces))
    (made,) = make([job], job.size, 1)
    assert (folder / "target").read_bytes() == expected
    assert made.counts == counts


def test_several_processes_make_the_same(small_blocks: None, tmp_path: Path) -> None:
    source = model(tmp_path, 64)
    one = convert(Request(source, tmp_path / "one.safetensors", "fnuz", processes=1))
    three = convert(Request(source, tmp_path / "three.safetensors", "fnuz", processes=3))
    assert one.counts == three.counts
    assert (tmp_path / "one.safetensors").read_bytes() == (tmp_path / "three.safetensors").read_bytes()


def test_what_fails_in_another_process_is_told(small_blocks: None, tmp_path: Path) -> None:
    tensors = {"w": ("F8_E4M3", [4, 256], ALL * 4), "w_scale": ("F32", [1], floats(3e38))}
    write_checkpoint(tmp_path / "model.safetensors", tensors)
    with pytest.raises(UsageError, match="w_scale: a scale times 2"):
        convert(Request(tmp_path / "model.safetensors", tmp_path / "out.safetensors", "fnuz", processes=2))
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_a_disk_that_loses_data_is_noticed(small_blocks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, write = model(tmp_path), os.pwrite

    def lossy(descriptor: int, block: bytes, place: int) -> int:
        flipped = bytes([block[0] ^ 1]) + block[1:] if place > 500 else block
        return write(descriptor, flipped, place)

    monkeypatch.setattr(os, "pwrite", lossy)
    with pytest.raises(UsageError, match="reads back other"):
        convert(Request(source, tmp_path / "out.safetensors", "fnuz", processes=1))
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_short_reads_and_writes_lose_nothing(
    small_blocks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal, or a disk in the network, may cut any call short."""
    source, write, read = model(tmp_path), os.pwrite, os.pread
    convert(Request(source, tmp_path / "one.safetensors", "fnuz", processes=1))
    monkeypatch.setattr(os, "pwrite", lambda descriptor, block, place: write(descriptor, block[:7], place))
    monkeypatch.setattr(os, "pread", lambda descriptor, length, place: read(descriptor, min(length, 5), place))
    convert(Request(source, tmp_path / "two.safetensors", "fnuz", processes=1))
    assert (tmp_path / "one.safetensors").read_bytes() == (tmp_path / "two.safetensors").read_bytes()


def test_a_source_that_changes_is_noticed(small_blocks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, sync = model(tmp_path), os.fsync

    def meanwhile(descriptor: int) -> None:
        sync(descriptor)
        os.utime(source, (1, 1))

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(UsageError, match="changed while it was converted"):
        convert(Request(source, tmp_path / "out.safetensors", "fnuz", processes=1))
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    source = model(tmp_path)

    def full(descriptor: int, block: bytes, place: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(UsageError, match="No space left"):
        convert(Request(source, tmp_path / "out.safetensors", "fnuz", processes=1))
    assert os.listdir(tmp_path) == ["model.safetensors"]


def _in_child(work: Callable[[], None], dies_at: int) -> bool:
    """Do the work in a process that is killed at a system call; returns whether it lived."""
    child = os.fork()
    if child == 0:
        left = dies_at
        for name in CALLS:
            original = getattr(os, name)

            def counted(*given: Any, _original: Callable[..., Any] = original, **named: Any) -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return _original(*given, **named)

            setattr(os, name, counted)
        try:
            work()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("sharded", [False, True], ids=["file", "folder"])
def test_killed_at_any_moment_nothing_is_half_there(sharded: bool, small_blocks: None, tmp_path: Path) -> None:
    source = model(tmp_path / "source")
    before = source.read_bytes()
    asked = source.parent if sharded else source
    whole = tmp_path / ("whole" if sharded else "whole.safetensors")
    convert(Request(asked, whole, "fnuz", processes=1))
    made = read_tensors(whole / source.name if sharded else whole)
    deaths = 0
    while True:
        target = tmp_path / f"out{deaths}" / ("model" if sharded else "model.safetensors")
        target.parent.mkdir()
        lived = _in_child(lambda: convert(Request(asked, target, "fnuz", processes=1)) and None, deaths)  # noqa: B023
        if target.exists():
            assert read_tensors(target / source.name if sharded else target) == made
        others = [it for it in os.listdir(target.parent) if it != target.name]
        assert all(it.startswith(".rewarp-") for it in others)
        if lived:
            assert target.exists()
            assert others == []
            break
        deaths += 1
    assert deaths > 30
    assert source.read_bytes() == before
