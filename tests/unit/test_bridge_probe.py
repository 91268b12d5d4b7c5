"""The canary: whatever becomes of it is named. Bytes alone first, then through real LMCache between processes."""

from __future__ import annotations

import json
import math
import random
import struct
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from bridge_parts import chunk_name
from jsonschema import Draft202012Validator

from bridge import lmcache_runs
from rewarp.bridge.convert import Request, convert
from rewarp.bridge.formats import ENCODINGS, encoding_of
from rewarp.bridge.probe import Asked, _halves, decoder
from rewarp.bridge.probe_pattern import HEADS, LAYERS, ROW, WIDTH, Compared, Pattern, compare
from rewarp.cli import main
from rewarp.errors import UsageError

FN, FNUZ = ENCODINGS["e4m3fn"].values, ENCODINGS["e4m3fnuz"].values
TOKENS = 16
ROWS = 2 * LAYERS * TOKENS
SOURCE = Path(__file__).parents[2] / "src"


def seen(got: bytes, pattern: Pattern, mine: Sequence[float] = FN, theirs: Sequence[float] = FN) -> Compared:
    return compare(pattern, got, mine, theirs)


def kinds(found: Compared) -> list[str]:
    return [finding.kind for finding in found.findings]


@pytest.mark.parametrize("width", [1, 2])
def test_the_pattern_has_everything(width: int) -> None:
    pattern = Pattern(TOKENS, width)
    rows = pattern.rows()
    assert len(set(rows)) == len(rows) == ROWS
    assert not set(rows) & set(Pattern(TOKENS, width, 1).rows())
    if width == 1:
        assert set(pattern.data()) == set(range(256))
    else:
        words = set(struct.unpack(f"<{ROWS * ROW}H", pattern.data()))
        for name in ("bfloat16", "float16"):
            values = [_halves(name)[word] for word in words]
            assert any(it == 0 and math.copysign(1, it) < 0 for it in values)
            assert any(map(math.isnan, values))
            assert any(map(math.isinf, values)) or name == "bfloat16"
            assert max(it for it in values if math.isfinite(it)) > 3e4


def test_the_halves_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    for name in ("bfloat16", "float16"):
        codes = torch.arange(1 << 16, dtype=torch.int32).to(torch.uint16).view(getattr(torch, name))
        pairs = zip(_halves(name), codes.double().tolist())
        assert all(one == other or (one != one and other != other) for one, other in pairs)


def test_what_arrives_is_right() -> None:
    for width, values in ((1, FN), (2, _halves("bfloat16"))):
        pattern = Pattern(TOKENS, width)
        found = seen(pattern.data(), pattern, values, values)
        assert (found.findings, found.right, found.factor, found.nan) == ((), ROWS * ROW, 1.0, 0)


def test_another_flavour_is_named() -> None:
    pattern = Pattern(TOKENS, 1)
    halved = seen(pattern.data(), pattern, FNUZ, FN)
    assert kinds(halved) == ["flavour"]
    assert halved.factor == 0.5
    assert halved.nan == pattern.data().count(0x80)
    doubled = seen(pattern.data(), pattern, FN, FNUZ)
    assert (kinds(doubled), doubled.factor) == (["flavour"], 2.0)
    gaudi2 = seen(pattern.data(), pattern, ENCODINGS["e4m3-gaudi2"].values, FN)
    assert (kinds(gaudi2), gaudi2.factor) == (["flavour"], 1.0)


def relaid(pattern: Pattern, order: Callable[[Any], Any], block: int = TOKENS) -> bytes:
    """By numpy's axes, not by the probe's places."""
    import numpy as np

    kind = np.uint8 if pattern.width == 1 else np.uint16
    shape = (2, LAYERS, pattern.tokens // block, block, HEADS, WIDTH)
    return bytes(order(np.frombuffer(pattern.data(), kind).reshape(shape)).tobytes())


def packed(numbers: Any) -> Any:
    """ROCM_ATTN: K [heads, width / x, block, x], V [heads, width, block]."""
    import numpy as np

    _, layers, blocks, block, heads, width = numbers.shape
    x = 16 // numbers.itemsize
    keys = numbers[0].reshape(layers, blocks, block, heads, width // x, x).transpose(0, 1, 3, 4, 2, 5)
    values = numbers[1].transpose(0, 1, 3, 4, 2)
    return np.concatenate([np.ascontiguousarray(it).ravel() for it in (keys, values)])


@pytest.mark.parametrize("width", [1, 2])
def test_other_layouts_are_named(width: int) -> None:
    pattern = Pattern(32, width)
    values = FN if width == 1 else _halves("float16")
    by_head = relaid(pattern, lambda it: it.transpose(0, 1, 2, 4, 3, 5), 16)
    for got, name in ((by_head, "HND) with blocks of 16"), (relaid(pattern, packed, 32), "ROCM_ATTN")):
        found = seen(got, pattern, values, values)
        assert kinds(found) == ["layout"]
        assert name in found.findings[0].message


def test_tokens_in_another_order_are_named() -> None:
    pattern = Pattern(TOKENS, 1)
    rows = pattern.rows()
    rows[3], rows[20] = rows[20], rows[3]
    found = seen(b"".join(rows), pattern)
    assert kinds(found) == ["permutation"]
    assert "2 of 64 rows" in found.findings[0].message
    assert "at K of layer 0, token 3 lies what was at K of layer 1, token 4" in found.findings[0].message
    other = seen(Pattern(TOKENS, 1, 1).data(), pattern)
    assert "another chunk" in other.findings[0].message


@pytest.mark.parametrize("seed", range(5))
def test_flipped_bits_are_counted(seed: int) -> None:
    chosen = random.Random(seed)
    pattern = Pattern(TOKENS, 2)
    data = bytearray(pattern.data())
    places = chosen.sample(range(len(data)), chosen.randint(1, 9))
    for place in places:
        data[place] ^= 1 << chosen.randrange(8)
    values = _halves("bfloat16")
    found = seen(bytes(data), pattern, values, values)
    assert kinds(found) == ["bits"]
    assert found.findings[0].message.startswith(f"{len(places)} bits in {len(places)} of {len(data)} bytes")


def test_other_faults_of_bytes() -> None:
    pattern = Pattern(TOKENS, 2)
    values = _halves("bfloat16")
    data = pattern.data()
    swapped = bytes(byte for at in range(0, len(data), 2) for byte in (data[at + 1], data[at]))
    assert kinds(seen(swapped, pattern, values, values)) == ["bytes"]
    assert kinds(seen(data[:-2], pattern, values, values)) == ["length"]
    assert kinds(seen(data, pattern, _halves("float16"), values)) == ["flavour"]


def test_what_is_assumed_is_said() -> None:
    pytest.importorskip("torch")
    if decoder(Asked("x"))[0].is_assumed:
        pytest.fail("16 bits are the same everywhere")
    with pytest.raises(UsageError, match="did you mean"):
        decoder(Asked("x", "bfloat61"))


# --- the command line ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["write", "fs://x", "--probe", "0" * 12], "write makes a new probe"),
        (["read", "fs://x"], "need --probe"),
        (["write", "fs://x", "--expires", "0"], "--expires"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bridge", "probe", *arguments]) == 2
    assert why in capsys.readouterr().err


def test_without_lmcache_it_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lmcache", None)
    assert main(["bridge", "probe", "write", "fs://x"]) == 2
    assert "install rewarp beside it" in capsys.readouterr().err


# --- real LMCache ----------------------------------------------------------------------------


def run(jobs: Mapping[str, dict[str, Any]], out: Path, seed: str = "0") -> dict[str, dict[str, Any]]:
    """All jobs in one process."""
    environment = {**lmcache_runs.environment(seed), "LMCACHE_CHUNK_SIZE": str(TOKENS)}
    environment["PYTHONPATH"] = f"{SOURCE}:{environment['PYTHONPATH']}"
    driver = Path(lmcache_runs.__file__).with_name("probing.py")
    command = [lmcache_runs.lmcache_python(), str(driver), str(out)]
    given = "".join(f"{json.dumps(job)}\n" for job in jobs.values())
    done = subprocess.run(command, input=given, text=True, capture_output=True, env=environment, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(zip(jobs, map(json.loads, out.read_text().splitlines()), strict=True))


FP8 = ("--kv-cache-dtype", "fp8", "--accelerator")
WRITTEN = {
    "same": (*FP8, "h100"),
    "flavour": (*FP8, "h100"),
    "seed": (*FP8, "h100"),
    "bits": (*FP8, "h100"),
    "cut": (*FP8, "h100"),
    "order": (*FP8, "h100"),
    "packed": ("--kv-cache-dtype", "bfloat16"),
    "type in the header": ("--kv-cache-dtype", "bfloat16"),
    "type in the key": ("--kv-cache-dtype", "bfloat16"),
    "workers": ("--kv-cache-dtype", "bfloat16"),
    "model": ("--kv-cache-dtype", "bfloat16", "--model", "org/m"),
    "gone": ("--kv-cache-dtype", "bfloat16"),
    "plain": ("--kv-cache-dtype", "bfloat16"),
    "note": ("--kv-cache-dtype", "bfloat16"),
    "converted": (*FP8, "h100"),
    "redis": ("--kv-cache-dtype", "bfloat16", "--expires", "5"),
    "lm": (*FP8, "mi300x"),
}
READ = {
    **WRITTEN,
    "flavour": (*FP8, "mi300x"),
    "type in the key": ("--kv-cache-dtype", "float16"),
    "workers": ("--kv-cache-dtype", "bfloat16", "--world-size", "2"),
    "model": ("--kv-cache-dtype", "bfloat16", "--model", "/models/m"),
    "redis": ("--kv-cache-dtype", "bfloat16"),
    "lm": (*FP8, "h100"),
}


class Probes:
    """All probes that are written, then harmed, then read."""

    def __init__(self, folder: Path, addresses: Mapping[str, str]) -> None:
        self.folder = folder
        self.urls = {name: addresses.get(name, f"fs://host:0{folder}/{name}") for name in WRITTEN}
        jobs = {name: {"probe": ["write", self.urls[name], *more]} for name, more in WRITTEN.items()}
        self.written = run(jobs, folder / "written.jsonl")
        self.tokens = {name: one["seen"]["probe"] for name, one in self.written.items()}

    def chunks(self, name: str) -> list[Path]:
        keys = self.written[name]["seen"]["keys"]
        return [self.folder / name / f"{key.replace('/', '-SEP-')}.data" for key in keys]

    def harm(self) -> None:
        """What happens in the field, done to files."""
        _rewrite(self.chunks("bits")[0], lambda data: data[:500] + bytes([data[500] ^ 4]) + data[501:])
        _rewrite(self.chunks("cut")[1], lambda data: data[:-100])
        rows = Pattern(TOKENS, 1).rows()
        _rewrite(self.chunks("order")[0], lambda data: data[:28] + b"".join([*rows[1:], rows[0]]))
        _rewrite(self.chunks("packed")[0], lambda data: data[:28] + relaid(Pattern(TOKENS, 2), packed))
        _rewrite(self.chunks("type in the header")[0], lambda data: data[:8] + b"\x02" + data[9:])
        self.chunks("gone")[0].unlink()
        (note,) = (self.folder / "note").glob("*@uint8.data")
        _rewrite(note, lambda data: data[:28] + b"[" + data[29:])

    def convert(self) -> None:
        """As a user would: the H100's store becomes one for MI300X."""
        (note,) = (self.folder / "converted").glob(
            "*@uint8.data".replace("*", f"rewarp-probe-{self.tokens['converted']}@*")
        )
        note.rename(self.folder / note.name)
        request = Request(
            self.folder / "converted", self.folder / "amd", "mi300x", given=encoding_of("e4m3fn"), unit_scale=True
        )
        convert(request)

    def read(self) -> dict[str, dict[str, Any]]:
        jobs: dict[str, dict[str, Any]] = {
            name: {"probe": ["read", self.urls[name], "--probe", self.tokens[name], *more]}
            for name, more in READ.items()
            if name not in ("seed", "converted")
        }
        for at, key in enumerate(self.written["converted"]["seen"]["keys"]):
            asked = {"url": f"fs://host:0{self.folder}/amd", "key": key, "written": str(self.chunks("converted")[at])}
            types = {"theirs": "float8_e4m3fn", "mine": "float8_e4m3fnuz", "limit": 240.0}
            jobs[f"values {at}"] = {"values": {**asked, **types}}
        for name in ("same", "redis", "lm"):
            jobs[f"clean {name}"] = {"probe": ["clean", self.urls[name], "--probe", self.tokens[name]]}
        jobs["cleaned"] = jobs["same"]
        return run(jobs, self.folder / "read.jsonl")

    def read_with_another_seed(self) -> dict[str, Any]:
        job = {"probe": ["read", self.urls["seed"], "--probe", self.tokens["seed"], *READ["seed"]]}
        return run({"seed": job}, self.folder / "seed.jsonl", "1")["seed"]


def _rewrite(file: Path, change: Callable[[bytes], bytes]) -> None:
    file.write_bytes(change(file.read_bytes()))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("probes")
    (folder / "same").mkdir()
    (folder / "same" / chunk_name()).write_bytes(b"theirs")
    with lmcache_runs.stores(tmp_path_factory.mktemp("stores")) as addresses:
        probes = Probes(folder, {name: addresses[name] for name in ("redis", "lm")})
        probes.harm()
        probes.convert()
        read = probes.read()
        read["seed"] = probes.read_with_another_seed()
    read["left"] = {"files": sorted(it.name for it in (folder / "same").iterdir())}
    read["written"] = probes.written
    return read


def named(result: dict[str, Any]) -> list[str]:
    return [finding["kind"] for finding in result["seen"]["findings"]]


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("flavour", "flavour", "the middle factor is 0.5"),
        ("seed", "hash", "PYTHONHASHSEED is 1 here and 0 there"),
        ("bits", "bits", "1 bits in 1 of"),
        ("cut", "unreadable", "chunk 1 is there, and LMCache cannot read it: cut short"),
        ("order", "permutation", "rows of tokens are in another order"),
        ("packed", "layout", "ROCM_ATTN"),
        ("type in the header", "type", "comes back as float16, and was written as bfloat16"),
        ("type in the key", "key", "the type in the key is half here and bfloat16 for the writer"),
        ("workers", "key", "the world size in the key is 2 here"),
        ("model", "key", "/models/m"),
        ("gone", "absent", "chunk 0 is not there"),
        ("lm", "flavour", "the middle factor is 2"),
    ],
)
def test_every_fault_is_named(name: str, kind: str, says: str, results: dict[str, dict[str, Any]]) -> None:
    result = results[name]
    assert result["code"] == 1, result
    assert kind in named(result)
    assert any(says in finding["message"] for finding in result["seen"]["findings"]), result["seen"]["findings"]


def test_what_arrives_is_exact(results: dict[str, dict[str, Any]]) -> None:
    for name in ("plain", "redis"):
        assert (results[name]["code"], results[name]["seen"]["verdict"]) == (0, "exact"), results[name]
    same = results["same"]["seen"]
    assert (same["verdict"], same["assumed"], same["exit_code"]) == ("exact", True, 3)
    assert same["right"] == same["total"] == 2 * ROWS * ROW


def test_answers_have_their_form(results: dict[str, dict[str, Any]]) -> None:
    schema = json.loads((files("rewarp.report") / "schemas" / "bridge-probe-1.json").read_text("utf-8"))
    answers = [one["seen"] for one in (*results["written"].values(), *results.values()) if one.get("seen")]
    assert {one["action"] for one in answers} == {"write", "read", "clean"}
    for answer in answers:
        Draft202012Validator(schema).validate(answer)


def test_the_verdicts_of_faults(results: dict[str, dict[str, Any]]) -> None:
    assert results["flavour"]["seen"]["factor"] == 0.5
    assert results["flavour"]["seen"]["nan"] > 0
    assert {results[name]["seen"]["verdict"] for name in ("seed", "workers", "model", "type in the key")} == {"miss"}
    assert results["cut"]["seen"]["hits"] == 1


def test_a_note_that_is_damaged_is_not_believed(results: dict[str, dict[str, Any]]) -> None:
    assert results["note"]["code"] == 2
    assert "cannot be read" in results["note"]["error"]


def test_a_converted_chunk_has_the_writers_values(results: dict[str, dict[str, Any]]) -> None:
    for at in range(2):
        assert results[f"values {at}"] == {"wrong": 0, "of": ROWS * ROW}


def test_only_the_probes_own_keys_are_removed(results: dict[str, dict[str, Any]]) -> None:
    assert results["clean same"]["code"] == results["clean redis"]["code"] == 0
    assert results["clean same"]["seen"]["removed"] == 3
    assert results["left"]["files"] == [chunk_name()]
    assert results["cleaned"]["code"] == 2
    assert "no probe" in results["cleaned"]["error"]
    # LMCache's own server removes nothing, which is said.
    assert (results["clean lm"]["code"], len(results["clean lm"]["seen"]["left"])) == (1, 3)


def test_redis_forgets_by_itself(results: dict[str, dict[str, Any]]) -> None:
    written = results["written"]
    assert written["redis"]["seen"]["forgotten_by_the_store"]
    assert not written["same"]["seen"]["forgotten_by_the_store"]
    until = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time()))
    assert written["redis"]["seen"]["expires"] > until
