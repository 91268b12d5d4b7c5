"""What is measured, as TOML or YAML says: the same on every platform, unless it says `best`."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.bench import config
from rewarp.errors import UsageError

EXAMPLES = Path(__file__).parents[2] / "examples" / "bench"
BEST = """
methodology = "{}"
[defaults]
precision = "bf16"
[[benchmark]]
kind = "training"
model = "tiny"
micro_batch = 2
[benchmark.best.rocm]
compile = true
micro_batch = 2
[benchmark.best.cuda]
attention = "flash"
"""


def plan(text: str, tmp_path: Path, platform: str = "cuda", suffix: str = ".toml", **changes: object) -> config.Plan:
    file = tmp_path / f"bench{suffix}"
    file.write_text(text, encoding="utf-8")
    return config.load(file, platform, changes)


def one(text: str, tmp_path: Path, platform: str = "cuda") -> config.Benchmark:
    return plan(f"[[benchmark]]\n{text}", tmp_path, platform).benchmarks[0]


def test_identical_ignores_what_is_best(tmp_path: Path) -> None:
    on_cuda, on_rocm = (plan(BEST.format("identical"), tmp_path, platform).benchmarks for platform in ("cuda", "rocm"))
    assert on_cuda == on_rocm
    assert on_rocm[0].compile is False
    assert on_rocm[0].overrides == ()


def test_best_changes_by_platform_and_says_what(tmp_path: Path) -> None:
    rocm = plan(BEST.format("best"), tmp_path, "rocm").benchmarks[0]
    assert rocm.compile is True
    assert rocm.overrides == ("compile = True",)
    cuda = plan(BEST.format("best"), tmp_path, "cuda").benchmarks[0]
    assert (cuda.compile, cuda.attention, cuda.overrides) == (False, "flash", ("attention = flash",))
    assert plan(BEST.format("best"), tmp_path, "cpu").benchmarks[0].overrides == ()


def test_defaults_give_way_to_benchmarks_and_these_to_changes(tmp_path: Path) -> None:
    text = '[defaults]\nsteps = 7\nprecision = "fp32"\n[[benchmark]]\nkind = "matmul"\nsteps = 9\n[[benchmark]]\nkind = "matmul"'
    assert [item.steps for item in plan(text, tmp_path).benchmarks] == [9, 7]
    assert [item.steps for item in plan(text, tmp_path, steps=3).benchmarks] == [3, 3]
    assert {item.precision for item in plan(text, tmp_path).benchmarks} == {"fp32"}


def test_what_follows_from_others(tmp_path: Path) -> None:
    training = one('kind = "training"\nmicro_batch = 3', tmp_path)
    assert training.global_batch == 3
    assert training.name == "tiny bf16"
    assert one('kind = "bandwidth"', tmp_path).operation == "copy"
    assert one('kind = "matmul"\nrest = 0.1', tmp_path).name == "matmul 8192 bf16 in bursts"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "kind is missing"),
        ('kind = "dance"', "kind must be one of"),
        ('kind = "matmul"\nsteps = 0', "steps must be a whole number from 1"),
        ('kind = "matmul"\nsteps = true', "steps must be a whole number"),
        ('kind = "matmul"\nsteps = 1.5', "steps must be a whole number"),
        ('kind = "matmul"\ncolour = 1', "knows no 'colour'"),
        ('kind = "matmul"\nprecision = "fp4"', "precision must be one of"),
        ('kind = "matmul"\nrest = -1', "rest must be a number above 0"),
        ('kind = "matmul"\noperation = "copy"', "matmul has no operation copy"),
        ('kind = "training"\nmodel = "gpt-9"', "model must be one of"),
        ('kind = "training"\nshape = {depth = 3}', "shape must be a table of"),
        ('kind = "training"\nmicro_batch = 2\nglobal_batch = 3', "no multiple"),
        ('kind = "training"\ndevices = 2', "parallelism single with 2 devices"),
        ('kind = "training"\nparallelism = "ddp"', "parallelism ddp with 1 devices"),
        ('kind = "collective"', "at least 2 devices"),
        ('kind = "matmul"\nbest = 3', "best must hold tables"),
        ('kind = "matmul"\n[benchmark.best.tpu]', "best must hold tables"),
        ('kind = "matmul"\n[benchmark.best.rocm]\nsteps = 0', r"best\.rocm: steps must be"),
    ],
)
def test_mistakes_are_named(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=why):
        one(text, tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no"),
        ("benchmark = 3", "holds no"),
        ("benchmark = []", "holds no"),
        ("x = ", "is not TOML"),
        ('methodology = "fair"\n[[benchmark]]\nkind = "matmul"', "methodology must be one of identical, best"),
        ('speed = 1\n[[benchmark]]\nkind = "matmul"', "knows no 'speed'"),
        ('defaults = 1\n[[benchmark]]\nkind = "matmul"', "defaults must be a table"),
    ],
)
def test_broken_files(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=why):
        plan(text, tmp_path)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        config.load(tmp_path / "none.toml", "cpu")
    with pytest.raises(UsageError, match="cannot read"):
        config.load(tmp_path, "cpu")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        config.load(tmp_path / "binary.toml", "cpu")


def test_yaml_says_the_same(tmp_path: Path) -> None:
    text = "methodology: best\nbenchmark:\n  - kind: matmul\n    size: 64\n    best:\n      rocm: {size: 128}\n"
    assert plan(text, tmp_path, "rocm", ".yaml").benchmarks[0].size == 128
    with pytest.raises(UsageError, match="is not YAML"):
        plan("a: [", tmp_path, suffix=".yml")


def test_yaml_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    with pytest.raises(UsageError, match=r"rewarp\[bench\]"):
        plan("a: 1", tmp_path, suffix=".yaml")


@pytest.mark.parametrize(
    ("text", "change"),
    [("steps=5", ("steps", 5)), ("precision=bf16", ("precision", "bf16")), ("compile=true", ("compile", True))],
)
def test_changes_on_the_command_line(text: str, change: tuple[str, object]) -> None:
    assert config.parse_change(text) == change


@pytest.mark.parametrize("text", ["steps", "=5", ""])
def test_a_change_needs_a_name_and_a_value(text: str) -> None:
    with pytest.raises(UsageError, match="--set"):
        config.parse_change(text)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.*ml")), ids=lambda file: file.name)
def test_examples_are_sound_on_every_platform(file: Path) -> None:
    for platform in config.PLATFORMS:
        assert config.load(file, platform).benchmarks
