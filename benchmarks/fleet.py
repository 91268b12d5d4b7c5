"""What a fleet costs: wall time against cores, memory, a Ray cluster on one machine, and whether it grows with their number.

    python benchmarks/fleet.py LIST [--jobs 1,2] [--ray 2] [--json FILE]
    python benchmarks/fleet.py --synthetic 1000 [--jobs 2] [--json FILE]

The first form looks at the repositories of a list (or in a folder) once for every number of processes, and on a Ray cluster
of so many nodes with one CPU each that it starts here; the second makes repositories of a few small files, no two alike, and
compares the first tenth of them with the last. Nothing is taken from a cache or kept in one. Processor seconds are those of
the repositories' own processes, git's included, as the kernel counts them; memory is the most that the processes of one
repository held, and of the process that looks after them, after a tenth, half and nine tenths of the time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rewarp.fleet.query import ask, open_tables
from rewarp.fleet.store import Store

_FILES = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", nargs="?")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--ray", type=int, default=0, metavar="NODES")
    parser.add_argument("--synthetic", type=int, metavar="N")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory(prefix="fleet-benchmark-") as made:
        place = Path(made)
        source = arguments.list
        if arguments.synthetic:
            source = str(place / "repositories")
            make_repositories(Path(source), arguments.synthetic)
        for jobs in map(int, filter(None, arguments.jobs.split(","))):
            results.append(measured(source, place / f"jobs-{jobs}", f"{jobs} processes", [f"--jobs={jobs}"]))
        if arguments.ray:
            with ray_cluster(arguments.ray) as address:
                options = [f"--ray={address}"]
                results.append(measured(source, place / "ray", f"Ray, {arguments.ray} nodes of one CPU", options))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n")


def make_repositories(folder: Path, count: int) -> None:
    """Through ``git fast-import``: each a commit of a few files."""
    for number in range(count):
        place = folder / f"{number:05}.git"
        subprocess.run(["git", "init", "--quiet", "--bare", "--template=", str(place)], check=True)
        stream = "commit refs/heads/main\ncommitter n <e@example.org> 0 +0000\ndata 1\nx\n"
        for file in range(_FILES):
            uses = "pynvml.nvmlInit()" if number % 3 == 0 else "torch.cuda.get_device_capability()[0] >= 8"
            text = (
                f"import pynvml, torch\n\n\ndef f{number}_{file}(x):\n    y = {uses}\n    return x.cuda() + {number}\n"
                * 20
            )
            stream += f"M 644 inline module_{file}.py\ndata {len(text)}\n{text}\n"
        importer = ["git", "-C", str(place), "fast-import", "--quiet"]
        subprocess.run(importer, input=stream.encode(), check=True)
        (place / "HEAD").write_text("ref: refs/heads/main\n")


def measured(source: str, store: Path, name: str, options: list[str]) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "rewarp",
        "fleet",
        source,
        "--store",
        str(store),
        "--no-cache",
        "--quiet",
        *options,
    ]
    load, start = os.getloadavg()[0], time.monotonic()
    process = subprocess.Popen(command)
    held: list[int] = []
    watcher = threading.Thread(target=watch, args=(process, held))
    watcher.start()
    status = process.wait()
    wall = time.monotonic() - start
    watcher.join()
    if status not in (0, 3):
        raise SystemExit(f"rewarp fleet ended with status {status}")
    connection = open_tables(Store(store))
    columns = "status, conclusion, seconds, cpu_seconds, peak_bytes, lines"
    rows = ask(connection, f"SELECT {columns} FROM repositories ORDER BY rowid")[1]
    connection.close()
    return told(name, rows, wall, (load, os.getloadavg()[0]), held)


def watch(process: subprocess.Popen[bytes], held: list[int]) -> None:
    """What the process that looks after all of them holds, once a second."""
    page = os.sysconf("SC_PAGE_SIZE")
    while process.poll() is None:
        try:
            held.append(int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * page)
        except (OSError, IndexError):
            return
        time.sleep(1)


def told(name: str, rows: Any, wall: float, load: tuple[float, float], held: list[int]) -> dict[str, Any]:
    done = [row for row in rows if row[0] == "done"]
    cpu = [row[3] for row in done if row[3] is not None]
    peaks = [row[4] for row in done if row[4] is not None]
    tenth = max(1, len(done) // 10)
    result = {
        "name": name,
        "repositories": len(rows),
        "statuses": dict(Counter(row[0] for row in rows)),
        "verdicts": dict(Counter(row[1] for row in done)),
        "lines": sum(row[5] for row in done),
        "wall_seconds": round(wall, 1),
        "load_before_and_after": load,
        "cpu_seconds": round(sum(cpu), 1),
        "cpu_median": round(statistics.median(cpu), 3) if cpu else None,
        "peak_median_mb": round(statistics.median(peaks) / 1e6, 1) if peaks else None,
        "peak_largest_mb": round(max(peaks) / 1e6, 1) if peaks else None,
        "first_and_last_tenth_cpu": [round(statistics.median(part), 3) for part in (cpu[:tenth], cpu[-tenth:])]
        if cpu
        else [],
        "first_and_last_tenth_peak_mb": [
            round(statistics.median(part) / 1e6, 1) for part in (peaks[:tenth], peaks[-tenth:]) if part
        ],
        "looking_after_mb": [round(held[len(held) * part // 10] / 1e6, 1) for part in (1, 5, 9)] if held else [],
    }
    print(json.dumps(result, indent=1), flush=True)
    return result


@contextmanager
def ray_cluster(nodes: int) -> Iterator[str]:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(nodes - 1):
            cluster.add_node(num_cpus=1)
        yield cluster.address
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
