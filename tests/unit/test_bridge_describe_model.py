"""What `rewarp bridge describe` finds of the model that a server was given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bridge_parts import ALL, floats, write_checkpoint

from rewarp.bridge.check import cross
from rewarp.bridge.crossing import CrossingVerdict, Kind
from rewarp.bridge.deployment import Deployment, with_settings
from rewarp.bridge.describe import Description, Process, describe
from rewarp.host import examine

CONFIG = {"dtype": "bfloat16", "num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64, "rope_theta": 1e4}


def model(folder: Path, scales: bool = True, **config: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **config}))
    tensors = {"a.weight": ("F8_E4M3", [256], ALL), "a.weight_scale": ("F32", [1], floats(1))}
    if scales:
        tensors["a.k_scale"] = ("F32", [1], floats(1))
    write_checkpoint(folder / "model.safetensors", tensors)
    return folder


def described(folder: Path, arguments: str, **environment: str) -> Description:
    words = ("vllm", "serve", *arguments.split())
    return describe(
        examine(ask_torch=False), Process(words, {"PYTHONHASHSEED": "0", **environment}, "/nowhere/python", folder), {}
    )


def test_a_folder_is_read(tmp_path: Path) -> None:
    model(tmp_path / "models" / "m")
    for name in ("models/m", str(tmp_path / "models" / "m")):
        found = described(tmp_path, name).settings
        assert found["vllm.model"] == name
        assert found["model.weight_types"] == ["F8_E4M3"]
        assert found["model.has_kv_scales"] is True
        assert found["model.shape"] == "2 layers, 8 KV heads of 8"
        assert "model.revision" not in found


def test_the_hubs_cache_is_read_at_its_commit(tmp_path: Path) -> None:
    kept = tmp_path / "hub" / "models--org--m"
    for commit, theta in (("aaa", 1.0), ("bbb", 2.0)):
        model(kept / "snapshots" / commit, rope_theta=theta)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("aaa")
    (kept / "refs" / "v2").write_text("bbb\n")
    first = described(tmp_path, "org/m", HF_HOME=str(tmp_path)).settings
    second = described(tmp_path, "org/m --revision v2", HF_HUB_CACHE=str(tmp_path / "hub")).settings
    third = described(tmp_path, "org/m --revision bbb", HF_HOME=str(tmp_path)).settings
    assert (first["model.revision"], second["model.revision"], third["model.revision"]) == ("aaa", "bbb", "bbb")
    assert first["model.rope"] != second["model.rope"] == third["model.rope"]


def test_two_servers_with_two_commits_of_one_name(tmp_path: Path) -> None:
    sides = []
    for commit in ("aaa", "bbb"):
        kept = tmp_path / commit / "hub" / "models--org--m"
        model(kept / "snapshots" / commit)
        (kept / "refs").mkdir()
        (kept / "refs" / "main").write_text(commit)
        found = described(tmp_path, "org/m --kv-cache-dtype bfloat16", HF_HOME=str(tmp_path / commit)).settings
        known = {"vllm.version": "0.32.0", "lmcache.version": "0.5.6", "lmcache.remote_url": "redis://cache:6379"}
        more = {"python": "3.12", "accelerator": "h100", "vllm.kv_connector": "LMCacheConnectorV1"}
        sides.append(with_settings(Deployment(commit), {**found, **known, **more}))
    crossing = cross(Kind.CHUNKS, *sides)
    assert (crossing.verdict, crossing.field) == (CrossingVerdict.SILENTLY_WRONG, "model.revision"), crossing.cause


def test_what_was_said_goes_before(tmp_path: Path) -> None:
    model(tmp_path / "m", kv_lora_rank=512)
    assert described(tmp_path, "m").settings["model.mla"] is True
    assert described(tmp_path, "m", VLLM_MLA_DISABLE="1").settings["model.mla"] is False


@pytest.mark.parametrize("name", ["org/m", "../m", "models--x", "https://host/m"])
def test_a_model_that_is_not_here(tmp_path: Path, name: str) -> None:
    found = described(tmp_path, name, HOME=str(tmp_path))
    assert found.settings["vllm.model"] == name
    assert not [setting for setting in found.settings if setting.startswith("model.")]


def test_a_damaged_checkpoint_is_named_and_the_rest_is_told(tmp_path: Path) -> None:
    (model(tmp_path / "m") / "model.safetensors").write_bytes(b"\0" * 9)
    found = described(tmp_path, "m")
    assert any(line.startswith("model: ") and "safetensors" in line for line in found.missing)
    assert found.settings["vllm.model"] == "m"
