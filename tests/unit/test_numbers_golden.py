"""Golden files and their comparison without torch: written, read, damaged, shown."""

from __future__ import annotations

import io
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from rewarp import cli
from rewarp.errors import UsageError
from rewarp.report import numbers as views
from rewarp.verify import numbers
from rewarp.verify.checks import Outcome
from rewarp.verify.numbers import golden
from rewarp.verify.numbers.formats import FORMATS
from rewarp.verify.numbers.recording import Call, Pool, Recording, thinned
from rewarp.verify.numbers.tensors import Stored, from_array

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "numbers-1.json").read_text(encoding="utf-8"))
SWITCHES = {"cuda.matmul.allow_tf32": False, "cudnn.allow_tf32": True, "float32_matmul_precision": "highest"}


def keep(pool: Pool, prefix: str, arrays: dict[str, Any]) -> dict[str, str]:
    return {path: pool.add(f"{prefix}.{path}" if path else prefix, from_array(it)) for path, it in arrays.items()}


def recording(change: dict[str, float] | None = None, device: str = "cpu", depth: int | None = None) -> Recording:
    """A model of three layers, each doubling what it gets; ``change`` is added to what goes in or comes out."""
    change = change or {}
    pool = Pool()
    x = np.arange(1, 201, dtype=np.float32).reshape(10, 20)
    inputs = keep(pool, "inputs", {"0": x})
    calls = []
    for number, name in enumerate(("first", "block.inner", "last"), 1):
        x = (x + np.float32(change.get(f"{name} in", 0.0))).astype(np.float32)
        taken = keep(pool, f"{name}/in", {"0": x})
        x = (2 * x + np.float32(change.get(name, 0.0))).astype(np.float32)
        parent = "block" if name == "block.inner" else "(model)"
        calls.append(Call(name, "Linear", 0, parent, number, taken, keep(pool, f"{name}/out", {"": x}), [], ["cpu"]))
        if name == "block.inner":
            given = dict(calls[0].outputs)
            calls.append(Call("block", "Block", 0, "(model)", number, {"0": given[""]}, dict(calls[-1].outputs)))
    best = keep(pool, "(model)/out", {"best": x.argmax(1)})
    calls.append(Call("(model)", "Model", 0, None, 3, dict(inputs), {"y": calls[-1].outputs[""], **best}))
    setting = {
        "device": device,
        "device_name": None,
        "platform": {},
        "versions": {"torch": "2"},
        "switches": SWITCHES,
        "revision": None,
        "time": "2026-01-01T00:00:00Z",
    }
    options = {"target": "x.py:make", "seed": 0, "dtype": None, "depth": depth}
    return Recording(setting, options, calls, inputs, {}, "none", pool.tensors)


def written(tmp_path: Path, made: Recording, name: str = "golden.safetensors") -> Path:
    file = tmp_path / name
    assert golden.write(made, file) == file.stat().st_size
    return file


def test_round_trip(tmp_path: Path) -> None:
    made = recording()
    back = golden.read(written(tmp_path, made))
    assert back.manifest() == made.manifest()
    for key, stored in made.tensors.items():
        assert back.tensors[key].raw.tobytes() == stored.raw.tobytes()
        assert (back.tensors[key].form, back.tensors[key].shape) == (stored.form, stored.shape)
    assert os.listdir(tmp_path) == ["golden.safetensors"], "nothing else is left behind"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 2)])
def test_every_dtype_round_trips(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    form = FORMATS[name]
    raw = np.arange(int(np.prod(shape)) * form.size, dtype=np.uint8) % 2
    made = recording()
    made.tensors = {**made.tensors, "extra": Stored(form, shape, raw)}
    back = golden.read(written(tmp_path, made)).tensors["extra"]
    assert (back.form, back.shape, back.raw.tobytes()) == (form, shape, raw.tobytes())


def test_other_readers_open_it(tmp_path: Path) -> None:
    import safetensors as library

    made = recording()
    made.tensors = {**made.tensors, "c": from_array(np.ones(3, dtype=np.complex64))}
    with library.safe_open(written(tmp_path, made), framework="np") as opened:
        assert set(opened.keys()) == set(made.tensors)
        assert opened.get_tensor("first/out").tolist()[0][:3] == [2.0, 4.0, 6.0]
        assert opened.get_tensor("c").shape == (3, 2)
        assert opened.metadata()["format"] == "rewarp.golden"


def test_same_content_is_kept_once() -> None:
    keys = set(recording().tensors)
    assert "block.inner/in.0" not in keys, "it is what first returned"
    assert "first/out" in keys


# --- bad files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [0, 3, 9, 200, -1, -40])
def test_cut_short(tmp_path: Path, keep: int) -> None:
    file = written(tmp_path, recording())
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(UsageError, match=r"cut short|damaged"):
        golden.read(file)


def test_one_flipped_bit_is_seen(tmp_path: Path) -> None:
    file = written(tmp_path, recording())
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    file.write_bytes(data)
    with pytest.raises(UsageError, match="does not hold what was written"):
        numbers.compare(file, recording())


def header_changed(file: Path, change: Any) -> None:
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    manifest = json.loads(header["__metadata__"]["manifest"])
    change(header, manifest)
    if "__metadata__" in header:
        header["__metadata__"]["manifest"] = json.dumps(manifest)
    head = json.dumps(header).encode()
    file.write_bytes(len(head).to_bytes(8, "little") + head + data[8 + length :])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h, m: h["__metadata__"].update(version="2"), "version 2"),
        (lambda h, m: h["__metadata__"].update(format="pt"), "not one that rewarp recorded"),
        (lambda h, m: h.pop("__metadata__"), "not one that rewarp recorded"),
        (lambda h, m: h.pop("first/out"), "damaged"),
        (lambda h, m: m["tensors"].pop("first/out"), "first/out is not in it"),
        (lambda h, m: m.pop("calls"), "damaged"),
        (lambda h, m: m.update(calls=[]), "no call"),
        (lambda h, m: m["calls"][0].pop("module"), "damaged"),
        (lambda h, m: m["calls"][0].update(inputs=[1]), "damaged"),
        (lambda h, m: m["calls"][0].update(strange=1), "damaged"),
        (lambda h, m: m["setting"].pop("switches"), "no switches"),
        (lambda h, m: m["options"].pop("seed"), "no seed"),
        (lambda h, m: m["options"].update(seed="7"), "seed is '7'"),
        (lambda h, m: m["options"].update(dtype="system"), "dtype system"),
        (lambda h, m: m["setting"].update(switches=None), "switches is None"),
        (lambda h, m: m["tensors"]["first/out"].update(shape=[3]), "length of its shape"),
        (lambda h, m: m["tensors"]["first/out"].update(stride=0), "length of its shape"),
        (lambda h, m: m["tensors"]["first/out"].update(dtype="float7"), "damaged"),
        (lambda h, m: h["first/out"].update(data_offsets=[10**9, 10**9 + 800]), "cut short"),
        (lambda h, m: h["first/out"].update(data_offsets=[-800, 0]), "damaged"),
    ],
)
def test_bad_manifest(tmp_path: Path, change: Any, words: str) -> None:
    file = written(tmp_path, recording())
    header_changed(file, change)
    with pytest.raises(UsageError, match=words):
        golden.read(file)


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 8, b"\xff" * 100, b"\x02" + b"\0" * 7 + b"[]", b"\x02" + b"\0" * 7 + b"{}x"]
)
def test_not_a_golden_file(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.safetensors"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=r"x\.safetensors"):
        golden.read(file)


@given(st.data())
@settings(max_examples=80)
def test_any_damage_is_an_error_or_harmless(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    file = written(tmp_path_factory.mktemp("g"), recording())
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content[: data.draw(st.integers(len(content) - 50, len(content)))])
    try:
        evidence = numbers.compare(file, recording())
    except UsageError:
        return
    views.document(evidence)


def test_a_folder_or_nothing_there(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError, match="cannot read"):
            golden.read(place)
    with pytest.raises(UsageError, match="cannot write"):
        golden.write(recording(), tmp_path / "none" / "g.safetensors")


# --- less space --------------------------------------------------------------------------------------


def test_thinned_keeps_what_a_replay_needs() -> None:
    made = recording({"last in": 1.0})
    whole = sum(stored.raw.size for stored in made.tensors.values())
    assert thinned(made, whole) is made
    assert not made.notes
    small = thinned(recording({"last in": 1.0}), 2400)
    assert sum(stored.raw.size for stored in small.tensors.values()) <= 2400
    assert small.tensors["inputs.0"].stride == 1
    assert small.tensors[small.calls[-1].outputs["y"]].stride == 1
    assert small.tensors["first/out"].stride > 1
    assert "every" in small.notes[0]
    assert any("left out" in text for call in small.calls for text in call.skipped)
    assert numbers.compare(small, recording({"last in": 1.0})).outcome is Outcome.PASSED
    for least in (0, 1700):
        with pytest.raises(UsageError, match=r"alone are|fits into"):
            thinned(recording(), least)


# --- two recordings ---------------------------------------------------------------------------------


def test_same() -> None:
    evidence = numbers.compare(recording(), recording())
    assert evidence.outcome is Outcome.PASSED
    assert evidence.details["divergence"] is None
    assert evidence.details["top1"] == {"y": 1.0}
    assert len(evidence.checks) == 5


@pytest.mark.parametrize(
    ("change", "module", "how", "inherited"),
    [
        ({"first": 5.0}, "first", "own", 4),
        ({"block.inner": 5.0}, "block.inner", "own", 3),
        ({"last": 5.0}, "last", "own", 1),
        ({"last in": 5.0}, "(model)", "own", 1),
        ({"block.inner in": 5.0}, "block", "own", 3),
        ({"first": float("nan")}, "first", "own", 4),
    ],
)
def test_culprit_is_told_from_heirs(change: dict[str, float], module: str, how: str, inherited: int) -> None:
    evidence = numbers.compare(recording(), recording(change))
    found = evidence.details["divergence"]
    assert evidence.outcome is Outcome.FAILED
    assert (found["module"], found["how"], found["inherited"]) == (module, how, inherited)


def test_without_inputs_the_culprit_is_not_known() -> None:
    made = recording()
    for call in made.calls:
        call.inputs = {}
    assert numbers.compare(made, recording({"first": 5.0})).details["divergence"]["how"] == "unknown"


def test_another_path_is_a_difference() -> None:
    for one, other, words in ((0, 1, "here it is not"), (1, 0, "not in the golden")):
        pair = [recording(), recording()]
        del pair[1].calls[1]
        evidence = numbers.compare(pair[one], pair[other])
        assert evidence.outcome is Outcome.FAILED
        assert words in evidence.details["divergence"]["why"]
        assert evidence.details["divergence"]["module"] == "block.inner"


def test_outputs_that_are_only_in_one() -> None:
    fewer = recording()
    del fewer.calls[-1].outputs["best"]
    gone = numbers.compare(recording(), fewer)
    assert gone.outcome is Outcome.FAILED
    assert "missing here" in gone.details["divergence"]["why"]
    assert numbers.compare(fewer, recording()).outcome is Outcome.NOT_CHECKED, "nothing vouches for the new one"


def test_depths_that_differ_are_compared_where_both_are() -> None:
    shallow = recording(depth=1)
    shallow.calls = [call for call in shallow.calls if call.module != "block.inner"]
    for pair in ((shallow, recording()), (recording(), shallow)):
        evidence = numbers.compare(*pair)
        assert evidence.outcome is Outcome.PASSED
        assert len(evidence.checks) == 4


def test_tf32_widens_only_where_it_was_on() -> None:
    change = {"last": 0.9}
    assert numbers.compare(recording(), recording(change)).outcome is Outcome.FAILED
    assert numbers.compare(recording(), recording(change, device="cuda")).outcome is Outcome.FAILED
    fast = recording(change, device="cuda")
    fast.setting["switches"] = {**SWITCHES, "cuda.matmul.allow_tf32": True}
    assert numbers.compare(recording(), fast).outcome is Outcome.PASSED


def test_tolerance_is_obeyed() -> None:
    change = {"last": 0.9}
    wide = numbers.compare(recording(), recording(change), tolerances=["float32=1,0"])
    assert wide.outcome is Outcome.PASSED
    assert wide.details["tolerances"]["float32"] == [1.0, 0.0]


# --- views --------------------------------------------------------------------------------------------


def evidences() -> list[Any]:
    from rewarp.verify.numbers.evidence import not_run

    cases: list[dict[str, float]] = [{}, {"first": 5.0}, {"last": float("nan")}, {"last": float("inf")}]
    return [*(numbers.compare(recording(), recording(case)) for case in cases), not_run("no device cuda here", 0.0)]


def test_json_fits_its_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for evidence in evidences():
        jsonschema.validate(json.loads(json.dumps(views.document(evidence), allow_nan=False)), SCHEMA)


@pytest.mark.parametrize("width", [40, 120])
def test_terminal(width: int) -> None:
    texts = []
    for evidence in evidences():
        stream = io.StringIO()
        views.show(evidence, Console(file=stream, width=width))
        texts.append(" ".join(stream.getvalue().split()))
    assert texts[0].startswith("within tolerance")
    assert "first diverging module: first (Linear)" in texts[1]
    assert "NaN or Inf: 200 only here" in texts[2]
    assert "no device cuda here" in texts[4]


def test_page_holds_its_data() -> None:
    for evidence in evidences():
        text = views.html(evidence)
        assert "__REWARP" not in text
        assert "<script src" not in text


# --- the command ----------------------------------------------------------------------------------------


def test_compare_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = written(tmp_path, recording()), written(tmp_path, recording({"last": 5.0}), "bad.safetensors")
    assert cli.main(["verify", "compare", str(good), str(good)]) == 0
    assert "within tolerance" in capsys.readouterr().out
    page, data = tmp_path / "p.html", tmp_path / "d.json"
    assert cli.main(["verify", "compare", str(good), str(bad), "--html", str(page), "--json", str(data)]) == 1
    assert "first diverging module: last" in capsys.readouterr().out
    jsonschema.validate(json.loads(data.read_text()), SCHEMA)
    assert page.read_text().startswith("<!doctype html>")
    assert cli.main(["verify", "compare", str(good), str(bad), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["divergence"]["module"] == "last"


@pytest.mark.parametrize(
    "options",
    [
        ["none.safetensors"],
        ["golden.safetensors", "golden.safetensors", "--device", "cpu"],
        ["golden.safetensors", "golden.safetensors", "--tolerance", "x"],
        ["golden.safetensors", "--json", "golden.safetensors"],
        ["golden.safetensors", "golden.safetensors", "--html", "golden.safetensors"],
        ["golden.safetensors", "golden.safetensors", "--json", "no/such/folder.json"],
    ],
)
def test_bad_requests(
    tmp_path: Path, options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = written(tmp_path, recording()).read_bytes()
    monkeypatch.chdir(tmp_path)
    assert cli.main(["verify", "compare", *options]) == 2
    assert "rewarp: error:" in capsys.readouterr().err
    assert (tmp_path / "golden.safetensors").read_bytes() == before
