"""Kernel crates: a build script for hipcc beside the one for nvcc, taken when the feature ``rocm`` is on."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from rewarp.findings import Finding
from rewarp.lang.kinds import Kind
from rewarp.port.build.sources import HipSources, relative
from rewarp.port.model import Change, Manual, PhaseResult, PortPhase
from rewarp.port.rust import script_text
from rewarp.port.rust.manifests import Crate
from rewarp.port.tree import Tree
from rewarp.project.build.build_script import Kernels, NotRead, closed, read_kernels
from rewarp.registry import all_rules, fixed_in
from rewarp.source import SourceFile
from rewarp.verdict import blocking

_NVCC = re.compile(rb"\b(bindgen_cuda|cudaforge)\b|\.cuda\(true\)|\"nvcc\"")
_MAIN = re.compile(r"^fn main\(", re.M)
_INCLUDED = re.compile(r'include!\(\s*concat!\(\s*env!\("OUT_DIR"\)\s*,\s*"/([\w.]+)"')
_NVCC_TEXT = re.compile(_NVCC.pattern.decode())
_FOR_CUDA = re.compile(r'#\[cfg\(feature = "cuda"\)\]\s*(?:pub\s+)?(?:mod|fn)\s+\w+\b[^{;]{0,2000}\{')
_FEATURE = 'feature = "rocm"'
_WHY_SCRIPT = "With the feature rocm another main compiles the kernels; without it the script is the one it was."
_WHY_NEW = "Compiles the kernels for AMD with hipcc; only the feature rocm brings it in."
_WHY_LIB = "With the feature rocm the crate offers the kernels' code objects for AMD."


def _rules() -> tuple[str, ...]:
    """The rules that are answered by compiling the kernels for AMD."""
    return fixed_in("rocm", Kind.RUST)


def port(tree: Tree, crates: dict[str, Crate], findings: Iterable[Finding], result: PhaseResult) -> set[str]:
    """The crates whose kernels are compiled for AMD afterwards, or are already."""
    asked = {finding.path for finding in findings if all_rules()[finding.rule].family == "cuda" and blocking(finding)}
    ported: set[str] = set()
    sources = HipSources.of(tree)
    for crate in crates.values():
        path = posixpath.join(crate.folder, "build.rs")
        data = tree.read(path)
        if data is None or not _NVCC.search(data):
            continue
        if _FEATURE.encode() in data:
            ported.add(crate.name)
            continue
        try:
            changes = _changes(tree, crate, SourceFile(path, data), sources)
        except NotRead as error:
            what = "the kernels are compiled by nvcc alone"
            result.manual.append(Manual(path, None, PortPhase.BUILD, what, str(error), ", ".join(_rules())))
            continue
        result.changes += changes
        result.manual += _untranslated(changes, crate, asked)
        ported.add(crate.name)
    return ported


def unread(tree: Tree, crates: dict[str, Crate]) -> Iterator[tuple[str, str]]:
    """The folders of crates whose build script compiles kernels in a way that was not understood, and why."""
    for crate in crates.values():
        path = posixpath.join(crate.folder, "build.rs")
        data = tree.read(path)
        if data is not None and _NVCC.search(data) and _FEATURE.encode() not in data:
            try:
                _changes(tree, crate, SourceFile(path, data), HipSources.of(tree))
            except NotRead as error:
                yield crate.folder, str(error)


def _changes(tree: Tree, crate: Crate, script: SourceFile, sources: HipSources) -> list[Change]:
    text = script.data.removeprefix(script.bom).decode("utf-8", "surrogateescape")
    if re.search(r"(?i)cutlass", text):
        raise NotRead("its kernels are written with CUTLASS, which does not compile for AMD")
    main = _MAIN.findall(text)
    match = _MAIN.search(text)
    if match is None or len(main) != 1 or text[: match.start()].rstrip().endswith("]") or "build_rocm" in text:
        raise NotRead("its main function was not recognised")
    kernels = read_kernels(text, crate.folder, tree.paths())
    included = _included(tree, crate)
    newline = "\r\n" if "\r\n" in text else "\n"
    after = _with_other_main(text, match.start()).replace("\r\n", "\n").replace("\n", newline)
    new = script_text.build_script(_for_hip(kernels, crate, sources), included, _shim(crate, sources))
    changed = script.bom + after.encode("utf-8", "surrogateescape")
    changes = [
        Change(script.path, changed, PortPhase.BUILD, _WHY_SCRIPT, _rules()),
        Change(posixpath.join(crate.folder, "build_rocm.rs"), new.encode(), PortPhase.BUILD, _WHY_NEW, _rules()),
    ]
    library = posixpath.join(crate.folder, "src/lib.rs")
    data = tree.read(library)
    if kernels.modules and data is not None and b"mod hsaco" not in data:
        end = b"" if data.endswith(b"\n") else b"\n"
        changes.append(Change(library, data + end + script_text.OFFERED.encode(), PortPhase.BUILD, _WHY_LIB, _rules()))
    return changes


def _with_other_main(text: str, main: int) -> str:
    """The script that compiles for AMD when the feature is on. Where all that is NVIDIA's stands behind the feature cuda,
    one call beside it is enough; otherwise another main takes the place."""
    gated = [range(match.start(), closed(text, match.end() - 1)) for match in _FOR_CUDA.finditer(text)]
    body = text.find("{", main) + 1
    if body and all(any(match.start() in block for block in gated) for match in _NVCC_TEXT.finditer(text)):
        return text[:main] + script_text.MODULE + text[main:body] + script_text.CALL + text[body:]
    return text[:main] + script_text.GATED_MAIN + text[main:]


def _untranslated(changes: list[Change], crate: Crate, asked: set[str]) -> Iterator[Manual]:
    """Kernels that hipcc gets as they are though the scan says that it does not take them so."""
    script = next(change for change in changes if change.path.endswith("build_rocm.rs")).after or b""
    for source in re.findall(rb'"([^"]+\.cu)"', script) if b"-include" not in script else ():
        path = posixpath.join(crate.folder, source.decode())
        if path in asked:
            why = "there is no HIP version of it beside it, and hipcc does not take it as it is"
            yield Manual(
                path,
                None,
                PortPhase.TRANSLATION,
                "the kernel is compiled from the CUDA source",
                why,
                ", ".join(_rules()),
            )


def _for_hip(kernels: Kernels, crate: Crate, sources: HipSources) -> Kernels:
    def hip(path: str) -> str:
        return relative(sources.for_hip(posixpath.join(crate.folder, path)), crate.folder)

    return Kernels(
        sorted(hip(path) for path in kernels.modules),
        {name: [hip(path) for path in paths] for name, paths in kernels.libraries.items()},
        kernels.options,
    )


def _shim(crate: Crate, sources: HipSources) -> str | None:
    return relative(sources.shim, crate.folder) if sources.shim else None


def _included(tree: Tree, crate: Crate) -> str | None:
    """The file of PTX constants that the crate's sources include."""
    folder = posixpath.join(crate.folder, "src") + "/"
    for path in tree.paths():
        if path.startswith(folder) and path.endswith(".rs"):
            found = _INCLUDED.search((tree.read(path) or b"").decode("utf-8", "replace"))
            if found and "ptx" in found[1]:
                return found[1]
    return None
