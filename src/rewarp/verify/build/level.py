"""The build level: units compiled for every architecture, and kernels held against what each GPU can launch."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rewarp import __version__
from rewarp.api import default_jobs
from rewarp.errors import UsageError
from rewarp.files import cache_folder
from rewarp.toolchain import DEFAULT_ARCHES, KernelResources, Toolchain, find_for, is_arch
from rewarp.toolchain.arches import not_an_arch
from rewarp.toolchain.kernels import qualified_name
from rewarp.verify.build.compile import Plan, Progress, compile_all
from rewarp.verify.build.flags import Flags
from rewarp.verify.build.launches import Launch, find_launches
from rewarp.verify.build.limits import Limits, limits_of, occupancy
from rewarp.verify.build.staging import Staged, Translated, staged
from rewarp.verify.build.store import Result
from rewarp.verify.build.units import Tree, read_tree
from rewarp.verify.build.versions import newer_of, settled, too_new
from rewarp.verify.checks import Check, Evidence, Level, Outcome

DEFAULT_TIMEOUT = 300.0
_SECOND_BOUND = re.compile(rb"__launch_bounds__\s*\([^(),]+,[^(),]+")
_NOTHING = Check(Level.BUILD, "the device code", Outcome.NOT_CHECKED, "no CUDA or HIP source file here", excused=True)
_AS_TRANSLATED = "translated by rewarp, then compiled"


def verify_build(
    target: Path,
    *,
    arches: Sequence[str] = DEFAULT_ARCHES,
    compilers: Mapping[str, Toolchain] | None = None,
    includes: Sequence[Path] = (),
    options: Sequence[str] = (),
    exclude: Iterable[str] = (),
    jobs: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    translate: bool = True,
    use_cache: bool = True,
    progress: Progress = lambda done, total: None,
) -> Evidence:
    """Compiles the device code of a tree, or of one file. CUDA is translated first, unless ``translate`` says no;
    the tree itself is not changed. ``includes`` and ``options`` are for every unit, and come after its own.
    ``compilers`` by architecture: else the best here for each; where there is none, nothing is checked."""
    start = time.perf_counter()
    for arch in arches:
        if not is_arch(arch):
            raise not_an_arch(arch)
    extra = Flags(includes=tuple(folder.absolute() for folder in includes), options=tuple(options))
    tree = read_tree(target, extra, exclude)
    try:
        using = compilers or find_for(arches)
    except UsageError as error:
        return _without_compiler(tree, arches, str(error))
    with staged(tree, translate=translate) as (translated, units):
        store = cache_folder() if use_cache else None
        plan = Plan(using, jobs or default_jobs(), timeout, translated, store)
        results = compile_all(units, plan, progress)
        newer = newer_of(using)
        again = compile_all(units, replace(plan, compilers=newer), progress)
        asked = {unit.unit.path: _launches(unit, translated) for unit in units}
    checks: list[Check] = []
    judged: dict[tuple[str, str], Check] = {}
    for unit in units:
        for arch in arches:
            key = unit.unit.path, arch
            found = [_unit_check(unit, arch, results[key], using[arch])]
            if arch in newer:
                found = _with_newer(found[0], unit, arch, again[key], newer[arch])
            judged[key] = found[0]
            if found[0].outcome is Outcome.PASSED and results[key].outcome is not Outcome.PASSED:
                results[key] = again[key]
            checks += found
    kernels: list[dict[str, Any]] = []
    for unit in units:
        by_arch = {arch: results[unit.unit.path, arch] for arch in arches}
        checks += _launch_checks(unit.unit.path, by_arch, asked[unit.unit.path])
        kernels += _kernel_rows(unit.unit.path, by_arch, asked[unit.unit.path])
    if not units:
        checks = [_NOTHING]
    provenance: dict[str, Any] = {"rewarp": __version__, "compilers": _described(using, newer), "arches": list(arches)}
    if torch := next((unit.torch for unit in units if unit.torch), None):
        provenance["torch"] = str(torch)
    details = {"units": [_unit_row(unit, arches, judged) for unit in units], "kernels": kernels} | _rest(tree, arches)
    return Evidence(Level.BUILD, tuple(checks), provenance, details, time.perf_counter() - start)


def _without_compiler(tree: Tree, arches: Sequence[str], why: str) -> Evidence:
    check = Check(Level.BUILD, "the device code", Outcome.NOT_CHECKED, why) if tree.units else _NOTHING
    details = {"units": [], "kernels": []} | _rest(tree, arches)
    return Evidence(Level.BUILD, (check,), {"rewarp": __version__, "compilers": [], "arches": list(arches)}, details)


def _described(*compilers: Mapping[str, Toolchain]) -> list[dict[str, Any]]:
    """Each compiler once, with the architectures that it compiled for."""
    each = [(one, using) for using in compilers for one in dict.fromkeys(using.values())]
    return [one.describe() | {"arches": [arch for arch in using if using[arch] == one]} for one, using in each]


def _rest(tree: Tree, arches: Iterable[str]) -> dict[str, Any]:
    known = {arch: limits for arch in arches if (limits := limits_of(arch))}
    return {
        "set_aside": [{"path": path, "why": why} for path, why in tree.set_aside],
        "limits": {arch: asdict(limits) for arch, limits in known.items()},
    }


# --- units ---------------------------------------------------------------------------------


def _unit_check(unit: Staged, arch: str, result: Result, compiler: Toolchain) -> Check:
    path = unit.unit.path
    evidence: dict[str, Any] = {"arch": arch, "compiler": compiler.clang_version, "translated": unit.translated}
    evidence["seconds"] = round(result.seconds, 3)
    if result.cause:
        evidence |= {"cause": result.cause, "subject": result.subject}
    if result.refusals:
        evidence["errors"] = [asdict(refusal) for refusal in result.refusals]
    if result.undefined:
        evidence["undefined"] = list(result.undefined)
    if result.derived:
        evidence["derived"] = list(result.derived)
    against = [*([str(unit.torch)] if unit.torch else ()), *result.derived]
    remarks = [_AS_TRANSLATED] * unit.translated + [f"checked against {origin}" for origin in against]
    remarks += [unit.remark] if unit.remark else []
    if unit.torch:
        evidence["torch"] = unit.torch.version
    why, outcome = result.why or "; ".join(remarks), result.outcome
    if outcome is Outcome.FAILED and (macro := _left_open(unit, why)):
        outcome, why = Outcome.NOT_CHECKED, f"{macro} is given by who builds it, and the build files do not say how"
    elif outcome is Outcome.FAILED and (newer := too_new(result, why, compiler)):
        outcome, why = Outcome.NOT_CHECKED, newer
    return Check(Level.BUILD, f"{path} for {arch}", outcome, why, result.path or path, result.line, evidence)


def _with_newer(check: Check, unit: Staged, arch: str, result: Result, compiler: Toolchain) -> list[Check]:
    """The check, and the one with newer headers beside it."""
    other = _unit_check(unit, arch, result, compiler)
    other = replace(other, what=f"{other.what} with HIP {compiler.hip_version}")
    return [settled(check, other, compiler), other]


def _left_open(unit: Staged, why: str) -> str | None:
    """A macro that a compiler missed, and that the build gives under a condition which nothing here decides."""
    names = (flag.removeprefix("-D").partition("=")[0] for flag in unit.unit.flags.undecided)
    return next((name for name in names if f"'{name}'" in why), None)


def _unit_row(unit: Staged, arches: Iterable[str], judged: Mapping[tuple[str, str], Check]) -> dict[str, Any]:
    flags = unit.unit.flags
    found = {arch: judged[unit.unit.path, arch] for arch in arches}
    return {
        "path": unit.unit.path,
        "translated": unit.translated,
        "flags_from": flags.origin or None,
        "options": list(flags.options),
        "includes": [str(folder) for folder in flags.includes],
        "guessed_includes": [str(folder) for folder in unit.unit.guessed],
        "undecided_flags": list(flags.undecided),
        "torch": str(unit.torch) if unit.torch else None,
        "arches": {arch: {"outcome": result.outcome.value, "why": result.why} for arch, result in found.items()},
    }


# --- kernels -------------------------------------------------------------------------------


def _launches(unit: Staged, translated: Translated) -> tuple[list[Launch], bool]:
    """The launches in a unit as it is compiled, and whether it speaks of blocks where HIP reads waves."""
    try:
        data = unit.source.read_bytes()
    except OSError:
        return [], False
    found = find_launches(unit.unit.path, data, unit.unit.flags.options)
    if unit.translated:
        found = [replace(launch, line=translated.line(unit.unit.path, launch.line)) for launch in found]
    return found, bool(_SECOND_BOUND.search(data))


def _short_name(kernel: KernelResources) -> str:
    return qualified_name(kernel.symbol)[-1]


def _launch_checks(path: str, by_arch: dict[str, Result], asked: tuple[list[Launch], bool]) -> list[Check]:
    """One check for each launch whose numbers are known and each architecture; of a template's instances the one
    that allows most is meant, since the launch does not say which it takes."""
    checks = []
    for launch in asked[0]:
        if launch.block is None and not launch.dynamic_lds:
            continue
        for arch, result in by_arch.items():
            limits = limits_of(arch)
            instances = [kernel for kernel in result.resources if _short_name(kernel) == launch.kernel]
            if limits and instances:
                checks.append(_launch_check(path, launch, instances, limits))
    return checks


def _launch_check(path: str, launch: Launch, instances: Sequence[KernelResources], limits: Limits) -> Check:
    size = f"blocks of {launch.block}" if launch.block else f"{launch.dynamic_lds:,} bytes of LDS"
    what = f"{launch.kernel} launches with {size} on {limits.arch}"
    why = _refusal(launch, instances, limits)
    outcome = Outcome.FAILED if why else Outcome.PASSED
    evidence = {"arch": limits.arch, "block": launch.block, "dynamic_lds": launch.dynamic_lds}
    return Check(Level.BUILD, what, outcome, why, path, launch.line, evidence)


def _refusal(launch: Launch, instances: Sequence[KernelResources], limits: Limits) -> str:
    block = launch.block or 0
    if block > limits.max_block:
        return f"a block has {block:,} threads, and no AMD GPU takes more than {limits.max_block:,}"
    most = max(kernel.max_workgroup for kernel in instances)
    if block > most:
        return f"a block has {block} threads, and the kernel is compiled for at most {most} (__launch_bounds__)"
    lds = min(kernel.lds_bytes for kernel in instances) + (launch.dynamic_lds or 0)
    if lds > limits.lds_per_block:
        return f"a block needs {lds:,} bytes of LDS, and {limits.arch} has {limits.lds_per_block:,}"
    return ""


def _kernel_rows(path: str, by_arch: dict[str, Result], asked: tuple[list[Launch], bool]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for arch, result in by_arch.items():
        for kernel in result.resources:
            launches = [launch for launch in asked[0] if launch.kernel == _short_name(kernel)]
            row = found.setdefault(
                kernel.symbol, {"unit": path, "symbol": kernel.symbol, "name": kernel.name, "arches": {}}
            )
            row["arches"][arch] = _figures(kernel, limits_of(arch), launches, asked[1])
    return list(found.values())


def _figures(
    kernel: KernelResources, limits: Limits | None, launches: Sequence[Launch], second_bound: bool
) -> dict[str, Any]:
    figures = {key: value for key, value in vars(kernel).items() if key not in ("symbol", "name")}
    figures |= {"occupancy": None, "blocks": sorted({launch.block for launch in launches if launch.block})}
    if limits is None:
        return figures | {"notes": ["occupancy is not known: the limits of this architecture are not in our table"]}
    full = occupancy(kernel, limits)
    figures["occupancy"] = {"waves": full.waves, "most": full.most, "limiter": full.limiter}
    figures["by_block"] = {
        str(block): asdict(occupancy(kernel, limits, block))
        for block in figures["blocks"]
        if block <= kernel.max_workgroup
    }
    return figures | {"notes": _notes(kernel, figures["blocks"], second_bound)}


def _notes(kernel: KernelResources, blocks: Iterable[int], second_bound: bool) -> list[str]:
    """What runs, and may run badly."""
    notes = []
    if kernel.vgpr_spills or kernel.sgpr_spills:
        notes.append(f"{kernel.vgpr_spills} VGPRs and {kernel.sgpr_spills} SGPRs spill")
    if kernel.scratch_bytes:
        notes.append(f"{kernel.scratch_bytes} bytes of scratch a lane")
    for block in blocks:
        if block % kernel.wave_size:
            idle = -block % kernel.wave_size
            notes.append(f"blocks of {block} leave {idle} of the last wave's {kernel.wave_size} lanes idle")
    if not blocks and kernel.max_workgroup < kernel.wave_size:
        notes.append(f"__launch_bounds__({kernel.max_workgroup}) is less than a wave of {kernel.wave_size}")
    if second_bound and kernel.max_workgroup < 1024:
        notes.append("the unit has a second number in __launch_bounds__: waves per SIMD here, blocks to CUDA")
    return notes
