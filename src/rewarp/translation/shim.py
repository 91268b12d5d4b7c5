"""The shim: sources stay CUDA, and headers generated for them let HIP's compiler take them as they are.

One header defines each CUDA name of the project as its HIP twin; shadows of the toolkit's headers include it. What is
more than a name (an argument that moves, inline PTX) a header cannot change: such places are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rewarp.files import NewFile
from rewarp.findings import Finding
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.tables import cuda
from rewarp.translation import arguments, global_names, shim_calls, shim_text
from rewarp.translation.changes import DEFAULTS, SUPPORT_HEADER, Problem, Replacement, Translation, finding_of
from rewarp.translation.guards import TESTED, Guards, ptx_places
from rewarp.translation.lexing import Lexed, lex
from rewarp.translation.ptx import understood
from rewarp.translation.reported_rules import ARCHITECTURE, RUNTIME_API
from rewarp.translation.shim_text import SHIM_HEADER, Alias, Shim
from rewarp.translation.support import support_for, support_header
from rewarp.translation.tree import TranslatedTree

_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_SPLICE = re.compile(rb"\\\r?\n")
_PASTED = re.compile(rb"\s*##")
_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
_CLOSEST = (899, 12080)
_BEYOND = "needs an edit that no header can make"
# Edits of namespaces, written without blanks, and the alias that makes up for each. A macro would hit other things too.
_ALIASED = {
    b"cuda": Alias("thrust/system/hip/execution_policy.h", "namespace thrust { namespace cuda = hip; }"),
    b"cuda::": Alias("hip/hip_runtime.h", "namespace cuda { namespace std = ::std; }"),
}
Found = tuple[str, Problem, Finding]


@dataclass
class _Needs:
    """What the files of a project ask of the shim."""

    macros: dict[bytes, bytes] = field(default_factory=dict)
    """Functions all calls of which a macro with arguments makes HIP's, and what follows its ``#define``."""
    renames: dict[bytes, dict[bytes, list[tuple[SourceFile, Span]]]] = field(default_factory=dict)
    """Every name that becomes another one, and where."""
    beginnings: set[bytes] = field(default_factory=set)
    """What names begin with that the preprocessor puts together."""
    aliases: set[Alias] = field(default_factory=set)
    shadows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The toolkit's headers that files include, and ROCm's headers in their stead."""
    kept: set[str] = field(default_factory=set)
    """Headers that ROCm has under the same name."""
    defined: set[bytes] = field(default_factory=set)
    """Macros that the project defines itself."""
    tested: set[bytes] = field(default_factory=set)
    guards: list[tuple[SourceFile, Guards]] = field(default_factory=list)
    problems: list[tuple[SourceFile, Problem]] = field(default_factory=list)


def make_shim(tree: TranslatedTree, out: Path, *, kernels_alone: bool = False) -> tuple[list[NewFile], list[Found]]:
    """The headers to write, and what they cannot do. ``kernels_alone``: nothing but the kernels is compiled with them."""
    needs = _Needs(macros=_call_macros(tree))
    for translation in tree.translations:
        _read(translation, tree, needs)
    arch, version = _pretended(needs)
    shim = Shim(
        defines=_defines(tree, needs),
        macros=sorted(macro for name, macro in needs.macros.items() if name not in needs.defined),
        aliases=sorted(needs.aliases),
        headers=sorted(
            {header for headers in needs.shadows.values() for header in headers}
            | needs.kept
            | {alias.header for alias in needs.aliases}
        ),
        support=tree.needs_support,
        own_names=sorted(set().union(*tree.project.own_global_names.values())),
        arch=arch if b"__CUDA_ARCH__" in needs.tested else None,
        versions={name: _version(name, version) for name in sorted(needs.tested - {b"__CUDA_ARCH__"})},
    )
    problems = [(source.path, problem, finding_of(source, problem)) for source, problem in needs.problems]
    files = {SHIM_HEADER: shim_text.shim_header(shim)}
    files |= {path: shim_text.shadow(path, headers) for path, headers in sorted(needs.shadows.items())}
    if tree.needs_support:
        used = [*(translation.source.view for translation in tree.translations), *files.values()]
        whole = tree.whole_support
        files[SUPPORT_HEADER] = support_header() if whole else support_for(used, kernels_alone=kernels_alone)
    return [NewFile(out / path, data) for path, data in files.items()], problems


def _call_macros(tree: TranslatedTree) -> dict[bytes, bytes]:
    """Macros with arguments for the functions that every file calls alike."""
    files = []
    for translation in tree.translations:
        names = lex(translation.source.view).names
        if not names.keys().isdisjoint(arguments.rules()):
            files.append((CodeFile(translation.source, Kind.CUDA), names))
    found = {name: shim_calls.macro(name, calls) for name, calls in shim_calls.collected(files).items()}
    return {name: macro for name, macro in found.items() if macro is not None}


# --- reading one file -----------------------------------------------------------------------


def _read(translation: Translation, tree: TranslatedTree, needs: _Needs) -> None:
    source = translation.source
    lexed = lex(source.view)
    document = CodeFile(source, Kind.CUDA, lexed.hiding)
    needs.defined.update(match[1] for match in _DEFINED.finditer(document.code))
    conditions = [one.where for one in document.directives if one.word not in ("else", "endif")]
    includes: list[Span] = []
    for line in lexed.lines:
        if line.path:
            includes.append(Span(line.start, line.path.end))
            _include(source, Span(line.start, line.path.end), line.path, translation, needs)
    tested = TESTED & lexed.names.keys()
    if tested:
        needs.tested |= tested
        needs.guards.append((source, Guards(document, tree.project, _bad_places(document, lexed)).decide()))
    told: set[int] = set()
    called = {name: lexed.names[name] for name in needs.macros.keys() & lexed.names.keys()}
    settled = set(arguments.translate(document, called, DEFAULTS).replacements)
    named = {Span(at, at + len(name)) for name, places in called.items() for at in places}
    for item in translation.replacements:
        if item in settled or Span(item.start, item.end) in named:
            continue
        if not _touches(item, includes) and not _read_edit(source, document, item, conditions, needs):
            line_number = source.line_at(item.start)
            if line_number not in told:
                needs.problems.append((source, _cannot(item)))
            told.add(line_number)


def _include(source: SourceFile, line: Span, path: Span, translation: Translation, needs: _Needs) -> None:
    name = source.view[path.start + 1 : path.end - 1].strip()
    twin = cuda.header(name)
    if twin is None or twin.status == "unsupported":
        return
    headers = tuple(header for header in twin.hip.split(";") if header and header != SUPPORT_HEADER)
    if headers == (twin.cuda,):
        needs.kept.add(twin.cuda)
    elif any(_touches(item, [line]) for item in translation.replacements):
        needs.shadows[twin.cuda] = headers


def _read_edit(
    source: SourceFile, document: CodeFile, item: Replacement, conditions: list[Span], needs: _Needs
) -> bool:
    """Takes one edit down; False when a header cannot do it."""
    old = b"".join(_SPLICE.sub(b"", source.view[item.start : item.end]).split())
    if old in _ALIASED:
        needs.aliases.add(_ALIASED[old])
        return True
    if not old:
        return item.text.lstrip().startswith(b"#include") or global_names.is_around_headers(item.text)
    if _IDENTIFIER.fullmatch(old) and _IDENTIFIER.fullmatch(item.text):
        if _PASTED.match(document.code, item.end):
            needs.beginnings.add(old)
        else:
            needs.renames.setdefault(old, {}).setdefault(item.text, []).append((source, Span(item.start, item.end)))
        return True
    return _touches(item, conditions)


def _touches(item: Replacement, spans: Iterable[Span]) -> bool:
    """Whether an edit changes something inside one of the spans; an insertion in front of one does not."""
    return any(item.start < span.end and item.end > span.start for span in spans)


def is_beyond_headers(problem: Problem) -> bool:
    """Whether an edit of the text would do what a header cannot."""
    return problem.message == _BEYOND


def _cannot(item: Replacement) -> Problem:
    return Problem(
        RUNTIME_API,
        Span(item.start, item.end),
        "unsupported",
        _BEYOND,
        "`rewarp translate --diff` shows it: make it by hand under a platform macro, or translate this file.",
    )


# --- names ----------------------------------------------------------------------------------


def _defines(tree: TranslatedTree, needs: _Needs) -> dict[bytes, bytes]:
    """Macros for the names that become another one wherever they stand."""
    table = cuda.renames()
    defines = {name: new for name, new in table.items() if name.startswith(tuple(needs.beginnings))}
    for old, news in needs.renames.items():
        usual = table.get(old) or (cuda.namespaces()[old].hip.encode() if old in cuda.namespaces() else None)
        if usual is None and len(news) == 1:
            (only,) = news
            usual = only if len(news[only]) == tree.names[old] else None
        if usual in news:
            defines[old] = usual
        for new, places in news.items():
            if new != usual:
                needs.problems += [(source, _cannot(Replacement(*where, new))) for source, where in places]
    return {name: new for name, new in sorted(defines.items()) if name not in needs.defined and name not in TESTED}


# --- conditions -------------------------------------------------------------------------------


def _bad_places(document: CodeFile, lexed: Lexed) -> list[int]:
    """Code without a meaning on AMD."""
    view = document.source.view
    unsupported = [name for name in lexed.names if (twin := cuda.twin(name)) and twin.status == "unsupported"]
    ptx = [at for at in ptx_places(document) if not understood(view, at)] if b"asm" in view else []
    return ptx + [at for name in unsupported for at in lexed.names[name]]


def _pretended(needs: _Needs) -> tuple[int | None, int]:
    """The one GPU and toolkit that suit the conditions of all files best, and a problem for each they do not suit."""
    decided = [(source, guards, *both) for source, guards in needs.guards for both in guards.tested().items()]
    choices = [_CLOSEST]
    for *_, decision in decided:
        arch, version = decision.pretended["__CUDA_ARCH__"], decision.pretended["CUDART_VERSION"]
        if isinstance(version, int) and (arch, version) not in choices:
            choices.append((arch if arch is not None else False, version))

    def cost(choice: tuple[int, int]) -> tuple[int, int]:
        found = [guards.cost_of(one, *choice) for _, guards, one, _ in decided]
        return sum(kernels for kernels, _ in found), sum(branches for _, branches in found)

    best = min(choices, key=cost)
    for source, guards, one, decision in decided:
        arch, version = decision.pretended["__CUDA_ARCH__"], decision.pretended["CUDART_VERSION"]
        if guards.cost_of(one, *best) > guards.cost_of(one, arch, int(version or 0)):
            test = one.arms[0].test
            needs.problems.append((source, _unsuited(test.condition, test.where)))
    return (None if best[0] is False else int(best[0])), best[1]


def _unsuited(condition: str, where: Span) -> Problem:
    return Problem(
        ARCHITECTURE,
        Span(*where),
        "unsupported",
        f"`{' '.join(condition.split())}`: the one answer that the shim gives to all conditions does not suit this one",
        "Test __HIP_PLATFORM_AMD__ there, or translate this file.",
    )


def _version(name: bytes, version: int) -> int:
    if name == b"__CUDACC_VER_MAJOR__":
        return version // 1000
    if name == b"__CUDACC_VER_BUILD__":
        return 0
    return version % 1000 // 10 if name == b"__CUDACC_VER_MINOR__" else version
