"""What must be alike: spelling does not matter, work does; unknown is neither alike nor different."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bench_compare_parts import make

from rewarp.bench.comparability import MUST, FieldCheck, Likeness, allowed_fields, banners, check_allowed, checks
from rewarp.bench.result import Sourced
from rewarp.errors import UsageError


def check(field: str, first: dict[str, Any], second: dict[str, Any]) -> FieldCheck:
    return next(it for it in checks(make(**first), make(**second)) if it.field == field)


@pytest.mark.parametrize(
    ("field", "one", "two", "likeness"),
    [
        ("precision", "bf16", "torch.bfloat16", Likeness.ALIKE),
        ("precision", "BF16", "bf16", Likeness.ALIKE),
        ("precision", "fp16", "bf16", Likeness.DIFFERS),
        ("precision", "bf16", "fp8", Likeness.DIFFERS),
        ("precision", "bf16-mixed", "bf16-true", Likeness.DIFFERS),
        ("precision", "bf16-mixed", "bf16", Likeness.UNKNOWN),
        ("precision", "Q4_0", "q4_0", Likeness.ALIKE),
        ("precision", "Q4_0", "Q4_K - Medium", Likeness.DIFFERS),
        ("precision", "Q4_0", "Q8_0", Likeness.DIFFERS),
        ("sequence", 4096, 4096.0, Likeness.ALIKE),
        ("sequence", 4096, 4097, Likeness.DIFFERS),
        ("global_batch", 16, 32, Likeness.DIFFERS),
        ("global_batch", 16, None, Likeness.UNKNOWN),
        ("global_batch", None, None, Likeness.UNKNOWN),
        ("parameters", 8.03e9, 8e9, Likeness.ALIKE),
        ("parameters", 8.03e9, 7.5e9, Likeness.DIFFERS),
        ("devices", 8, 16, Likeness.DIFFERS),
        ("devices", 8, None, Likeness.UNKNOWN),
        ("kind", "training", "inference", Likeness.DIFFERS),
    ],
)
def test_values(field: str, one: Any, two: Any, likeness: Likeness) -> None:
    for first, second in ((one, two), (two, one)):
        found = check(field, {field: first}, {field: second})
        assert found.likeness is likeness
        kinds = {Likeness.ALIKE: [], Likeness.DIFFERS: ["unlike"], Likeness.UNKNOWN: ["unknown"]}
        assert [banner.kind for banner in banners([found])] == kinds[likeness]
        assert found.refuses == (likeness is Likeness.DIFFERS)


@pytest.mark.parametrize(
    ("one", "two", "likeness"),
    [
        ("Llama-2-7B", "llama_2_7b", Likeness.ALIKE),
        ("meta-llama/Llama-3.1-8B", "Llama-3.1-8B", Likeness.ALIKE),
        ("Qwen2-1.5B", "Qwen2-15B", Likeness.DIFFERS),
        ("llama", "mistral", Likeness.DIFFERS),
    ],
)
def test_models_by_name(one: str, two: str, likeness: Likeness) -> None:
    shapeless = {"layers": None, "hidden": None}
    assert check("model", {"model": one, **shapeless}, {"model": two, **shapeless}).likeness is likeness


def test_models_by_shape() -> None:
    """Two names, or none, for one shape; a single dimension that differs is another model."""
    assert check("model", {"model": "llama3_8b"}, {"model": "our-finetune"}).likeness is Likeness.ALIKE
    assert check("model", {"model": None}, {"model": "llama"}).likeness is Likeness.ALIKE
    assert check("model", {"model": "a"}, {"model": "b", "layers": 40}).likeness is Likeness.DIFFERS
    assert check("model", {"model": "a"}, {"model": "b", "parameters": 9e9}).likeness is Likeness.DIFFERS
    assert check("model", {"model": None}, {"model": "b", "layers": None}).likeness is Likeness.UNKNOWN


@pytest.mark.parametrize(
    ("name", "likeness"),
    [
        ("Llama-3.1-8B", Likeness.ALIKE),
        ("gpt2_124m", Likeness.ALIKE),
        ("gpt", Likeness.UNKNOWN),
        ("v3", Likeness.UNKNOWN),
    ],
)
def test_a_name_with_a_size_in_it_tells_the_parameters(name: str, likeness: Likeness) -> None:
    bare = {"model": name, "parameters": None, "layers": None, "hidden": None}
    assert check("parameters", bare, bare).likeness is likeness


def test_differs_and_unknown_are_said_apart() -> None:
    base, other = make(sequence=2048), make(sequence=4096, precision=None, global_batch=None, devices=None)
    assert [it.kind for it in banners(checks(base, other))] == ["unlike"], "nothing is compared, and no more matters"
    found = banners(checks(base, other, frozenset({"sequence"})))
    assert [(it.kind, it.text) for it in found] == [
        ("unlike", "unlike runs: sequence: 2,048 against 4,096; compared all the same, as asked"),
        (
            "unknown",
            "cannot show that they are alike: global_batch: not known of the run (the log does not say); "
            "the other has 16",
        ),
        (
            "unknown",
            "cannot show that they are alike: precision: not known of the run (the log does not say); the other has bf16",
        ),
        (
            "unknown",
            "cannot show that they are alike: devices: not known of the run (the log does not say); the other has 8",
        ),
    ]


def test_fields_with_one_reason_share_a_banner() -> None:
    bare = make(sequence=None, precision=None, devices=None)
    assert [it.text for it in banners(checks(bare, bare))] == [
        "cannot show that they are alike: sequence, precision, devices: not known on either side (the log does not say)"
    ]


def test_how_the_work_is_done_is_told_and_refuses_nothing() -> None:
    found = checks(make(micro_batch=1, optimizer="adamw"), make(micro_batch=4, optimizer="adamw"))
    told = [it for it in found if not it.must]
    assert [it.field for it in told] == ["micro_batch"]
    assert not told[0].refuses
    assert banners(found) == ()


def test_a_micro_benchmark_is_its_configuration() -> None:
    def matmul(size: int, **more: Any) -> Any:
        return make(kind="matmul", precision="bf16", size=size, price_usd_per_device_hour=size, seed=size, **more)

    assert [it.field for it in checks(matmul(8192), matmul(4096)) if it.refuses] == ["size"]
    assert banners(checks(matmul(4096), matmul(4096))) == ()
    half_known = next(it for it in checks(matmul(4096), matmul(4096, layout="nt")) if it.field == "layout")
    assert half_known.likeness is Likeness.UNKNOWN


def test_inference_is_the_same_work_under_the_same_load() -> None:
    def served(tokens: float, load: int, workload: str) -> Any:
        found = make(kind="inference", global_batch=None, concurrency=load, prompts=100, workload=workload)
        mean = Sourced(tokens, "computed: mean tokens in and out a request")
        return replace(found, configuration={**found.configuration, "sequence": mean})

    base = served(325.0, 16, "200 in, 125 out")
    near, long, other = served(327.0, 16, "200 in, 127 out"), served(400.0, 16, ""), served(325.0, 32, "")
    assert banners(checks(base, near)) == (), "a server never answers twice with as many tokens"
    assert [it.field for it in checks(base, long) if it.refuses] == ["sequence"]
    assert [it.field for it in checks(base, other) if it.refuses] == ["concurrency"]
    read, write = (make(kind="inference", sequence=128, workload=it) for it in ("pp128", "tg128"))
    assert [it.field for it in checks(read, write) if it.refuses] == ["workload"]


def test_mlperf_leaves_batch_and_precision_to_the_submitter() -> None:
    found = checks(
        make(kind="mlperf", model="llama2_70b_lora", global_batch=8, precision="fp8"),
        make(kind="mlperf", model="llama2_70b_lora", global_batch=16, precision="fp4"),
    )
    assert [it.field for it in found if it.must] == ["kind", "model", "devices"]
    assert not any(it.refuses for it in found)


def test_allowed_fields() -> None:
    assert allowed_fields(" precision, global-batch ,") == {"precision", "global_batch"}
    assert allowed_fields(None) == frozenset()
    check_allowed(frozenset(MUST), [make()])
    check_allowed(frozenset({"size"}), [make(kind="matmul", size=4)])
    with pytest.raises(UsageError, match="sequenze: there is no such field"):
        check_allowed(frozenset({"sequenze"}), [make()])
