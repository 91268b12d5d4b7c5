"""NVIDIA's own compiler, asked: every CUDA unit that a change may reach, before and after it, at the same path.

Compared are the tokens after the preprocessor, for the host and for a device, and the PTX. Tokens that are the same are the
strongest word that a certificate can have; PTX that is the same where tokens are not says that the device code is.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from rewarp.project.build import BuildUnit, read_build
from rewarp.project.gates import NVIDIA
from rewarp.toolchain.nvcc import CompiledByNvcc, Nvcc
from rewarp.verify.isolation import document as documents
from rewarp.verify.isolation.cfamily.includers import users
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.verify.isolation.roles import Role, role_of, suffix
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Tree

ARCH = "sm_90"
NORMALISED = (
    "__LINE__",
    "__DATE__",
    "__TIME__",
    "__TIMESTAMP__",
    "ids of modules in names",
    "line markers, .loc and .file",
)
"""What is the same for both by force, or left out: it changes with every edit, and decides nothing."""
METHOD = "nvcc: tokens after the preprocessor, and PTX"
_FIXED = ("-D__LINE__=0", '-D__DATE__=""', '-D__TIME__=""', '-D__TIMESTAMP__=""')
_MARKER = re.compile(r"^\s*#[^\n]*$", re.M)
_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.\'])*|\S')
_MODULE = re.compile(r"(?:_INTERNAL|_GLOBAL__N_)_[0-9a-f]{6,}_\d+_\w+?_[0-9a-f]{6,}(?:_\d+)?")
_ASIDE = re.compile(r"//[^\n]*|^\s*\.(?:loc|file)\b[^\n]*$", re.M)
_TAKEN = re.compile(
    r"-{1,2}(?:std=.*|use_fast_math|expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|ftz=.*|fmad=.*|prec-.*|rdc=.*|default-stream.*)|-O\d"
)
_SOURCES = frozenset({".cu", ".cpp", ".cc", ".cxx", ".c"})


@dataclass(frozen=True)
class UnitCompared:
    """What the compiler says of one unit."""

    source: str
    target: str
    verdict: IsolationVerdict
    """Not provable: it was not compiled."""
    why: str


@dataclass(frozen=True)
class Compiled:
    """The answers of one compiler, and what it was asked with."""

    compiler: str
    arch: str
    units: tuple[UnitCompared, ...]
    out_of_reach: int
    """Units that include nothing of what changed: they were not compiled."""
    normalised: tuple[str, ...] = NORMALISED

    @property
    def verdict(self) -> IsolationVerdict:
        """Identical only where a unit compiled, and every one did, to the same."""
        found = {unit.verdict for unit in self.units}
        if IsolationVerdict.DIFFERENT in found:
            return IsolationVerdict.DIFFERENT
        return IsolationVerdict.IDENTICAL if found == {IsolationVerdict.IDENTICAL} else IsolationVerdict.UNPROVABLE


def compile_both(
    trees: Trees, nvcc: Nvcc, changed: Iterable[str], seen: Callable[[int, int], None] = lambda done, total: None
) -> Compiled:
    """Compiles the units that may include a changed file; one that only one of the builds has is different."""
    touched = frozenset(changed)
    before, after = _Side(trees.before, touched), _Side(trees.after, touched)
    if not before.units and not after.units:
        before.units, after.units = before.loose, after.loose
    keys = dict.fromkeys([*before.units, *after.units])
    wanted = [key for key in keys if _is_reached(key, before, after)]
    steps = 2 * len(wanted)
    with tempfile.TemporaryDirectory(prefix="rewarp-nvcc-") as folder:
        place = Path(folder, "tree")
        made: list[dict[tuple[str, str], _Made]] = []
        for number, side in enumerate((before, after)):
            side.write(place)
            made.append({})
            for done, key in enumerate(wanted):
                seen(number * len(wanted) + done, steps)
                if key in side.units:
                    made[-1][key] = _compile(nvcc, place, key[0], side.units[key])
            shutil.rmtree(place)
    units = tuple(_judged(key, made[0].get(key), made[1].get(key)) for key in wanted)
    version = ".".join(map(str, nvcc.version))
    return Compiled(f"nvcc {version}", ARCH, units, len(keys) - len(wanted))


def settled(files: Sequence[FileVerdict], compiled: Compiled, trees: Trees) -> tuple[FileVerdict, ...]:
    """The verdicts by reading, with the compiler's word where it has one: what it calls different is never proved, and a file that
    only units with the same tokens include is."""
    return tuple(_settled(file, compiled, trees) for file in files)


def _settled(file: FileVerdict, compiled: Compiled, trees: Trees) -> FileVerdict:
    if role_of(file.path) is not Role.C or file.sha256_before is None or file.sha256_after is None:
        return file
    verdicts = {unit.source: unit for unit in compiled.units}
    including: set[str] = set()
    for tree in (trees.before, trees.after):
        including |= {path for path in users(tree, file.path) if suffix(path) in _SOURCES or path in verdicts}
    other = next(
        (
            verdicts[user]
            for user in sorted(including)
            if user in verdicts and verdicts[user].verdict is IsolationVerdict.DIFFERENT
        ),
        None,
    )
    if other and file.verdict is IsolationVerdict.IDENTICAL:
        return replace(file, verdict=IsolationVerdict.DIFFERENT, method=METHOD, why=f"{other.source}: {other.why}")
    same = bool(including) and all(
        user in verdicts and verdicts[user].verdict is IsolationVerdict.IDENTICAL for user in including
    )
    if same and file.verdict is not IsolationVerdict.IDENTICAL:
        words = f"the same tokens and PTX in all {len(including)} units that include it"
        return replace(file, verdict=IsolationVerdict.IDENTICAL, method=METHOD, why=words, places=())
    return file


# --- units ----------------------------------------------------------------------------------


class _Side:
    """One tree: its CUDA units as NVIDIA's build compiles them, and which files reach what changed."""

    def __init__(self, tree: Tree, touched: frozenset[str]) -> None:
        self.tree, self._touched = tree, touched

    @cached_property
    def units(self) -> dict[tuple[str, str], BuildUnit | None]:
        """By source and target."""
        found = (unit for unit in read_build(self.tree, NVIDIA).units if unit.language == "CUDA")
        return {(unit.source, unit.target): unit for unit in found if "<" not in unit.source}

    @property
    def loose(self) -> dict[tuple[str, str], BuildUnit | None]:
        """What there is to compile where no build file names a unit: with no flags."""
        return {(path, ""): None for path in self.tree.entries if path.endswith(".cu")}

    @cached_property
    def reaching(self) -> frozenset[str]:
        """Files that changed, or that include one that did, however far away."""
        return frozenset(path for start in self._touched for path in users(self.tree, start))

    def write(self, place: Path) -> None:
        """The sources and headers, as a folder."""
        paths = [
            path for path, entry in self.tree.entries.items() if entry.nature == "file" and role_of(path) is Role.C
        ]
        self.tree.load(paths)
        for path in paths:
            data = self.tree.read(path)
            if data is not None:
                file = place / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)


def _is_reached(key: tuple[str, str], before: _Side, after: _Side) -> bool:
    if key not in before.units or key not in after.units:
        return True
    one, other = before.units[key], after.units[key]
    if _flags(one, Path("/")) != _flags(other, Path("/")):
        return True
    return key[0] in before.reaching or key[0] in after.reaching


# --- compiling ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Made:
    host: CompiledByNvcc
    device: CompiledByNvcc
    ptx: CompiledByNvcc

    @property
    def error(self) -> str | None:
        failed = next((one for one in (self.host, self.device, self.ptx) if not one.ok), None)
        return None if failed is None else (failed.errors or ("nvcc gave no reason",))[0].strip()


def _compile(nvcc: Nvcc, place: Path, path: str, unit: BuildUnit | None) -> _Made:
    source = place / path
    options = [*_FIXED, *_flags(unit, place)]
    macro = f"-D__CUDA_ARCH__={ARCH.removeprefix('sm_')}0"
    return _Made(
        nvcc.preprocessed(source, options),
        nvcc.preprocessed(source, [*options, macro]),
        nvcc.ptx(source, ARCH, options),
    )


def _flags(unit: BuildUnit | None, place: Path) -> list[str]:
    """What the build gives in any case; conditions that nothing here decides leave a flag out, on both sides alike."""
    if unit is None:
        return []
    found: list[str] = []
    for define in unit.defines:
        if not define.conditions:
            found.append(f"-U{define.text[1:]}" if define.text.startswith("-") else f"-D{define.text}")
    for folder in unit.includes:
        if not folder.conditions and "<" not in folder.text:
            found += ["-I", str(place / folder.text)]
    found += [flag.text for flag in unit.flags if not flag.conditions and _TAKEN.fullmatch(flag.text)]
    if unit.system == "setup.py":
        found += [word for path in _torch_folders() for word in ("-I", path)]
    return found


def _torch_folders() -> list[str]:
    """The headers that an installed torch brings; nothing of it is imported."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(next(iter(spec.submodule_search_locations)), "include")
    return [str(folder), str(folder / "torch/csrc/api/include"), sysconfig.get_path("include")]


def _judged(key: tuple[str, str], before: _Made | None, after: _Made | None) -> UnitCompared:
    source, target = key

    def says(verdict: IsolationVerdict, why: str) -> UnitCompared:
        return UnitCompared(source, target, verdict, why)

    if before is None or after is None:
        return says(
            IsolationVerdict.DIFFERENT,
            "NVIDIA's build compiles it only " + ("after" if before is None else "before") + " the change",
        )
    errors = before.error, after.error
    if errors[0] and errors[1]:
        return says(IsolationVerdict.UNPROVABLE, f"not compiled: {errors[0]}")
    if errors[0] or errors[1]:
        return says(
            IsolationVerdict.DIFFERENT,
            f"it compiles only {'after' if errors[0] else 'before'} the change: {errors[0] or errors[1]}",
        )
    same_ptx = _plain(before.ptx.text) == _plain(after.ptx.text)
    for one, other, where in ((before.host, after.host, "host"), (before.device, after.device, "device")):
        tokens = _tokens(one.text), _tokens(other.text)
        if tokens[0] != tokens[1]:
            ptx = "the PTX is the same" if same_ptx else "the PTX differs too"
            return says(
                IsolationVerdict.DIFFERENT, f"other tokens for the {where} ({_first_difference(*tokens)}); {ptx}"
            )
    if not same_ptx:
        return says(IsolationVerdict.DIFFERENT, "the same tokens, and other PTX")
    return says(IsolationVerdict.IDENTICAL, "the same tokens for host and device, and the same PTX")


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_MARKER.sub("", text))


def _plain(ptx: str) -> str:
    return "\n".join(line.strip() for line in _ASIDE.sub("", _MODULE.sub("MODULE", ptx)).splitlines() if line.strip())


def _first_difference(one: Sequence[str], other: Sequence[str]) -> str:
    at = next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    before, after = (" ".join(tokens[at : at + 6]) or "nothing" for tokens in (one, other))
    return f"{before!r} became {after!r}"


def as_data(compiled: Compiled) -> documents.Compiled:
    """Fit for JSON."""
    return {
        "compiler": compiled.compiler,
        "arch": compiled.arch,
        "verdict": compiled.verdict.value,
        "out_of_reach": compiled.out_of_reach,
        "normalised": list(compiled.normalised),
        "units": [
            {"source": unit.source, "target": unit.target, "verdict": unit.verdict.value, "why": unit.why}
            for unit in compiled.units
        ],
    }
