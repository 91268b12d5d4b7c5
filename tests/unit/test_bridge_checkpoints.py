"""Converted checkpoints: every number the same, or counted; what is not known refused; the source untouched."""

from __future__ import annotations

import json
import math
import os
import struct
from pathlib import Path

import pytest
from bridge_parts import ALL, Tensors, floats, read_tensors, write_checkpoint

from rewarp.bridge.checkpoint import read_header
from rewarp.bridge.convert import Converted, Request, convert
from rewarp.bridge.formats import ENCODINGS, Counts, encoding_of
from rewarp.errors import UsageError

BY_DTYPE = {"F8_E4M3": "e4m3fn", "F8_E5M2": "e5m2", "F8_E4M3FNUZ": "e4m3fnuz", "F8_E5M2FNUZ": "e5m2fnuz"}
SCALED: Tensors = {
    "l.weight": ("F8_E4M3", [16, 16], ALL),
    "l.weight_scale": ("F32", [], floats(0.25)),
    "l.input_scale": ("F32", [1], floats(3.0)),
    "l.bias": ("BF16", [2], b"\x80\x3f\x00\x40"),
}


def convert_to(tmp_path: Path, to: str, tensors: Tensors | None = None, **asked: object) -> Converted:
    source = tmp_path / "model.safetensors"
    if tensors is not None or not source.exists():
        write_checkpoint(source, tensors or SCALED, {"format": "pt"})
    return convert(Request(source, tmp_path / "out.safetensors", to, **asked))  # type: ignore[arg-type]


def numbers(tensors: Tensors, weight: str, scale: str | None) -> list[float]:
    dtype, _, data = tensors[weight]
    by = 1.0 if scale is None else struct.unpack("<f", tensors[scale][2])[0]
    return [ENCODINGS[BY_DTYPE[dtype]].values[code] * by for code in data]


def test_numbers_stay_the_same_on_mi300x(tmp_path: Path) -> None:
    done = convert_to(tmp_path, "fnuz")
    made = read_tensors(tmp_path / "out.safetensors")
    assert {name: (dtype, shape) for name, (dtype, shape, _) in made.items()} == {
        "l.weight": ("F8_E4M3FNUZ", [16, 16]),
        "l.weight_scale": ("F32", []),
        "l.input_scale": ("F32", [1]),
        "l.bias": ("BF16", [2]),
    }
    before, after = numbers(SCALED, "l.weight", "l.weight_scale"), numbers(made, "l.weight", "l.weight_scale")
    assert all(one == other or (math.isnan(one) and math.isnan(other)) for one, other in zip(before, after))
    assert made["l.input_scale"][2] == floats(6.0)
    assert made["l.bias"] == SCALED["l.bias"]
    assert done.counts == Counts(total=256, changed=3, nan=2)
    assert done.lost == 0
    assert read_header(tmp_path / "out.safetensors").metadata["format"] == "pt"


def test_back_saturates_the_two_codes_that_have_no_twin(tmp_path: Path) -> None:
    done = convert_to(tmp_path, "ocp", {**SCALED, "l.weight": ("F8_E4M3FNUZ", [16, 16], ALL)})
    assert done.counts == Counts(total=256, changed=3, saturated=2, nan=1)
    assert done.lost == 2
    assert read_tensors(tmp_path / "out.safetensors")["l.weight_scale"][2] == floats(0.125)


def test_back_with_scales_kept_rounds_and_saturates_nothing(tmp_path: Path) -> None:
    tensors: Tensors = {**SCALED, "l.weight": ("F8_E4M3FNUZ", [16, 16], ALL)}
    done = convert_to(tmp_path, "ocp", tensors, keep_scales=True)
    assert (done.counts.rounded, done.counts.saturated) == (16, 0)
    made = read_tensors(tmp_path / "out.safetensors")
    assert made["l.weight_scale"][2] == floats(0.25)
    pairs = zip(numbers(tensors, "l.weight", "l.weight_scale"), numbers(made, "l.weight", "l.weight_scale"))
    assert sum(one != other and not math.isnan(one) for one, other in pairs) == 16


def test_gaudi2_halves_and_remembers(tmp_path: Path) -> None:
    """Its files say e4m3fn as before: only a note tells that the range is another."""
    done = convert_to(tmp_path, "gaudi2")
    assert (done.counts.rounded, done.counts.saturated) == (16, 0)
    made = read_tensors(tmp_path / "out.safetensors")
    assert made["l.weight"][0] == "F8_E4M3"
    largest = max(it for it in numbers(made, "l.weight", None) if math.isfinite(it) or math.isnan(it))
    assert largest == 224
    with pytest.raises(UsageError, match="use it as it is"):
        convert(Request(tmp_path / "out.safetensors", tmp_path / "again.safetensors", "gaudi2"))
    back = convert(Request(tmp_path / "out.safetensors", tmp_path / "back.safetensors", "ocp"))
    assert back.counts.rounded == 0
    again = read_tensors(tmp_path / "back.safetensors")
    assert again["l.weight_scale"][2] == floats(0.25)
    with pytest.raises(UsageError, match="--from says"):
        convert(Request(tmp_path / "out.safetensors", tmp_path / "x.safetensors", "ocp", given=encoding_of("e4m3fn")))


@pytest.mark.parametrize(
    ("dtype", "shape", "scale", "doubled", "granularity"),
    [
        ("F32", [1], floats(0.5), floats(1.0), "per tensor"),
        ("F32", [16], floats(*range(16)), floats(*range(0, 32, 2)), "per channel"),
        ("F32", [16, 1], floats(*range(16)), floats(*range(0, 32, 2)), "per channel"),
        ("BF16", [2, 2], b"\x80\x3f" * 4, b"\x00\x40" * 4, "per block"),
        ("F16", [2, 3], b"\x00\x3c" * 6, b"\x00\x40" * 6, "per block"),
        ("F64", [16], struct.pack("<16d", *range(16)), struct.pack("<16d", *range(0, 32, 2)), "per channel"),
        ("F8_E8M0", [16, 1], bytes(range(120, 136)), bytes(range(121, 137)), "per channel"),
        ("F8_E8M0", [4, 4], b"\x00\xfd\xff\x7f" * 4, b"\x01\xfe\xff\x80" * 4, "per block"),
        ("U8", [16, 8], bytes(128), bytes([1]) * 128, "per block"),
    ],
)
def test_scales_of_every_kind_double(
    dtype: str, shape: list[int], scale: bytes, doubled: bytes, granularity: str, tmp_path: Path
) -> None:
    done = convert_to(tmp_path, "fnuz", {"w": ("F8_E4M3", [16, 16], ALL), "w_scale_inv": (dtype, shape, scale)})
    assert read_tensors(tmp_path / "out.safetensors")["w_scale_inv"] == (dtype, shape, doubled)
    assert [(rule.ratio, rule.scales) for rule in done.plan.rules] == [(2.0, granularity)]


@pytest.mark.parametrize(
    ("dtype", "scale", "to"),
    [
        ("F8_E8M0", b"\xfe", "fnuz"),
        ("F32", floats(3e38), "fnuz"),
        ("F16", b"\xff\x7b", "fnuz"),
        ("BF16", b"\x7f\x7f", "fnuz"),
    ],
)
def test_a_scale_that_cannot_double_is_refused(dtype: str, scale: bytes, to: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no .* any more"):
        convert_to(tmp_path, to, {"w": ("F8_E4M3", [4], b"1234"), "w_scale": (dtype, [1], scale)})
    assert sorted(os.listdir(tmp_path)) == ["model.safetensors"]


def test_a_scale_that_cannot_be_halved_is_refused(tmp_path: Path) -> None:
    for dtype, scale in (("F8_E8M0", b"\x00"), ("F32", b"\x01\x00\x00\x00"), ("BF16", b"\x01\x00")):
        with pytest.raises(UsageError, match=r"no .* any more"):
            convert_to(tmp_path, "ocp", {"w": ("F8_E4M3FNUZ", [4], b"1234"), "w_scale": (dtype, [1], scale)})


def test_both_kinds_in_one_file(tmp_path: Path) -> None:
    tensors: Tensors = {
        **SCALED,
        "m.weight": ("F8_E5M2", [16, 16], ALL),
        "m.weight_scale": ("F32", [1], floats(1.0)),
    }
    done = convert_to(tmp_path, "fnuz", tensors)
    made = read_tensors(tmp_path / "out.safetensors")
    assert (made["l.weight"][0], made["m.weight"][0]) == ("F8_E4M3FNUZ", "F8_E5M2FNUZ")
    assert (done.counts.nan, done.counts.infinite, done.lost) == (2 + 6, 2, 2)


def test_without_a_scale_it_must_be_said(tmp_path: Path) -> None:
    tensors: Tensors = {"w": ("F8_E4M3", [16, 16], ALL), **SCALED}
    with pytest.raises(UsageError, match="no scale that is known") as refused:
        convert_to(tmp_path, "fnuz", tensors)
    assert refused.value.more == ("w",)
    done = convert_to(tmp_path, "fnuz", tensors, unit_scale=True)
    assert {(rule.ratio, rule.scales, rule.count) for rule in done.plan.rules} == {
        (1.0, "1.0", 1),
        (2.0, "per tensor", 1),
    }
    made = read_tensors(tmp_path / "out.safetensors")
    for one, other in zip(numbers(tensors, "w", None), numbers(made, "w", None)):
        assert other == max(-240.0, min(240.0, one)) or math.isnan(one)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"l.weight_scale_2": ("F32", [1], floats(1.0))}, "may be scales"),
        ({"l.smooth_scale": ("F32", [1], floats(1.0))}, "may be scales"),
        ({"l.weight_scale_inv": ("F32", [1], floats(1.0))}, "which is its scale"),
        ({"l.weight_scale": ("F32", [3], floats(1.0, 1.0, 1.0))}, "cannot be the scale"),
        ({"l.weight_scale": ("I32", [1], floats(1.0))}, "of type I32"),
        ({"l.weight_scale": ("U8", [1], b"\x7f")}, "no exponents of blocks"),
    ],
)
def test_what_may_be_a_scale_and_is_not_known_is_refused(more: Tensors, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=why):
        convert_to(tmp_path, "fnuz", {**SCALED, **more})
    assert sorted(os.listdir(tmp_path)) == ["model.safetensors"]


def test_weights_that_share_a_module(tmp_path: Path) -> None:
    """Fused experts: each has a scale of its own name, and the other's is no stranger."""
    tensors: Tensors = {
        "experts.up": ("F8_E4M3", [2, 16, 8], ALL),
        "experts.up_scale": ("F32", [2, 16, 1], floats(*range(32))),
        "experts.down": ("F8_E4M3", [2, 8, 16], ALL),
        "experts.down_scale": ("F32", [2, 1, 1], floats(1.0, 3.0)),
    }
    convert_to(tmp_path, "fnuz", tensors)
    assert read_tensors(tmp_path / "out.safetensors")["experts.down_scale"][2] == floats(2.0, 6.0)
    with pytest.raises(UsageError, match="may be scales"):
        convert_to(tmp_path, "fnuz", {**tensors, "experts.scale": ("F32", [1], floats(1.0))})


def test_bounds_and_scales_of_the_cache_stay(tmp_path: Path) -> None:
    more: Tensors = {
        "l.input_scale_ub": ("F32", [1], floats(1200.0)),
        "layers.0.self_attn.k_scale": ("F32", [1], floats(0.1)),
    }
    done = convert_to(tmp_path, "fnuz", {**SCALED, **more})
    made = read_tensors(tmp_path / "out.safetensors")
    assert {name: made[name] for name in more} == more
    assert any("doubles them itself" in it for it in done.plan.warnings)


def test_what_needs_no_conversion_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="use it as it is"):
        convert_to(tmp_path, "ocp")
    with pytest.raises(UsageError, match="use it as it is"):
        convert_to(tmp_path, "fnuz", {"w": ("BF16", [2], b"1234")})


def test_shards_with_their_index(tmp_path: Path) -> None:
    """A scale may lie in another shard than its tensor; the index and the configuration come along."""
    source = tmp_path / "model"
    one = {"l.weight": SCALED["l.weight"], "n": ("F32", [1], floats(1.0))}
    two = {name: it for name, it in SCALED.items() if name != "l.weight"}
    write_checkpoint(source / "model-00001-of-00003.safetensors", one)
    write_checkpoint(source / "model-00002-of-00003.safetensors", two)
    write_checkpoint(source / "model-00003-of-00003.safetensors", {"e": ("BF16", [1], b"12")})
    places = {
        **dict.fromkeys(one, "model-00001-of-00003.safetensors"),
        **dict.fromkeys(two, "model-00002-of-00003.safetensors"),
        "e": "model-00003-of-00003.safetensors",
    }
    index = source / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 300}, "weight_map": places}))
    (source / "config.json").write_text("{}")
    (source / "pytorch_model.bin").write_bytes(b"pickle")
    (source / "original").mkdir()
    done = convert(Request(source, tmp_path / "out", "fnuz"))
    assert done.plan.left_out == ("original", "pytorch_model.bin")
    out = tmp_path / "out"
    assert sorted(it.name for it in out.iterdir()) == sorted([*set(places.values()), index.name, "config.json"])
    assert (out / index.name).read_bytes() == index.read_bytes()
    made = {name: it for file in out.glob("*.safetensors") for name, it in read_tensors(file).items()}
    assert made["l.weight_scale"][2] == floats(0.5)
    assert made["l.weight"][0] == "F8_E4M3FNUZ"
    third = "model-00003-of-00003.safetensors"
    assert (out / third).read_bytes() == (source / third).read_bytes()
    (source / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(UsageError, match="not where the index says"):
        convert(Request(source, tmp_path / "again", "fnuz"))


def test_torch_reads_the_result(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file

    convert_to(tmp_path, "fnuz")
    before, after = load_file(tmp_path / "model.safetensors"), load_file(tmp_path / "out.safetensors")
    assert after["l.weight"].dtype == torch.float8_e4m3fnuz
    values = [it["l.weight"].to(torch.float64) * it["l.weight_scale"].to(torch.float64) for it in (before, after)]
    assert torch.equal(values[0].nan_to_num(1234.5), values[1].nan_to_num(1234.5))


# --- files that are not what they say --------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "cut short"),
        (b"\xff" * 16, "cut short"),
        (b"\x02\0\0\0\0\0\0\0[]", "damaged"),
        (b"\x02\0\0\0\0\0\0\0{}more", "longer than its header"),
        (b"\x10\0\0\0\0\0\0\0" + b'{"a":1,"a":2}   ', "twice"),
        (b"\x04\0\0\0\0\0\0\0\xff\xfe{}", "damaged"),
    ],
)
def test_files_that_are_no_checkpoints(data: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(UsageError, match=why):
        read_header(tmp_path / "model.safetensors")


@pytest.mark.parametrize("change", ["overlap", "gap", "shape", "short", "negative"])
def test_places_that_cannot_be(change: str, tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "model.safetensors", SCALED)
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    if change == "overlap":
        header["l.weight_scale"]["data_offsets"] = [252, 256]
    elif change == "gap":
        header["l.weight"]["data_offsets"] = [1, 257]
    elif change == "shape":
        header["l.weight"]["shape"] = [16, 17]
    elif change == "negative":
        header["l.weight"]["shape"] = [-16, -16]
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length : -1 if change == "short" else None])
    with pytest.raises(UsageError, match="damaged"):
        read_header(file)
