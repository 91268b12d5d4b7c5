"""Converted chunks of LMCache: names, headers, numbers, and what is refused."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from bridge_parts import ALL, chunk_bytes, chunk_name, floats, write_checkpoint

from rewarp.bridge.chunk_files import is_chunk_name, read_chunk
from rewarp.bridge.convert import Converted, Request, convert
from rewarp.bridge.formats import Counts, encoding_of, recoding
from rewarp.errors import UsageError

FN, FNUZ = encoding_of("e4m3fn"), encoding_of("e4m3fnuz")
SHAPE = (2, 3, 4, 32)
DATA = ALL * 3
BY_VALUE, BITS = recoding(FN, FNUZ), recoding(FN, FNUZ, 2.0)


def convert_to(tmp_path: Path, to: str = "fnuz", source: str = "store", **asked: object) -> Converted:
    asked = {"given": FN, "unit_scale": True, **asked}
    return convert(Request(tmp_path / source, tmp_path / "other", to, **asked))  # type: ignore[arg-type]


def store(tmp_path: Path, name: str | None = None, data: bytes | None = None) -> Path:
    (tmp_path / "store").mkdir(exist_ok=True)
    file = tmp_path / "store" / (name or chunk_name())
    file.write_bytes(chunk_bytes(DATA, SHAPE) if data is None else data)
    return file


def test_with_scale_one_by_value(tmp_path: Path) -> None:
    file = store(tmp_path)
    done = convert_to(tmp_path)
    made = (tmp_path / "other" / chunk_name()).read_bytes()
    assert made[:28] == file.read_bytes()[:28]
    assert made[28:] == BY_VALUE.apply(DATA)
    assert done.counts == Counts(768, changed=765, saturated=42, nan=6)
    assert [(rule.ratio, rule.scales, rule.count) for rule in done.plan.rules] == [(1.0, "1.0", 3)]


@pytest.mark.parametrize(
    ("names", "scaled"),
    [
        (["model.layers.{}.self_attn.k_scale", "model.layers.{}.self_attn.v_scale"], True),
        (["model.layers.{}.self_attn.k_proj.k_scale"], True),
        (["model.layers.{}.self_attn.kv_scale"], True),
        (["model.layers.{}.self_attn.q_scale"], False),
        ([], False),
    ],
)
def test_with_the_checkpoints_scales_bits_stay(names: list[str], scaled: bool, tmp_path: Path) -> None:
    """The reader doubles the scales that a checkpoint has; it uses 1.0 where there is none."""
    store(tmp_path)
    tensors = {f"model.layers.{layer}.mlp.weight": ("BF16", [1], b"12") for layer in range(3)}
    tensors |= {name.format(layer): ("F32", [1], floats(0.3)) for name in names for layer in range(3)}
    write_checkpoint(tmp_path / "model.safetensors", tensors)
    convert_to(tmp_path, unit_scale=False, scales=tmp_path / "model.safetensors")
    made = (tmp_path / "other" / chunk_name()).read_bytes()
    assert made[28:] == (BITS if scaled else BY_VALUE).apply(DATA)


def test_layers_with_and_without_scales(tmp_path: Path) -> None:
    store(tmp_path)
    store(tmp_path, chunk_name(layer=1), chunk_bytes(ALL, (4, 2, 32), layout=2))
    tensors = {f"layers.{layer}.w": ("BF16", [1], b"12") for layer in range(3)}
    tensors["layers.1.attn.k_scale"] = ("F32", [1], floats(0.3))
    write_checkpoint(tmp_path / "model.safetensors", tensors)
    done = convert_to(tmp_path, unit_scale=False, scales=tmp_path)
    made = (tmp_path / "other" / chunk_name()).read_bytes()[28:]
    for at in range(6):  # K of three layers, then V
        part = slice(at * 128, at * 128 + 128)
        assert made[part] == (BITS if at % 3 == 1 else BY_VALUE).apply(DATA[part])
    assert (tmp_path / "other" / chunk_name(layer=1)).read_bytes()[28:] == BITS.apply(ALL)
    assert {(rule.ratio, rule.count) for rule in done.plan.rules} == {(2.0, 3), (1.0, 4)}


def test_layers_that_cannot_be_told_are_refused(tmp_path: Path) -> None:
    store(tmp_path)
    tensors = {f"layers.{layer}.w": ("BF16", [1], b"12") for layer in range(4)}
    tensors["layers.1.attn.k_scale"] = ("F32", [1], floats(0.3))
    write_checkpoint(tmp_path / "model.safetensors", tensors)
    with pytest.raises(UsageError, match="cannot be told"):
        convert_to(tmp_path, unit_scale=False, scales=tmp_path)
    tensors["layers.1.attn.k_scale"] = ("F32", [2], floats(0.3, 0.4))
    write_checkpoint(tmp_path / "model.safetensors", tensors)
    with pytest.raises(UsageError, match="only one for each layer"):
        convert_to(tmp_path, unit_scale=False, scales=tmp_path)


def test_there_and_back(tmp_path: Path) -> None:
    store(
        tmp_path, data=chunk_bytes(bytes(code for code in DATA if code not in BY_VALUE.saturated)[:512], (2, 2, 4, 32))
    )
    convert_to(tmp_path)
    convert(Request(tmp_path / "other", tmp_path / "again", "ocp", given=FNUZ, unit_scale=True))
    before, after = ((tmp_path / it / chunk_name()).read_bytes()[28:] for it in ("store", "again"))
    assert [(one, other) for one, other in zip(before, after) if one != other] == [
        pair for pair in zip(before, after) if pair in ((0x80, 0), (0xFF, 0x7F))
    ]


def test_gaudis_key_and_encoding(tmp_path: Path) -> None:
    """The same bytes under another key, and MI300X's bytes under the key that it looks for."""
    store(tmp_path)
    done = convert_to(tmp_path, "ocp", key_dtype="fp8_e4m3fn")
    name = chunk_name("fp8_e4m3fn")
    made = (tmp_path / "other" / name).read_bytes()
    assert made == chunk_bytes(DATA, SHAPE, dtype=7)
    assert done.counts == Counts(768, nan=6)
    assert any("INC" in it for it in done.plan.warnings)
    convert(Request(tmp_path / "other", tmp_path / "amd", "fnuz", unit_scale=True))
    assert (tmp_path / "amd" / chunk_name()).read_bytes() == chunk_bytes(BY_VALUE.apply(DATA), SHAPE)


def test_tags_and_layers_stay_in_the_key(tmp_path: Path) -> None:
    name = chunk_name("fp8_e4m3fn", layer=2, tag="@user%a b")
    store(tmp_path, name, chunk_bytes(ALL, (4, 2, 32), dtype=7, layout=2))
    convert_to(tmp_path)
    assert os.listdir(tmp_path / "other") == [chunk_name("uint8", layer=2, tag="@user%a b")]


def test_several_groups_of_layers(tmp_path: Path) -> None:
    head = struct.pack("=12i", 256 + 128, 1, 6, 2, 1, 4, 32, 6, 2, 1, 2, 32)
    store(tmp_path, data=head + ALL + ALL[:128])
    convert_to(tmp_path)
    assert (tmp_path / "other" / chunk_name()).read_bytes() == head + BY_VALUE.apply(ALL + ALL[:128])


def test_files_without_a_header_need_a_shape(tmp_path: Path) -> None:
    store(tmp_path, chunk_name(None), DATA)
    with pytest.raises(UsageError, match="--shape"):
        convert_to(tmp_path)
    convert_to(tmp_path, shape=SHAPE)
    assert (tmp_path / "other" / chunk_name(None)).read_bytes() == BY_VALUE.apply(DATA)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        (chunk_name(), chunk_bytes(DATA, SHAPE)[:-1], "cut short"),
        (chunk_name(), chunk_bytes(DATA, (2, 3, 4, 33)), "damaged"),
        (chunk_name(), chunk_bytes(DATA, SHAPE, dtype=9), "damaged"),
        (chunk_name(), chunk_bytes(DATA, SHAPE, dtype=7), "key says uint8"),
        (chunk_name(), chunk_bytes(DATA, (768,), layout=5), "compressed"),
        (chunk_name(None), b"LMCKV\x01\x00\x01" + DATA, "compressed"),
        (chunk_name(None), b"\x01" + bytes(12) + DATA + bytes(16), "encrypted"),
        (chunk_name(None), DATA * 2, "16 bits"),
        (chunk_name(None), DATA[:700], "compressed, or partial"),
    ],
)
def test_what_is_no_row_of_codes_is_refused(name: str, data: bytes, why: str, tmp_path: Path) -> None:
    store(tmp_path)
    store(tmp_path, name, data)
    shape = SHAPE if name == chunk_name(None) else None
    with pytest.raises(UsageError, match=why):
        convert_to(tmp_path, shape=shape)
    assert not (tmp_path / "other").exists()


def test_other_numbers_and_files_are_left_out(tmp_path: Path) -> None:
    store(tmp_path)
    store(tmp_path, chunk_name("bfloat16"), b"whatever it holds")
    store(tmp_path, chunk_name().replace(".data", ".tmp"), b"being written")
    done = convert_to(tmp_path)
    assert done.plan.left_out == tuple(sorted([chunk_name("bfloat16"), chunk_name().replace(".data", ".tmp")]))
    assert os.listdir(tmp_path / "other") == [chunk_name()]


def test_numbers_of_16_bits_need_no_conversion(tmp_path: Path) -> None:
    file = store(tmp_path, chunk_name("bfloat16"), chunk_bytes(DATA * 2, SHAPE, dtype=3))
    with pytest.raises(UsageError, match="same on all platforms"):
        convert_to(tmp_path, source=f"store/{file.name}")
    with pytest.raises(UsageError, match="no chunk of LMCache with 8-bit floats"):
        convert_to(tmp_path)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"unit_scale": False}, "hold no scales"),
        ({"scales": Path("x")}, "hold no scales"),
        ({"given": None}, "give --from"),
        ({"keep_scales": True}, "for checkpoints"),
        ({"to": "ocp"}, "in the same way, under the same key"),
        ({"key_dtype": "fp8_e5m2"}, "holds no e4m3fnuz"),
    ],
)
def test_what_must_be_said(asked: dict[str, object], why: str, tmp_path: Path) -> None:
    store(tmp_path)
    with pytest.raises(UsageError, match=why):
        convert_to(tmp_path, **{"to": "fnuz", **asked})  # type: ignore[arg-type]


def test_never_over_the_same_keys(tmp_path: Path) -> None:
    file = store(tmp_path)
    for source, target in [
        (file.parent, file.parent),
        (file.parent, file.parent / "deeper"),
        (file.parent, tmp_path),
        (file.parent, file),
        (file, file.parent),
        (file, file),
    ]:
        with pytest.raises(UsageError, match="another place"):
            convert(Request(source, target, "fnuz", given=FN, unit_scale=True))
    os.symlink(tmp_path / "store", tmp_path / "linked")
    with pytest.raises(UsageError, match="another place"):
        convert(Request(tmp_path / "store", tmp_path / "linked", "fnuz", given=FN, unit_scale=True))
    assert file.read_bytes() == chunk_bytes(DATA, SHAPE)


def test_keys_of_the_other_store_are_not_touched(tmp_path: Path) -> None:
    store(tmp_path)
    second = chunk_name(hash_="-1f")
    store(tmp_path, second)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / second).write_bytes(b"theirs")
    with pytest.raises(UsageError, match="1 of the keys are there already"):
        convert_to(tmp_path)
    assert os.listdir(tmp_path / "other") == [second]
    assert (tmp_path / "other" / second).read_bytes() == b"theirs"
    (tmp_path / "other" / second).rename(tmp_path / "other" / chunk_name(hash_="5"))
    convert_to(tmp_path)
    assert sorted(os.listdir(tmp_path / "other")) == sorted([chunk_name(), second, chunk_name(hash_="5")])


def test_names() -> None:
    assert is_chunk_name(chunk_name())
    assert is_chunk_name(chunk_name(None))
    assert not is_chunk_name("config.data")
    with pytest.raises(UsageError, match="not a name"):
        read_chunk(Path("x.data"))
