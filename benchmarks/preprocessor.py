"""Our preprocessor against `clang -E` on real sources: the same tokens for the same switches?

    python benchmarks/preprocessor.py PROJECT [PROJECT …] [--sources 40] [--seed 1]

Of each project, sources that are drawn by lot. Include folders are all folders from which some include of the project can
be answered; headers that the project does not have are empty ones to both. Both get the same switches (`-D`), and every
other macro is undefined (`-undef`). What we leave undecided (`__has_include`, `__has_attribute`), and what clang refuses
(a macro with arguments that a missing header would define), is counted by itself.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from rewarp.lang.cpp.preprocessor import Preprocessor
from rewarp.lang.cpp.tokens import Token, logical_lines
from rewarp.toolchain import find

SOURCES = (".cu", ".cc", ".cpp", ".cxx", ".c", ".cuh", ".h", ".hpp")
COMMON = {"__cplusplus": "201703L", "__LINE__": "LINE", "__FILE__": "FILE", "__COUNTER__": "COUNTER", "__GNUC__": "11"}
SWITCHES = ({"__CUDACC__": "1", "__CUDA_ARCH__": "800", **COMMON}, {"__HIPCC__": "1", "USE_ROCM": "1", **COMMON})
"""Line numbers and the like are names, so that they can be compared."""


_PRAGMA = re.compile(r'_Pragma \( "(?:[^"\\]|\\.)*" \)')


class Kept:
    def __init__(self) -> None:
        self.words: list[str] = []
        self.undecided = ""

    def feed(self, tokens: list[Token], path: str, condition: str) -> None:
        self.undecided = self.undecided or condition
        self.words += [token.text for token in tokens]

    def state(self) -> object:
        return None

    def restore(self, state: object) -> None:
        pass


class Project:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, bytes] = {}
        for path in sorted(root.rglob("*")):
            if (
                path.is_file()
                and not path.is_symlink()
                and path.suffix in (*SOURCES, ".hxx", ".inl", ".inc", ".def", ".tpp")
            ):
                self.files[str(path)] = path.read_bytes()
        self.folders = self._folders()

    def _folders(self) -> list[str]:
        found: Counter[str] = Counter()
        by_name: dict[str, list[str]] = {}
        for path in self.files:
            by_name.setdefault(os.path.basename(path), []).append(path)
        for data in self.files.values():
            for line in logical_lines(data):
                texts = [token.text for token in line]
                if texts[:2] == ["#", "include"] and len(texts) > 2:
                    name = "".join(texts[2:]).strip('<>"')
                    for other in by_name.get(os.path.basename(name), ()):
                        if other.endswith("/" + name):
                            found[other[: -len(name) - 1]] += 1
        return [folder for folder, _ in found.most_common(40)]

    def resolve(self, includer: str, name: str, quoted: bool) -> str | None:
        for folder in [os.path.dirname(includer), *self.folders] if quoted else self.folders:
            path = os.path.normpath(f"{folder}/{name}")
            if path in self.files:
                return path
        return None


def ours(project: Project, source: str, switches: dict[str, str]) -> tuple[Kept, set[str], bool]:
    missing: set[str] = set()

    def resolve(includer: str, name: str, quoted: bool) -> str | None:
        found = project.resolve(includer, name, quoted)
        if found is None and name:
            missing.add(name)
        return found

    sink = Kept()
    given = "".join(f"#define {name} {value}\n" for name, value in switches.items())
    unit = Preprocessor(
        sink,
        lambda name: None if name.startswith("__has_") else False,
        resolve,
        {**project.files, "<given>": given.encode()},
    )
    unit.read("<given>")
    unit.read(source)
    open_macros = [name for name, known in unit.macros.items() if len(known) > 1]
    sink.undecided = sink.undecided or ", ".join(open_macros)
    return sink, missing, bool(unit.unread)


def of_clang(project: Project, source: str, switches: dict[str, str], missing: set[str]) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(prefix="preprocessor-") as empty:
        for name in missing:
            file = Path(os.path.normpath(f"{empty}/{name}"))
            if str(file).startswith(empty + "/"):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
        words = [f"-D{name}={value}" for name, value in switches.items()]
        words += [word for folder in [*project.folders, empty] for word in ("-I", folder)]
        done = subprocess.run(
            [*find().clang, "-E", "-P", "-undef", "-nostdinc", "-x", "c++", "-std=gnu++17", "-w", "-Wno-error", *words, "-include", source, os.devnull],
            capture_output=True, text=True, errors="replace", timeout=60,
        )  # fmt: skip
        return done.stdout, next((line for line in done.stderr.splitlines() if "error:" in line), "")


def split(text: str) -> list[str]:
    lines = logical_lines(text.encode("utf-8", "replace"))
    # clang keeps pragmas on lines of their own, which are no code.
    return [token.text for line in lines if line[0].text != "#" for token in line]


def judged(project: Project, source: str, switches: dict[str, str]) -> tuple[str, str]:
    sink, missing, unread = ours(project, source, switches)
    expected, refused = of_clang(project, source, switches, missing)
    # clang makes lines of their own of _Pragma, which are no code either.
    found, wanted = split(_PRAGMA.sub("", " ".join(sink.words))), split(expected)
    if found == wanted and not sink.undecided and not unread:
        return "the same", ""  # after an #error too: clang reads on
    if refused:
        return "clang refuses it", refused
    if unread:
        return "we give up", ""
    if sink.undecided:
        return "undecided", sink.undecided
    at = next((at for at, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]), min(len(found), len(wanted)))
    ours_there, theirs = " ".join(found[max(0, at - 4) : at + 6]), " ".join(wanted[max(0, at - 4) : at + 6])
    return "different", f"{ours_there!r} for {theirs!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--sources", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for root in options.projects:
        project = Project(root.resolve())
        chance = random.Random(options.seed)
        units = [path for path in project.files if path.endswith(SOURCES)]
        counts: Counter[str] = Counter()
        for source in chance.sample(units, min(options.sources, len(units))):
            for switches in SWITCHES:
                verdict, why = judged(project, source, switches)
                counts[verdict] += 1
                if verdict != "the same":
                    print(f"  {verdict}: {os.path.relpath(source, root)}: {why[:200]}", flush=True)
        print(f"{root.name}: {dict(counts)}", flush=True)
        total += counts
    print(f"all: {dict(total)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
