"""A second opinion on translations: HIPIFY's own unit tests.

    python benchmarks/hipify_cases.py HIPIFY/tests/unit_tests

Each test is a CUDA file whose ``// CHECK:`` comments say what the HIP file must contain. Every file is translated with
rewarp, and the comments are read as LLVM's FileCheck reads them: in order, blanks folded, ``{{...}}`` a regular
expression. Two kinds of expectation are counted apart: those that a current ROCm no longer wants, and those on which
rewarp takes another way on purpose. ``DIFFERENCES`` lists both with the reason, and where there is a form to expect
instead, that form must be found; where there is none, the reason itself is checked (hipify_excuses.py). Tests of HIPIFY's ``--roc`` mode (rocBLAS and its like in the place of hipBLAS) ask
for what rewarp does not offer; they are not attempted. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from hipify_excuses import (
    Excuse,
    half_a_launch,
    launched,
    launched_in_macro,
    needs_no_runtime,
    renamed_and_told,
    skipped,
    string_stays,
    told,
    told_with_its_branch,
    translated_or_told,
)

from rewarp.source import SourceFile
from rewarp.translation.changes import Options, Translation
from rewarp.translation.translator import translate

_CHECK = re.compile(r"//\s*CHECK(-NEXT|-NOT|-DAG)?:[ \t]*(.*)")
_RUN = re.compile(r"//\s*RUN:(.*)")
_COMMENT = re.compile(r"//.+")
_BLANKS = re.compile(r"[ \t]+")
_REGEX = re.compile(r"\{\{(.*?)\}\}")


class Difference(NamedTuple):
    """Expectations that are not met as they stand."""

    kind: str
    """``outdated`` or ``design``."""
    files: str
    pattern: str
    now: str | None
    """What to expect instead of ``pattern``; None: the line is excused, if the excuse holds."""
    why: str
    excuse: Excuse | None = None


OUTDATED, DESIGN = "outdated", "design"
DIFFERENCES = (
    Difference(OUTDATED, "*", r'(?<=[<"])(hipblas|hipblaslt|hipsparse|hipsolver)\.h', r"\1/\1.h",
               "the headers moved into folders, and ROCm 6 took the old places away"),
    *(Difference(DESIGN, "*/cublas2hipblas*", rf"(hipblas{letter}getr[is]Batched)(?:_v2)?(\((?:\w+, )+?)(\w+_const)(?=, )",
                 rf"\1\2const_cast<{type_}* const*>(\3)", "hipBLAS takes no pointers to const here, and C++ no others for them")
      for letter, type_ in zip("SDCZ", ("float", "double", "hipblasComplex", "hipblasDoubleComplex"))),
    Difference(OUTDATED, "*", r"\b(hipblas\w+?)_v2(?=(?:_64)?\b)", r"\1",
               "hipBLAS 3 dropped the suffix; version 2 has the same under HIPBLAS_V2"),
    Difference(OUTDATED, "*/cuDNN/*", r"(?i)hipdnn", None, "hipDNN was given up: each name becomes MIOpen's, or is told of",
               translated_or_told),
    Difference(OUTDATED, "*", r"\bhip_bfloat16\b", "__hip_bfloat16", "the type of the current header hip_bf16.h"),
    Difference(OUTDATED, "*", r"hipDeviceAttributeMultiGpuBoardGroupId", "hipDeviceAttributeMultiGpuBoardGroupID",
               "the headers spell it so"),
    Difference(OUTDATED, "*", r"hipDeviceAttributeMaxBlocksPerMultiprocessor",
               "hipDeviceAttributeMaxBlocksPerMultiProcessor", "the headers spell it so"),
    Difference(OUTDATED, "*", r"hipGraphDebugDotFlagsRuntimeTypes", None, "no HIP header has it: told of with its branch",
               told_with_its_branch),
    Difference(OUTDATED, "*", r"reinterpret_cast<half&>\((tmp\.[xy])\)", r"\1",
               "the members of half2 have been halves since HIP 6"),
    Difference(OUTDATED, "*", r"\b603\b", "HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR",
               "the HIP version of HIPIFY's day"),
    Difference(DESIGN, "headers/*", r"#include <hip/hip_runtime\.h>", None,
               "added only to files that use CUDA and include nothing that brings it", needs_no_runtime),
    Difference(DESIGN, "headers/*", r'#include "cusolverMg\.h"', None,
               "an include without a twin is told of, not dropped", told("cusolverMg.h")),
    Difference(DESIGN, "*", r'^(?!#include).*"[^"]*\bhip\w', None, "strings stay as they are", string_stays),
    Difference(DESIGN, "*", r"HIP_KERNEL_NAME\((\w+)\)", r"\1", "the macro protects commas, and there are none"),
    Difference(DESIGN, "kernel_launch/kernel_launch_01.cu", r"hipLaunchKernelGGL\(Inc1", None,
               "a launch in a macro is translated in the macro", launched_in_macro),
    Difference(DESIGN, "samples/axpy.cu", r"ARG_LIST_AS_MACRO", None,
               "half a launch in a macro stays <<<>>> and is told of", half_a_launch),
    Difference(DESIGN, "pp/*", r"<<<", None, "launches that this build leaves out are translated all the same",
               launched),
    Difference(DESIGN, "*/cublas_v1.cu", r"cublasSscal|hipblasSscal", None,
               "calls of the old interface are renamed too; its header and cublasInit are told of", renamed_and_told),
    Difference(DESIGN, "*/cusparse2hipsparse_11030_12000.cu", r"hipsparseSpSM_solve", None,
               "stands under CUDA_VERSION < 12000, which HIP's compiler skips", skipped),
    Difference(DESIGN, "*", r"hipGraphKernelNodeCopyAttributes\((\w+), (\w+)\)",
               r"hipGraphKernelNodeCopyAttributes(\2, \1)", "HIP takes the source first, CUDA's driver the destination"),
    Difference(DESIGN, "synthetic/*", r"void\* occupancyB2DSize", None,
               "HIP takes no such function: the type is told of, and the argument left out",
               told("cudaOccupancyB2DSize", "CUoccupancyB2DSize")),
)  # fmt: skip


@dataclass(frozen=True)
class Check:
    """One expectation."""

    line: int
    kind: str
    """Empty, ``-NEXT``, ``-NOT`` or ``-DAG``."""
    text: str

    @property
    def pattern(self) -> re.Pattern[str]:
        parts = _REGEX.split(_BLANKS.sub(" ", self.text.strip()))
        return re.compile("".join(part if index % 2 else re.escape(part) for index, part in enumerate(parts)))


@dataclass
class Result:
    """What became of one test."""

    path: str
    lines: int = 0
    missed: list[Check] = field(default_factory=list)
    different: list[tuple[Check, str]] = field(default_factory=list)
    """Met in another form, with the kind of difference."""
    excused: list[tuple[Check, str]] = field(default_factory=list)
    """What nothing is expected for instead, with the reason, which was found to hold."""


class Place(NamedTuple):
    line: int
    column: int


class Judge:
    """Compares one translation with what its test expects."""

    def __init__(self, path: str, text: str, done: Translation) -> None:
        self.result = Result(path)
        self.done = done
        output = done.text
        self.output = [_BLANKS.sub(" ", _COMMENT.sub("// ", line)) for line in output.splitlines()]
        self.checks = list(checks(text))
        self.at = Place(0, 0)
        self.lost = False
        """Whether the last expectation was missed, so that nobody knows which line is the next."""

    def judge(self) -> Result:
        forbidden: list[Check] = []
        for check in self.checks:
            self.result.lines += 1
            if check.kind == "-NOT":
                forbidden.append(check)
                continue
            found = self._expected(check)
            self.lost = found is None
            if found:
                self._forbidden(forbidden, found[0])
                forbidden = []
                self.at = found[1]
        self._forbidden(forbidden, Place(len(self.output), 0))
        return self.result

    def _expected(self, check: Check) -> tuple[Place, Place] | None:
        found = self._search(check)
        if found is None:
            difference = self._difference(check)
            if difference and difference.now is not None:
                found = self._search(_rewritten(check, difference))
            if difference and self._excuses(difference, check):
                self.result.excused.append((check, difference.why))
            elif difference and found:
                self.result.different.append((check, difference.kind))
            else:
                self.result.missed.append(check)
        return found

    def _forbidden(self, forbidden: Sequence[Check], end: Place) -> None:
        for check in forbidden:
            difference = self._difference(check)
            now = _rewritten(check, difference) if difference and difference.now is not None else check
            found = self._later(now, self.at)
            if found and found[1] <= end:
                if difference and self._excuses(difference, check):
                    self.result.excused.append((check, difference.why))
                else:
                    self.result.missed.append(check)

    def _excuses(self, difference: Difference, check: Check) -> bool:
        """Nothing is expected instead, and the reason for that holds."""
        return bool(difference.excuse and difference.excuse(self.done, check.text))

    def _difference(self, check: Check) -> Difference | None:
        path = self.result.path
        return next((it for it in DIFFERENCES if fnmatch(path, it.files) and re.search(it.pattern, check.text)), None)

    def _search(self, check: Check) -> tuple[Place, Place] | None:
        if check.kind == "-NEXT" and not self.lost:
            return self._later(check, Place(self.at.line + 1, 0), self.at.line + 2)
        return self._later(check, self.at)

    def _later(self, check: Check, start: Place, end: int | None = None) -> tuple[Place, Place] | None:
        pattern, column = check.pattern, start.column
        for line in range(start.line, min(end or len(self.output), len(self.output))):
            if match := pattern.search(self.output[line], column):
                return Place(line, match.start()), Place(line, match.end())
            column = 0
        return None


def _rewritten(check: Check, difference: Difference) -> Check:
    return replace(check, text=re.sub(difference.pattern, difference.now or "", check.text))


def checks(text: str) -> Iterator[Check]:
    for number, line in enumerate(text.splitlines(), 1):
        if match := _CHECK.search(line):
            yield Check(number, match[1] or "", match[2])


def report(results: Sequence[Result], not_attempted: int, verbose: bool) -> None:
    for result in results:
        word = "MISS" if result.missed else "else" if result.different or result.excused else "pass"
        print(f"{word} {result.path} {result.lines - len(result.missed)}/{result.lines}")
        for check in result.missed if verbose else result.missed[:1]:
            print(f"     {check.line}: CHECK{check.kind}: {check.text}")
    lines = sum(result.lines for result in results)
    missed = sum(len(result.missed) for result in results)
    kinds = Counter(kind for result in results for _, kind in result.different)
    excused = Counter(why for result in results for _, why in result.excused)
    plain = sum(not (result.missed or result.different or result.excused) for result in results)
    met = sum(not result.missed for result in results)
    print(f"{len(results)} files: {plain} pass as they stand, {met - plain} with known differences, "
          f"{len(results) - met} miss; {not_attempted} of --roc mode not attempted")  # fmt: skip
    known = sum(kinds.values()) + sum(excused.values())
    print(f"{lines} lines: {lines - missed - known} met as they stand, {kinds[OUTDATED]} outdated, "
          f"{kinds[DESIGN]} different by design, {sum(excused.values())} excused for a reason that holds, {missed} missed")  # fmt: skip
    for why, count in excused.most_common():
        print(f"excused {count}: {why}")


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="HIPIFY's tests/unit_tests")
    options.add_argument("--json", type=Path, help="write what was missed or different there")
    options.add_argument("-v", "--verbose", action="store_true", help="print every missed line, not only the first")
    given = options.parse_args(argv)
    results: list[Result] = []
    not_attempted = 0
    for file in sorted(file for file in given.folder.rglob("*") if file.suffix in (".cu", ".cpp")):
        data = file.read_bytes()
        text = data.decode("utf-8", "surrogateescape")
        run = _RUN.search(text)
        if run is None:
            continue
        if re.search(r"-roc\b", run[1]):
            not_attempted += 1
            continue
        path = file.relative_to(given.folder).as_posix()
        launch = "ggl" if "--hip-kernel-execution-syntax" in run[1] else "chevron"
        translation = translate(SourceFile(path, data), Options(launch=launch))
        results.append(Judge(path, text, translation).judge())
    if not results:
        raise SystemExit(f"no test of HIPIFY's below {given.folder}")
    report(results, not_attempted, given.verbose)
    if given.json:
        given.json.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
