"""Keys and hashes that are computed without LMCache, held against Pythons, vectors and other implementations."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.bridge import keys
from rewarp.bridge.deployment import UNSET, of_platform, with_settings
from rewarp.bridge.siphash import hash_of_text, siphash

KEY = int.from_bytes(bytes(range(8)), "little"), int.from_bytes(bytes(range(8, 16)), "little")


@pytest.mark.parametrize(
    ("length", "expected"), [(0, 0x726FDB47DD0E0E31), (1, 0x74F839C593DC67FD), (15, 0xA129CA6149BE45E5)]
)
def test_siphash_2_4_has_the_authors_vectors(length: int, expected: int) -> None:
    assert siphash(bytes(range(length)), KEY, 2, 4) == expected


def pythons() -> list[str]:
    """This one, and those of the machine that LMCache runs on."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for minor in range(10, 14):
        installed = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))
        path = shutil.which(f"python3.{minor}") or (str(installed[-1]) if installed else None)
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            found.setdefault(f"3.{minor}", path)
    return [f"{version} {path}" for version, path in found.items()]


@pytest.mark.parametrize("python", pythons(), ids=lambda it: it.split()[0])
@pytest.mark.parametrize("seed", ["0", "1", "42", "4294967295"])
def test_a_seed_hashes_as_that_python_hashes_it(python: str, seed: str) -> None:
    version, path = python.split(" ", 1)
    tokens = list(range(5000, 5096))
    code = (
        f"h = [hash('{seed}')]\nfor a in range(0, 96, 32): h.append(hash((h[-1], tuple(range(5000 + a, 5032 + a)), ())))\n"
        "print(h)"
    )
    ran = subprocess.run(
        [path, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
    )
    own = json.loads(ran.stdout)
    assert hash_of_text(seed, int(seed), keys.python_version(version)) == own[0]
    begin = keys.start("builtin", seed, "0.32.0", version)
    assert list(keys.chunk_hashes(begin, tokens, 32)) == own[1:]


def test_pythons_up_to_3_10_and_from_3_11_on_differ() -> None:
    starts = [keys.start("builtin", "0", "0.32.0", f"3.{minor}") for minor in range(10, 14)]
    assert starts[0] != starts[1] == starts[2] == starts[3]
    cbor = [keys.start("sha256_cbor", "0", "0.32.0", f"3.{minor}") for minor in range(10, 14)]
    assert len(set(cbor)) == 1


@pytest.mark.parametrize(
    ("algorithm", "seed", "vllm", "shared"),
    [
        ("builtin", "0", "0.32.0", True),
        ("builtin", UNSET, "0.32.0", False),
        ("builtin", "random", "0.32.0", False),
        ("sha256_cbor", "random", "0.32.0", True),
        ("sha256_cbor", UNSET, "0.32.0", True),
        ("sha256_cbor", UNSET, "0.28.0", False),
        ("sha256", UNSET, "0.29.0", True),
        ("xxhash", UNSET, "0.32.0", False),
        ("xxhash", "0", "0.32.0", True),
        ("no such hash", UNSET, "0.32.0", False),
    ],
)
def test_which_starts_two_processes_share(algorithm: str, seed: str, vllm: str, shared: bool) -> None:
    assert (keys.start(algorithm, seed, vllm, "3.12").text is not None) == shared


def test_a_seed_that_python_refuses_is_refused() -> None:
    with pytest.raises(ValueError, match="does not start"):
        keys.start("builtin", "tuesday", "0.32.0", "3.12")


number = st.integers(-(1 << 63), (1 << 64) - 1)


@given(st.recursive(number | st.text(), lambda inner: st.lists(inner).map(tuple), max_leaves=20))
def test_cbor_is_canonical(value: object) -> None:
    cbor2 = pytest.importorskip("cbor2")
    assert keys.cbor(value) == cbor2.dumps(value, canonical=True)


def test_a_key_is_spelt_as_lmcache_spells_it() -> None:
    """The file that LMCache 0.5.6 wrote with vLLM's seed 0 on Python 3.12, three chunks of 16 tokens."""
    side = with_settings(of_platform("h100"), {"vllm.model": "org/m", "lmcache.chunk_size": 16})
    begin = keys.start("builtin", "0", "0.32.0", "3.12")
    names = [keys.file_name(keys.chunk_key(side, found)) for found in keys.chunk_hashes(begin, range(1000, 1048), 16)]
    assert names == [
        "org-SEP-m@1@0@1d0318be153aea15@bfloat16.data",
        "org-SEP-m@1@0@2b3b16f2096c4327@bfloat16.data",
        "org-SEP-m@1@0@-7ba26382ed4e55e9@bfloat16.data",
    ]


def test_latent_caches_have_one_rank() -> None:
    side = with_settings(of_platform("h100"), {"model.mla": True, "vllm.tensor_parallel_size": 8})
    assert keys.key_world_size(side) == 1
    assert keys.key_world_size(with_settings(side, {"lmcache.save_only_first_rank": False})) == 8
    assert keys.key_world_size(with_settings(side, {"model.mla": False})) == 8
