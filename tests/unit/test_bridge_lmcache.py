"""Every verdict about KV chunks equals what real LMCache does between two processes with pretend platforms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bridge import lmcache_runs
from bridge.grid import CONVERSIONS, PAIRS, Pair
from bridge.lmcache_runs import Seen
from rewarp.bridge import keys
from rewarp.bridge.check import cross
from rewarp.bridge.crossing import CrossingVerdict, Kind
from rewarp.bridge.deployment import of_platform, with_settings
from rewarp.cli import main

SHOWN = (CrossingVerdict.EXACT, CrossingVerdict.MISS, CrossingVerdict.SILENTLY_WRONG, CrossingVerdict.IMPOSSIBLE)
"""What two processes can show: a conversion is for another test, and not knowing is never right."""


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    with lmcache_runs.stores(tmp_path_factory.mktemp("stores")) as found:
        yield found


@pytest.fixture(scope="module")
def seen(addresses: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Seen]:
    return lmcache_runs.observe(PAIRS, tmp_path_factory.mktemp("runs"), addresses)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_verdict_is_what_lmcache_does(pair: Pair, addresses: Mapping[str, str], seen: Mapping[str, Seen]) -> None:
    writer, reader = lmcache_runs.sides(pair, addresses)
    crossing = cross(Kind.CHUNKS, writer, reader)
    found = seen[pair.name]
    assert crossing.verdict in SHOWN, crossing.cause
    assert found.verdict is crossing.verdict, (found, crossing.cause)


def test_the_grid_is_large_enough(seen: Mapping[str, Seen]) -> None:
    assert len({pair.name for pair in PAIRS}) == len(PAIRS) >= 40
    counts = Counter(found.verdict for found in seen.values())
    assert all(counts[verdict] >= 5 for verdict in SHOWN), counts


def test_where_lmcache_must_be_its_absence_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARP_LMCACHE", "/nowhere/python")
    monkeypatch.setenv("PATH", "")
    for asked in (lmcache_runs.lmcache_python, lmcache_runs.redis_server):
        monkeypatch.delenv("REWARP_REQUIRE_LMCACHE", raising=False)
        with pytest.raises(pytest.skip.Exception, match="LMCache"):
            asked()
        monkeypatch.setenv("REWARP_REQUIRE_LMCACHE", "1")
        with pytest.raises(pytest.fail.Exception, match="REWARP_REQUIRE_LMCACHE is set"):
            asked()


def test_halved_and_doubled(seen: Mapping[str, Seen]) -> None:
    """All tokens hit, and nothing is right but zeros, one value of sixteen: nothing tells."""
    for name in ("fp8-unit-fs", "fp8-unit-lm", "fp8-unit-redis", "fp8-unit-back-fs"):
        assert seen[name].hits == 48
        assert seen[name].right <= seen[name].of / 16


def test_what_is_to_be_converted_is_right_after_the_command_that_is_named(tmp_path: Path) -> None:
    """Written on the one side, converted as the verdict says, read by LMCache on the other with the writer's values."""
    pairs = {pair.name: lmcache_runs.sides(pair, {"fs": f"fs://host:0{tmp_path}/fs"}) for pair in CONVERSIONS}
    wrote, read = [], []
    for name, (writer, reader) in pairs.items():
        own = with_settings(reader, {"lmcache.remote_url": f"fs://host:0{tmp_path}/converted/{name}"})
        pairs[name] = writer, own
        wrote.append({"id": name, "do": "write", "side": lmcache_runs.pretended(writer, tmp_path)})
        read.append({"id": name, "do": "read", "side": lmcache_runs.pretended(own, tmp_path)})
    written = lmcache_runs.run(wrote, "0", "0.32.0", tmp_path / "write.jsonl")
    for name, (writer, reader) in pairs.items():
        crossing = cross(Kind.CHUNKS, writer, reader)
        assert crossing.verdict is CrossingVerdict.CONVERT, crossing.cause
        command = re.search(r"\(rewarp (bridge convert [^)]*)\)", crossing.rule)
        assert command
        (tmp_path / "converted").mkdir(exist_ok=True)
        assert main([*command[1].split(), f"{tmp_path}/fs/{name}", f"{tmp_path}/converted/{name}", "-q"]) in (0, 1)
    found = lmcache_runs.run(read, "0", "0.32.0", tmp_path / "read.jsonl")
    for name, (_, reader) in pairs.items():
        assert found[name]["hits"] == 48, name
        largest = 240.0 if reader.accelerator in ("mi300x", "mi325x") else 448.0
        for mine, theirs in zip(written[name]["values"], found[name]["values"], strict=True):
            # Beyond the reader's range is its end; half of the smallest number is a matter of rounding.
            assert abs(max(-largest, min(largest, mine)) - theirs) <= 2**-10, name


@pytest.mark.parametrize("seed", ["0", "42"])
@pytest.mark.parametrize(
    "python", lmcache_runs.pythons(), ids=lambda path: Path(path).parents[1].name if path else "first"
)
def test_predicted_keys_are_the_names_of_lmcaches_files(python: str, seed: str, tmp_path: Path) -> None:
    """On every Python that has LMCache here: REWARP_LMCACHE, and more in REWARP_LMCACHE_MORE."""
    python = python or lmcache_runs.lmcache_python()
    version = lmcache_runs.version_of(python)
    predicted = {}
    jobs = []
    for algorithm in ("builtin", "sha256", "sha256_cbor"):
        side = with_settings(
            of_platform("mi300x"),
            {
                "vllm.model": "org/model",
                "vllm.kv_cache_dtype": "fp8",
                "vllm.tensor_parallel_size": 2,
                "lmcache.chunk_size": 16,
                "lmcache.remote_url": f"fs://host:0{tmp_path}/{algorithm}",
                "lmcache.pre_caching_hash_algorithm": algorithm,
                "lmcache.tags": {"pool": "a"},
                "hash_seed": seed,
                "python": version,
            },
        )
        begin = keys.start(algorithm, seed, str(side.vllm.version), version)
        hashes = keys.chunk_hashes(begin, range(1000, 1048), 16)
        predicted[algorithm] = {keys.file_name(keys.chunk_key(side, found)) for found in hashes}
        jobs.append({"id": algorithm, "do": "write", "side": lmcache_runs.pretended(side, tmp_path)})
    lmcache_runs.run(jobs, seed, "0.32.0", tmp_path / "out.jsonl", python)
    for algorithm, names in predicted.items():
        assert {file.name for file in (tmp_path / algorithm).iterdir()} == names
