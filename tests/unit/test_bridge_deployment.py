"""Descriptions of deployments: from files, flags, command lines, configurations, checkpoints and processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from rewarp.bridge.arguments import vllm_arguments
from rewarp.bridge.deployment import SETTINGS, UNSET, Deployment, of_platform, with_settings
from rewarp.bridge.describe import Process, accelerator, as_toml, describe, process
from rewarp.bridge.lmcache_settings import lmcache_config, lmcache_overrides, of_environment
from rewarp.bridge.reading import deployment
from rewarp.bridge.sources import model_config, variables
from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.host import Backend, Device, Fact, Machine, Platform, examine

TOML = """
name = "pool a"
accelerator = "NVIDIA H100"
python = "3.12.1"
hash_seed = "0"
[vllm]
version = "0.32.0"
arguments = "vllm serve org/m --dtype bfloat16 -tp 2 --kv-cache-dtype=fp8 --max-model-len 4096"
tensor_parallel_size = 4
[lmcache]
version = "0.5.6"
config = "lmcache.toml"
[model]
config = "config.json"
checkpoint = "model.safetensors"
"""
LMCACHE = 'chunk_size = 64\nremote_url = "redis://cache:6379"\n[extra_config]\nsave_chunk_meta = false\n'
CONFIG = {
    "torch_dtype": "bfloat16",
    "num_hidden_layers": 2,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "hidden_size": 64,
    "rope_theta": 10000.0,
}


def safetensors(file: Path, **types: str) -> None:
    header = {
        name.replace("__", "."): {"dtype": dtype, "shape": [4], "data_offsets": [4 * at, 4 * at + 4]}
        for at, (name, dtype) in enumerate(types.items())
    }
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + bytes(4 * len(types)))


@pytest.fixture
def described(tmp_path: Path) -> Path:
    (tmp_path / "a.toml").write_text(TOML)
    (tmp_path / "lmcache.toml").write_text(LMCACHE)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    safetensors(tmp_path / "model.safetensors", w__weight="F8_E4M3", attn__k_scale="U8")
    return tmp_path / "a.toml"


def test_a_file_says_what_it_says_and_what_its_sources_say(described: Path) -> None:
    side = deployment(str(described), ["lmcache.chunk_size=128"])
    assert (side.name, side.accelerator, side.python, side.hash_seed) == ("pool a", "h100", "3.12", "0")
    assert (side.vllm.model, side.vllm.dtype, side.vllm.kv_cache_dtype) == ("org/m", "bfloat16", "fp8")
    assert side.vllm.tensor_parallel_size == 4, "what is said beside a source goes before"
    assert (side.lmcache.chunk_size, side.lmcache.remote_url) == (128, "redis://cache:6379")
    assert not side.lmcache.save_chunk_meta
    assert side.model.shape == "2 layers, 2 KV heads of 8"
    assert (side.model.mla, side.model.weight_types, side.scales) == (False, ("F8_E4M3",), "checkpoint")
    assert side.assumed == ()


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_other_formats(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a.{suffix}"
    file.write_text(json.dumps({"accelerator": "mi300x", "python": "3.10", "lmcache": {"tags": {"pool": "x"}}}))
    side = deployment(str(file))
    assert (side.name, side.accelerator, side.python, dict(side.lmcache.tags)) == ("a", "mi300x", "3.10", {"pool": "x"})


def test_a_platform_stands_for_something_that_is_said() -> None:
    side = deployment("MI300X", ["python=3.11.7", "hash_seed=unset"])
    assert (side.python, side.hash_seed) == ("3.11", UNSET)
    assert "vllm.version = 0.32.0" in side.assumed
    assert not any(line.startswith(("python", "hash_seed")) for line in side.assumed)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("accelerator = 'h1000'", "is none that is known.*did you mean 'h100'"),
        ("python = 3.10", "in quotes"),
        ("python = 'three'", "a version such as"),
        ("[vllm]\nkv_cache_dtyp = 'fp8'", "no such setting; did you mean 'vllm.kv_cache_dtype'"),
        ("[vllm]\nkv_scales = 'some'", "one of none, checkpoint, dynamic"),
        ("[lmcache]\nchunk_size = 0", "a whole number"),
        ("[lmcache]\ntags = 'x'", "a table of texts"),
        ("[model]\ncheckpoint = 'nowhere'", "model.checkpoint: .*nowhere"),
        ("[model]\nconfig = 'broken.json'", "is not JSON"),
        ("[vllm]\narguments = 'vllm \"serve'", "no command line"),
        ("[vllm]\narguments = 7", "must be a command line"),
        ("[vllm", "is not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "a.toml"
    file.write_text(text)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(UsageError, match=f"(?s){says}"):
        deployment(str(file))


def test_a_name_that_is_neither_file_nor_platform() -> None:
    with pytest.raises(UsageError, match="no such file, and as a platform"):
        deployment("mi3000")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("vllm serve m", {"vllm.model": "m"}),
        ("python -m vllm.entrypoints.openai.api_server --model m", {"vllm.model": "m"}),
        ("vllm serve m --tensor_parallel_size=8", {"vllm.model": "m", "vllm.tensor_parallel_size": "8"}),
        ("vllm serve m --calculate-kv-scales", {"vllm.model": "m", "vllm.kv_scales": "dynamic"}),
        ("vllm serve m --calculate-kv-scales=false", {"vllm.model": "m"}),
        ("vllm serve m --rope-theta 5", {"vllm.model": "m", "vllm.rope": '{"rope-theta": 5}'}),
        ("vllm bench --seed 0", {}),
    ],
)
def test_arguments_of_vllm(words: str, expected: dict[str, object]) -> None:
    assert vllm_arguments(words) == expected


def test_order_in_overrides_decides_nothing() -> None:
    one = vllm_arguments(["vllm", "serve", "m", "--hf-overrides", '{"a": 1, "b": 2}'])
    assert one == vllm_arguments(["vllm", "serve", "m", "--hf-overrides", '{"b": 2, "a": 1}'])


def test_configurations() -> None:
    assert lmcache_config({"chunk_size": 256})["lmcache.remote_url"] == "none"
    assert "lmcache.remote_url" not in lmcache_config({"remote_storage_plugins": ["fs"]})
    assert model_config({"kv_lora_rank": 512})["model.mla"] is True
    assert model_config({"text_config": {"torch_dtype": "float16"}})["model.dtype"] == "float16"


def test_the_environment() -> None:
    assert variables({}) == {"hash_seed": None}
    given = {"PYTHONHASHSEED": "0", "LMCACHE_CHUNK_SIZE": "64", "VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT": "1"}
    found = variables(given) | lmcache_overrides(of_environment({**given, "LMCACHE_LOG_LEVEL": "INFO"}))
    assert found == {"hash_seed": "0", "lmcache.chunk_size": "64", "vllm.shuffle_kv_cache_layout": "1"}
    extra = of_environment({"LMCACHE_EXTRA_CONFIG": '{"save_chunk_meta": false}', "LMCACHE_ENABLE_BLENDING": "True"})
    overrides = lmcache_overrides(extra)
    assert (overrides["lmcache.save_chunk_meta"], overrides["lmcache.other"]) == (False, ["enable_blending: 'True'"])
    assert variables({"VLLM_MLA_DISABLE": "1"})["model.mla"] is False
    side = with_settings(Deployment("x"), {**variables({}), **found})
    assert (side.lmcache.chunk_size, side.vllm.shuffle_kv_cache_layout) == (64, True)
    assert with_settings(Deployment("x"), variables({})).hash_seed == UNSET


# --- describe ---------------------------------------------------------------------------------


@cache
def _here() -> Machine:
    return examine(ask_torch=False)


def machine(*names: str) -> Machine:
    """This one, with other devices in it."""
    devices = tuple(Device(Backend.ROCM, at, Fact(name, "a driver")) for at, name in enumerate(names))
    return replace(_here(), platforms=(Platform(Backend.ROCM, devices),))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["AMD Instinct MI300X OAM"] * 8, "mi300x"),
        (["NVIDIA H100 80GB HBM3"], "h100"),
        (["NVIDIA H100", "NVIDIA A100"], None),
        (["Radeon RX 7900"], None),
        ([], None),
    ],
)
def test_the_accelerator_is_one_that_is_known(names: list[str], expected: str | None) -> None:
    assert accelerator(machine(*names)) == expected


def test_a_description_is_read_by_check(tmp_path: Path) -> None:
    (tmp_path / "lmcache.toml").write_text(LMCACHE)
    environment = {"PYTHONHASHSEED": "7", "LMCACHE_CONFIG_FILE": str(tmp_path / "lmcache.toml")}
    running = Process(("vllm", "serve", "org/m"), environment, sys.executable)
    made = describe(machine("AMD Instinct MI300X"), running, {"vllm.version": "0.32.0"})
    file = tmp_path / "here.toml"
    file.write_text(as_toml(made))
    side = deployment(str(file))
    assert (side.accelerator, side.hash_seed, side.vllm.model, side.lmcache.chunk_size) == ("mi300x", "7", "org/m", 64)
    assert side.python == f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert made.missing == ("lmcache.version",)


def test_variables_go_before_lmcaches_file_and_paths_begin_where_the_server_was_started(tmp_path: Path) -> None:
    (tmp_path / "lmcache.toml").write_text(LMCACHE)
    (tmp_path / "vllm.toml").write_text('kv-cache-dtype = "fp8"\ndtype = "float16"\n')
    environment = {"LMCACHE_CONFIG_FILE": "lmcache.toml", "LMCACHE_CHUNK_SIZE": "128"}
    words = ("vllm", "serve", "org/m", "--config", "vllm.toml", "--dtype", "bfloat16")
    found = describe(machine(), Process(words, environment, sys.executable, tmp_path), {}).settings
    assert (found["lmcache.chunk_size"], found["lmcache.remote_url"]) == ("128", "redis://cache:6379")
    assert (found["vllm.kv_cache_dtype"], found["vllm.dtype"]) == ("fp8", "bfloat16")
    assert found["vllm.kv_connector"] == "none"


def test_a_process_is_read_as_it_was_started() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)", "serve", "org/m"]
    running = subprocess.Popen(command, env={**os.environ, "PYTHONHASHSEED": "12"})
    try:
        seen = process(running.pid)
        while not seen.words:  # between fork and exec
            seen = process(running.pid)
    finally:
        running.kill()
        running.wait()
    assert seen.words[-2:] == ("serve", "org/m")
    assert seen.environment["PYTHONHASHSEED"] == "12"
    with pytest.raises(UsageError, match="process"):
        process(running.pid)


def test_describe_says_what_it_did_not_find(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bridge", "describe", "--json", "--set", "accelerator=h100"]) == 3
    found = capsys.readouterr()
    assert json.loads(found.out)["accelerator"] == "h100"
    assert "not found: lmcache.version" in found.err


def test_every_setting_can_be_set() -> None:
    """The names of settings are the names of fields."""
    side = of_platform("h100")
    for name in SETTINGS:
        group, _, leaf = name.rpartition(".")
        assert hasattr(getattr(side, group) if group else side, leaf)
