"""The kinds of fixes: each says what a part of the port has to know of a rule to mend what it finds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from rewarp.fixes.cmake import CMakeMender
from rewarp.fixes.place import Mender
from rewarp.fixes.script import ScriptMender
from rewarp.lang.kinds import Kind


@dataclass(frozen=True)
class Fix:
    """What ``rewarp port`` does about a rule's findings."""

    summary: ClassVar[str] = ""
    """What such fixes do, in one sentence for people; empty where nothing is changed."""

    @property
    def says(self) -> str:
        """What this one does."""
        return self.summary


@dataclass(frozen=True)
class PythonFix(Fix):
    """Edits of the Python file in which the finding stands, behind the project's gate."""

    summary = "Changed in the Python file, behind the project's platform gate."
    mend: Mender
    even_if_mild: bool = False
    """Whether a finding that only informs is mended as well."""
    needs_helper: bool = False
    """Whether it may import from the helper that the project gets to carry with it."""
    opens: bool = False
    """Whether it lets the target into code that it did not reach: all that is in there has to be mended, too."""
    leaves_out: bool = False
    """Whether it leaves the target without a library: code that uses it is then not to be opened to the target."""


class Items(Enum):
    """What a list in a build script holds."""

    OPTIONS = "options"
    LIBRARIES = "libraries"
    PATHS = "paths"


@dataclass(frozen=True)
class ScriptFix(Fix):
    """Edits of a Python build script: other items or values for ROCm, else whole statements kept for NVIDIA."""

    summary = (
        "Kept for NVIDIA in the build script, with ROCm's own beside it where there is one; torch.version.hip decides."
    )
    items: Items | None = None
    """What the item of a list that was found is; ROCm gets another one, or none."""
    value: ScriptMender | None = None
    """Gives ROCm another value."""
    once: bool = False
    """Whether one such value answers all findings of the script."""
    settles: bool = False
    """Whether it answers as well what other rules find in the same expression."""


@dataclass(frozen=True)
class CMakeFix(Fix):
    """Commands that a HIP build runs in the stead of CUDA's, behind an option that is off by default."""

    summary = "CMake gets an option, off by default, behind which HIP's commands run in the stead of CUDA's."
    mend: CMakeMender


@dataclass(frozen=True)
class FileFix(Fix):
    """A file as a whole gets its counterpart for the target, or a part that only the target takes."""

    kind: Kind
    """The kind of the file that the finding stands in."""
    what: str
    """One sentence: what is written."""
    worth_a_file: bool = True
    """Whether this finding alone is worth a new file for those who only develop or test."""
    even_if_mild: bool = False
    """Whether a finding that only informs is worth one as well."""

    @property
    def says(self) -> str:
        return self.what


@dataclass(frozen=True)
class SourceFix(Fix):
    """CUDA C++ that is translated, or made right on waves of both widths."""

    summary = "Done in the HIP version of the source, or by torch's own translation where torch builds it."


@dataclass(frozen=True)
class TextNote(Fix):
    """A place in a file that nothing here reads as more than text: told, for a person to change."""

    file: str
    """The file's name."""
    pattern: re.Pattern[bytes]
    what: str
    why: str


@dataclass(frozen=True)
class BackEndFix(Fix):
    """A back end in Rust that gets one for AMD beside it."""

    summary = (
        "What names CUDA gets a sibling that names ROCm, and files that are CUDA's alone get a twin, on a crate in the shape "
        "of cudarc that loads HIP, rocBLAS and rocRAND at run time."
    )
