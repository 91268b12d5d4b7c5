"""Two addresses and one store, one address and two stores; and what an address must not give away."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rewarp.bridge.check import cross
from rewarp.bridge.crossing import CrossingVerdict, Kind
from rewarp.bridge.deployment import of_platform, with_settings, without_password
from rewarp.bridge.lmcache_settings import lmcache_overrides
from rewarp.cli import main

EXACT, MISS, UNKNOWN, IMPOSSIBLE = (CrossingVerdict(it) for it in ("exact", "miss", "unknown", "impossible"))


@pytest.mark.parametrize(
    ("writer", "reader", "expected"),
    [
        ("redis://cache:6379", "redis://CACHE:6379/", EXACT),
        ("redis://cache:6379", "redis://cache:6379/0", EXACT),
        ("redis://cache:6379", "redis://cache:6379/1", MISS),
        ("redis://cache:6379", "redis://cache:6379?db=1", MISS),
        ("redis://cache:6379/1", "redis://cache:6379/2?db=1", EXACT),
        ("redis://cache:6379", "redis://cache:6380", MISS),
        ("redis://cache:6379", "redis://cache:6379?decode_responses=True", UNKNOWN),
        ("redis://cache:6379", "redis://cache:6379?db=first", UNKNOWN),
        ("redis://cache:6379", "redis://user:word@cache:6379", UNKNOWN),
        ("redis://user:word@cache:6379", "redis://user:word@cache:6379", EXACT),
        ("lm://cache:65432/a", "lm://cache:65432/b", EXACT),
        ("lm://cache:65432", "lm://other:65432", MISS),
        ("fs://a:0/kv/./x/..", "fs://b:1/kv", EXACT),
        ("fs://a:0//kv", "fs://b:1/kv", EXACT),
        ("fs://a:0/kv,/more", "fs://a:0/kv", MISS),
        ("REDIS://cache:6379", "REDIS://cache:6379", IMPOSSIBLE),
    ],
)
def test_which_store_an_address_means(writer: str, reader: str, expected: CrossingVerdict) -> None:
    sides = [with_settings(of_platform("h100"), {"lmcache.remote_url": url}) for url in (writer, reader)]
    crossing = cross(Kind.CHUNKS, *sides)
    assert crossing.verdict is expected, crossing.cause
    assert not expected.is_good or cross(Kind.CHUNKS, *reversed(sides)).verdict is expected


def test_the_change_names_the_setting(capsys: pytest.CaptureFixture[str]) -> None:
    """A person reads the text, not the JSON behind it."""
    assert main(["bridge", "check", "h100", "b200", "--set-b", "python=3.10"]) == 1
    assert "change: pre_caching_hash_algorithm: sha256_cbor on both sides" in capsys.readouterr().out


# --- passwords ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://user:secret@cache:6379/1", "redis://user:***@cache:6379/1"),
        ("redis://:se@cret@cache:6379", "redis://:***@cache:6379"),
        ("redis://user@cache:6379", "redis://user@cache:6379"),
        ("redis://cache:6379/a:b@c", "redis://cache:6379/a:b@c"),
        ("fs://host:0/kv", "fs://host:0/kv"),
    ],
)
def test_a_password_is_left_out(url: str, expected: str) -> None:
    assert without_password(url) == expected
    assert without_password(expected) == expected


def test_no_view_has_a_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("page.html", "it.json", "it.md")]
    changes = [
        "--set-a",
        "lmcache.remote_url=redis://me:hunter2@a:6379",
        "--set-b",
        "lmcache.remote_url=redis://b:6379",
    ]
    views = [
        f"--{name}={file}" if name != "html" else f"--html={file}"
        for name, file in zip(("html", "json", "markdown"), files, strict=True)
    ]
    assert main(["bridge", "check", "h100", "mi300x", *changes, *views]) == 1
    for text in (capsys.readouterr().out, *(file.read_text() for file in files)):
        assert "a:6379" in text
        assert "hunter2" not in text


def test_a_description_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lmcache.yaml").write_text(
        "remote_url: redis://me:hunter2@cache:6379\nextra_config: {s3_secret: hunter2}\n"
    )
    environment = {**os.environ, "LMCACHE_CONFIG_FILE": "lmcache.yaml", "LMCACHE_API_KEY": "hunter2"}
    server = subprocess.Popen([sys.executable, "-c", "input()"], cwd=tmp_path, env=environment, stdin=subprocess.PIPE)
    try:
        while b"input" not in Path(f"/proc/{server.pid}/cmdline").read_bytes():
            time.sleep(0.01)
        main(["bridge", "describe", "--pid", str(server.pid)])
    finally:
        server.communicate(b"\n")
    told = capsys.readouterr()
    assert "redis://me:***@cache:6379" in told.out
    assert "s3_secret: ***" in told.out
    assert "hunter2" not in told.out + told.err


@pytest.mark.parametrize("name", ["redis_password", "s3_secret", "hf_token", "api_key", "credentials"])
def test_a_setting_that_nobody_knows_keeps_its_secret(name: str) -> None:
    (said,) = lmcache_overrides({"extra_config": {name: "hunter2"}})["lmcache.other"]  # type: ignore[misc]
    assert name in said
    assert "hunter2" not in said
    (said,) = lmcache_overrides({"extra_config": {"keyboard": "hunter2"}})["lmcache.other"]  # type: ignore[misc]
    assert "hunter2" in said


def test_a_file_without_an_end_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").symlink_to("/dev/zero")
    for words in (["/dev/zero", "h100"], ["h100", "h100", "--set", f"model.config={tmp_path}/config.json"]):
        assert main(["bridge", "check", *words]) == 2
        assert "too large" in capsys.readouterr().err
