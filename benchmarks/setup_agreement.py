"""Does rewarp read setup.py as Python runs it? Each script runs with stand-ins for torch and setuptools, once as on NVIDIA and
once as on ROCm (``setup_child.py``), and what it hands to setuptools is held against the units that rewarp reads.

    python benchmarks/setup_agreement.py FOLDER... [--verbose]

A folder is a repository; its setup.py files outside of tests and copies of other projects are taken. They are run: look at
them first."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewarp.project.build.setup_script import read_setup
from rewarp.project.build.units import BuildUnit
from rewarp.project.gates import NVIDIA, ROCM, Platform
from rewarp.project.modules import PythonModules
from rewarp.workspace import Folder, Tree

CHILD = Path(__file__).with_name("setup_child.py")


@dataclass
class Agreement:
    """One script on one platform."""

    script: str
    platform: str
    ran: int
    """Sources that the script hands over when it runs."""
    sure: int
    """Of these, how many rewarp names without a condition,"""
    conditional: int
    """and with one."""
    missed: list[str]
    wrong: list[str]
    """What rewarp names without a condition and the script does not hand over."""
    failed: str
    """What the script ends in, if it does."""
    refused: str
    defines: list[str]
    """Definitions of a source that differ."""

    same_failure: bool = False
    """Whether rewarp sees it fail at the same line."""
    carried: bool = True
    """Whether the script failed, if it did, in its own code: else the stand-ins are to blame."""

    @property
    def agrees(self) -> bool:
        if self.failed and not self.ran:
            return self.same_failure
        return not self.missed and not self.wrong and not (self.refused and not self.failed) and not self.defines


def run(script: Path, platform: Platform, root: Path) -> dict[str, Any]:
    """What a script hands over when it runs."""
    keep = ("PATH", "HOME", "LANG")
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    environment["REWARP_ROOT"] = str(root.resolve())
    command = [sys.executable, "-B", str(CHILD), platform.name, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    if not done.stdout:
        return {"built": [], "error": {"type": "child", "message": done.stderr[-300:]}}
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def compare(tree: Tree, root: Path, path: str, platform: Platform, modules: PythonModules) -> Agreement:
    told = run(root / path, platform, root)
    read = read_setup(tree, path, platform, modules)
    folder = os.path.dirname(path)
    ran = {
        (built["name"], os.path.normpath(os.path.join(folder, source))): _defines(built, source)
        for built in told["built"]
        for source in built["sources"]
    }
    sure = {_key(unit): unit for unit in read.units if not unit.conditions}
    perhaps = {_key(unit): unit for unit in read.units if unit.conditions}
    open_ended = any("<" in unit.source for unit in read.units)
    missed = [f"{name}: {source}" for name, source in ran if (name, source) not in sure | perhaps and not open_ended]
    wrong = [f"{name}: {source}" for name, source in sure if (name, source) not in ran and "<" not in source + name]
    error = told["error"]
    return Agreement(
        path,
        platform.name,
        len(ran),
        len(ran.keys() & sure.keys()),
        len(ran.keys() & perhaps.keys() - sure.keys()),
        missed,
        wrong,
        f"{error['type']}: {error['message']} ({error.get('file')}:{error.get('line')})" if error else "",
        "; ".join(f"{reason.line}: {why}" for reason, why in read.refusals),
        [name for key in ran.keys() & sure.keys() for name in _differing(sure[key], ran[key])],
        bool(error) and any(error.get("line") in (None, reason.line) for reason, _ in read.refusals),
        not error or str(error.get("file", root.resolve())).startswith(str(root.resolve())),
    )


def _key(unit: BuildUnit) -> tuple[str, str]:
    return unit.target, unit.source


def _defines(built: dict[str, Any], source: str) -> set[str]:
    """The definitions that a source gets: of the extension, and of the compiler that takes it."""
    found = {name if value is None else f"{name}={value}" for name, value in built["macros"]}
    given = built["args"] or []
    if isinstance(given, dict):
        given = given.get("nvcc" if source.endswith((".cu", ".hip")) else "cxx") or []
    return found | {str(word)[2:] for word in given if str(word).startswith("-D") and len(str(word)) > 2}


def _differing(unit: BuildUnit, ran: set[str]) -> list[str]:
    sure = {given.text for given in unit.defines if not given.conditions and not given.text.startswith("-")}
    perhaps = {given.text for given in unit.defines if given.conditions}
    own = {"USE_ROCM=1", "__HIP_PLATFORM_AMD__=1"}
    extra = {text for text in sure - ran - own if "<" not in text}
    lacking = set() if any("<" in text for text in sure | perhaps) else ran - sure - perhaps
    lacking = set() if any(flag.text.startswith("<") for flag in unit.flags) else lacking
    return [f"{unit.source}: {', '.join(sorted(extra | lacking))}"] if extra | lacking else []


def scripts(tree: Tree) -> list[str]:
    skipped = ("test", "third_party", "3rdparty", "example", "submodules", "dependencies")
    found = [path for path in tree.files() if os.path.basename(path).startswith("setup") and path.endswith(".py")]
    return [
        path
        for path in found
        if not any(part.startswith(skipped) for part in path.split("/")) and b"xtension" in (tree.read(path) or b"")
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    every: list[Agreement] = []
    for root in options.folders:
        tree = Folder(root)
        modules = PythonModules(tree)
        for path in scripts(tree):
            for platform in (NVIDIA, ROCM):
                one = compare(tree, root, path, platform, modules)
                every.append(one)
                verdict = "agrees " if one.agrees else "DIFFERS" if one.carried else "not run"
                print(f"{verdict} {root.name}/{path} {one.platform}: {one.ran} run, {one.sure} sure", end="")
                print(f", {one.conditional} with a condition, {len(one.missed)} missed, {len(one.wrong)} wrong", end="")
                print(f", fails: {one.failed[:160]}" if one.failed else "", end="")
                print(f", refused: {one.refused[:160]}" if one.refused else "", flush=True)
                for text in [*one.missed, *one.wrong, *one.defines][: 1000 if options.verbose else 3]:
                    print(f"    {text}")
    ran, sure = sum(one.ran for one in every), sum(one.sure for one in every)
    conditional, wrong = sum(one.conditional for one in every), sum(len(one.wrong) for one in every)
    agreeing, carried = sum(one.agrees for one in every), sum(one.carried for one in every)
    print(f"{agreeing} of {carried} runs agree, {len(every) - carried} were not to be had; of {ran} sources ", end="")
    print(f"{sure} sure, {conditional} with a condition, {ran - sure - conditional} missed; {wrong} not compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
