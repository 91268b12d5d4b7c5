"""One file from CUDA to HIP. Pure: bytes in, bytes out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property

from rewarp.edits import splice
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.top import top
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.translation import (
    arguments,
    braced_arguments,
    braces,
    comparisons,
    constant_members,
    cooperative_members,
    cooperative_tiles,
    cub_wrapping,
    device_calls,
    device_launches,
    device_pointers,
    dialect,
    entry_points,
    global_names,
    host_calls,
    launch_bounds,
    launches,
    lost_names,
    masks,
    operators,
    overloads,
    pasted_names,
    ptx,
    redefinitions,
    shared_memory,
    sides,
    textures,
    thrust,
    undeclared,
    variable_arrays,
    waits,
    waves,
)
from rewarp.translation.changes import DEFAULTS, Counts, Names, Options, Problem, Replacement, Translation
from rewarp.translation.code import blocks_around
from rewarp.translation.guards import Guards, asks_for_arch, bad_places, holds_ptx, ptx_places
from rewarp.translation.includes import RUNTIME, Includes, translate_includes
from rewarp.translation.lexing import Lexed, lex
from rewarp.translation.names import HIP_TOO, Namer
from rewarp.translation.reported_rules import RUNTIME_API
from rewarp.translation.runtime_sources import compiles_at_run_time, in_plain_strings, in_raw_strings
from rewarp.translation.span_set import NOWHERE, Places
from rewarp.translation.supplied_forms import (
    CONSTEXPR_PRAGMA,
    forms_hip_lacks,
    wants_constexpr_pragma,
    wants_float_header,
    wants_math_header,
)

# What CUDA and HIP spell alike, and only the runtime's header declares.
_NEEDS_RUNTIME = re.compile(
    rb"<<<|__(?:global|device|host|shared|constant)__|\b(?:threadIdx|blockIdx|blockDim|gridDim|dim3"
    rb"|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4])\b"
)
_PARTS = (
    arguments,
    braced_arguments,
    braces,
    comparisons,
    constant_members,
    cooperative_members,
    cooperative_tiles,
    cub_wrapping,
    device_calls,
    device_launches,
    device_pointers,
    dialect,
    entry_points,
    host_calls,
    launch_bounds,
    launches,
    masks,
    operators,
    overloads,
    pasted_names,
    redefinitions,
    shared_memory,
    sides,
    textures,
    thrust,
    undeclared,
    variable_arrays,
    waits,
    waves,
)
_NEVER = (b"#if 0", b"# if 0")
_TRANSLATION_UNITS = (".cu", ".hip")


def translate(source: SourceFile, options: Options = DEFAULTS, lexed: Lexed | None = None) -> Translation:
    """The file in HIP. Raises UnreadableSource for what is not text."""
    return _File(source, options, lexed or lex(source.view)).translated()


class _File:
    def __init__(self, source: SourceFile, options: Options, lexed: Lexed) -> None:
        self.source = source
        self.view = source.view
        self.options = options
        self.lexed = lexed
        self.replacements: list[Replacement] = []
        self.problems: list[Problem] = []
        self.needs_support = False
        self._headers_at: int | None = None
        """Where a header was put in."""

    @cached_property
    def document(self) -> CodeFile:
        return CodeFile(self.source, Kind.CUDA, self.lexed.hiding)

    def code(self) -> bytes:
        return self.document.code

    def translated(self) -> Translation:
        names_found = self.lexed.names
        if not (
            names_found or self.lexed.lines or b"asm" in self.view or b"<<<" in self.view or self.lexed.raw_strings
        ):
            return self._result(Names(), Includes())
        dead, left_alone_spans, quiet = self._guards()
        self._structure(dead)
        skip = self._skipper(left_alone_spans)
        left_alone = Places(left_alone_spans)
        includes = translate_includes(self.view, self.source.path, self.lexed.lines, self.options, left_alone, quiet)
        project = self.options.project
        names = Namer(self.lexed, self.view, self.code, project, skip, dead, quiet, self._own).run()
        needs_support = any(b"REWARP_" in item.text or b"rewarp_" in item.text for item in self.replacements)
        self.replacements += includes.replacements + names.replacements
        self.problems += includes.problems + names.problems
        if self._uses_cuda(names) and wants_math_header(self.view, self.code):
            self._insert_header(b"#include <math.h>", includes)
        if wants_float_header(self.view):
            self._insert_header(b"#include <float.h>", includes)
        if wants_constexpr_pragma(self.view, self.code):
            self._insert_header(CONSTEXPR_PRAGMA, includes)
        self._add_headers(names, includes, needs_support)
        self._rename_for_headers(includes)
        self._runtime_sources(names)
        return self._result(names, includes)

    @property
    def _own(self) -> frozenset[bytes]:
        """Names of CUDA's that the project declares where this file sees it."""
        return self.options.project.supplies.get(self.source.path, frozenset())

    # --- structure ------------------------------------------------------------------

    def _guards(self) -> tuple[Places, list[Span], Places]:
        """Decides ``#if`` conditions; gives the code that is dead on AMD, what of it is left as it is, and all code
        that need not be reported on."""
        tested = asks_for_arch(self.lexed, self.view, self.options.project.arch_aliases)
        asm = holds_ptx(self.source)
        lost = self.options.project.lost_names.get(self.source.path, frozenset())
        if not (tested or asm or lost or self._asks_for_hip()):
            return NOWHERE, [], NOWHERE
        needing = lost_names.uses(self.document, lost) if lost else []
        bad = self._bad_places() + needing if tested else []
        guards = Guards(self.document, self.options.project, bad)
        if tested:
            guards.decide()
        self.replacements += guards.replacements
        dead = guards.dead()
        if needing:
            self.problems += lost_names.told(self.document, lost, Places(dead).without(needing))
        self._respect(guards.for_hip())
        self.problems += guards.problems
        if asm:
            places = Places(guards.dead(on_device_only=True)).without(ptx_places(self.document))
            found = ptx.translate_ptx(self.document, places)
            self.replacements += found.replacements
            self.problems += found.problems
        quiet = Places(guards.quiet(dead))
        self.problems = [problem for problem in self.problems if problem.where.start not in quiet]
        return Places(dead), guards.left_alone(), quiet

    def _bad_places(self) -> list[int]:
        known = self.options.project.bad_places.get(self.source.path)
        return bad_places(self.document, self.lexed) if known is None else known

    def _respect(self, for_hip: list[Span]) -> None:
        """In code written for HIP, the names that CUDA has too mean HIP's."""
        shared = HIP_TOO & self.lexed.names.keys() if for_hip else ()
        if shared:
            mine = {name: Places(for_hip).without(self.lexed.names[name]) for name in shared}
            names = {**self.lexed.names, **mine}
            self.lexed = self.lexed._replace(names={name: places for name, places in names.items() if places})

    def _asks_for_hip(self) -> bool:
        """Whether the file may tell AMD and NVIDIA apart itself."""
        vocabulary = self.lexed.vocabulary
        if b"__HIP" in vocabulary or b"__AMDGCN__" in vocabulary or b"USE_ROCM" in self.view:
            return True
        return any(line.word == b"if" and self.view.startswith(_NEVER, line.start) for line in self.lexed.lines)

    def _structure(self, dead: Places) -> None:
        names = self.lexed.names
        for part in _PARTS:
            if part.concerns(self.lexed, self.view, self.options):
                found = part.translate(self.document, names, self.options)
                self.replacements += [item for item in found.replacements if item.start not in dead]
                self.problems += [item for item in found.problems if item.where.start not in dead]

    def _skipper(self, left_alone: list[Span]) -> Callable[[int], bool] | None:
        """Whether names at a place are none of the namer's business."""
        places = Places([*(Span(item.start, item.end) for item in self.replacements), *left_alone])
        return places.__contains__ if places else None

    def _runtime_sources(self, names: Names) -> None:
        """Kernels in strings, which are compiled when the program runs."""
        by_program = self.options.project.compiles_at_run_time or compiles_at_run_time(self.lexed)
        for where in in_raw_strings(self.lexed, self.view):
            inner = self._in_string(self.view[slice(*where)])
            if self.options.runtime_sources or by_program:
                self._take_over(inner, where, names)
            elif inner.changed or inner.problems:
                message = "CUDA source in this string is left as it is: nothing here compiles it when the program runs"
                fix = "If something does, translate with --rtc."
                self.problems.append(Problem(RUNTIME_API, where, "noted", message, fix))
        for where, text in in_plain_strings(self.lexed, self.view) if by_program else ():
            inner = self._in_string(text)
            if inner.changed or inner.problems:
                message = "CUDA source in plain strings is left as it is, and is compiled when the program runs"
                fix = 'Make it one raw string, R"(...)": those are translated.'
                self.problems.append(Problem(RUNTIME_API, where, "unsupported", message, fix))

    def _in_string(self, text: bytes) -> Translation:
        return translate(SourceFile("source in a string.cuh", text), self.options)

    def _take_over(self, inner: Translation, where: Span, names: Names) -> None:
        self.replacements += [
            Replacement(start + where.start, end + where.start, new) for start, end, new in inner.replacements
        ]
        self.problems += [
            problem._replace(where=Span(problem.where.start + where.start, problem.where.end + where.start))
            for problem in inner.problems
        ]
        names.mapped += inner.counts.mapped
        if inner.needs_support:
            message = "the kernel in this string includes the support header: hiprtc has to be given it"
            fix = f"Pass {self.options.support} to hiprtcCreateProgram among the headers."
            self.problems.append(Problem(RUNTIME_API, where, "noted", message, fix))

    # --- headers --------------------------------------------------------------------

    def _add_headers(self, names: Names, includes: Includes, needs_support: bool) -> None:
        supplied = names.supplied - self._own
        self.needs_support = (
            needs_support
            or self.options.include_support
            or bool(supplied)
            or includes.needs_support
            or forms_hip_lacks(self.lexed, self.view, self.code)
        )
        if self.needs_support and not includes.has_support:  # it includes HIP's runtime header, and must come before it
            wanted = b'#include "' + self.options.support.encode() + b'"'
        elif includes.has_support or not self._is_unit:
            return
        elif (
            self._misses_runtime(includes)
            or self._has_runtime_in_a_block(includes)
            or (not includes.has_runtime and self._uses_cuda(names))
        ):
            wanted = b"#include <" + RUNTIME + b">"
        else:
            return
        self._insert_header(wanted, includes)

    def _insert_header(self, line: bytes, includes: Includes) -> None:
        ending = b"\r\n" if b"\r\n" in self.view[:4096] else b"\n"
        at = self._headers_at = self._place_for_headers(includes)
        self.replacements.insert(0, Replacement(at, at, line + ending))  # before whatever else goes in at its place

    def _rename_for_headers(self, includes: Includes) -> None:
        """Where the project has names of its own that HIP's headers declare as well."""
        own = self.options.project.own_global_names.get(self.source.path)
        if not own or self.options.project.textures:
            return
        self.problems += global_names.told(self.document)
        before, behind = global_names.around(self.view, own, includes.of_rocm, self._headers_at)
        inserted = [item for item in self.replacements if item.start == item.end == self._headers_at]
        others = [item for item in self.replacements if not (item.start == item.end == self._headers_at)]
        self.replacements = [*before, *inserted, *behind, *others]

    def _misses_runtime(self, includes: Includes) -> bool:
        """Whether the project's own headers come first in a unit: nvcc puts the runtime's before its first line."""
        return includes.own_first and self.source.path.endswith(".cu") and RUNTIME not in self.view

    def _has_runtime_in_a_block(self, includes: Includes) -> bool:
        """Whether it is included in ``extern "C" {`` or a namespace. nvcc has its own before, so that nothing comes of it there."""
        if includes.runtime is None or b"{" not in self.view[: includes.runtime]:
            return False
        return bool(blocks_around(self.code(), includes.runtime))

    @property
    def _is_unit(self) -> bool:
        """Whether the file is compiled on its own: nvcc puts the runtime's header before its first line."""
        path = self.source.path
        if not path or path.endswith(_TRANSLATION_UNITS):
            return True
        return path.endswith(dialect.HOST_UNITS) and (b"__global__" in self.view or b"<<<" in self.view)

    def _uses_cuda(self, names: Names) -> bool:
        return bool(names.mapped or names.noted or _NEEDS_RUNTIME.search(self.view))

    def _place_for_headers(self, includes: Includes) -> int:
        """Before all code, as nvcc has its own: macros of the project, and ``extern "C" {`` or a namespace that opens before
        the first include, must not reach into HIP's headers."""
        head = top(self.document)
        first = head if includes.first is None else self.view.rfind(b"\n", 0, includes.first) + 1
        return first if first > head and not self.code()[head:first].strip() else head

    # --- result ---------------------------------------------------------------------

    def _result(self, names: Names, includes: Includes) -> Translation:
        replacements = _in_order(self.replacements)
        source = self.source
        data = source.restored(splice(self.view, replacements))
        kinds = Counter(problem.kind for problem in self.problems)
        kinds.subtract(problem.kind for problem in names.problems)  # the names count their uses themselves
        counts = Counts(
            names.mapped + includes.mapped,
            names.noted + kinds["noted"],
            names.unsupported + kinds["unsupported"],
            names.unknown + kinds["unknown"],
        )
        return Translation(
            source=source,
            data=data,
            replacements=tuple(replacements),
            counts=counts,
            needs_support=self.needs_support,
            problems=tuple(sorted(_once(self.problems), key=lambda problem: problem.where)),
        )


def _once(problems: list[Problem]) -> Iterable[Problem]:
    """What two parts have to say about one use of a name is said once."""
    found: dict[tuple[Span, str, str], Problem] = {}
    for problem in problems:
        found.setdefault((problem.where, problem.kind, problem.symbol), problem)
    return found.values()


def _in_order(replacements: list[Replacement]) -> list[Replacement]:
    """In file order. Insertions at one place are joined in the order they were asked for; of two edits of the same
    bytes the one that begins first, or reaches farther, stands."""
    joined: list[Replacement] = []
    for item in sorted(replacements, key=lambda item: (item.start, item.end > item.start, -item.end)):
        last = joined[-1] if joined else None
        if last and last.start == last.end == item.start == item.end:
            joined[-1] = Replacement(item.start, item.end, last.text + item.text)
        elif not last or item.start >= last.end:
            joined.append(item)
    return joined
