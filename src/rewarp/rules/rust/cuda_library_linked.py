"""RS-007: CUDA libraries linked by a crate."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.project.crates import speaks_of_amd
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda_libraries import shared
from rewarp.tables.libraries import LINK_NAMES, advice, linked, twin
from rewarp.targets import Context

_LINK = re.compile(r"cargo::?rustc-link-lib=(?:(?:dylib|static)(?:[:+\-\w,]*)=)?([\w-]+)")
_ARGUMENTS = re.compile(r"cargo::?rustc-link-arg(?:-\w+)?=(.*)")
_OPENED = re.compile(rb"\bLibrary::(?:new|open)\s*\(\s*$")
_ATTRIBUTE = re.compile(rb"#\s*\[\s*link\s*\([^\]]*name\s*=\s*$")


@rule(
    id="RS-007",
    title="A crate links or loads a CUDA library",
    kinds=Kind.RUST,
    anchors=[*LINK_NAMES, *(f"lib{name}" for name in LINK_NAMES), "nvidia", "libnvidia"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="Neither the linker nor the loader finds CUDA libraries on an AMD machine.",
        fix="Link or load the ROCm library instead when the rocm feature is on.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='println!("cargo:rustc-link-lib=dylib=cudart");',
    source="https://doc.rust-lang.org/cargo/reference/build-scripts.html",
    traits=[Trait.BY_HAND],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for cargo:rustc-link-lib lines, link attributes and Library::new that name CUDA libraries."""
    aware = Severity.INFO if speaks_of_amd(document) else None
    for literal in document.literals:
        found = _LINK.match(literal.text)
        before = document.code[max(0, literal.where.start - 120) : literal.where.start]
        if found or _ATTRIBUTE.search(before):
            name = found[1] if found else literal.text
            library = twin(name)
            if library is not None:
                yield Hit(literal.where, f"{name} is linked; {advice(library)}", name, aware)
        elif _OPENED.search(before):
            if library := shared(literal.text):
                yield Hit(
                    literal.where, f"{literal.text} is loaded; {advice(library)}", literal.text, aware or Severity.CRASH
                )
        else:
            arguments = _ARGUMENTS.match(literal.text)
            for name, library in linked(arguments[1]) if arguments else ():
                yield Hit(literal.where, f"-l{name} is linked; {advice(library)}", name, aware)
