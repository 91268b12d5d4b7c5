"""``rewarp bridge probe``: a canary in a real store.

One side writes a pattern through its LMCache, the other reads it through its own and says what became of it. Beside the
pattern lies a note (under a key that no hash decides) of what the writer was, so that a miss has a cause, too.
"""

from __future__ import annotations

import json
import math
import secrets
import struct
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rewarp.bridge.facts import accelerators, kv_types
from rewarp.bridge.formats import encoding_of
from rewarp.bridge.probe_pattern import Compared, Finding, Pattern, compare
from rewarp.bridge.probe_store import Side, Store, lmcache
from rewarp.errors import UsageError, did_you_mean

_CHUNKS = 2
_NOTE_CHUNK = 64
"""Tokens in the chunk that holds the note, whatever the configuration says."""
_PREFIX = "rewarp-probe"
_TORCH = {"uint8": "uint8", "fp8_e4m3fn": "float8_e4m3fn", "bfloat16": "bfloat16", "half": "float16"}
_HALVES = {"bf16": "bfloat16", "fp16": "float16"}
_KEY_FIELDS = ("model", "world size", "worker", "hash of the tokens", "type")
_HASHED = ("PYTHONHASHSEED", "pre_caching_hash_algorithm", "first hash", "chunk_size", "Python", "vLLM")


@dataclass(frozen=True)
class Asked:
    """How this side serves."""

    url: str
    kv_cache_dtype: str = "bfloat16"
    accelerator: str | None = None
    """Which to assume where there is none."""
    model: str = "model"
    world_size: int = 1


@dataclass(frozen=True)
class Decoder:
    """What codes are worth here."""

    encoding: str
    values: tuple[float, ...]
    """Of each code."""
    by: str
    """Who says so: the device's name, or that it is assumed."""
    is_assumed: bool


@dataclass(frozen=True)
class Written:
    token: str
    keys: tuple[str, ...]
    expires: int
    forgets: bool
    """Whether the store forgets them by itself."""
    decoder: Decoder


@dataclass(frozen=True)
class Read:
    token: str
    hits: int
    chunks: int
    findings: tuple[Finding, ...]
    compared: tuple[Compared, ...]
    decoder: Decoder
    writer: dict[str, str]

    @property
    def is_assumed(self) -> bool:
        return self.decoder.is_assumed or self.writer.get("assumed") == "yes"


# --- what codes are worth --------------------------------------------------------------------


def decoder(asked: Asked) -> tuple[Decoder, str]:
    """What the cache's codes are worth on this machine, by its own cast where it has a device; and torch's name for the
    type that vLLM stores them as."""
    row = kv_types().get(asked.kv_cache_dtype)
    if row is None or row.key_type not in _TORCH or row.encoding not in ("e4m3", "e5m2", *_HALVES):
        hint = did_you_mean(asked.kv_cache_dtype, kv_types())
        raise UsageError(f"--kv-cache-dtype {asked.kv_cache_dtype}: not one that the probe knows{hint}")
    dtype = _TORCH[row.key_type]
    if row.encoding in _HALVES:
        name = _HALVES[row.encoding]
        return Decoder(name, _halves(name), "the same on every platform", False), dtype
    device, found = _device()
    meant = found or asked.accelerator
    if meant is None:
        raise UsageError("no accelerator here, so that FP8 could be any: --accelerator says which one is assumed")
    if meant not in accelerators():
        raise UsageError(f"--accelerator {meant}: not known{did_you_mean(meant, accelerators())}")
    flavour = {"e4m3-240": "e4m3-gaudi2"}.get(accelerators()[meant].e4m3, accelerators()[meant].e4m3)
    encoding = encoding_of(flavour)
    if row.encoding == "e5m2":
        encoding = encoding_of("e5m2fnuz" if encoding.family == "fnuz" else "e5m2")
    if device is None:
        return Decoder(encoding.name, encoding.values, f"assumed: as on {meant}", True), dtype
    return Decoder(encoding.name, _cast(encoding.name, device), f"the cast of {device}", False), dtype


def _device() -> tuple[str | None, str | None]:
    """torch's name for the accelerator of this machine, and ours for what it is."""
    import torch

    if torch.cuda.is_available():
        if not torch.version.hip:
            return "cuda", "h100"  # all of NVIDIA's with FP8 have OCP's
        arch = torch.cuda.get_device_properties(0).gcnArchName.partition(":")[0]
        fitting = [name for name, it in accelerators().items() if it.arch == arch]
        return ("cuda", fitting[0]) if fitting else (None, None)
    if getattr(torch, "hpu", None) is not None and torch.hpu.is_available():
        name = torch.hpu.get_device_name().lower().replace(" ", "")
        return "hpu", next((it for it in accelerators() if it in name), "gaudi3" if "3" in name else "gaudi2")
    return None, None


def _cast(encoding: str, device: str) -> tuple[float, ...]:
    import torch

    codes = torch.arange(256, dtype=torch.uint8, device=device)
    dtype = getattr(torch, {"e4m3-gaudi2": "float8_e4m3fn"}.get(encoding, f"float8_{encoding}"))
    return tuple(codes.view(dtype).to(torch.float32).cpu().tolist())


@lru_cache(maxsize=2)
def _halves(name: str) -> tuple[float, ...]:
    layout, shift = ("<e", 0) if name == "float16" else ("<f", 16)
    width = struct.calcsize(layout)
    return tuple(struct.unpack(layout, (code << shift).to_bytes(width, "little"))[0] for code in range(1 << 16))


# --- write, read, clean ----------------------------------------------------------------------


def write(asked: Asked, seconds: int) -> Written:
    """Store the pattern under keys of a random namespace."""
    lmcache()
    here, dtype = decoder(asked)
    token = secrets.token_hex(6)
    store, notes = _stores(asked, token, dtype)
    keys = store.keys(_CHUNKS)
    width = store.dtype.itemsize
    expires = int(time.time()) + seconds
    note = {
        "probe": 1,
        "token": token,
        "expires": expires,
        "dtype": dtype,
        "model": asked.model,
        "keys": [key.to_string() for key in keys],
        "tokens": store.chunk_size,
        "about": {
            **store.about(),
            "encoding": here.encoding,
            "assumed": "yes" if here.is_assumed else "no",
            "by": here.by,
        },
        "values": [value.hex() for value in here.values] if width == 1 else None,
    }
    stored = []
    try:
        for key, where, data in [
            (_note_key(notes, token), notes, _padded(note)),
            *((key, store, Pattern(store.chunk_size, width, at).data()) for at, key in enumerate(keys)),
        ]:
            where.put(key, data)
            stored.append((where, key))
    except UsageError:
        for where, key in stored:
            where.remove(key)
        raise
    forgets = all(where.expire(key, seconds) for where, key in stored)
    return Written(token, tuple(note["keys"]), expires, forgets, here)  # type: ignore[arg-type]


def read(asked: Asked, token: str) -> Read:
    """Look for the pattern as this side would, and compare it with what was written."""
    lmcache()
    here, dtype = decoder(asked)
    store, notes = _stores(asked, _checked(token), dtype)
    keys = store.keys(_CHUNKS)
    note = _note(notes, token)
    writer = {str(name): str(value) for name, value in note["about"].items()}
    if time.time() > note["expires"]:
        finding = Finding("expired", "the probe is older than it was meant to become: write another")
        return Read(token, 0, _CHUNKS, (finding,), (), here, writer)
    mine = [key.to_string() for key in keys]
    findings = _differing(mine, note["keys"], writer, store.about())
    compared, hits = [], 0
    if not findings:
        theirs = _values(note)
        for at, key in enumerate(keys):
            found = store.get(key) if store.has(key) else None
            if found is None:
                what = (
                    "is there, and LMCache cannot read it: cut short, or damaged" if store.has(key) else "is not there"
                )
                findings.append(Finding("unreadable" if store.has(key) else "absent", f"chunk {at} {what}"))
                continue
            hits += 1
            came, data = found
            pattern = Pattern(store.chunk_size, 2 if note["values"] is None else 1, at)
            values = here.values
            if came != note["dtype"]:
                findings.append(Finding("type", f"chunk {at} comes back as {came}, and was written as {note['dtype']}"))
                values = _halves(came) if came in _HALVES.values() and pattern.width == 2 else values
            one = compare(pattern, data, values, theirs)
            compared.append(one)
            findings += [it for it in one.findings if it not in findings]
    return Read(token, hits, _CHUNKS, tuple(findings), tuple(compared), here, writer)


def clean(asked: Asked, token: str) -> tuple[int, list[str]]:
    """Remove what a probe wrote, and nothing else; returns how many keys are gone, and those that are not."""
    lmcache()
    notes = Store(asked.url, Side(f"{_PREFIX}-{_checked(token)}", "uint8"), _NOTE_CHUNK)
    note = _note(notes, token)
    store = Store(asked.url, Side(_model(token, note["model"]), note["dtype"]), note["tokens"])
    left, gone = [], 0
    from lmcache.utils import CacheEngineKey

    for name in note["keys"]:
        key = CacheEngineKey.from_string(name)
        if store.remove(key):
            gone += 1
        else:
            left.append(name)
    key = _note_key(notes, token)
    if notes.remove(key):
        gone += 1
    else:
        left.append(key.to_string())
    return gone, left


# --- the note --------------------------------------------------------------------------------


def _model(token: str, model: str) -> str:
    return f"{_PREFIX}-{token}-{model}"


def _stores(asked: Asked, token: str, dtype: str) -> tuple[Store, Store]:
    if "@" in asked.model:
        raise UsageError(f"--model {asked.model}: LMCache's keys take no @ in a name")
    notes = Store(asked.url, Side(f"{_PREFIX}-{token}", "uint8"), _NOTE_CHUNK)
    return Store(asked.url, Side(_model(token, asked.model), dtype, asked.world_size)), notes


def _note_key(notes: Store, token: str) -> Any:
    return notes.key(int(token, 16))


def _checked(token: str) -> str:
    if not (len(token) == 12 and all(it in "0123456789abcdef" for it in token)):
        raise UsageError(f"--probe {token}: not what `bridge probe write` printed")
    return token


def _padded(note: dict[str, Any]) -> bytes:
    text = json.dumps(note).encode()
    return text + b" " * (len(Pattern(_NOTE_CHUNK, 1).data()) - len(text))


def _note(notes: Store, token: str) -> dict[str, Any]:
    """What the writer said of itself. It lies in a store that others write to: nothing in it is believed unseen."""
    found = notes.get(_note_key(notes, token))
    if found is None:
        raise UsageError(
            f"no probe {token} in this store: it is another store, the probe was removed, or LMCache cannot read it here"
        )
    try:
        note = json.loads(found[1])
        names = all(isinstance(it, str) and it.startswith(f"{_model(token, note['model'])}@") for it in note["keys"])
        sizes = type(note["tokens"]) is int and 0 < note["tokens"] <= 1 << 16 and len(note["keys"]) == _CHUNKS
        kinds = isinstance(note["about"], dict) and note["dtype"] in _TORCH.values() and "@" not in note["model"]
        if not (names and sizes and kinds and note["token"] == token and isinstance(note["expires"], int)):
            raise ValueError("not a note of the probe's")
        _values(note)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"the note of probe {token} cannot be read ({type(error).__name__}: {error}): damaged?"
        ) from None
    return dict(note)


def _values(note: dict[str, Any]) -> tuple[float, ...]:
    if note["values"] is None:
        return _halves(note["dtype"])
    found = tuple(math.nan if it == "nan" else float.fromhex(it) for it in note["values"])
    if len(found) != 256:
        raise ValueError("not 256 values")
    return found


def _differing(mine: list[str], theirs: list[str], writer: dict[str, str], here: dict[str, str]) -> list[Finding]:
    """Which parts of the keys are others here, and what makes them so."""
    found = []
    for name, one, other in zip(_KEY_FIELDS, mine[0].split("@"), theirs[0].split("@")):
        if one == other:
            continue
        message = f"the {name} in the key is {one} here and {other} for the writer"
        if name.startswith("hash"):
            causes = [
                f"{it} is {here[it]} here and {writer.get(it)} there" for it in _HASHED if here[it] != writer.get(it)
            ]
            message += f": {'; '.join(causes) or 'the cause is not known'}"
        found.append(Finding("hash" if name.startswith("hash") else "key", message))
    if not found and mine != theirs:
        found.append(Finding("hash", "the first chunk has the same key here, a later one has another"))
    return found
