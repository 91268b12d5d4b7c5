"""Odd deployments: what a description says in an unusual way, or in passing, is never taken for nothing.

Each of these was *exact* once, and is not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewarp.bridge.arguments import vllm_arguments
from rewarp.bridge.check import check, cross
from rewarp.bridge.crossing import CrossingVerdict, Kind
from rewarp.bridge.deployment import Deployment, of_platform, with_settings
from rewarp.bridge.facts import versions
from rewarp.bridge.reading import deployment
from rewarp.bridge.sources import model_config

PLAIN = "vllm serve org/m --kv-cache-dtype bfloat16 "
AUTO = "vllm serve org/m --dtype bfloat16 "
STORE = "remote_url: redis://cache:6379\n"
CONFIG = {"dtype": "bfloat16", "num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64}


def side(folder: Path, name: str, arguments: str = PLAIN, lmcache: str = STORE, config: object = None) -> Deployment:
    """As a user would write it, with LMCache's own file."""
    (folder / f"{name}.yaml").write_text(lmcache)
    model = {}
    if config is not None:
        (folder / f"{name}-config.json").write_text(json.dumps(config))
        model = {"config": f"{name}-config.json"}
    said = {
        "accelerator": name,
        "python": "3.12",
        "hash_seed": "0",
        "vllm": {"version": "0.32.0", "arguments": arguments, "kv_scales": "none"},
        "lmcache": {"version": "0.5.6", "config": f"{name}.yaml"},
        "model": model,
    }
    (folder / f"{name}.json").write_text(json.dumps(said))
    return deployment(str(folder / f"{name}.json"))


def transfer(connector: str = "LMCacheConnectorV1", role: str = "kv_both", **extra: object) -> str:
    given = {"kv_connector": connector, "kv_role": role, "kv_connector_extra_config": extra}
    return f"--kv-transfer-config '{json.dumps(given)}'"


def test_the_plain_one_is_exact(tmp_path: Path) -> None:
    writer, reader = side(tmp_path, "h100", PLAIN + transfer()), side(tmp_path, "mi300x", PLAIN + transfer())
    assert cross(Kind.CHUNKS, writer, reader).verdict is CrossingVerdict.EXACT


@pytest.mark.parametrize(
    ("arguments", "expected", "field"),
    [
        (transfer("NixlConnector"), CrossingVerdict.UNKNOWN, "vllm.kv_connector"),
        (transfer("MultiConnector"), CrossingVerdict.UNKNOWN, "vllm.kv_connector"),
        ("--kv-transfer-config.kv_connector NixlConnector", CrossingVerdict.UNKNOWN, "vllm.kv_connector"),
        (transfer("LMCacheMPConnector"), CrossingVerdict.MISS, "lmcache.mode"),
        (transfer(**{"lmcache.chunk_size": 64}), CrossingVerdict.MISS, "lmcache.chunk_size"),
        (transfer(**{"lmcache.enable_blending": True}), CrossingVerdict.UNKNOWN, "lmcache.other"),
        (transfer(role="kv_producer"), CrossingVerdict.MISS, "vllm.kv_role"),
        ("--kv-transfer-config nonsense", CrossingVerdict.UNKNOWN, "vllm.other"),
        ('-ac \'{"backend": "ROCM_ATTN"}\'', CrossingVerdict.IMPOSSIBLE, "vllm.attention_backend"),
        ("--attention-config.backend ROCM_ATTN", CrossingVerdict.IMPOSSIBLE, "vllm.attention_backend"),
        ("--attention_config.backend=ROCM_ATTN", CrossingVerdict.IMPOSSIBLE, "vllm.attention_backend"),
        ("--hf-overrides.rope_scaling.factor 4", CrossingVerdict.SILENTLY_WRONG, "vllm.rope"),
        ("--revision b", CrossingVerdict.UNKNOWN, "model.revision"),
        ("--hf-config-path /other", CrossingVerdict.UNKNOWN, "vllm.other"),
        ("-tp 2 --decode-context-parallel-size 2", CrossingVerdict.UNKNOWN, "vllm.tensor_parallel_size"),
        ("-dcp 2", CrossingVerdict.UNKNOWN, "vllm.other"),
        ("--kv-cache-dtype-skip-layers 0 1", CrossingVerdict.UNKNOWN, "vllm.other"),
        ("--speculative-config.method mtp", CrossingVerdict.UNKNOWN, "vllm.other"),
        ("--tensor-parallel 2", CrossingVerdict.UNKNOWN, "vllm.tensor_parallel_size"),
    ],
)
def test_arguments_of_the_reader(tmp_path: Path, arguments: str, expected: CrossingVerdict, field: str) -> None:
    crossing = cross(Kind.CHUNKS, side(tmp_path, "h100"), side(tmp_path, "mi300x", PLAIN + arguments))
    assert (crossing.verdict, crossing.field) == (expected, field), crossing.cause


@pytest.mark.parametrize(
    "arguments",
    [
        transfer(),
        "--port 8000",
        "-dcp 1",
        "--no-enable-prefix-caching",
        "--attention-backend TRITON_ATTN",
        "--model-impl vllm",  # begins as `--model` does, and is whole
        "--kv-cache-metrics",
    ],
)
def test_arguments_that_decide_nothing(tmp_path: Path, arguments: str) -> None:
    crossing = cross(Kind.CHUNKS, side(tmp_path, "h100"), side(tmp_path, "mi300x", PLAIN + arguments))
    assert crossing.verdict is CrossingVerdict.EXACT, crossing.cause


def test_a_file_of_arguments_is_read(tmp_path: Path) -> None:
    (tmp_path / "vllm.yaml").write_text("model: org/other\nkv_cache_dtype: fp8\ntensor-parallel-size: 2\n")
    read = side(tmp_path, "mi300x", AUTO + "--config vllm.yaml -tp 4")
    assert (read.vllm.model, read.vllm.kv_cache_dtype, read.vllm.tensor_parallel_size) == ("org/m", "fp8", 4)
    assert vllm_arguments("vllm serve --config x.yaml")["vllm.other"] == ["--config x.yaml"]


def test_two_revisions_are_two_models(tmp_path: Path) -> None:
    writer, reader = (side(tmp_path, name, PLAIN + f"--revision {name}") for name in ("h100", "mi300x"))
    assert cross(Kind.CHUNKS, writer, reader).verdict is CrossingVerdict.SILENTLY_WRONG


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("local_cpu: true\nmax_local_cpu_size: 20\nsave_decode_cache: true\n", CrossingVerdict.EXACT),
        ("enable_blending: false\nstorage_plugins: []\nenable_pd: 'False'\n", CrossingVerdict.EXACT),
        ("enable_blending: true\n", CrossingVerdict.UNKNOWN),
        ("remote_config_url: http://configuration\n", CrossingVerdict.UNKNOWN),
        ("store_location: LocalCPUBackend\n", CrossingVerdict.UNKNOWN),
        ("enable_xpyd: true\n", CrossingVerdict.UNKNOWN),
        ("chunk_sise: 64\n", CrossingVerdict.UNKNOWN),
        ("extra_config: {something_new: 1}\n", CrossingVerdict.UNKNOWN),
        ("extra_config: [1]\n", CrossingVerdict.UNKNOWN),
        ("use_layerwise: true\n", CrossingVerdict.UNKNOWN),
    ],
)
def test_settings_of_lmcache(tmp_path: Path, more: str, expected: CrossingVerdict) -> None:
    writer, reader = (side(tmp_path, name, lmcache=STORE + more) for name in ("h100", "mi300x"))
    assert cross(Kind.CHUNKS, writer, reader).verdict is expected


def test_what_refers_to_itself_is_not_written_out(tmp_path: Path) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x]"]
    lines += [f"{new}: &{new} [{', '.join([f'*{old}'] * 8)}]" for old, new in zip("abcdefghi", "bcdefghij")]
    found = side(tmp_path, "h100", lmcache=STORE + "\n".join(lines))
    assert all(len(it) < 100 for it in found.lmcache.other)


# --- what a model makes of `auto` ---------------------------------------------------------------


def quantised(method: str, **more: object) -> dict[str, object]:
    return {**CONFIG, "quantization_config": {"quant_method": method, **more}}


SCHEME = {"num_bits": 8, "type": "float", "dynamic": False}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (CONFIG, CrossingVerdict.EXACT),
        (None, CrossingVerdict.UNKNOWN),
        (quantised("fp8"), CrossingVerdict.EXACT),
        (quantised("modelopt", kv_cache_quant_algo="FP8"), CrossingVerdict.SILENTLY_WRONG),
        (quantised("modelopt", quantization={"kv_cache_quant_algo": "FP8"}), CrossingVerdict.SILENTLY_WRONG),
        (quantised("modelopt_fp4", kv_cache_scheme=SCHEME), CrossingVerdict.SILENTLY_WRONG),
        (quantised("modelopt", kv_cache_quant_algo="NVFP4"), CrossingVerdict.UNKNOWN),
        (quantised("modelopt", kv_cache_quant_algo=None), CrossingVerdict.EXACT),
        (quantised("compressed-tensors", kv_cache_scheme=SCHEME), CrossingVerdict.UNKNOWN),
        (quantised("compressed-tensors", kv_cache_scheme=None), CrossingVerdict.EXACT),
        ({**CONFIG, "index_topk": 2048}, CrossingVerdict.UNKNOWN),
        ({**CONFIG, "mamba_d_state": 128}, CrossingVerdict.UNKNOWN),
    ],
)
def test_the_models_own_configuration_decides_about_auto(
    tmp_path: Path, config: object, expected: CrossingVerdict
) -> None:
    writer, reader = (side(tmp_path, name, AUTO, config=config) for name in ("h100", "mi300x"))
    assert cross(Kind.CHUNKS, writer, reader).verdict is expected


def test_modelopt_may_say_it_in_a_file_beside(tmp_path: Path) -> None:
    (tmp_path / "hf_quant_config.json").write_text(json.dumps({"quantization": {"kv_cache_quant_algo": "FP8"}}))
    assert side(tmp_path, "h100", AUTO, config=CONFIG).kv_type == "fp8_e4m3"


def test_sixteen_bits_are_asked_for_by_name_where_auto_has_eight(tmp_path: Path) -> None:
    config = quantised("modelopt", kv_cache_quant_algo="FP8")
    writer, reader = (side(tmp_path, name, AUTO, config=config) for name in ("h100", "mi300x"))
    remedies = check(writer, reader).crossings[0].remedies
    assert [it.what for it in remedies if it.leads_to is CrossingVerdict.EXACT] == [
        "--kv-cache-dtype bfloat16 --dtype bfloat16 on both sides"
    ]


def test_no_latent_cache_where_its_rank_is_null() -> None:
    assert model_config({**CONFIG, "kv_lora_rank": None})["model.mla"] is False


# --- shares, addresses, versions ----------------------------------------------------------------


def test_heads_are_not_layers() -> None:
    """As many workers, the same keys, other numbers."""
    writer = with_settings(of_platform("h100"), {"vllm.tensor_parallel_size": 2})
    reader = with_settings(of_platform("mi300x"), {"vllm.pipeline_parallel_size": 2})
    assert cross(Kind.CHUNKS, writer, reader).verdict is CrossingVerdict.SILENTLY_WRONG
    latent = [with_settings(it, {"model.mla": True}) for it in (writer, reader)]
    assert cross(Kind.CHUNKS, *latent).verdict is CrossingVerdict.UNKNOWN


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
def test_every_machine_has_a_localhost_of_its_own(host: str) -> None:
    both = {"lmcache.remote_url": f"redis://{host}:6379"}
    writer, reader = (with_settings(of_platform(name), both) for name in ("h100", "mi300x"))
    assert cross(Kind.CHUNKS, writer, reader).verdict is CrossingVerdict.UNKNOWN


def test_a_shared_path_is_a_condition() -> None:
    crossing = cross(Kind.CHUNKS, of_platform("h100"), of_platform("mi300x"))
    assert "if /kv is one file system on both machines" in crossing.cause


@pytest.mark.parametrize(
    ("model", "mode", "expected"),
    [
        ("org/m@v1", "multi-process", CrossingVerdict.IMPOSSIBLE),
        ("/models/" + "x" * 150, "multi-process", CrossingVerdict.EXACT),
        ("/models/" + "x" * 180, "multi-process", CrossingVerdict.IMPOSSIBLE),
    ],
)
def test_names_that_lmcaches_server_refuses(model: str, mode: str, expected: CrossingVerdict) -> None:
    both = {"vllm.model": model, "lmcache.mode": mode}
    writer, reader = (with_settings(of_platform(name), both) for name in ("h100", "mi300x"))
    assert cross(Kind.CHUNKS, writer, reader).verdict is expected


@pytest.mark.parametrize(
    ("version", "holds"),
    [
        ("0.32.0", True),
        ("0.32.0+rocm700", True),
        ("0.31.0+cu129", True),
        ("0.31.0+gabcdef12", False),
        ("0.32.1+cu129", False),
        ("0.31.1.dev5+g123", False),
        ("latest", False),
    ],
)
def test_builds(version: str, holds: bool) -> None:
    assert versions()["vllm"].holds(version) is holds


def test_prefixes_of_a_hash_that_is_none_and_a_seed_that_is_none() -> None:
    odd = {"vllm.prefix_caching_hash_algo": "builtin", "hash_seed": "tuesday"}
    assert cross(Kind.PREFIXES, with_settings(of_platform("h100"), odd), of_platform("mi300x")).verdict is (
        CrossingVerdict.UNKNOWN
    )


def test_fp8_weights_where_nobody_looked() -> None:
    writer = with_settings(of_platform("h100"), {"model.weight_types": ["F8_E4M3"]})
    assert cross(Kind.WEIGHTS, writer, of_platform("a100")).verdict is CrossingVerdict.UNKNOWN


# --- options of vLLM that no rule reads ---------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ("--enable-lora --max-loras 4", "vllm.other"),  # of adapters nothing is in LMCache's keys
        ("--lora-modules a=b", "vllm.other"),
        ("--enable-prompt-embeds", "vllm.other"),
        ("--an-option-of-next-year 1", "vllm.other"),
        ("--worker-extension-cls mine.Worker", "vllm.other"),
        ("--swa-bounded-replay", "vllm.other"),
        ("--quantization fp8", "vllm.model_options"),
        ("-q fp8", "vllm.model_options"),
        ("--quant fp8", "vllm.other"),  # the beginning of two
        ("--load-format dummy", "vllm.model_options"),
        ("--model-impl transformers", "vllm.model_options"),
        ("--disable-sliding-window", "vllm.model_options"),
        ("--tokenizer org/other", "vllm.model_options"),
    ],
)
def test_an_option_that_nobody_looked_at_is_not_exact(tmp_path: Path, arguments: str, field: str) -> None:
    writer, reader = side(tmp_path, "h100"), side(tmp_path, "mi300x", PLAIN + arguments)
    for pair in ((writer, reader), (reader, writer)):
        crossing = cross(Kind.CHUNKS, *pair)
        assert (crossing.verdict, crossing.field) == (CrossingVerdict.UNKNOWN, field), crossing.cause


def test_the_same_model_on_both_sides_is_one(tmp_path: Path) -> None:
    arguments = PLAIN + "--quantization fp8 --load_format=auto --disable-sliding-window"
    writer, reader = side(tmp_path, "h100", arguments), side(tmp_path, "mi300x", arguments)
    assert cross(Kind.CHUNKS, writer, reader).verdict is CrossingVerdict.EXACT
    adapters = [side(tmp_path, name, PLAIN + "--enable-lora") for name in ("h100", "mi300x")]
    assert cross(Kind.CHUNKS, *adapters).verdict is CrossingVerdict.UNKNOWN, "the same on both, and wrong on both"


@pytest.mark.parametrize(
    "command",
    [
        "numactl --cpunodebind=0 python -X dev -m vllm.entrypoints.openai.api_server --model org/m --port 8000",
        "vllm serve org/m --host 0.0.0.0 --api-key hunter2 --seed -1 -ep -O3 --no-enable-lora",
        "vllm serve org/m --max_num_seqs 4 --enforce-eager --compilation-config.level 3 --tool-call-parser=hermes",
        "vllm serve org/m --gpu-mem 0.9 --trust-remote-code --data-parallel-size 2 -dp 2",
    ],
)
def test_what_decides_nothing_is_not_told(command: str) -> None:
    assert vllm_arguments(command) == {"vllm.model": "org/m"}


def test_a_secret_of_the_command_line_is_not_told() -> None:
    assert vllm_arguments("vllm serve org/m --some-key hunter2")["vllm.other"] == ["--some-key ***"]


@pytest.mark.parametrize(
    ("rope", "lengths", "expected"),
    [
        ({"rope_theta": 1e4}, (4096, 65536), CrossingVerdict.EXACT),
        ({"rope_scaling": {"type": "longrope"}}, (4096, 65536), CrossingVerdict.UNKNOWN),
        ({"rope_scaling": {"type": "su"}}, (4096, None), CrossingVerdict.UNKNOWN),
        ({"rope_scaling": {"type": "longrope"}}, (4096, 4096), CrossingVerdict.EXACT),
        (None, (4096, 65536), CrossingVerdict.UNKNOWN),
        (None, (None, None), CrossingVerdict.EXACT),
    ],
)
def test_the_longest_context_decides_where_longrope_is_or_may_be(
    tmp_path: Path, rope: dict[str, object] | None, lengths: tuple[int | None, int | None], expected: CrossingVerdict
) -> None:
    sides = [
        side(
            tmp_path,
            name,
            PLAIN + (f"--max-model-len {length}" if length else ""),
            config=None if rope is None else {**CONFIG, **rope},
        )
        for name, length in zip(("h100", "mi300x"), lengths, strict=True)
    ]
    assert cross(Kind.CHUNKS, *sides).verdict is expected
