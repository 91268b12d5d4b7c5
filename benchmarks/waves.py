"""What the wave pass costs beside translating, in one run on the same files.

    python benchmarks/waves.py FOLDER [--repeat 3] [--json FILE]

Two comparisons, in CPU seconds of one process without start-up, medians of the rounds:

tree    what ``rewarp translate FOLDER`` computes for a whole tree, against the pass over every file that it translates,
        comments told from code once more for it
file    translating each .cu and .cuh alone, with nothing known of its neighbours, against the pass on the same file,
        which gets its document with comments told from code, as the rules of a scan have it
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rewarp.errors import RewarpError
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.translation.translator import translate
from rewarp.translation.tree import translate_tree
from rewarp.waves import find

_SUFFIXES = (".cu", ".cuh")


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _tree(folder: Path) -> tuple[float, float]:
    """Seconds of translating a tree, and of the pass over what was translated."""
    start = time.process_time()
    files = translate_tree(folder).files
    translating = time.process_time() - start
    sources = [file.translation.source for file in files if file.translation]
    return translating, _seconds(lambda: [find(CodeFile(source, Kind.CUDA)) for source in sources])


def _alone(files: list[SourceFile]) -> tuple[float, float, int]:
    """Seconds of translating files one by one, of the pass over them, and the number of hazards."""
    translating = passing = 0.0
    hazards = 0
    for source in files:
        try:
            translating += _seconds(lambda source=source: translate(source).data)
        except RewarpError:
            continue
        document = CodeFile(source, Kind.CUDA)
        _ = document.code
        passing += _seconds(lambda document=document: find(document))
        hazards += len(find(document))
    return translating, passing, hazards


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--json", type=Path)
    arguments = options.parse_args()
    paths = sorted(file for file in arguments.folder.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    if not paths:
        raise SystemExit(f"{arguments.folder}: no .cu or .cuh files")
    data = [(str(path), path.read_bytes()) for path in paths]
    cuda.renames()
    rounds = []
    for number in range(arguments.repeat):
        print(f"round {number + 1}: {len(paths)} files", file=sys.stderr)
        rounds.append((*_tree(arguments.folder), *_alone([SourceFile(*item) for item in data])))
    tree, tree_pass, alone, alone_pass, hazards = map(statistics.median, zip(*rounds, strict=True))
    figures = {
        "files": len(paths),
        "megabytes": round(sum(len(text) for _, text in data) / 1e6, 1),
        "hazards": int(hazards),
        "tree_translate_s": round(tree, 2),
        "tree_pass_s": round(tree_pass, 2),
        "tree_ratio": round(tree_pass / max(tree, 1e-9), 2),
        "file_translate_s": round(alone, 2),
        "file_pass_s": round(alone_pass, 2),
        "file_ratio": round(alone_pass / max(alone, 1e-9), 2),
    }
    for name, value in figures.items():
        print(f"{name:18} {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
