"""What CMake builds, and what rewarp says that it builds: one line a project and platform.

    python benchmarks/build_agreement.py REPOSITORIES [--only REGEX] [--show N]

REPOSITORIES is a folder of folders. Each project's CMake files are run by CMake itself (the `cmake` wheel) on a machine that
is made up: stub compilers for the platform, packages that are found and bring nothing, nothing fetched. The File API's
targets and sources are held against ours. CMake runs what the project's files tell it to, on a copy; try this on repositories
that you would also build.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests/unit"))

from cmake_machine import CMakeFailed, Unit, configure

from rewarp.lang.cmake.build import LANGUAGE_OF
from rewarp.project.build.cmake import original, read_top, tops
from rewarp.project.build.settings import BUILD, setting_of
from rewarp.project.build.units import Part
from rewarp.project.gates import NVIDIA, ROCM, Platform
from rewarp.workspace import Folder, Tree

Key = tuple[str, str, "str | None"]


def theirs(tree: Tree, folder: Path, top: str, platform: Platform, part: Part) -> dict[tuple[str, str], Unit]:
    setting = setting_of(platform)
    with tempfile.TemporaryDirectory() as work:
        copy = Path(work) / "project"
        shutil.copytree(folder, copy, symlinks=True)
        place = copy / posixpath.dirname(top)
        found = configure(
            place,
            Path(work),
            languages=[name for name, there in setting.compilers.items() if there],
            absent=[name for name, there in setting.packages.items() if not there],
            brought=setting.brought,
            variables=setting.variables,
            switches={switch.name: switch.value for switch in part.switches},
            given=part.given,
        )
        below = posixpath.dirname(top)
        answers: dict[tuple[str, str], Unit] = {}
        for (target, source), unit in found.items():
            path = posixpath.normpath(posixpath.join(copy.as_posix(), below, source))
            if path.startswith(f"{copy.as_posix()}/"):
                answers[target, posixpath.relpath(path, copy)] = unit
            elif path.startswith(f"{work}/build/"):  # made by the build; of translations the source is what is compared
                source = original(tree, f"{BUILD}/{posixpath.relpath(path, f'{work}/build')}") or ""
                answers |= {(target, source): unit} if source else {}
        return answers


def compare(tree: Tree, folder: Path, top: str, platform: Platform, show: int) -> Counter[str]:
    started = time.process_time()
    part = read_top(tree, platform, top)
    seconds = time.process_time() - started
    counts: Counter[str] = Counter()
    try:
        real = theirs(tree, folder, top, platform, part)
    except (CMakeFailed, subprocess.TimeoutExpired) as error:
        counts["refused by both" if part.refusals else "CMake fails"] += 1
        said = " ".join(str(error).split())[:300]
        print(f"    {platform.name:7} {top}: {'both refuse' if part.refusals else 'CMake fails'}: {said}")
        if part.refusals:
            print(f"            ours: {part.refusals[0]}")
        return counts
    if part.refusals:
        counts["refused by us"] += 1
        print(f"    {platform.name:7} {top}: only we refuse: {part.refusals[0]}")
        return counts
    compiled = {(*key, unit.language) for key, unit in real.items() if unit.language}
    sure: set[Key] = set()
    unknown: set[Key] = set()
    for unit in part.units:
        if unit.conditions and not unit.language:  # whether, and as what
            unknown |= {key for key in compiled if key[:2] == (unit.target, unit.source)}
        elif unit.language and not unit.source.startswith("/"):
            (unknown if unit.conditions else sure).add((unit.target, unit.source, unit.language))
    maybe = unknown - sure
    known = {key for key in compiled if posixpath.splitext(key[1])[1] in LANGUAGE_OF}
    differences = {"ours only": sure - compiled, "theirs only": known - sure - maybe}
    counts["agreed"] += len(sure & compiled)
    counts["ours unknown"] += len(maybe)
    counts.update({name: len(keys) for name, keys in differences.items()})
    print(f"    {platform.name:7} {top}: {dict(counts)} ({seconds:.1f} s)")
    for name, keys in differences.items():
        for key in sorted(keys, key=str)[:show]:
            print(f"            {name}: {key}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--most", type=int, default=5, help="projects of one repository that are looked at")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    for folder in sorted(arguments.repositories.iterdir()):
        if not folder.is_dir() or not re.search(arguments.only, folder.name):
            continue
        tree = Folder(folder, everything=True)
        found = tops(tree)[: arguments.most]
        if not found:
            continue
        print(folder.name, flush=True)
        for top in found:
            for platform in (NVIDIA, ROCM):
                counts = compare(tree, folder, top, platform, arguments.show)
                total.update({f"{platform.name}: {name}": count for name, count in counts.items()})
    for name, count in sorted(total.items()):
        print(f"{name:30} {count}")


if __name__ == "__main__":
    main()
