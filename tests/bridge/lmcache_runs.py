"""The grid, done: real LMCache in processes of its own, over files, its own server and Redis."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bridge import vllm_parts
from bridge.grid import Pair
from rewarp.bridge.crossing import CrossingVerdict
from rewarp.bridge.deployment import UNSET, Deployment, of_platform, with_settings
from rewarp.files import cache_folder

_PRETEND = Path(__file__).with_name("pretend.py")
_TIMEOUT = 1800
_START = 300
CHUNK = 16


def lmcache_python() -> str:
    """An interpreter with LMCache: that of scripts/lmcache, or the one named by REWARP_LMCACHE."""
    named = os.environ.get("REWARP_LMCACHE") or str(Path(__file__).parents[2] / ".venv-lmcache" / "bin" / "python")
    if not os.access(named, os.X_OK):
        _absent(f"no LMCache at {named}: run scripts/lmcache")
    return named


def pythons() -> list[str]:
    """All interpreters with LMCache that tests were told of; an empty one stands for the first, which may be absent."""
    more = os.environ.get("REWARP_LMCACHE_MORE", "")
    return ["", *(path for path in more.split(os.pathsep) if path)]


def version_of(python: str) -> str:
    ran = subprocess.run([python, "--version"], capture_output=True, text=True, check=True)
    return ".".join(ran.stdout.split()[1].split(".")[:2])


def redis_server() -> str:
    found = shutil.which("redis-server")
    if not found:
        _absent("no redis-server on this machine, for tests with LMCache")
    return str(found)


def _absent(reason: str) -> None:
    if os.environ.get("REWARP_REQUIRE_LMCACHE"):
        pytest.fail(f"{reason}; and REWARP_REQUIRE_LMCACHE is set")
    pytest.skip(reason)


# --- stores -----------------------------------------------------------------------------------


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@contextmanager
def _server(command: Sequence[str], port: int, log: Path) -> Iterator[int]:
    with log.open("wb") as out:
        running = subprocess.Popen(command, stdout=out, stderr=out, env=environment())
        try:
            until = time.monotonic() + _START
            while not _answers(port):
                if running.poll() is not None or time.monotonic() > until:
                    pytest.fail(log.read_text())
                time.sleep(0.1)
            yield port
        finally:
            running.kill()
            running.wait()


@contextmanager
def stores(folder: Path) -> Iterator[dict[str, str]]:
    """The address of each kind of store."""
    lm, redis = _free_port(), _free_port()
    command = [str(Path(lmcache_python()).with_name("lmcache_server")), "127.0.0.1", str(lm), "cpu"]
    options = ["--port", str(redis), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with _server([redis_server(), *options], redis, folder / "redis.log"), _server(command, lm, folder / "lm.log"):
        yield {
            "fs": f"fs://host:0{folder}/fs",
            "lm": f"lm://127.0.0.1:{lm}",
            "redis": f"redis://127.0.0.1:{redis}",
        }


# --- pairs ------------------------------------------------------------------------------------


def sides(pair: Pair, addresses: Mapping[str, str]) -> tuple[Deployment, Deployment]:
    """What is asked of `check`: each pair has keys, and with files a folder, of its own."""
    # `check` is asked about two machines, of which each would have a 127.0.0.1 of its own.
    address = addresses[pair.store].replace("//127.0.0.1:", "//store:") + (
        f"/{pair.name}" if pair.store == "fs" else ""
    )
    common: dict[str, object] = {
        "vllm.model": f"org/{pair.name}",
        "lmcache.chunk_size": CHUNK,
        "lmcache.remote_url": address,
        **pair.both,
    }
    made = []
    for name, own in ((pair.writer, pair.a), (pair.reader, pair.b)):
        settings = {**common, **own}
        url = str(settings["lmcache.remote_url"]).replace("{host}", address.partition("//")[2])
        made.append(with_settings(of_platform(name), {**settings, "lmcache.remote_url": url}))
    return made[0], made[1]


def pretended(side: Deployment, folder: Path) -> dict[str, Any]:
    """The same for a pretend platform: its arguments, no more."""
    url = side.lmcache.remote_url or ""
    return {
        "accelerator": side.accelerator,
        "dtype": side.vllm.dtype,
        "kv_cache_dtype": side.vllm.kv_cache_dtype,
        "kv_scales": side.vllm.kv_scales,
        "tensor_parallel_size": side.vllm.tensor_parallel_size,
        "pipeline_parallel_size": side.vllm.pipeline_parallel_size,
        "mla": side.model.mla,
        "model": side.vllm.model,
        "mode": side.lmcache.mode,
        "chunk_size": side.lmcache.chunk_size,
        # What is not below the test's own folder is moved there, so that nothing is written elsewhere.
        "remote_url": re.sub("(//|@)(store|STORE):", r"\g<1>127.0.0.1:", url)
        .replace("/elsewhere", f"{folder}/elsewhere")
        .replace("/nowhere", f"{folder}/nowhere"),
        "remote_serde": side.lmcache.remote_serde,
        "save_chunk_meta": side.lmcache.save_chunk_meta,
        "save_unfull_chunk": side.lmcache.save_unfull_chunk,
        "tags": dict(side.lmcache.tags),
        "cache_salt": side.lmcache.cache_salt,
        "hash_algorithm": side.lmcache.pre_caching_hash_algorithm,
    }


@dataclass(frozen=True)
class Seen:
    """What the two processes of a pair saw."""

    stored: int
    hits: int
    right: int
    of: int
    error: str = ""

    @property
    def verdict(self) -> CrossingVerdict | None:
        """None where nothing can be made of it."""
        if self.error:
            return None
        if not self.stored:
            return CrossingVerdict.IMPOSSIBLE
        if not self.hits:
            return CrossingVerdict.MISS
        return CrossingVerdict.EXACT if self.right == self.of else CrossingVerdict.SILENTLY_WRONG


def environment(seed: str = "0", vllm: str = "0.32.0") -> dict[str, str]:
    made = {**os.environ, "LMCACHE_TRACK_USAGE": "false", "LMCACHE_LOG_LEVEL": "WARNING", "OMP_NUM_THREADS": "1"}
    made["PYTHONPATH"] = str(vllm_parts.fetch(vllm, cache_folder() / "test-vllm"))
    made.pop("PYTHONHASHSEED", None)
    return made if seed == UNSET else {**made, "PYTHONHASHSEED": seed}


def run(jobs: Sequence[dict[str, Any]], seed: str, vllm: str, out: Path, python: str = "") -> dict[str, dict[str, Any]]:
    """One process: all jobs of one role that share a seed and a version of vLLM."""
    given = "".join(f"{json.dumps(job)}\n" for job in jobs)
    command = [python or lmcache_python(), str(_PRETEND), str(out)]
    done = subprocess.run(
        command, input=given, text=True, capture_output=True, env=environment(seed, vllm), timeout=_TIMEOUT
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line) for line in out.read_text().splitlines()]
    return {one["id"]: one for one in found}


def observe(pairs: Sequence[Pair], folder: Path, addresses: Mapping[str, str]) -> dict[str, Seen]:
    """First all that is written, then, in other processes, all that is read."""
    seen: dict[str, dict[str, dict[str, Any]]] = {}
    for role, number in (("write", 0), ("read", 1)):
        groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for pair in pairs:
            side = sides(pair, addresses)[number]
            job = {"id": pair.name, "do": role, "side": pretended(side, folder)}
            groups.setdefault((str(side.hash_seed), str(side.vllm.version)), []).append(job)
        for at, ((seed, vllm), jobs) in enumerate(groups.items()):
            found = run(jobs, seed, vllm, folder / f"{role}-{at}.jsonl")
            for name, one in found.items():
                seen.setdefault(name, {})[role] = one
    return {name: _compared(both["write"], both["read"]) for name, both in seen.items()}


def _compared(wrote: dict[str, Any], read: dict[str, Any]) -> Seen:
    error = "; ".join(one["error"] for one in (wrote, read) if "error" in one)
    if error:
        return Seen(0, 0, 0, 0, error)
    # The first tokens are those that were found: a shorter hit says nothing about the rest.
    per_token = _rows(wrote["values"], read["hits"]), _rows(read["values"], read["hits"])
    right = sum(a == b or (a != a and b != b) for a, b in zip(*per_token, strict=True))
    return Seen(wrote["stored"], read["hits"], right, len(per_token[0]))


def _rows(values: Sequence[float], hits: int) -> list[float]:
    """Those of the first tokens, of [2, layers, tokens, width]."""
    layers, tokens = 4, 48
    width = len(values) // (layers * tokens)
    return [
        values[(layer * tokens + token) * width + at]
        for layer in range(layers)
        for token in range(hits)
        for at in range(width)
    ]
