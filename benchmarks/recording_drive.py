"""Builds CUDA programs with nvcc, runs them on the NVIDIA GPU that is here, and writes what they did to one file of JSON.

    python3 drive.py OUT

Copied by recording_kit.py, beside a plan (plan.json) and the sources (src): plain Python, nothing else is needed but nvcc, gcc
and the GPU. All is built side by side, one program at a time runs; OUT/programs.json is set anew as it goes. Each program with
each of its arguments is run as it is, and for the first of them twice more with device_memory.c preloaded: what differs from
one run to the next is not the program's result.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD_SECONDS, RUN_SECONDS, ALL_SECONDS = 240, 20, float(os.environ.get("SECONDS_FOR_ALL", "450"))
KEPT, FILE_KEPT, MEMORY_KEPT = 200_000, 65_536, 9_000_000
BATCH = 60
STARTED = time.monotonic()


def left() -> float:
    return ALL_SECONDS - (time.monotonic() - STARTED)


def packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def call(command, folder, seconds, environment=None, shell=False):
    """Status (None: out of time), standard output and error, seconds."""
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, shell=shell, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    status = 0
    try:
        out, error = process.communicate(timeout=max(1.0, seconds))
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, error = process.communicate()
        status = None
    return status, out, error, round(time.monotonic() - started, 3)


def build(one: dict) -> dict:
    """The commands that make would have given, one after the other."""
    said = ""
    for folder, line in one["build"]:
        for target in re.findall(r"\s-o\s*(\S+)", line):
            (HERE / "src" / folder / target).parent.mkdir(parents=True, exist_ok=True)
        status, out, error, _ = call(line, HERE / "src" / folder, min(BUILD_SECONDS, left()), shell=True)
        said += (out + error).decode("utf-8", "replace")
        if status != 0:
            return {
                "built": False,
                "why": f"{'out of time' if status is None else status}: {line}",
                "said": said[-6000:],
            }
    if not (HERE / "src" / one["program"]).is_file():
        return {"built": False, "why": f"no {one['program']} was made", "said": said[-6000:]}
    return {"built": True, "said": said[-500:]}


def files_of(folder: Path) -> dict:
    found = {}
    for path in folder.iterdir():
        if path.is_file() and path.suffix not in (".o", ".d"):
            status = path.stat()
            found[path.name] = (status.st_mtime_ns, status.st_size)
    return found


def written(folder: Path, before: dict) -> dict:
    """The files that a run wrote, small ones whole."""
    found = {}
    for name, stamp in sorted(files_of(folder).items())[:200]:
        if before.get(name) != stamp:
            data = (folder / name).read_bytes()
            found[name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            if len(data) <= FILE_KEPT:
                found[name]["packed"] = packed(data)
    return found


def run(one: dict, arguments: list, preload: Path | None) -> dict:
    place = HERE / "src" / one["place"]
    environment = {**os.environ, **one["variables"]}
    dump = HERE / "memory.bin"
    dump.unlink(missing_ok=True)
    if preload:
        environment |= {"LD_PRELOAD": str(preload), "DEVICE_MEMORY": str(dump)}
    before = files_of(place)
    command = [str(HERE / "src" / one["program"]), *arguments]
    status, out, error, seconds = call(command, place, min(RUN_SECONDS, left()), environment)
    made = {"status": status, "seconds": seconds, "stdout_bytes": len(out), "stdout": packed(out[:KEPT])}
    made["stderr"] = error[-2000:].decode("utf-8", "replace")
    if files := written(place, before):
        made["files"] = files
    if preload and dump.is_file():
        made["memory"] = dump.read_bytes()
    return made


def cuda_environment() -> str:
    """Where the toolkit is, for the compiler and for programs that link with its libraries."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    root = Path(nvcc).resolve().parent.parent
    folders = [str(path) for path in (root / "lib64", root / "targets/x86_64-linux/lib") if path.is_dir()]
    os.environ["PATH"] = f"{Path(nvcc).parent}:{os.environ['PATH']}"
    os.environ["LD_LIBRARY_PATH"] = ":".join([*folders, os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")
    os.environ["LIBRARY_PATH"] = ":".join(folders)
    return nvcc


def machine(nvcc: str) -> dict:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    said = {}
    for name, command in (("gpu", query), ("nvcc", [nvcc, "--version"]), ("host compiler", ["g++", "--version"])):
        try:
            said[name] = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()[-300:]
        except OSError as error:
            said[name] = str(error)
    return said


class Results:
    def __init__(self, out: Path, about: dict) -> None:
        self.file, self.all, self.flushed, self.memory = (
            out / "programs.json",
            {"machine": about, "programs": []},
            0.0,
            0,
        )

    def flush(self, now: bool = False) -> None:
        if not now and time.monotonic() - self.flushed < 10:
            return
        text = json.dumps(self.all)
        new = self.file.with_suffix(".new")
        new.write_text(text)
        new.replace(self.file)
        self.flushed = time.monotonic()


def tried(one: dict, at: int, row: dict, preload: Path | None, results: Results) -> None:
    """Everything for one set of arguments."""
    arguments = one["commands"][at]
    first = run(one, arguments, None)
    row["tries"].append({"arguments": arguments, "run": first})
    if at > 1 or first["status"] is None:
        return
    again = [run(one, arguments, preload) for _ in range(2)]
    memories = [made.pop("memory", None) for made in again]
    for made in again:
        if made["stdout"] == first["stdout"]:
            made["stdout"] = "same"
    row["tries"][-1]["again"] = again
    if None not in memories:
        row["tries"][-1]["memory_differs"] = memories[0] != memories[1]
        kept = [packed(memory) for memory in (memories if memories[0] != memories[1] else memories[:1])]
        if results.memory + sum(map(len, kept)) <= MEMORY_KEPT:
            results.memory += sum(map(len, kept))
            row["tries"][-1]["memory"] = kept


def in_order(programs: list) -> list:
    """Small arguments first, by batches; those that the program is meant to be run with last of all."""

    def rank(item):
        number, at, one = item
        full = at > 1 and at == len(one["commands"]) - 1
        return full, number // BATCH, at, number

    every = [(number, at, one) for number, one in enumerate(programs) for at in range(len(one["commands"]))]
    return [(at, one) for _, at, one in sorted(every, key=rank)]


def main() -> int:
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    nvcc = cuda_environment()
    plan = json.loads((HERE / "plan.json").read_text())
    results = Results(out, machine(nvcc) | {"plan": plan["about"]})
    preload = HERE / "libdevice_memory.so"
    source = ["gcc", "-shared", "-fPIC", "-O2", str(HERE / "device_memory.c"), "-o", str(preload), "-ldl", "-lpthread"]
    if subprocess.run(source).returncode:
        preload = None
    pool = ThreadPoolExecutor(int(os.environ.get("JOBS", "16")))
    rows, futures = {}, {}
    for one in plan["programs"]:
        futures[one["name"]] = pool.submit(build, one)
    waiting = in_order(plan["programs"])
    while waiting and left() > 3:
        ready = next((n for n, (_, one) in enumerate(waiting) if futures[one["name"]].done()), None)
        if ready is None:
            time.sleep(0.1)
            continue
        at, one = waiting.pop(ready)
        name = one["name"]
        if name not in rows:
            rows[name] = {"name": name, **futures[name].result(), "tries": []}
            results.all["programs"].append(rows[name])
        row = rows[name]
        if not row["built"]:
            continue
        try:
            tried(one, at, row, preload, results)
        except OSError as error:
            row["tries"].append({"arguments": one["commands"][at], "error": str(error)})
        last = row["tries"][-1].get("run", {})
        print(
            f"{time.monotonic() - STARTED:6.1f} s {name} {at}: {last.get('status')}, {last.get('seconds')} s",
            flush=True,
        )
        results.flush()
    results.all["not tried"] = [[one["name"], at] for at, one in waiting]
    results.flush(now=True)
    print(f"{len(rows)} programs, {sum(row['built'] for row in rows.values())} built", flush=True)
    os._exit(0)  # what still compiles is not waited for


if __name__ == "__main__":
    main()
