"""``rewarp bridge describe``: a deployment, read off a running machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rewarp.bridge.arguments import NO_CONNECTOR, vllm_arguments
from rewarp.bridge.deployment import nested, without_password
from rewarp.bridge.facts import accelerators
from rewarp.bridge.lmcache_settings import Settings, lmcache_config, lmcache_overrides, of_environment
from rewarp.bridge.sources import merged, read_any, resolved, variables
from rewarp.errors import UsageError
from rewarp.host import Machine

_ASK = """
import importlib.metadata as packages, json, sys
found = {"python": "%d.%d" % sys.version_info[:2]}
for name in ("vllm", "lmcache"):
    try:
        found[name] = packages.version(name)
    except packages.PackageNotFoundError:
        pass
print(json.dumps(found))
"""
_SECONDS = 60
_SNAPSHOTS = "snapshots"
"""Of the hub's cache: a folder for each commit."""


@dataclass(frozen=True)
class Description:
    """Settings by dotted name, and where each group of them was read."""

    settings: Settings
    seen: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Process:
    """A server that runs: its command line and environment."""

    words: tuple[str, ...]
    environment: Mapping[str, str]
    python: str
    folder: Path = Path()
    """Where it was started: paths that it was given begin there."""


def process(number: int) -> Process:
    """A process of this machine, by its number."""
    folder = Path("/proc") / str(number)
    try:
        words = [os.fsdecode(word) for word in (folder / "cmdline").read_bytes().split(b"\0")[:-1]]
        lines = [os.fsdecode(line) for line in (folder / "environ").read_bytes().split(b"\0") if b"=" in line]
        python = os.readlink(folder / "exe")
        started = Path(os.readlink(folder / "cwd"))
    except OSError as error:
        raise UsageError(f"process {number}: {error.strerror}") from None
    # A virtual environment's Python is the first word; the link names what it was made from.
    named = words[0] if words and "python" in os.path.basename(words[0]) and os.path.isabs(words[0]) else python
    return Process(tuple(words), dict(line.partition("=")[::2] for line in lines), named, started)


def describe(machine: Machine, running: Process, more: Mapping[str, object]) -> Description:
    """What can be told of a machine and a process on it; what cannot is missing, and makes verdicts unknown."""
    settings: Settings = {}
    seen = []
    if found := accelerator(machine):
        settings["accelerator"] = found
        seen.append(f"accelerator: {found}, as the driver names it")
    installed = ask_python(running.python)
    if installed:
        seen.append(f"versions: {running.python}")
    for name in ("vllm", "lmcache"):
        if name in installed:
            settings[f"{name}.version"] = installed[name]
    if "python" in installed:
        settings["python"] = installed["python"]
    settings |= variables(running.environment)
    seen.append("environment: PYTHONHASHSEED and the variables of vLLM and LMCache")
    own = of_environment(running.environment)
    if file := running.environment.get("LMCACHE_CONFIG_FILE"):
        settings |= lmcache_config({**read_any(running.folder / file), **own})
        seen.append(f"LMCache: {file}")
    else:
        settings |= lmcache_overrides(own)
    if "serve" in running.words or any("vllm" in word for word in running.words):
        given = vllm_arguments(running.words, lambda named: read_any(running.folder / named))
        settings = merged({**settings, "vllm.kv_connector": NO_CONNECTOR}, given)
        seen.append("vLLM: the command line")
    missing = []
    if folder := model_folder(settings, running):
        try:
            settings = merged(_of_model(folder), settings)
            seen.append(f"model: {folder}")
        except UsageError as error:
            missing.append(f"model: {error}")
    if folder and folder.parent.name == _SNAPSHOTS:
        settings["model.revision"] = folder.name
    settings |= resolved(more, Path(), "--set")
    if isinstance(url := settings.get("lmcache.remote_url"), str):
        settings["lmcache.remote_url"] = without_password(url)
    wanted = ("accelerator", "python", "vllm.version", "vllm.model", "lmcache.version", "lmcache.remote_url")
    return Description(settings, tuple(seen), (*(name for name in wanted if name not in settings), *missing))


def model_folder(settings: Settings, running: Process) -> Path | None:
    """Where the model lies that a server was given: a folder of its own, or the hub's cache, which keeps what was fetched."""
    name = settings.get("vllm.model")
    if not isinstance(name, str):
        return None
    environment = running.environment
    home = Path(environment.get("HF_HOME") or Path(environment.get("HOME") or "/root") / ".cache" / "huggingface")
    kept = Path(environment.get("HF_HUB_CACHE") or home / "hub") / f"models--{name.replace('/', '--')}"
    asked = str(settings.get("model.revision") or "main")
    try:
        commit = (kept / "refs" / asked).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        commit = asked
    folders = (running.folder / name, running.folder / kept / _SNAPSHOTS / commit)
    return next((folder for folder in folders if (folder / "config.json").is_file()), None)


def _of_model(folder: Path) -> Settings:
    """Its config.json, and the headers of its checkpoint where that is safetensors."""
    source = "model.checkpoint" if any(folder.glob("*.safetensors")) else "model.config"
    named = folder if source == "model.checkpoint" else folder / "config.json"
    return resolved({source: str(named)}, Path(), "the model")


def accelerator(machine: Machine) -> str | None:
    """The one kind of accelerator that the machine has; none where there are two, or one that is not known."""
    found = set()
    for device in (device for platform in machine.platforms for device in platform.devices):
        words = " ".join(fact.value for fact in (device.name, device.product) if fact).lower()
        plain = "".join(filter(str.isalnum, words))
        found.add(next((name for name in accelerators() if name in plain), None))
    return found.pop() if len(found) == 1 else None


def ask_python(python: str) -> dict[str, str]:
    """The versions that an interpreter has, by its own account."""
    command = [python or sys.executable, "-I", "-c", _ASK]
    try:
        ran = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        found = json.loads(ran.stdout) if ran.returncode == 0 else {}
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def as_toml(description: Description) -> str:
    """The description as a file that ``rewarp bridge check`` reads; a JSON text is a TOML text."""
    lines = [f"# {line}" for line in description.seen]
    lines += [f"# not found: {name}" for name in description.missing]
    tables = nested(description.settings)
    lines += [f"{name} = {json.dumps(value)}" for name, value in tables.items() if not isinstance(value, dict)]
    for group, inner in tables.items():
        if isinstance(inner, dict):
            lines += ["", f"[{group}]", *(f"{name} = {json.dumps(value)}" for name, value in inner.items())]
    return "\n".join(lines) + "\n"
