"""Kernel crates: with the feature ``rocm`` their CUDA sources are compiled by hipcc too, through headers of aliases that
stand in the crate."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.build.sources import HipSources, relative
from rewarp.port.changes import Change, Manual, PhaseResult, PortPhase
from rewarp.port.rust import faults, script_text
from rewarp.port.rust.attention import KERNEL, WHY, Interface
from rewarp.port.rust.attention import kernel as attention_kernel
from rewarp.port.rust.manifests import Crate
from rewarp.port.tree import Tree
from rewarp.project.build.build_script import Kernels, NotRead, closed, read_kernels
from rewarp.registry import fixed_in
from rewarp.source import SourceFile
from rewarp.translation.lexing import lex
from rewarp.translation.shim import make_shim
from rewarp.translation.tree import Naming, translate_sources

ALIASES = "hip"
"""The folder of a kernel crate that holds the headers of aliases."""
_NVCC = re.compile(rb"\b(bindgen_cuda|cudaforge)\b|\.cuda\(true\)|\"nvcc\"")
_MAIN = re.compile(r"^fn main\(\s*\)\s*(->[^{]*)?\{", re.M)
_INCLUDED = re.compile(r'include!\(\s*concat!\(\s*env!\("OUT_DIR"\)\s*,\s*"/([\w.]+)"')
_NVCC_TEXT = re.compile(_NVCC.pattern.decode())
_FOR_CUDA = re.compile(r'#\[cfg\(feature = "cuda"\)\]\s*(?:(?:pub\s+)?(?:mod|fn)\s+\w+\b[^{;]{0,2000})?\{')
_FEATURE = 'feature = "rocm"'
_WHY_SCRIPT = "With the feature rocm the kernels are compiled for AMD too; without it the script does what it did."
_WHY_NEW = "Compiles the kernels for AMD with hipcc; only the feature rocm brings it in."
_WHY_ALIASES = "Lets hipcc compile the CUDA sources as they are; only the build for AMD looks in this folder."


def _rules() -> tuple[str, ...]:
    """The rules that are answered by compiling the kernels for AMD."""
    return fixed_in("rocm", Kind.RUST)


def kernel_crates(tree: Tree, crates: dict[str, Crate]) -> Iterator[tuple[Crate, SourceFile]]:
    """The crates whose build script has nvcc compile something, with the script."""
    for crate in crates.values():
        path = posixpath.join(crate.folder, "build.rs")
        data = tree.read(path)
        if data is not None and _NVCC.search(data):
            yield crate, SourceFile(path, data)


def port(
    tree: Tree, crates: dict[str, Crate], supplied: Mapping[str, Interface], result: PhaseResult
) -> frozenset[str]:
    """The crates whose kernels are compiled for AMD afterwards, or are already. ``supplied``: those whose library has an
    implementation of rewarp's own."""
    ported: set[str] = set()
    holding = {one.kernels[0] for one in supplied.values() if one.kernels}
    for crate, script in kernel_crates(tree, crates):
        if _FEATURE.encode() not in script.data:
            try:
                if crate.name in supplied:
                    result.changes += _supplied(crate, script, supplied[crate.name])
                else:
                    result.changes += _changes(tree, crate, script, result, crate.name in holding)
            except NotRead as error:
                what = "the kernels are compiled by nvcc alone"
                result.manual.append(Manual(script.path, None, PortPhase.BUILD, what, str(error), ", ".join(_rules())))
                continue
        ported.add(crate.name)
    return frozenset(ported)


def unread(tree: Tree, crates: dict[str, Crate]) -> Iterator[tuple[str, str]]:
    """The folders of crates whose build script compiles kernels in a way that was not understood, and why."""
    for crate, script in kernel_crates(tree, crates):
        if _FEATURE.encode() not in script.data:
            try:
                _changes(tree, crate, script, PhaseResult())
            except NotRead as error:
                yield crate.folder, str(error)


def holds_modules(tree: Tree, crates: dict[str, Crate], name: str) -> bool:
    """Whether a crate's kernels are going to be code objects that are loaded, and there is room for one more of that name."""
    stem = posixpath.basename(KERNEL).partition(".")[0]
    for crate, script in kernel_crates(tree, crates):
        if crate.name == name and _FEATURE.encode() not in script.data:
            library = tree.read(posixpath.join(crate.folder, "src/lib.rs")) or b""
            try:
                modules = _read(tree, crate, script)[2].modules
            except NotRead:
                return False
            known = {posixpath.basename(module).partition(".")[0].lower() for module in modules}
            return (
                bool(modules) and stem not in known and not re.search(rb"\b" + stem.upper().encode() + rb"\b", library)
            )
    return False


def _read(tree: Tree, crate: Crate, script: SourceFile) -> tuple[str, re.Match[str], Kernels]:
    text = script.data.removeprefix(script.bom).decode("utf-8", "surrogateescape")
    if re.search(r"(?i)cutlass", text):
        raise NotRead("its kernels are written with CUTLASS, which does not compile for AMD")
    return text, _main(text), read_kernels(text, crate.folder, tree.paths())


def _changes(
    tree: Tree, crate: Crate, script: SourceFile, result: PhaseResult, attention: bool = False
) -> list[Change]:
    text, main, kernels = _read(tree, crate, script)
    if kernels.modules:
        result.manual += _left_out(kernels, script.path)
        kernels = Kernels(kernels.modules, {}, kernels.options)
    for_hip = _for_hip(kernels, crate, tree)
    if attention:
        for_hip = Kernels([*for_hip.modules, KERNEL], for_hip.libraries, for_hip.options)
    new = script_text.build_script(for_hip, _included(tree, crate), ALIASES, KERNEL if attention else None)
    made = [*_script(crate, script, text, main, new), *_aliases(tree, crate, kernels, result)]
    return made + [_attention(crate)] if attention else made


def _supplied(crate: Crate, script: SourceFile, interface: Interface) -> Iterator[Change]:
    """The kernel of rewarp's own in place of a library's; where another crate holds it, nothing is compiled here for AMD."""
    text = script.data.removeprefix(script.bom).decode("utf-8", "surrogateescape")
    main = _main(text)
    if interface.kernels:
        returning = script_text.RETURN_FIRST.replace("VALUE", " Ok(())" if main[1] else "")
        returning = returning.replace("KERNELS", interface.kernels[0])
        yield _changed(script, text[: main.end()] + returning + text[main.end() :])
    else:
        yield from _script(
            crate, script, text, main, script_text.build_script(Kernels([KERNEL], {}, []), None, ALIASES)
        )
        yield _attention(crate)


def _attention(crate: Crate) -> Change:
    return Change(posixpath.join(crate.folder, KERNEL), attention_kernel(), PortPhase.TRANSLATION, WHY, _rules())


def _main(text: str) -> re.Match[str]:
    mains = list(_MAIN.finditer(text))
    if len(mains) != 1 or text[: mains[0].start()].rstrip().endswith("]") or "build_rocm" in text:
        raise NotRead("its main function was not recognised")
    return mains[0]


def _script(crate: Crate, script: SourceFile, text: str, main: re.Match[str], new: str) -> Iterator[Change]:
    yield _changed(script, _with_call(text, main))
    yield Change(
        posixpath.join(crate.folder, script_text.BUILD_SCRIPT), new.encode(), PortPhase.BUILD, _WHY_NEW, _rules()
    )


def _changed(script: SourceFile, after: str) -> Change:
    newline = "\r\n" if "\r\n" in after else "\n"
    data = after.replace("\r\n", "\n").replace("\n", newline).encode("utf-8", "surrogateescape")
    return Change(script.path, script.bom + data, PortPhase.BUILD, _WHY_SCRIPT, _rules())


def _for_hip(kernels: Kernels, crate: Crate, tree: Tree) -> Kernels:
    """The sources, with those that have a HIP version beside them in that one."""
    sources = HipSources.of(tree)

    def hip(path: str) -> str:
        return relative(sources.for_hip(posixpath.join(crate.folder, path)), crate.folder)

    libraries = {name: [hip(path) for path in paths] for name, paths in kernels.libraries.items()}
    return Kernels([hip(path) for path in kernels.modules], libraries, kernels.options)


def _left_out(kernels: Kernels, path: str) -> Iterator[Manual]:
    for name, sources in kernels.libraries.items():
        what = f"the library {name} of {len(sources)} sources is not built for AMD"
        why = "its functions are called from Rust as C's, and what calls them has no twin"
        yield Manual(path, None, PortPhase.TRANSLATION, what, why, ", ".join(_rules()))


def _aliases(tree: Tree, crate: Crate, kernels: Kernels, result: PhaseResult) -> Iterator[Change]:
    """Headers that give CUDA's names to HIP's, for the sources that become modules and what they include."""
    prefix = crate.folder + "/" if crate.folder else ""
    files = [path for path in tree.paths() if path.startswith(prefix) and kind_of_path(path) in CPP_KINDS]
    sources = {path: SourceFile(path, tree.read(path) or b"") for path in files}
    reached = IncludeMap.of(sources.values()).reached(
        prefix + source for source in (*kernels.modules, *(one for some in kernels.libraries.values() for one in some))
    )
    translated = translate_sources(
        tree.root,
        [(sources[path], lex(sources[path].view)) for path in sorted(reached)],
        naming=Naming(lambda path: path, stays=lambda path: True),
        others=[],
    )
    made, problems = make_shim(translated, Path(crate.folder, ALIASES), kernels_alone=bool(kernels.modules))
    for path, _problem, finding in problems:
        result.manual.append(
            Manual(path, finding.line, PortPhase.TRANSLATION, finding.message, finding.fix, finding.rule)
        )
    for new in made:
        yield Change(new.file.as_posix(), new.data, PortPhase.TRANSLATION, _WHY_ALIASES, _rules())
    for path in sorted(reached):
        yield from _mended(sources[path], result)


def _mended(source: SourceFile, result: PhaseResult) -> Iterator[Change]:
    """A source whose fault is mended for AMD, and told."""
    found = list(faults.faults(source))
    for fault in found:
        wrong = source.view[fault.wrong.start : fault.wrong.end].decode("utf-8", "replace")
        why = faults.WHY.format(block=fault.block, wrong=wrong, right=fault.right)
        line = source.line_at(fault.wrong.start)
        result.manual.append(Manual(source.path, line, PortPhase.TRANSLATION, faults.WHAT, why, ", ".join(_rules())))
    if found:
        yield Change(source.path, faults.mended(source, found), PortPhase.TRANSLATION, faults.WHAT, _rules())


def _with_call(text: str, main: re.Match[str]) -> str:
    """The script that compiles for AMD when the feature is on, and for NVIDIA unless the feature rocm alone is. Where all
    that is NVIDIA's stands behind the feature cuda, it is so already."""
    gated = [range(match.start(), closed(text, match.end() - 1)) for match in _FOR_CUDA.finditer(text)]
    alone = all(any(match.start() in block for block in gated) for match in _NVCC_TEXT.finditer(text))
    end = script_text.CALL if alone else script_text.CALL_FIRST.replace("VALUE", " Ok(())" if main[1] else "")
    return text[: main.start()] + script_text.MODULE + text[main.start() : main.end()] + end + text[main.end() :]


def _included(tree: Tree, crate: Crate) -> str | None:
    """The file of PTX constants that the crate's sources include."""
    folder = posixpath.join(crate.folder, "src") + "/"
    for path in tree.paths():
        if path.startswith(folder) and path.endswith(".rs"):
            found = _INCLUDED.search((tree.read(path) or b"").decode("utf-8", "replace"))
            if found and "ptx" in found[1]:
                return found[1]
    return None
